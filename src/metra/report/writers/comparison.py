"""Comparisons of systems: tables of differences, and verdicts in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from metra.analysis.headlines import describe_trust, list_contrary_verdicts
from metra.report.table import format_p_value
from metra.report.writers.headings import (
    build_metric_columns,
    find_correction,
    format_metric_heading,
    join_names,
    name_correction,
    name_test,
    say_correction,
    shorten_specs,
)
from metra.scoring.results import HUMAN_SCORE, Results
from metra.scoring.table import Cell, Column, Table, make_table

if TYPE_CHECKING:
    from metra.scoring.compare import SystemComparison

Tone: TypeAlias = Literal["", "good", "bad"]
TONES: dict[str, Tone] = {"better": "good", "worse": "bad", "": ""}
LEGEND = "▲ better, ▼ worse; △ ▽ not significant"


def build_comparison_tables(results: Results) -> list[Table]:
    """Lay out all metrics side by side if there are several, then each by itself."""
    build_details = _build_pairs_table if results.clusters else _build_baseline_table
    tables = [build_details(results, spec) for spec in results.specs]
    return [_build_overview_table(results), *tables] if len(tables) > 1 else tables


def describe_comparisons(results: Results) -> list[str]:
    """Say in words which systems are better, and why there was no test."""
    short_names = shorten_specs(results.specs)
    ranked = [
        f"{short_names[spec]}: {' > '.join(', '.join(members) for members in clusters)}"
        for spec, clusters in (results.clusters or {}).items()
    ]
    return [*(ranked or _describe_systems(results)), *build_reasons(results)]


def describe_disagreement(*all_results: Results) -> list[str]:
    """Say first where people and kinds of metrics disagree, and whom to trust more.

    Results are those of people and of metrics, or of metrics only.
    """
    names = {
        spec: name
        for results in all_results
        for spec, name in shorten_specs(results.specs).items()
    }
    lines = []
    for system, baseline, better, worse in list_contrary_verdicts(all_results):
        sides, kinds = [], [basis for basis, _ in (*better, *worse)]
        for side in (better, worse):
            by_basis: dict[str, list[str]] = {}
            for basis, metric in side:
                by_basis.setdefault(basis, []).append(names[metric])
            listed = (
                "people" if each == [HUMAN_SCORE] else f"{join_names(each)} ({basis})"
                for basis, each in by_basis.items()
            )
            sides.append(" and ".join(listed))
        who = "People and metrics" if "people" in kinds else "Metrics"
        lines.append(
            f"{who} disagree about {system}: better than {baseline} by {sides[0]}, worse "
            f"by {sides[1]}. {describe_trust(kinds)}"
        )
    return lines


def build_reasons(results: Results) -> list[str]:
    """Say why there was no test, where there was none."""
    reasons = dict.fromkeys(entry.reason for entry in results.comparisons)
    return [f"No test: {reason}" for reason in reasons if reason]


def build_comparison_legend(results: Results) -> list[str]:
    """Explain the signs and name the test."""
    terms = results.terms
    if terms is None:
        return []
    lines = [f"{LEGEND} (p above {terms.alpha:g})"]
    if correction := say_correction(results):
        lines.append(f"p{correction}")
    if results.clusters:
        lines.append("above the diagonal: row minus column; below: p-values")
    return [*lines, name_test(terms)]


def choose_mark(comparison: "SystemComparison") -> str:
    """Choose a triangle that points up for better, hollow if not significant."""
    if comparison.gain != comparison.gain:
        return " "
    if comparison.gain == 0:
        return "="
    return ("▲▼" if comparison.significant else "△▽")[comparison.gain < 0]


def _build_overview_table(results: Results) -> Table:
    comparisons = {(entry.metric, entry.system): entry for entry in results.comparisons}
    clusters = results.clusters
    rows = []
    for system in results.systems:
        cells = []
        for spec, score in system.scores.items():
            entry = comparisons.get((spec, system.name))
            if clusters:
                place = results.find_cluster(spec, system.name)
                cells.append(Cell(score.score, suffix=f" ({place})"))
            elif entry is None:
                cells.append(Cell(score.score, suffix="  "))
            else:
                mark = f" {choose_mark(entry)}"
                cells.append(Cell(score.score, suffix=mark, tone=TONES[entry.verdict]))
        rows.append((system.name, cells))
    caption = "scores, and in brackets the rank of the cluster" if clusters else ""
    return make_table("system", build_metric_columns(results), rows, caption=caption)


def _build_baseline_table(results: Results, spec: str) -> Table:
    """One metric: each system's score and its difference from the baseline."""
    comparisons = {
        entry.system: entry for entry in results.comparisons if entry.metric == spec
    }
    corrected = name_correction(results)
    correction = find_correction(results)
    headings = ["score", "difference", "95% interval", "p", *corrected, ""]
    rows = []
    for system in results.systems:
        score = Cell(system.scores[spec].score)
        entry = comparisons.get(system.name)
        if entry is None:
            blanks = [Cell("")] * (len(headings) - 2)
            rows.append((system.name, [score, *blanks, Cell("baseline")]))
            continue
        tone = TONES[entry.verdict]
        mark = f"{choose_mark(entry)} "
        cells = [
            score,
            Cell(entry.difference, signed=True, prefix=mark, tone=tone),
            Cell("", entry.interval, signed=True),
            Cell(format_p_value(entry.p_value)),
            *(Cell(format_p_value(entry.correct(correction))) for _ in corrected),
            Cell(_classify_comparison(entry), tone=tone),
        ]
        rows.append((system.name, cells))
    columns = _build_columns(results, spec, headings)
    return make_table(_format_corner(results, spec), columns, rows)


