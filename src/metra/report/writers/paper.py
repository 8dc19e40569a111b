"""Tables for a paper as LaTeX, Markdown and Excel workbooks, and a paragraph on methods.

In all of them bold is the best score of a column and nothing else; marks of significance
stand behind the number.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, NamedTuple

from metra import __version__
from metra.formats.workbook import create_workbook
from metra.metrics.citations import (
    CITATIONS,
    PAPERS_OF_METHODS,
    format_bibliography,
    get_title,
    is_outside,
    list_papers,
)
from metra.metrics.signatures import (
    convert_to_sacrebleu,
    rewrite_signature,
    split_signature,
)
from metra.report.table import (
    Style,
    choose_digits,
    escape_latex,
    escape_markdown,
    format_cell,
    format_cell_interval,
    format_latex_comments,
    format_latex_tabular,
    guard_latex_line,
    list_groups,
    render_markdown_table,
)
from metra.report.writers.comparison import build_reasons
from metra.report.writers.headings import (
    build_metric_column,
    describe_corpus,
    describe_intervals,
    describe_test,
    find_correction,
    format_metric_heading,
    join_names,
    name_correction,
    order_systems,
    shorten_specs,
)
from metra.report.writers.results import build_group_tables, build_level_tables
from metra.scoring.results import Results, SystemScores
from metra.scoring.table import Cell, Column, Table, make_table, mark_best

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook


LABEL = "tab:scores"
BETTER, WORSE = "†", "‡"
_MARKS = {"better": BETTER, "worse": WORSE, "": ""}
#: The width of a column of a paper in points (77 mm): a wider table is set over both.
COLUMN_WIDTH = 219
#: What a digit in small print and the gap between two columns take of it.
_CHARACTER, _COLUMN_GAP = 4.6, 12
#: What pdfLaTeX has no letters for: all but Latin, and signs that are written as commands.
_OTHER_SCRIPTS = re.compile(r"[^\x00-\u017f\u2010-\u2026\u2190-\u25ff\u2264]")
#: Characters that the name of a sheet must not have.
_SHEET = re.compile(r"[\[\]:*?/\\\x00-\x1f']")


class PaperTable(NamedTuple):
    """A table with what stands around it."""

    table: Table
    label: str
    #: What bold, brackets and marks mean.
    notes: Sequence[str] = ()
    #: Each metric's name in print, and its signature.
    signatures: Sequence[tuple[str, str]] = ()


def render_paper_latex(papers: Sequence[PaperTable], style: Style) -> str:
    """Write floats with booktabs tabulars, their notes below."""
    return "\n\n".join(_render_latex(paper, style) for paper in papers)


def _render_latex(paper: PaperTable, style: Style) -> str:
    """Write a float over one column or both, in small print, smaller where it is too wide.

    Its notes are as wide as the table, but not too narrow to read.
    """
    table = paper.table
    width = _estimate_width(table, style)
    notes = [*map(escape_latex, paper.notes)]
    for name, signature in paper.signatures:
        # In typewriter type, with line breaks between its parts.
        parts = r"|\allowbreak ".join(map(escape_latex, signature.split("|")))
        notes.append(rf"{escape_latex(name)}: \texttt{{{parts}}}")
    below = [
        r"\par\smallskip",
        r"\ifdim\wd0<18em \wd0=18em\fi \ifdim\wd0>\linewidth \wd0=\linewidth\fi",
        r"\begin{minipage}{\wd0}\footnotesize\raggedright",
        " \\\\\n".join(map(guard_latex_line, notes)),
        r"\end{minipage}",
    ]
    float_name = "table*" if width > COLUMN_WIDTH else "table"
    label = re.sub(r"[\\{}%#~^&$\s]+", "-", paper.label)
    lines = [
        rf"\begin{{{float_name}}}[t]",
        r"\centering",
        rf"\caption{{{escape_latex(table.caption)}}}",
        rf"\label{{{label}}}",
        r"\smallskip",
        r"\sbox0{\small",
        *format_latex_tabular(table, style),
        r"}\ifdim\wd0>\linewidth \resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
        *(below if notes else []),
        rf"\end{{{float_name}}}",
    ]
    comments = ["% Needs \\usepackage{booktabs,graphicx}."]
    if _OTHER_SCRIPTS.search("\n".join(lines)):
        comments.append(
            "% Needs XeLaTeX or LuaLaTeX, with a font that has these scripts."
        )
    return "\n".join([*comments, *lines])


def _estimate_width(table: Table, style: Style) -> float:
    """Estimate the width in print, in points, from the number of characters."""
    width = 0.0
    for at, column in enumerate(table.columns):
        texts = [column.heading]
        texts += [
            format_cell(row[at], column, style)
            + row[at].marks
            + format_cell_interval(row[at], column, style)
            for row in table.rows
        ]
        width += _COLUMN_GAP + _CHARACTER * max(map(len, texts))
    return width


def render_paper_markdown(papers: Sequence[PaperTable], style: Style) -> str:
    """Write each table with its caption above and its notes below."""
    blocks: list[str] = []
    for paper in papers:
        signed = [f"- {escape_markdown(name)}: `{s}`" for name, s in paper.signatures]
        blocks.append(render_markdown_table(paper.table, style))
        blocks += map(escape_markdown, paper.notes)
        blocks.append("\n".join(signed))
    return "\n\n".join(filter(None, blocks))


def render_xlsx(results: Results, style: Style) -> bytes:
    """Return an Excel workbook with a sheet for each table, that of differences too.

    Numbers are numbers in full; how many digits are seen, and marks behind them, are
    formats of the cells.
    """
    options = style.paper._replace(differences=True)
    file = io.BytesIO()
    book = create_workbook(file, in_memory=True)
    names: set[str] = set()
    for paper in build_papers(results, style._replace(paper=options)):
        wanted = paper.table.name or paper.table.caption
        _fill_sheet(book, _name_sheet(wanted, names), paper, style)
    book.close()
    return file.getvalue()


def _fill_sheet(book: "Workbook", name: str, paper: PaperTable, style: Style) -> None:
    """Write the caption, the headings, the rows and the notes."""
    table = paper.table
    sheet = book.add_worksheet(name)
    centre = book.add_format({"align": "center", "bottom": 1})
    sheet.write_string(0, 0, table.caption)
    top = 2
    groups = list_groups(table)
    if len(groups) > 1:
        for title, columns in groups:
            if title and len(columns) > 1:
                sheet.merge_range(top, columns[0], top, columns[-1], title, centre)
            elif title:
                sheet.write_string(top, columns[0], title, centre)
        top += 1
    for place, column in enumerate(table.columns):
        look = book.add_format({"align": column.align, "bottom": 1})
        sheet.write_string(top, place, column.title, look)
        shown = [
            f"{format_cell(row[place], column, style)}{row[place].marks} "
            f"{format_cell_interval(row[place], column, style)}".rstrip()
            for row in table.rows
        ]
        widest = max(map(len, [column.title, *shown]))
        sheet.set_column(place, place, min(max(10, widest + 1), 40))
    for at, row in enumerate(table.rows, top + 1):
        for place, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
            _write_cell(book, sheet, (at, place), cell, column, style)
    signed = [f"{metric}: {signature}" for metric, signature in paper.signatures]
    for at, note in enumerate([*paper.notes, *signed], top + len(table.rows) + 2):
        sheet.write_string(at, 0, note)


def _write_cell(
    book: "Workbook",
    sheet: Any,
    place: tuple[int, int],
    cell: Cell,
    column: Column,
    style: Style,
) -> None:
    """Write a number as a number, its digits, marks and interval as its format."""
    value = cell.value
    if isinstance(value, str) or value is None or value - value != 0:
        look = book.add_format({"align": column.align})
        sheet.write_string(*place, format_cell(cell, column, style), look)
        return
    digits = choose_digits(cell, column, style)
    shape = f"0.{'0' * digits}" if digits else "0"
    interval = format_cell_interval(cell, column, style)
    behind = cell.marks + (f" {interval}" if interval else "")
    if behind:
        shape += f'"{behind}"'
    if cell.signed:
        shape = f"+{shape};−{shape};{shape}"
    if column.p_values:
        shape = '[<0.00005]"<0.0001";0.0000'
    look = book.add_format({"num_format": shape, "align": "right", "bold": cell.best})
    sheet.write_number(*place, value, look)


def _name_sheet(wanted: str, names: set[str]) -> str:
    """Name a sheet as Excel allows: 31 characters, and no name twice."""
    short = _SHEET.sub(" ", wanted).strip()[:28] or "Sheet"
    name, number = short, 1
    while name.lower() in names:
        number += 1
        name = f"{short[:27]} {number}"
    names.add(name.lower())
    return name


WRITERS = {"markdown": render_paper_markdown, "latex": render_paper_latex}


def render_paper(results: Results, form: str, style: Style) -> str:
    """Write the results as tables for a paper: markdown or latex."""
    return WRITERS[form](build_papers(results, style), style)


def build_papers(results: Results, style: Style) -> list[PaperTable]:
    """Build the table of the systems' scores, then further ones where asked for."""
    titles = name_metrics(results.specs)
    label = style.paper.label or LABEL
    papers = [_build_main_table(results, style, titles)]
    if style.paper.differences and results.comparisons:
        table, notes = _build_difference_table(results, titles)
        papers.append(PaperTable(table, f"{label}-differences", notes))
    further = build_level_tables(results, style, titles)
    if results.groups is not None:
        further = build_group_tables(results, results.groups, style, titles)
    return [
        *papers,
        *(PaperTable(each, f"{label}-{n}") for n, each in enumerate(further, 2)),
    ]


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
    results: Results, style: Style, titles: Mapping[str, str]
) -> PaperTable:
    """Build the table of the systems' scores: the best in bold, marks where it was tested."""
    systems = order_systems(results, style)
    columns = _list_columns(results, systems, titles)
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
) -> list[tuple[Column, list[Cell]]]:
    """Lay out a column for each metric."""
    marks = _find_marks(results)
    columns = []
    for spec in results.specs:
        scores = [entry.scores[spec] for entry in systems]
        cells = [
            Cell(
                score.score,
                score.interval if results.terms is None else None,
                marks=marks.get((entry.name, spec), ""),
            )
            for entry, score in zip(systems, scores, strict=True)
        ]
        column = build_metric_column(titles[spec], scores[0])
        columns.append((column, mark_best(cells, direction=scores[0].direction)))
    return columns


