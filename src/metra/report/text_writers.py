"""One long table: a line for each score of each level.

LaTeX tables for booktabs, the best score of each column in bold.
Markdown tables, the best score of each column in bold.
"""

from collections.abc import Iterator

from metra.report.layout import (
    ReportTable,
    Style,
    TableCell,
    build_notes,
    build_remarks,
    build_tables,
    list_signatures,
)
from metra.report.scores import format_group
from metra.scoring.results import Results

COLUMNS = ("level", "system", "item", "metric", "score", "low", "high", "signature")

#: Further columns where systems are compared. There a score is a difference, and the item
#: the baseline.
TEST_COLUMNS = ("standard_error", "effect", "p_value", "p_holm", "significant")


def render_tsv(results: Results, _: Style) -> str:
    """Write a header and a line for every score, numbers in full."""
    lines = [COLUMNS, *_list_rows(results), *_list_group_rows(results)]
    if results.terms is not None:
        blank = ("",) * len(TEST_COLUMNS)
        lines = [COLUMNS + TEST_COLUMNS, *(line + blank for line in lines[1:])]
        lines.extend(_list_comparison_rows(results))
    return "\n".join("\t".join(map(_clean_cell, line)) for line in lines)


def _list_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for entry in results.systems:
        for spec, score in entry.scores.items():
            low, high = map(repr, score.interval) if score.interval else ("", "")
            signature = score.signature
            number = _format_number(score.score)
            yield "system", entry.name, "", spec, number, low, high, signature
            for name, value in (score.documents or {}).items():
                yield (
                    "document",
                    entry.name,
                    name,
                    spec,
                    _format_number(value),
                    "",
                    "",
                    signature,
                )
            if score.segments is None:
                continue
            signature = score.segment_signature or signature
            for at, value in enumerate(score.segments.tolist(), 1):
                yield (
                    "segment",
                    entry.name,
                    str(at),
                    spec,
                    _format_number(value),
                    "",
                    "",
                    signature,
                )


def _list_group_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for group in results.groups or ():
        item = format_group(group)
        for entry in group.systems:
            for spec, score in entry.scores.items():
                cells = ("group", entry.name, item, spec, _format_number(score.score))
                yield (*cells, "", "", score.signature)


def _list_comparison_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for found in results.comparisons:
        low, high = found.interval or (None, None)
        numbers = (found.standard_error, found.effect, found.p_value, found.p_holm)
        yield (
            "comparison",
            found.system,
            found.baseline,
            found.metric,
            *map(_format_optional, (found.difference, low, high)),
            found.test,
            *map(_format_optional, numbers),
            "yes" if found.significant else "no",
        )


def _format_optional(value: float | None) -> str:
    return "" if value is None else _format_number(value)


def _format_number(value: float) -> str:
    """Write a number in full; nothing where there was nothing to score."""
    return "" if value != value else repr(value)


def _clean_cell(cell: str) -> str:
    """Keep the table whole: a name must not add a column or a line."""
    return cell.replace("\t", " ").replace("\n", " ").replace("\r", " ")


_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "−": "$-$",
        "▲": r"$\blacktriangle$",
        "▼": r"$\blacktriangledown$",
        "△": r"$\vartriangle$",
        "▽": r"$\triangledown$",
        "<": "$<$",
        "\n": " ",
        "\r": " ",
    }
)


def render_latex(results: Results, style: Style) -> str:
    """Write tabulars, with what was scored and the signatures as comments."""
    lines = [*build_remarks(results), *build_notes(results), *list_signatures(results)]
    if results.terms is not None:
        lines.append(r"The triangles need \usepackage{amssymb}.")
    comments = "\n".join(f"% {' '.join(line.split())}" for line in lines)
    return "\n\n".join(
        [
            comments,
            *(render_latex_table(sheet) for sheet in build_tables(results, style)),
        ]
    )


def render_latex_table(sheet: ReportTable) -> str:
    """Write a sheet as a tabular."""
    heads = " & ".join(map(_escape_latex, [sheet.corner, *sheet.headings]))
    body = [
        " & ".join([_escape_latex(name), *map(_latex_cell, cells)]) + r" \\"
        for name, cells in sheet.rows
    ]
    title = [f"% {sheet.title}"] if sheet.title else []
    return "\n".join(
        [
            *title,
            rf"\begin{{tabular}}{{l{'r' * len(sheet.headings)}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _latex_cell(cell: TableCell) -> str:
    text = _escape_latex(cell.score)
    score = rf"\textbf{{{text}}}" if cell.best or cell.tone else text
    interval = rf" {{\small {_escape_latex(cell.interval)}}}" if cell.interval else ""
    return (score + interval).strip()


def _escape_latex(text: str) -> str:
    return text.translate(_ESCAPES)


def render_markdown(results: Results, style: Style) -> str:
    """Write tables that read well as text and as a page."""
    blocks = [render_markdown_table(sheet) for sheet in build_tables(results, style)]
    blocks += [*map(escape_markdown, build_remarks(results)), *build_notes(results)]
    signed = "\n".join(f"- `{signature}`" for signature in list_signatures(results))
    return "\n\n".join([*blocks, signed])


def render_markdown_table(sheet: ReportTable) -> str:
    """Write a sheet as a table."""
    lines = [
        _format_row(list(map(escape_markdown, [sheet.corner, *sheet.headings]))),
        _format_row([":--", *("--:" for _ in sheet.headings)]),
        *(
            _format_row([escape_markdown(name), *map(_markdown_cell, cells)])
            for name, cells in sheet.rows
        ),
    ]
    if sheet.title:
        lines = [f"**{escape_markdown(sheet.title)}**", "", *lines]
    return "\n".join(lines)


def _format_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: TableCell) -> str:
    text = escape_markdown(cell.score)
    score = f"**{text}**" if cell.best or cell.tone else text
    return f"{score} {cell.interval}".strip()


def escape_markdown(text: str) -> str:
    """Keep what is written from being read as Markdown."""
    for character in "\\`*_{}[]<>#|":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ").replace("\r", " ")
