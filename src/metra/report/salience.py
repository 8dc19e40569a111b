"""The study of two translations as tables: for people, and as tab-separated values.

A list of words with their salience, the most salient first.
"""

from collections.abc import Iterator

from metra.analysis.word_stability import WEIGHTS, StabilityResult
from metra.report.layout import (
    ReportTable,
    Style,
    TableCell,
    format_count,
    format_score,
)
from metra.report.terminal import render_table
from metra.text.salience import SalienceTable, rank_words


def render_stability(found: StabilityResult, style: Style) -> str:
    """Lay out the overlaps, the mean salience of each set, and the polygons."""
    blocks = [render_table(sheet, style) for sheet in _build_tables(found)]
    blocks.append(
        f"{format_count(found.documents, 'document')}; the first translation is "
        f"{found.references[0]}, the second {found.references[1]}. Overlaps are means over "
        "documents of\ncommon n-grams over the mean of both sides; shares are of all words "
        "of a set."
    )
    return "\n\n".join(blocks)


def format_stability_lines(found: StabilityResult) -> Iterator[str]:
    """Write everything as one long table, numbers in full."""
    yield "\t".join(("table", "set", "weight", "from", "to", "value"))
    for overlap in found.overlaps:
        for what, share in (("tokens", overlap.tokens), ("types", overlap.types)):
            yield _format_line("overlap", what, "", 1, overlap.n, share)
    for entry in found.sets:
        yield _format_line("tokens", entry.name, "", "", "", entry.tokens)
        for weight in WEIGHTS:
            yield _format_line("mean", entry.name, weight, "", "", entry.means[weight])
    for weight in WEIGHTS:
        for entry in found.sets:
            polygon = entry.polygons[weight]
            yield _format_line(
                "share", entry.name, weight, "none", "none", polygon.without
            )
            for at, share in enumerate(polygon.shares):
                low, high = polygon.bounds[at : at + 2]
                yield _format_line("share", entry.name, weight, low, high, share)


def _build_tables(found: StabilityResult) -> Iterator[ReportTable]:
    yield ReportTable(
        "n-grams of up to",
        ("tokens in common", "types in common"),
        [
            (
                format_count(entry.n, "word"),
                [_format_percent(entry.tokens), _format_percent(entry.types)],
            )
            for entry in found.overlaps
        ],
        "Overlap",
    )
    yield ReportTable(
        "words",
        ("tokens", *(f"mean {weight}" for weight in WEIGHTS), "without S"),
        [
            (
                entry.name,
                [
                    TableCell(f"{entry.tokens:,}"),
                    *(
                        TableCell(format_score(entry.means[weight], 4))
                        for weight in WEIGHTS
                    ),
                    _format_percent(entry.polygons["S"].without),
                ],
            )
            for entry in found.sets
        ],
        "Salience",
    )
    for weight in WEIGHTS:
        polygons = [entry.polygons[weight] for entry in found.sets]
        rows = []
        if any(polygon.without for polygon in polygons):
            rows.append(
                ("none", [_format_percent(polygon.without) for polygon in polygons])
            )
        bounds = polygons[0].bounds
        for at, low in enumerate(bounds[:-1]):
            name = f"{low:g} to {bounds[at + 1]:g}"
            rows.append(
                (name, [_format_percent(polygon.shares[at]) for polygon in polygons])
            )
        names = [entry.name for entry in found.sets]
        yield ReportTable(weight, names, rows, f"How the words spread by {weight}")


def _format_percent(share: float) -> TableCell:
    return TableCell(f"{format_score(100 * share, 1)} %")


def _format_line(*cells: object) -> str:
    return "\t".join(
        f"{cell:.10g}" if isinstance(cell, float) else str(cell) for cell in cells
    )


COLUMNS = ("tf", "df", "tf.idf", "S")


def render_word_list(
    table: SalienceTable, style: Style, *, by: str, document: str | None, top: int
) -> str:
    """Show the words of one document, or of every document, ranked by a weight."""
    places = [
        (name, table.header.index(name)) for name in COLUMNS if name in table.header
    ]
    blocks = []
    for name, rows in rank_words(table, by, document).items():
        cells = [
            (
                row[table.header.index("word")],
                [TableCell(_format_cell(row[at])) for _, at in places],
            )
            for row in rows[:top]
        ]
        headings = [heading for heading, _ in places]
        blocks.append(render_table(ReportTable("word", headings, cells, name), style))
    return "\n\n".join(blocks)


def _format_cell(cell: str) -> str:
    """Two digits for what has a point, as it is otherwise; a dash for nothing."""
    if not cell:
        return "–"
    try:
        return f"{float(cell):.2f}" if "." in cell or "e" in cell else cell
    except ValueError:
        return cell
