"""A long table: a line for each value, with its system, scorer, segment and more."""

from collections.abc import Sequence

from metra.errors import FormatError
from metra.io.stream import shown
from metra.meta.arrays import Array
from metra.meta.read.cells import columns_of, numbers, require, rows_of, with_units
from metra.meta.read.matrix import kind_of
from metra.meta.scores import Item, Scorer, Scores, joined, table

#: How a direction is written.
DIRECTIONS = {
    "": True,
    "true": True,
    "yes": True,
    "1": True,
    "higher": True,
    "up": True,
    "false": False,
    "no": False,
    "0": False,
    "lower": False,
    "down": False,
}


def read(path: str, units: Sequence[str] = ()) -> Scores:
    """Read columns system, scorer, value and, as far as there, segment, document, judge,
    kind, domain, lang and higher_is_better; other columns are left alone, unless they are
    units, which tell segments apart.
    """
    header, rows = rows_of(path)
    found = columns_of(header)
    require(found, ("system", "scorer", "value"), path, "a long table")
    if not rows:
        msg = f"{shown(path)} has a header but no scores."
        raise FormatError(msg)
    columns = list(zip(*rows, strict=True))

    def column(role: str) -> Sequence[str]:
        return columns[found[role]] if role in found else [""] * len(rows)

    roles = {role: column(role) for role in ROLES}
    roles["segment"] = with_units(roles["segment"], units, header, columns, path)
    return assembled(
        roles,
        numbers(column("value"), path, "the value"),
        path,
    )


ROLES = (
    "system",
    "scorer",
    "segment",
    "document",
    "judge",
    "kind",
    "domain",
    "lang",
    "direction",
)


def assembled(columns: dict[str, Sequence[str]], values: Array, path: str) -> Scores:
    """Make a table of parallel columns, one line a value."""
    by_scorer: dict[Scorer, list[int]] = {}
    named = zip(columns["scorer"], columns["kind"], columns["direction"], strict=True)
    for at, (name, kind, direction) in enumerate(named):
        if direction.lower() not in DIRECTIONS:
            msg = (
                f"{shown(path)}, line {at + 2}: the direction is {direction!r}; "
                "expected true or false, higher or lower."
            )
            raise FormatError(msg)
        scorer = Scorer(name, kind or kind_of(name), DIRECTIONS[direction.lower()])
        by_scorer.setdefault(scorer, []).append(at)
    return joined(
        [
            table(
                [columns["system"][at] for at in places],
                [
                    Item(
                        columns["segment"][at],
                        columns["document"][at],
                        columns["domain"][at],
                        columns["lang"][at],
                    )
                    for at in places
                ],
                {scorer: values[places]},
                [columns["judge"][at] for at in places],
            )
            for scorer, places in by_scorer.items()
        ]
    )
