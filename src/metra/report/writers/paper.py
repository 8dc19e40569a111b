"""Scores as tables for a paper: names in print, marks of significance, notes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import TYPE_CHECKING

from metra.errors import OptionError, UnknownNameError, no_such
from metra.metrics.citations import get_title
from metra.metrics.signatures import rewrite_signature, split_signature
from metra.report.paper import (
    PaperTable,
    render_paper_html,
    render_paper_latex,
    render_paper_markdown,
    render_workbook,
)
from metra.report.table import Style
from metra.report.writers.comparison import build_reasons
from metra.report.writers.headings import (
    build_metric_column,
    describe_corpus,
    describe_intervals,
    describe_test,
    format_metric_heading,
    name_correction,
    order_systems,
    shorten_specs,
)
from metra.report.writers.results import build_group_tables, build_level_tables
from metra.scoring.results import Results, Score, SystemScores
from metra.scoring.table import Cell, Column, Table, make_table, mark_best

if TYPE_CHECKING:
    from metra.scoring.compare import SystemComparison

#: Groups of segments are columns side by side if there are no more columns than this.
MOST_COLUMNS = 12
LABEL = "tab:scores"
BETTER, WORSE = "†", "‡"

#: The function that writes each format but the workbook.
WRITERS = {
    "markdown": render_paper_markdown,
    "latex": render_paper_latex,
    "html": render_paper_html,
}


def render_paper(results: Results, form: str, style: Style) -> str:
    """Write the results as tables for a paper, in a format of `WRITERS`."""
    return WRITERS[form](build_papers(results, style), style)


def render_xlsx(results: Results, style: Style) -> bytes:
    """Return the tables as an Excel workbook, which has room for all differences."""
    paper = style.paper._replace(differences=True)
    return render_workbook(build_papers(results, style._replace(paper=paper)), style)


def build_papers(results: Results, style: Style) -> list[PaperTable]:
    """Build the table of the systems' scores, then further ones where asked for."""
    results, titles = apply_names(results, style)
    groups = _read_column_groups(style.paper.column_groups, titles)
    label = style.paper.label or LABEL
    papers = [_build_main_table(results, style, titles, groups)]
    if style.paper.differences and results.comparisons:
        table, notes = _build_difference_table(results, titles)
        papers.append(PaperTable(table, f"{label}-differences", notes))
    further = build_level_tables(results, style, titles)
    if results.groups is not None and not _shows_groups(results, groups):
        further = build_group_tables(results, results.groups, style, titles)
    return [
        *papers,
        *(PaperTable(each, f"{label}-{n}") for n, each in enumerate(further, 2)),
    ]


def apply_names(results: Results, style: Style) -> tuple[Results, dict[str, str]]:
    """Return the results with the systems' names for print, and each metric's."""
    titles = name_metrics(results.specs)
    systems = list(results)
    known = [*systems, *titles, *titles.values()]
    rename = _read_renames(style.paper.rename, known)
    titles = {spec: rename.get(spec, rename.get(t, t)) for spec, t in titles.items()}
    names = {name: rename.get(name, name) for name in systems}
    return _rename_systems(results, names), titles


def name_metrics(specs: Sequence[str]) -> dict[str, str]:
    """Name metrics as in print, with their options where two have the same name.

    >>> name_metrics(["bleu", "ter"])
    {'bleu': 'BLEU', 'ter': 'TER'}
    >>> name_metrics(["bleu", "bleu:tok=intl"])
    {'bleu': 'BLEU', 'bleu:tok=intl': 'BLEU (tok=intl)'}
    """
    titles = {spec: get_title(spec) for spec in specs}
    counts = list(titles.values())
    short = shorten_specs(specs)
    for spec, title in titles.items():
        options = short[spec].partition(":")[2]
        if counts.count(title) > 1 and options:
            titles[spec] = f"{title} ({options})"
    return titles