def _build_pairs_table(results: Results, spec: str) -> Table:
    """One metric, all pairs, best first: differences above the diagonal, p-values below."""
    pairs = {
        (entry.baseline, entry.system): entry
        for entry in results.comparisons
        if entry.metric == spec
    }
    correction = find_correction(results)
    ranked = results.rank_systems(spec)
    rows = []
    for at, system in enumerate(ranked):
        cells = [
            Cell(str(results.find_cluster(spec, system.name))),
            Cell(system.scores[spec].score),
        ]
        for other, opponent in enumerate(ranked):
            if other == at:
                cells.append(Cell("·"))
                continue
            against_opponent = pairs.get((opponent.name, system.name))
            entry = against_opponent or pairs[system.name, opponent.name]
            if other > at:
                ahead = entry.difference if against_opponent else -entry.difference
                mark = "=" if ahead == 0 else "▲" if entry.significant else "△"
                tone: Tone = "good" if entry.significant else ""
                cells.append(Cell(ahead, signed=True, prefix=f"{mark} ", tone=tone))
            else:
                cells.append(Cell(format_p_value(entry.correct(correction))))
        rows.append((f"{at + 1} {system.name}", cells))
    numbers = [str(at + 1) for at in range(len(ranked))]
    columns = _build_columns(results, spec, ["cluster", "score", *numbers])
    return make_table(_format_corner(results, spec), columns, rows)


def _build_columns(
    results: Results, spec: str, headings: Sequence[str]
) -> list[Column]:
    more_digits = results.systems[0].scores[spec].more_digits
    return [Column(heading, more_digits=more_digits) for heading in headings]


def _format_corner(results: Results, spec: str) -> str:
    score = results.systems[0].scores[spec]
    return format_metric_heading(shorten_specs(results.specs)[spec], score)


def _classify_comparison(comparison: "SystemComparison") -> str:
    if comparison.reason:
        is_scored = comparison.difference == comparison.difference
        return "too few" if is_scored else "no score"
    return comparison.verdict or "n.s."


def _describe_systems(results: Results) -> list[str]:
    """Say which systems are better, worse, or neither; by which metrics, if by several."""
    tested = [entry for entry in results.comparisons if entry.reason is None]
    if not tested:
        return []
    baseline = tested[0].baseline
    if len(results.specs) == 1:
        pairs = [(_classify_comparison(entry), entry.system) for entry in tested]
        sentence = _join_verdicts(pairs, baseline, ":")
        return [f"{sentence[0].upper()}{sentence[1:]}."]
    short_names = shorten_specs(results.specs)
    lines = []
    for system in dict.fromkeys(entry.system for entry in tested):
        pairs = [
            (_classify_comparison(entry), short_names[entry.metric])
            for entry in tested
            if entry.system == system
        ]
        lines.append(f"{system}: {_join_verdicts(pairs, baseline, ' by')}.")
    return lines


def _join_verdicts(pairs: Sequence[tuple[str, str]], baseline: str, link: str) -> str:
    """Join verdicts and who or what they hold for; the baseline is named once."""
    parts: list[str] = []
    for verdict, words, word in (
        ("better", "significantly better", "than"),
        ("worse", "significantly worse", "than"),
        ("n.s.", "no significant difference", "from"),
    ):
        names = [name for each, name in pairs if each == verdict]
        if names:
            against = f" {word} {baseline}" if not parts else ""
            parts.append(f"{words}{against}{link} {join_names(names)}")
    return "; ".join(parts)
