"""A list of words with their salience, the most salient first."""

from metra.report.layout import Cell, Sheet, Style
from metra.report.table import block
from metra.text.word_list import Table, ranked

COLUMNS = ("tf", "df", "tf.idf", "S")


def render(
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
