"""Comparisons laid out: tables of differences, and verdicts in words.

Scores of groups: a sheet of all measures for one system, a sheet a measure for several.
Rankings by average ranks, as a table for the terminal or as JSON.
What retrieval found, as a table for the terminal or as JSON.
What measures noted, for the terminal: a line for each thing, the most frequent first.
Quality models explained under a table: what for, which measures, how much each counts.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill

from metra import __version__
from metra.analysis.retrieval import RetrievalResult, RetrievalRun
from metra.formats.annotations.quality_model import QualityModel
from metra.meta.rank import MetricRanking
from metra.metrics.options import format_value
from metra.metrics.record import Finding
from metra.report.layout import (
    ReportTable,
    Style,
    TableCell,
    find_best_score,
    format_count,
    format_interval,
    format_metric_heading,
    format_score,
    order_systems,
    shorten_specs,
)
from metra.report.terminal import BOLD, DIM, escape_controls, measure_width
from metra.report.terminal import style_text as colored
from metra.scoring.results import (
    GroupScores,
    Results,
    Score,
    SignificanceSettings,
    SystemComparison,
)

TESTS = {
    "ar": "paired approximate randomisation",
    "bootstrap": "paired bootstrap",
}
LEGEND = "▲ better, ▼ worse; △ ▽ may be chance"


def build_comparison_tables(results: Results, style: Style) -> list[ReportTable]:
    """Lay out all metrics side by side if there are several, then each by itself."""
    details = _build_pairs_table if results.clusters else _build_baseline_table
    sheets = [details(results, spec, style) for spec in results.specs]
    return (
        [_build_overview_table(results, style), *sheets] if len(sheets) > 1 else sheets
    )


def describe_comparisons(results: Results) -> list[str]:
    """Say in words what was found, and why nothing was where there is too little."""
    found = (
        _describe_rankings(results) if results.clusters else _describe_systems(results)
    )
    reasons = dict.fromkeys(entry.reason for entry in results.comparisons)
    return [*found, *(f"No test: {reason}" for reason in reasons if reason)]


def build_comparison_legend(results: Results, terms: SignificanceSettings) -> list[str]:
    """Explain the signs and name the test."""
    corrected = _name_corrected_column(results)
    after = " after Holm's correction" if corrected else ""
    lines = [f"{LEGEND} (p above {terms.alpha:g}{after})"]
    if results.clusters:
        lines.append("above the diagonal row minus column, below it p-values")
    lines.append(
        f"{TESTS[terms.test]} of {format_count(terms.units, terms.unit)}, "
        f"{format_count(terms.trials, 'trial')}, seed {terms.seed}"
    )
    return lines


def choose_mark(found: SystemComparison) -> str:
    """Give a triangle that points up for better, hollow if it may be chance."""
    if found.difference != found.difference:
        return " "
    if found.difference == 0:
        return "="
    if found.gain > 0:
        return "▲" if found.significant else "△"
    return "▼" if found.significant else "▽"


def format_signed(value: float, digits: int) -> str:
    """Write a difference with its sign."""
    text = f"{value:+.{digits}f}"
    return "–" if value != value else text.replace("-", "−")


def format_p_value(p: float | None) -> str:
    """Write a p-value; there may be none."""
    if p is None:
        return "–"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def _build_overview_table(results: Results, style: Style) -> ReportTable:
    named = shorten_specs(results.specs)
    headings = [
        format_metric_heading(named[spec], results.systems[0].scores[spec])
        for spec in results.specs
    ]
    found = {(entry.metric, entry.system): entry for entry in results.comparisons}
    clusters = results.clusters
    rows = []
    for system in results.systems:
        cells = []
        for spec in results.specs:
            text = format_score(system.scores[spec].score, style.digits)
            if clusters:
                text = f"{text} ({_find_cluster(clusters[spec], system.name)})"
                cells.append(TableCell(text))
            else:
                entry = found.get((spec, system.name))
                cells.append(
                    TableCell(
                        f"{text} {choose_mark(entry)}", "", False, _choose_tone(entry)
                    )
                    if entry
                    else TableCell(f"{text}  ")
                )
        rows.append((system.name, cells))
    title = "scores, and in brackets the rank of the cluster" if clusters else ""
    return ReportTable("system", headings, rows, title)


def _build_baseline_table(results: Results, spec: str, style: Style) -> ReportTable:
    """One metric: each system's score and what is known of its distance to the baseline."""
    found = {
        entry.system: entry for entry in results.comparisons if entry.metric == spec
    }
    corrected = _name_corrected_column(results)
    headings = ["score", "difference", "95% interval", "p", *corrected, ""]
    rows = []
    for system in results.systems:
        score = TableCell(format_score(system.scores[spec].score, style.digits))
        entry = found.get(system.name)
        if entry is None:
            blanks = [TableCell("")] * (len(headings) - 2)
            rows.append(
                (system.name, [score, *blanks, TableCell("baseline", "", False)])
            )
            continue
        tone = _choose_tone(entry)
        difference = (
            f"{choose_mark(entry)} {format_signed(entry.difference, style.digits)}"
        )
        cells = [
            score,
            TableCell(difference, "", False, tone),
            TableCell("", format_interval(entry.interval, style.digits, format_signed)),
            TableCell(format_p_value(entry.p_value)),
            *(TableCell(format_p_value(entry.p_holm)) for _ in corrected),
            TableCell(_classify_comparison(entry), "", False, tone),
        ]
        rows.append((system.name, cells))
    named = shorten_specs(results.specs)
    title = format_metric_heading(named[spec], results.systems[0].scores[spec])
    return ReportTable(title, headings, rows)


