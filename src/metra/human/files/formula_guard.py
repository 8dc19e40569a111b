"""Cells that a spreadsheet would run as formulas, made harmless and restored."""

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guarded(cell: str) -> str:
    """Put an apostrophe before a cell that begins like a formula.

    >>> guarded("=1+1"), guarded("a = b"), guarded("'=1")
    ("'=1+1", 'a = b', "''=1")
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """Undo `guarded`; any other cell stays.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
