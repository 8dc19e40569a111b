"""How one text differs from another, word by word."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from metra.human.words import written

Sort: TypeAlias = Literal["same", "gone", "new"]


class Piece(NamedTuple):
    """Words that both texts have, or only the first (gone), or only the second (new)."""

    sort: Sort
    text: str


def distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the fewest words to substitute, add or delete.

    >>> distance("a b c".split(), "a x c d".split())
    2
    """
    return _table(one, other)[-1][-1]


def difference(one: Sequence[str], other: Sequence[str]) -> list[Piece]:
    """Tell along a shortest way which words go and which come.

    >>> difference("a b c".split(), "a x c".split())
    [Piece(sort='same', text='a'), Piece(sort='gone', text='b'), \
Piece(sort='new', text='x'), Piece(sort='same', text='c')]
    """
    rows = _table(one, other)
    steps: list[tuple[Sort, str]] = []
    i, j = len(one), len(other)
    while i or j:
        here = rows[i][j]
        if i and j and one[i - 1] == other[j - 1] and rows[i - 1][j - 1] == here:
            i, j = i - 1, j - 1
            steps.append(("same", one[i]))
        elif i and j and rows[i - 1][j - 1] + 1 == here:
            i, j = i - 1, j - 1
            steps += [("new", other[j]), ("gone", one[i])]
        elif i and rows[i - 1][j] + 1 == here:
            i -= 1
            steps.append(("gone", one[i]))
        else:
            j -= 1
            steps.append(("new", other[j]))
    return _joined(steps[::-1])


def _table(one: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    rows = [list(range(len(other) + 1))]
    for i, here in enumerate(one, 1):
        above, row = rows[-1], [i]
        for j, there in enumerate(other, 1):
            row.append(
                min(above[j - 1] + (here != there), above[j] + 1, row[j - 1] + 1)
            )
        rows.append(row)
    return rows


def _joined(steps: Sequence[tuple[Sort, str]]) -> list[Piece]:
    """Bring neighbours together; within a change, what goes stands before what comes."""
    found: list[Piece] = []
    gone: list[str] = []
    new: list[str] = []
    same: list[str] = []

    def close() -> None:
        if gone:
            found.append(Piece("gone", written(gone)))
        if new:
            found.append(Piece("new", written(new)))
        if same:
            found.append(Piece("same", written(same)))
        for words in (gone, new, same):
            words.clear()

    was: Sort = "same"
    for sort, word in steps:
        if (sort == "same") != (was == "same"):
            close()
        {"same": same, "gone": gone, "new": new}[sort].append(word)
        was = sort
    close()
    return found
