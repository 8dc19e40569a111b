"""A table with a line for each system (and segment) and a column for each scorer."""

import re
from collections.abc import Sequence

from metra.errors import FormatError
from metra.io.stream import shown
from metra.meta.read.cells import (
    MISSING,
    columns_of,
    is_number,
    numbers,
    require,
    rows_of,
    with_units,
)
from metra.meta.scores import Item, Scorer, Scores, table

#: Columns that say what a line is about rather than how good it is.
_ABOUT = ("system", "segment", "document", "judge", "domain", "lang", "kind")


def read(path: str, units: Sequence[str] = ()) -> Scores:
    """Read every column of numbers as a scorer, named by its heading.

    A column whose first entry is no number is a label, such as a comment; it is left
    alone. Once a column is one of numbers, anything else in it is an error.
    """
    header, rows = rows_of(path)
    found = {role: at for role, at in columns_of(header).items() if role in _ABOUT}
    if "judge" not in found:  # what judges judged need not be of several systems
        require(found, ("system",), path, "a table of scores")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    values = {
        Scorer(name.strip(), kind_of(name.strip())): numbers(columns[at], path, name)
        for at, name in enumerate(header)
        if at not in found.values()
        and name.strip() not in units
        and _is_scorer(columns[at])
    }
    if not rows:
        msg = f"{shown(path)} has a header but no scores."
        raise FormatError(msg)
    if not values:
        msg = f"{shown(path)} has no column of numbers; expected one for each scorer."
        raise FormatError(msg)

    def column(role: str) -> tuple[str, ...]:
        return columns[found[role]] if role in found else ("",) * len(rows)

    items = list(
        map(
            Item,
            with_units(column("segment"), units, header, columns, path),
            column("document"),
            column("domain"),
            column("lang"),
        )
    )
    return table(column("system"), items, values, column("judge"))


_KINDS = re.compile(
    r"(mqm|da|esa|esaai|sqm|adequacy|fluency|hter|human|raw|z)(?:[-_. ].*|\d*)",
    re.IGNORECASE,
)


def kind_of(name: str) -> str:
    """Tell judgements from metrics by the names that judgements go by.

    >>> kind_of("ESA-1"), kind_of("da_z"), kind_of("BLEU")
    ('esa', 'da', '')
    """
    known = _KINDS.fullmatch(name)
    return known[1].lower() if known else ""


def _is_scorer(cells: tuple[str, ...]) -> bool:
    first = next((cell for cell in cells if cell not in MISSING), "")
    # No score is infinite, but a column that begins so is one of scores.
    return is_number(first) or first.strip("+-").lower() in ("inf", "infinity")
