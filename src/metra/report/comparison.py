"""Comparisons laid out: tables of differences, and verdicts in words."""

from collections.abc import Mapping, Sequence

from metra.report.headings import short_names
from metra.report.layout import Cell, Sheet, Style, counted, heading, interval, number
from metra.results import Comparison, Results, Terms

TESTS = {
    "ar": "paired approximate randomisation",
    "bootstrap": "paired bootstrap",
}
LEGEND = "▲ better, ▼ worse; △ ▽ may be chance"


def comparison_sheets(results: Results, style: Style) -> list[Sheet]:
    """Lay out all metrics side by side if there are several, then each by itself."""
    details = _matrix if results.clusters else _against_baseline
    sheets = [details(results, spec, style) for spec in results.specs]
    return [_overview(results, style), *sheets] if len(sheets) > 1 else sheets


def verdicts(results: Results) -> list[str]:
    """Say in words what was found, and why nothing was where there is too little."""
    found = _rankings(results) if results.clusters else _by_system(results)
    reasons = dict.fromkeys(entry.reason for entry in results.comparisons)
    return [*found, *(f"No test: {reason}" for reason in reasons if reason)]


def legend(results: Results, terms: Terms) -> list[str]:
    """Explain the signs and name the test."""
    corrected = _corrected(results)
    after = " after Holm's correction" if corrected else ""
    lines = [f"{LEGEND} (p above {terms.alpha:g}{after})"]
    if results.clusters:
        lines.append("above the diagonal row minus column, below it p-values")
    lines.append(
        f"{TESTS[terms.test]} of {counted(terms.units, terms.unit)}, "
        f"{counted(terms.trials, 'trial')}, seed {terms.seed}"
    )
    return lines


def mark(found: Comparison) -> str:
    """Give a triangle that points up for better, hollow if it may be chance."""
    if found.difference != found.difference:
        return " "
    if found.difference == 0:
        return "="
    if found.gain > 0:
        return "▲" if found.significant else "△"
    return "▼" if found.significant else "▽"


def signed(value: float, digits: int) -> str:
    """Write a difference with its sign."""
    text = f"{value:+.{digits}f}"
    return "–" if value != value else text.replace("-", "−")


def p_shown(p: float | None) -> str:
    """Write a p-value; there may be none."""
    if p is None:
        return "–"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def _overview(results: Results, style: Style) -> Sheet:
    named = short_names(results.specs)
    headings = [
        heading(named[spec], results.systems[0].scores[spec]) for spec in results.specs
    ]
    found = {(entry.metric, entry.system): entry for entry in results.comparisons}
    clusters = results.clusters
    rows = []
    for system in results.systems:
        cells = []
        for spec in results.specs:
            text = number(system.scores[spec].score, style.digits)
            if clusters:
                text = f"{text} ({_cluster(clusters[spec], system.name)})"
                cells.append(Cell(text))
            else:
                entry = found.get((spec, system.name))
                cells.append(
                    Cell(f"{text} {mark(entry)}", "", False, _tone(entry))
                    if entry
                    else Cell(f"{text}  ")
                )
        rows.append((system.name, cells))
    title = "scores, and in brackets the rank of the cluster" if clusters else ""
    return Sheet("system", headings, rows, title)


def _against_baseline(results: Results, spec: str, style: Style) -> Sheet:
    """One metric: each system's score and what is known of its distance to the baseline."""
    found = {
        entry.system: entry for entry in results.comparisons if entry.metric == spec
    }
    corrected = _corrected(results)
    headings = ["score", "difference", "95% interval", "p", *corrected, ""]
    rows = []
    for system in results.systems:
        score = Cell(number(system.scores[spec].score, style.digits))
        entry = found.get(system.name)
        if entry is None:
            blanks = [Cell("")] * (len(headings) - 2)
            rows.append((system.name, [score, *blanks, Cell("baseline", "", False)]))
            continue
        tone = _tone(entry)
        difference = f"{mark(entry)} {signed(entry.difference, style.digits)}"
        cells = [
            score,
            Cell(difference, "", False, tone),
            Cell("", interval(entry.interval, style.digits, signed)),
            Cell(p_shown(entry.p_value)),
            *(Cell(p_shown(entry.p_holm)) for _ in corrected),
            Cell(_verdict(entry), "", False, tone),
        ]
        rows.append((system.name, cells))
    named = short_names(results.specs)
    title = heading(named[spec], results.systems[0].scores[spec])
    return Sheet(title, headings, rows)