def _find_marks(results: Results) -> dict[tuple[str, str], str]:
    """Find the marks behind each system's score: daggers, or letters for all pairs."""
    if results.clusters:
        return {
            (system, spec): letters
            for spec in results.specs
            for system, letters in _letter_systems(results, spec).items()
        }
    tested = results.comparisons
    return {(each.system, each.metric): _MARKS[each.verdict] for each in tested}


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
    correction = find_correction(results)
    scores = results.systems[0].scores
    rows = []
    for each in results.comparisons:
        low, high = each.interval or (None, None)
        cells = [
            Cell(each.system),
            *([Cell(each.baseline)] if has_pairs else []),
            Cell(each.difference, signed=True, marks=_MARKS[each.verdict]),
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


def describe_methods(results: Results, form: str, style: Style) -> str:
    """Say what was computed and how, then list the papers in BibTeX.

    Citations are commands of natbib where `form` is latex. Signatures, which have all
    options, are comments.
    """
    is_latex = form == "latex"
    escape, cite = (escape_latex, _cite_latex) if is_latex else (str, _cite_plain)
    whole = [score.signature for score in results.systems[0].scores.values()]
    plain = [split_signature(signature)[0] for signature in whole]
    papers = list(map(_choose_papers, plain))
    titles = name_metrics(results.specs).values()
    named = [f"{escape(t)}{cite(keys)}" for t, keys in zip(titles, papers, strict=True)]
    makers = {False: f"with metra {__version__}", True: "by another program"}
    groups = {
        at: [*compress(named, (is_outside(s) is at for s in plain))] for at in makers
    }
    parts = [f"{join_names(g)}, computed {makers[at]}" for at, g in groups.items() if g]
    sentences = [
        f"We report {', and '.join(parts)} ({escape(describe_corpus(results))})."
    ]
    shows_intervals = results.terms is None or style.paper.differences
    methods = []
    if results.terms and not all(each.reason for each in results.comparisons):
        keys = [*PAPERS_OF_METHODS[results.terms.test]]
        if (correction := find_correction(results)) != "none":
            keys += PAPERS_OF_METHODS[correction]
        methods.append(("Differences are significant at", describe_test(results), keys))
    if shows_intervals and whole != plain:
        keys = [*PAPERS_OF_METHODS["interval"]]
        methods.append(("Intervals are", describe_intervals(results), keys))
    for start, text, keys in methods:
        sentences.append(f"{start} {escape(text)}{cite(keys)}.")
    cited = [key for keys in papers for key in keys]
    cited += [key for _, _, keys in methods for key in keys]
    comments = format_latex_comments(whole if shows_intervals else plain)
    return "\n\n".join([" ".join(sentences), comments, format_bibliography(cited)])


def _cite_latex(keys: Sequence[str]) -> str:
    return rf" \citep{{{','.join(keys)}}}" if keys else ""


def _cite_plain(keys: Sequence[str]) -> str:
    entries = [CITATIONS[key] for key in keys]
    listed = (f"{each.format_authors()}, {each.year}" for each in entries)
    return f" ({'; '.join(listed)})" if keys else ""


def _choose_papers(signature: str) -> list[str]:
    """List a metric's papers; sacreBLEU's where sacreBLEU would give the same score."""
    is_sacrebleu = convert_to_sacrebleu(signature) != signature
    papers = list_papers(signature)
    return [key for key in papers if is_sacrebleu or key != "post2018"]
