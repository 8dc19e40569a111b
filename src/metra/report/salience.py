"""The study of two translations as tables: for people, and as tab-separated values.

A list of words with their salience, the most salient first.
"""

from collections.abc import Iterator

from metra.analysis.word_stability import WEIGHTS, Stability
from metra.report.layout import Cell, Sheet, Style, counted, number
from metra.report.terminal import block
from metra.text.salience import Table, ranked


def render_stability(found: Stability, style: Style) -> str:
    """Lay out the overlaps, the mean salience of each set, and the polygons."""
    blocks = [block(sheet, style) for sheet in _sheets(found)]
    blocks.append(
        f"{counted(found.documents, 'document')}; the first translation is "
        f"{found.references[0]}, the second {found.references[1]}. Overlaps are means over "
        "documents of\ncommon n-grams over the mean of both sides; shares are of all words "
        "of a set."
    )
    return "\n\n".join(blocks)


def lines(found: Stability) -> Iterator[str]:
    """Write everything as one long table, numbers in full."""
    yield "\t".join(("table", "set", "weight", "from", "to", "value"))
    for overlap in found.overlaps:
        for what, share in (("tokens", overlap.tokens), ("types", overlap.types)):
            yield _line("overlap", what, "", 1, overlap.n, share)
    for entry in found.sets:
        yield _line("tokens", entry.name, "", "", "", entry.tokens)
        for weight in WEIGHTS:
            yield _line("mean", entry.name, weight, "", "", entry.means[weight])
    for weight in WEIGHTS:
        for entry in found.sets:
            polygon = entry.polygons[weight]
            yield _line("share", entry.name, weight, "none", "none", polygon.without)
            for at, share in enumerate(polygon.shares):
                low, high = polygon.bounds[at : at + 2]
                yield _line("share", entry.name, weight, low, high, share)


def _sheets(found: Stability) -> Iterator[Sheet]:
    yield Sheet(
        "n-grams of up to",
        ("tokens in common", "types in common"),
        [
            (counted(entry.n, "word"), [_percent(entry.tokens), _percent(entry.types)])
            for entry in found.overlaps
        ],
        "Overlap",
    )
    yield Sheet(
        "words",
        ("tokens", *(f"mean {weight}" for weight in WEIGHTS), "without S"),
        [
            (
                entry.name,
                [
                    Cell(f"{entry.tokens:,}"),
                    *(Cell(number(entry.means[weight], 4)) for weight in WEIGHTS),
                    _percent(entry.polygons["S"].without),
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
            rows.append(("none", [_percent(polygon.without) for polygon in polygons]))
        bounds = polygons[0].bounds
        for at, low in enumerate(bounds[:-1]):
            name = f"{low:g} to {bounds[at + 1]:g}"
            rows.append((name, [_percent(polygon.shares[at]) for polygon in polygons]))
        names = [entry.name for entry in found.sets]
        yield Sheet(weight, names, rows, f"How the words spread by {weight}")


def _percent(share: float) -> Cell:
    return Cell(f"{number(100 * share, 1)} %")


def _line(*cells: object) -> str:
    return "\t".join(
        f"{cell:.10g}" if isinstance(cell, float) else str(cell) for cell in cells
    )


COLUMNS = ("tf", "df", "tf.idf", "S")


def render_word_list(
    table: Table, style: Style, *, by: str, document: str | None, top: int
) -> str:
    """Show the words of one document, or of every document, ranked by a weight."""
    places = [
        (name, table.header.index(name)) for name in COLUMNS if name in table.header
    ]
    blocks = []
    for name, rows in ranked(table, by, document).items():
        cells = [
            (
                row[table.header.index("word")],
                [Cell(_short(row[at])) for _, at in places],
            )
            for row in rows[:top]
        ]
        headings = [heading for heading, _ in places]
        blocks.append(block(Sheet("word", headings, cells, name), style))
    return "\n\n".join(blocks)


def _short(cell: str) -> str:
    """Two digits for what has a point, as it is otherwise; a dash for nothing."""
    if not cell:
        return "–"
    try:
        return f"{float(cell):.2f}" if "." in cell or "e" in cell else cell
    except ValueError:
        return cell