def _build_pairs_table(results: Results, spec: str, style: Style) -> ReportTable:
    """One metric, all pairs, best first: differences above the diagonal, p-values below."""
    pairs: dict[tuple[str, str], SystemComparison] = {}
    for entry in results.comparisons:
        if entry.metric == spec:
            pairs[entry.baseline, entry.system] = entry
    ranked = results.ranked(spec)
    clusters = (results.clusters or {})[spec]
    rows = []
    for at, system in enumerate(ranked):
        score = system.scores[spec]
        cells = [
            TableCell(str(_find_cluster(clusters, system.name))),
            TableCell(format_score(score.score, style.digits)),
        ]
        for other, opponent in enumerate(ranked):
            if other == at:
                cells.append(TableCell("·"))
                continue
            there = pairs.get((opponent.name, system.name))
            entry = there or pairs[system.name, opponent.name]
            if other > at:
                ahead = entry.difference if there else -entry.difference
                sign = "=" if ahead == 0 else "▲" if entry.significant else "△"
                tone = "good" if entry.significant else ""
                text = f"{sign} {format_signed(ahead, style.digits)}"
                cells.append(TableCell(text, "", False, tone))
            else:
                p = entry.p_holm if _name_corrected_column(results) else entry.p_value
                cells.append(TableCell(format_p_value(p)))
        rows.append((f"{at + 1} {system.name}", cells))
    numbers = [str(at + 1) for at in range(len(ranked))]
    title = format_metric_heading(
        shorten_specs(results.specs)[spec], ranked[0].scores[spec]
    )
    return ReportTable(title, ["cluster", "score", *numbers], rows)


def _name_corrected_column(results: Results) -> list[str]:
    """Name the column of corrected p-values; there is none where they are as they were."""
    terms = results.terms
    same = all(entry.p_value == entry.p_holm for entry in results.comparisons)
    return [] if same or terms is None or terms.correction == "none" else ["p (Holm)"]


def _find_cluster(clusters: Sequence[Sequence[str]], system: str) -> int:
    return next(at for at, members in enumerate(clusters, 1) if system in members)


def _choose_tone(found: SystemComparison) -> str:
    if not found.significant:
        return ""
    return "good" if found.gain > 0 else "bad"


def _classify_comparison(found: SystemComparison) -> str:
    if found.reason:
        return "too few" if found.difference == found.difference else "no score"
    if not found.significant:
        return "unclear"
    return "better" if found.gain > 0 else "worse"


def _describe_systems(results: Results) -> list[str]:
    """Say which systems are better, worse, or neither; by which measures, if by several."""
    tested = [entry for entry in results.comparisons if entry.reason is None]
    if len(results.specs) == 1:
        return _summarize_comparisons(tested)
    named = shorten_specs(results.specs)
    lines = []
    for system in dict.fromkeys(entry.system for entry in tested):
        found: dict[str, list[str]] = {}
        for entry in tested:
            if entry.system == system:
                found.setdefault(_classify_comparison(entry), []).append(
                    named[entry.metric]
                )
        lines.append(f"{system}: {_join_verdicts(found, tested[0].baseline, ' by')}.")
    return lines


def _summarize_comparisons(tested: Sequence[SystemComparison]) -> list[str]:
    found: dict[str, list[str]] = {}
    for entry in tested:
        found.setdefault(_classify_comparison(entry), []).append(entry.system)
    if not found:
        return []
    sentence = _join_verdicts(found, tested[0].baseline, ":")
    return [f"{sentence[0].upper()}{sentence[1:]}."]