def _matrix(results: Results, spec: str, style: Style) -> Sheet:
    """One metric, all pairs, best first: differences above the diagonal, p-values below."""
    pairs: dict[tuple[str, str], Comparison] = {}
    for entry in results.comparisons:
        if entry.metric == spec:
            pairs[entry.baseline, entry.system] = entry
    ranked = results.ranked(spec)
    clusters = (results.clusters or {})[spec]
    rows = []
    for at, system in enumerate(ranked):
        score = system.scores[spec]
        cells = [
            Cell(str(_cluster(clusters, system.name))),
            Cell(number(score.score, style.digits)),
        ]
        for other, opponent in enumerate(ranked):
            if other == at:
                cells.append(Cell("·"))
                continue
            there = pairs.get((opponent.name, system.name))
            entry = there or pairs[system.name, opponent.name]
            if other > at:
                ahead = entry.difference if there else -entry.difference
                sign = "=" if ahead == 0 else "▲" if entry.significant else "△"
                tone = "good" if entry.significant else ""
                text = f"{sign} {signed(ahead, style.digits)}"
                cells.append(Cell(text, "", False, tone))
            else:
                p = entry.p_holm if _corrected(results) else entry.p_value
                cells.append(Cell(p_shown(p)))
        rows.append((f"{at + 1} {system.name}", cells))
    numbers = [str(at + 1) for at in range(len(ranked))]
    title = heading(short_names(results.specs)[spec], ranked[0].scores[spec])
    return Sheet(title, ["cluster", "score", *numbers], rows)


def _corrected(results: Results) -> list[str]:
    """Name the column of corrected p-values; there is none where they are as they were."""
    terms = results.terms
    same = all(entry.p_value == entry.p_holm for entry in results.comparisons)
    return [] if same or terms is None or terms.correction == "none" else ["p (Holm)"]


def _cluster(clusters: Sequence[Sequence[str]], system: str) -> int:
    return next(at for at, members in enumerate(clusters, 1) if system in members)


def _tone(found: Comparison) -> str:
    if not found.significant:
        return ""
    return "good" if found.gain > 0 else "bad"


def _verdict(found: Comparison) -> str:
    if found.reason:
        return "too few" if found.difference == found.difference else "no score"
    if not found.significant:
        return "unclear"
    return "better" if found.gain > 0 else "worse"


def _by_system(results: Results) -> list[str]:
    """Say which systems are better, worse, or neither; by which measures, if by several."""
    tested = [entry for entry in results.comparisons if entry.reason is None]
    if len(results.specs) == 1:
        return _in_one_sentence(tested)
    named = short_names(results.specs)
    lines = []
    for system in dict.fromkeys(entry.system for entry in tested):
        found: dict[str, list[str]] = {}
        for entry in tested:
            if entry.system == system:
                found.setdefault(_verdict(entry), []).append(named[entry.metric])
        lines.append(f"{system}: {_joined(found, tested[0].baseline, ' by')}.")
    return lines


def _in_one_sentence(tested: Sequence[Comparison]) -> list[str]:
    found: dict[str, list[str]] = {}
    for entry in tested:
        found.setdefault(_verdict(entry), []).append(entry.system)
    if not found:
        return []
    sentence = _joined(found, tested[0].baseline, ":")
    return [f"{sentence[0].upper()}{sentence[1:]}."]


def _joined(found: Mapping[str, Sequence[str]], baseline: str, link: str) -> str:
    """Join verdicts and who or what they hold for; the baseline is named once."""
    parts: list[str] = []
    for verdict, words, word in (
        ("better", "better", "than"),
        ("worse", "worse", "than"),
        ("unclear", "no clear difference", "from"),
    ):
        if verdict in found:
            against = f" {word} {baseline}" if not parts else ""
            parts.append(f"{words}{against}{link} {_listed(found[verdict])}")
    return "; ".join(parts)


def _rankings(results: Results) -> list[str]:
    named = short_names(results.specs)
    return [
        f"{named[spec]}: {' > '.join(', '.join(members) for members in clusters)}"
        for spec, clusters in (results.clusters or {}).items()
    ]


def _listed(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> _listed(["bleu"]), _listed(["bleu", "chrf", "ter"])
    ('bleu', 'bleu, chrf and ter')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
