"""The edits between an output and its correction, as the translation edit rate counts them."""

from typing import NamedTuple

from metra import _core
from metra.text import pack, preparation, prepare


class Edits(NamedTuple):
    """How many edits, a moved block counting as one, and the words of the correction."""

    edits: int
    words: int


def edits_between(output: str, correction: str) -> Edits:
    """Count the edits line by line; as one text where lines were joined or split.

    Snover et al. 2006; HTER is `ter` with the correction as the only reference.

    >>> edits_between("a b c d", "c d a b")
    Edits(edits=1, words=4)
    """
    before: list[str | None] = [*output.split("\n")]
    after: list[str | None] = [*correction.split("\n")]
    if len(before) != len(after):
        before, after = [output], [correction]
    text = preparation(tok="none", case="lower", stem="no")
    hyps, refs = (prepare(pack(lines, "text"), text) for lines in (before, after))
    rows = _core.ter_rows(_core.Hits(hyps, [refs]), "sacrebleu")
    return Edits(int(rows[:, :4].sum()), int(rows[:, 4].sum()))