def _join_verdicts(found: Mapping[str, Sequence[str]], baseline: str, link: str) -> str:
    """Join verdicts and who or what they hold for; the baseline is named once."""
    parts: list[str] = []
    for verdict, words, word in (
        ("better", "better", "than"),
        ("worse", "worse", "than"),
        ("unclear", "no clear difference", "from"),
    ):
        if verdict in found:
            against = f" {word} {baseline}" if not parts else ""
            parts.append(f"{words}{against}{link} {_join_names(found[verdict])}")
    return "; ".join(parts)


def _describe_rankings(results: Results) -> list[str]:
    named = shorten_specs(results.specs)
    return [
        f"{named[spec]}: {' > '.join(', '.join(members) for members in clusters)}"
        for spec, clusters in (results.clusters or {}).items()
    ]


def _join_names(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> _join_names(["bleu"]), _join_names(["bleu", "chrf", "ter"])
    ('bleu', 'bleu, chrf and ter')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


NONE = "–"


def format_group(group: GroupScores) -> str:
    """Name a group by its columns and their values."""
    return ",".join(
        f"{name}={_format_value(value)}" for name, value in group.key.items()
    )


def build_group_tables(results: Results, style: Style) -> Iterable[ReportTable]:
    """Lay out the groups in the order of their keys, with how many segments each has."""
    groups = results.groups or ()
    specs = results.specs
    named = shorten_specs(specs)
    systems = [entry.name for entry in order_systems(results, style)]
    first = results.systems[0].scores
    headings = [format_metric_heading(named[spec], first[spec]) for spec in specs]
    if len(systems) == 1:
        rows = [
            (
                _format_title(group),
                [
                    _build_count_cell(group),
                    *(
                        TableCell(
                            format_score(
                                group.systems[0].scores[spec].score, style.digits
                            )
                        )
                        for spec in specs
                    ),
                ],
            )
            for group in groups
        ]
        yield ReportTable(_format_corner(groups), ["segments", *headings], rows)
        return
    for spec, title in zip(specs, headings, strict=True):
        rows = []
        for group in groups:
            by_name = {entry.name: entry.scores[spec] for entry in group.systems}
            scores = [by_name[name] for name in systems]
            rows.append(
                (
                    _format_title(group),
                    [_build_count_cell(group), *_build_cells(scores, style)],
                )
            )
        yield ReportTable(_format_corner(groups), ["segments", *systems], rows, title)


def _build_cells(scores: Sequence[Score], style: Style) -> list[TableCell]:
    top = find_best_score(scores)
    several = len({score.score for score in scores}) > 1
    return [
        TableCell(
            format_score(score.score, style.digits), "", several and score.score == top
        )
        for score in scores
    ]


def _format_corner(groups: Sequence[GroupScores]) -> str:
    return " · ".join(groups[0].key)


def _format_title(group: GroupScores) -> str:
    return " · ".join(_format_value(value) for value in group.key.values())


def _build_count_cell(group: GroupScores) -> TableCell:
    return TableCell(f"{group.segments:,}")


def _format_value(value: object) -> str:
    return NONE if value is None else str(value)


def render_ranking_table(rankings: Sequence[MetricRanking], documents: int) -> str:
    """Lay out one block for each measure."""
    noun = "document" if documents == 1 else "documents"
    named = shorten_specs([ranked.spec for ranked in rankings])
    return "\n\n".join(
        _format_ranking(ranked, named[ranked.spec], f"{documents} {noun}")
        for ranked in rankings
    )


def render_ranking_json(rankings: Sequence[MetricRanking], documents: int) -> str:
    """Give the rankings to other programs."""
    data = {
        "metra": __version__,
        "schema": 1,
        "documents": documents,
        "rankings": [
            {
                "metric": ranked.spec,
                "signature": ranked.signature,
                "systems": [
                    {"name": name, "rank": rank, "average_rank": average}
                    for name, rank, average in zip(
                        ranked.systems, ranked.ranks, ranked.averages, strict=True
                    )
                ],
            }
            | ({"agreement": ranked.agreement._asdict()} if ranked.agreement else {})
            for ranked in rankings
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _format_ranking(ranked: MetricRanking, name: str, documents: str) -> str:
    left = max(measure_width(system) for system in [*ranked.systems, "system"])
    lines = [
        f"{name}: ranked by the average of ranks over {documents}",
        f"{'rank':>5}  {_pad_text('system', left)}  average rank",
    ]
    for system, rank, average in zip(
        ranked.systems, ranked.ranks, ranked.averages, strict=True
    ):
        lines.append(f"{rank:5g}  {_pad_text(system, left)}  {average:12.2f}")
    if ranked.agreement:
        found = ranked.agreement
        lines.append(
            f"against the expected ranking: distance {found.distance:g}, similarity "
            f"{found.similarity:.1f} %, precision {found.precision:.1f} %, recall "
            f"{found.recall:.1f} %"
        )
    return "\n".join(lines)


def _pad_text(text: str, columns: int) -> str:
    return text + " " * (columns - measure_width(text))


def render_retrieval_table(found: RetrievalResult) -> str:
    """Lay out the runs, the references' first, which the systems are held against."""
    left = max(measure_width(run.name) for run in found.runs)
    queries = len(found.runs[0].average_precision)
    lines = [
        f"{'run':{left}}  {'MAP':>6}  {'95% interval':>16}  {'nDCG':>6}  {'of reference':>12}"
    ]
    lines += [_format_run(run, found.runs[0], left) for run in found.runs]
    lines += ["", f"{queries} queries, {found.documents} documents"]
    if found.left_out:
        listed = ", ".join(found.left_out)
        lines.append(f"left out, because no document is relevant: {listed}")
    lines.append(found.signature)
    return "\n".join(lines)


def _format_run(run: RetrievalRun, reference: RetrievalRun, left: int) -> str:
    name = run.name + " " * (left - measure_width(run.name))
    interval = "[{:.2f}, {:.2f}]".format(*run.map_interval) if run.map_interval else ""
    share = f"{100 * run.map / reference.map:.1f} %" if reference.map else "–"
    return f"{name}  {run.map:6.2f}  {interval:>16}  {run.mean_ndcg:6.2f}  {share:>12}"


def render_retrieval_json(found: RetrievalResult) -> str:
    """Give the runs to other programs, with the ranking of every query."""
    data = {
        "metra": __version__,
        "schema": 1,
        "documents": found.documents,
        "left_out": list(found.left_out),
        "signature": found.signature,
        "runs": [
            {
                "name": run.name,
                "map": run.map,
                "map_interval": run.map_interval,
                "ndcg": run.mean_ndcg,
                "ndcg_interval": run.ndcg_interval,
                "queries": {
                    query: {
                        "average_precision": run.average_precision[query],
                        "ndcg": run.ndcg[query],
                        "ranked": list(run.ranked[query]),
                    }
                    for query in run.average_precision
                },
            }
            for run in found.runs
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


MOST = 20
SEGMENTS = 8


def render_findings(results: Results, style: Style) -> Iterator[str]:
    """Lay out the findings, a block for each system and measure."""
    named = shorten_specs(results.specs)
    for system in order_systems(results, style):
        for spec, score in system.scores.items():
            if score.details is not None:
                title = colored(
                    escape_controls(f"{system.name}, {named[spec]}"), BOLD, style
                )
                yield "\n".join([title, *_format_findings(score.details, style)])


def _format_findings(findings: Sequence[Finding], style: Style) -> list[str]:
    if not findings:
        return ["nothing to note"]
    names = list(dict.fromkeys(name for entry in findings for name in entry.about))
    table = [["count", "what", "words", *names, "segments"]]
    for entry in findings[:MOST]:
        about = [entry.about.get(name, "") for name in names]
        numbers = list(map(str, dict.fromkeys(entry.segments)))
        more = ["…"] if len(numbers) > SEGMENTS else []
        segments = ", ".join([*numbers[:SEGMENTS], *more])
        table.append([str(entry.count), entry.note, entry.text, *about, segments])
    cells = [[escape_controls(cell) for cell in row] for row in table]
    widths = [max(map(measure_width, column)) for column in zip(*cells, strict=True)]
    lines = [_format_finding(row, widths) for row in cells]
    lines[0] = colored(lines[0], DIM, style)
    left = len(findings) - MOST
    if left > 0:
        lines.append(colored(f"and {left} more: --format json has all", DIM, style))
    return lines


def _format_finding(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        " " * (size - measure_width(cell)) + cell
        if not at
        else cell + " " * (size - measure_width(cell))
        for at, (cell, size) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def build_model_legend(models: Sequence[QualityModel]) -> str:
    """Say of each model what it is for and how its figure is made."""
    return "\n\n".join(map(_describe_model, models))


def _describe_model(model: QualityModel) -> str:
    named = shorten_specs([member.spec for member in model.members])
    total = sum(member.weight for member in model.members)
    context = " ".join(model.context.split())
    lines = [fill(f"{model.name}: {context}", 88)]
    for member in model.members:
        lines.append(
            f"{100 * member.weight / total:6.1f} %  {named[member.spec]}, worth 0 at "
            f"{format_value(member.worst)}, 100 at {format_value(member.best)}"
        )
    return "\n".join(lines)