def _build_main_table(
    results: Results, style: Style, titles: Mapping[str, str], groups: Mapping[str, str]
) -> PaperTable:
    """Build the table of the systems' scores: the best in bold, marks where it was tested."""
    systems = order_systems(results, style)
    columns = _list_columns(results, systems, titles, groups)
    rows = [
        (entry.name, [cells[at] for _, cells in columns])
        for at, entry in enumerate(systems)
    ]
    caption = style.paper.caption
    if caption is None:
        caption = f"Automatic evaluation scores ({describe_corpus(results)})."
    headings = [column for column, _ in columns]
    table = make_table("System", headings, rows, caption=caption, name="Scores")
    signatures = []
    for spec, score in results.systems[0].scores.items():
        named = {titles[spec]: score.signature}
        if score.segments is not None and score.segment_signature:
            named[f"{titles[spec]} of segments"] = score.segment_signature
        for name, signature in named.items():
            # Intervals of scores are not shown beside comparisons.
            whole = split_signature(signature)[0] if results.terms else signature
            signatures.append((name, rewrite_signature(whole, style.signature)))
    notes = [*_build_notes(results, table), *build_reasons(results)]
    return PaperTable(table, style.paper.label or LABEL, notes, signatures)


def _list_columns(
    results: Results,
    systems: Sequence[SystemScores],
    titles: Mapping[str, str],
    groups: Mapping[str, str],
) -> list[tuple[Column, list[Cell]]]:
    """Lay out a column for each metric, those of a group side by side."""
    marks = _find_marks(results)
    columns = []
    # A column without a group stays where it is.
    order = list(dict.fromkeys(groups.get(spec, spec) for spec in results.specs))
    for spec in sorted(results.specs, key=lambda s: order.index(groups.get(s, s))):
        scores = [entry.scores[spec] for entry in systems]
        cells = [
            Cell(
                score.score,
                score.interval if results.terms is None else None,
                marks=marks.get((entry.name, spec), ""),
            )
            for entry, score in zip(systems, scores, strict=True)
        ]
        columns.append(
            _make_column(titles[spec], cells, scores[0], groups.get(spec, ""))
        )
    if not _shows_groups(results, groups):
        return columns
    for group in results.groups or ():
        by_name = {entry.name: entry.scores for entry in group.systems}
        heading = ", ".join("–" if v is None else str(v) for v in group.key.values())
        for spec in results.specs:
            scores = [by_name[entry.name][spec] for entry in systems]
            cells = [Cell(score.score) for score in scores]
            columns.append(_make_column(titles[spec], cells, scores[0], heading))
    return columns


def _make_column(
    title: str, cells: Sequence[Cell], score: Score, group: str
) -> tuple[Column, list[Cell]]:
    column = build_metric_column(title, score, group)
    return column, mark_best(cells, direction=score.direction)


def _shows_groups(results: Results, groups: Mapping[str, str]) -> bool:
    """Tell whether groups of segments are columns side by side."""
    count = (1 + len(results.groups or ())) * len(results.specs)
    return results.groups is not None and not groups and count <= MOST_COLUMNS


def _find_marks(results: Results) -> dict[tuple[str, str], str]:
    """Find the marks behind each system's score: daggers, or letters for all pairs."""
    if results.clusters:
        return {
            (system, spec): letters
            for spec in results.specs
            for system, letters in _letter_systems(results, spec).items()
        }
    return {(each.system, each.metric): _mark(each) for each in results.comparisons}


def _mark(comparison: "SystemComparison") -> str:
    return {"better": BETTER, "worse": WORSE, "": ""}[comparison.verdict]


def _letter_systems(results: Results, spec: str) -> dict[str, str]:
    """Give letters by one metric: two systems share one if they do not differ."""
    from metra.scoring.compare import group_systems

    groups = group_systems(results, spec)
    signs, joint = list(ascii_lowercase), ""
    if len(groups) > len(signs):
        signs, joint = [str(number) for number in range(1, len(groups) + 1)], ","
    letters: dict[str, list[str]] = {}
    for sign, group in zip(signs, groups, strict=False):
        for name in group:
            letters.setdefault(name, []).append(sign)
    return {name: joint.join(given) for name, given in letters.items()}


