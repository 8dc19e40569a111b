"""The edits between an output and its correction, as the translation edit rate counts them."""

from typing import NamedTuple

from metra import _core
from metra.human.words import apart
from metra.text import pack, preparation, prepare


class Edits(NamedTuple):
    """How many edits, a moved block counting as one, and the words of the correction."""

    edits: int
    words: int


def edits_between(output: str, correction: str) -> Edits:
    """Count the edits line by line; as one text where lines were joined or split.

    Snover et al. 2006; HTER is `ter` with the correction as the only reference. In scripts
    without blanks each letter is a word.

    >>> edits_between("a b c d", "c d a b"), edits_between("市場が開く", "市場は開く")
    (Edits(edits=1, words=4), Edits(edits=1, words=5))
    """
    before, after = _lines(output), _lines(correction)
    if len(before) != len(after):
        before, after = [" ".join(apart(output))], [" ".join(apart(correction))]
    text = preparation(tok="none", case="lower", stem="no")
    hyps, refs = (prepare(pack(lines, "text"), text) for lines in (before, after))
    rows = _core.ter_rows(_core.Hits(hyps, [refs]), "sacrebleu")
    return Edits(int(rows[:, :4].sum()), int(rows[:, 4].sum()))


def _lines(text: str) -> list[str | None]:
    return [" ".join(apart(line)) for line in text.split("\n")]