def _build_difference_table(
    results: Results, titles: Mapping[str, str]
) -> tuple[Table, list[str]]:
    """Build the table of differences, and explain its signs."""
    has_pairs, corrected = bool(results.clusters), name_correction(results)
    correction = results.terms.correction if results.terms else "none"
    scores = results.systems[0].scores
    rows = []
    for each in results.comparisons:
        low, high = each.interval or (None, None)
        cells = [
            Cell(each.system),
            *([Cell(each.baseline)] if has_pairs else []),
            Cell(each.difference, signed=True, marks=_mark(each)),
            Cell(low, signed=True),
            Cell(high, signed=True),
            Cell(each.p_value),
            *(Cell(each.correct(correction)) for _ in corrected),
        ]
        metric = format_metric_heading(titles[each.metric], scores[each.metric])
        rows.append((metric, cells))
    columns = [
        Column("System", "left"),
        *([Column("Against", "left")] if has_pairs else []),
        Column("Difference"),
        Column("low", group="95% interval"),
        Column("high", group="95% interval"),
        Column("p", p_values=True),
        *(Column(heading, p_values=True) for heading in corrected),
    ]
    other = results.comparisons[0].baseline
    caption = f"Differences from {other}."
    if has_pairs:
        other = "the system under Against"
        caption = "Differences between all pairs of systems."
    table = make_table("Metric", columns, rows, caption=caption, name="Differences")
    notes = [f"Difference: score of the system minus that of {other}."]
    if any(each.interval for each in results.comparisons):
        notes.append(f"Intervals: {describe_intervals(results)}.")
    notes += [_explain_daggers(results, other), *build_reasons(results)]
    return table, notes


def _build_notes(results: Results, table: Table) -> Iterator[str]:
    """Explain bold, brackets and marks."""
    cells = [cell for row in table.rows for cell in row]
    if any(cell.best for cell in cells):
        yield "Bold: best score of the column."
    if any(cell.interval for cell in cells):
        yield f"Brackets: {describe_intervals(results)}."
    if results.clusters:
        how = describe_test(results)
        yield f"Systems that share a letter in a column do not differ significantly ({how})."
    elif results.comparisons:
        yield _explain_daggers(results, results.comparisons[0].baseline)


def _explain_daggers(results: Results, other: str) -> str:
    return (
        f"{BETTER} significantly better, {WORSE} significantly worse than {other} "
        f"({describe_test(results)})."
    )


def _read_renames(pairs: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Read pairs OLD=NEW, where an old name may have an equals sign itself."""
    names = {}
    for pair in pairs:
        old = _find_start(pair, known, "=")
        if old is None:
            if "=" not in pair:
                msg = f"`rename` {pair!r} has no '='; expected OLD=NEW."
                raise OptionError(msg)
            what = "system or metric"
            raise UnknownNameError(no_such(what, pair.partition("=")[0], known))
        names[old] = pair[len(old) + 1 :]
    return names


def _rename_systems(results: Results, names: Mapping[str, str]) -> Results:
    """Give systems other names, in every table."""
    given = list(names.values())
    for name in given:
        if given.count(name) > 1:
            msg = f"`rename` gives two systems the name {name!r}; names must differ."
            raise OptionError(msg)

    def rename(systems: Sequence[SystemScores]) -> list[SystemScores]:
        return [replace(entry, name=names[entry.name]) for entry in systems]

    groups = [replace(g, systems=rename(g.systems)) for g in results.groups or ()]
    return replace(
        results,
        systems=rename(results.systems),
        comparisons=[
            each._replace(system=names[each.system], baseline=names[each.baseline])
            for each in results.comparisons
        ],
        groups=results.groups and groups,
    )


def _read_column_groups(
    given: Sequence[str], titles: Mapping[str, str]
) -> dict[str, str]:
    """Read groups TITLE=METRIC,METRIC: each spec's group."""
    specs = dict(zip(titles.values(), titles, strict=True)) | {s: s for s in titles}
    groups = {}
    for entry in given:
        group, equals, rest = entry.partition("=")
        if not equals or not rest:
            msg = f"`column_groups` {entry!r} names no metrics; expected TITLE=METRIC,METRIC."
            raise OptionError(msg)
        while rest:
            name = _find_start(f"{rest},", list(specs), ",")
            if name is None:
                raise UnknownNameError(no_such("metric", rest, specs))
            groups[specs[name]] = group
            rest = rest[len(name) + 1 :]
    return groups


def _find_start(text: str, known: Iterable[str], end: str) -> str | None:
    """Find the longest known name that the text begins with, before `end`."""
    found = [name for name in known if text.startswith(f"{name}{end}")]
    return max(found, key=len, default=None)
