"""How text is made comparable: tokeniser, letter case, stemmer; and the hit map of it.

A hit map says which tokens of the outputs equal which tokens of the references.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from metra._core import Hits, Text, Tokenizer, Tokens, TypeMap
from metra.errors import OptionError
from metra.text.columns import pack, window
from metra.text.lemmas import find_stemmer, get_stemmer_version
from metra.text.tokenizers import find_tokenizer, get_tokenizer_version

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Hits", "Preparation", "Tokens"]


class Preparation(NamedTuple):
    """The three choices; equal preparations share their tokens."""

    tok: str
    case: str
    stem: str

    def versions(self) -> dict[str, str]:
        """Name the tokeniser and the stemmer with their versions, for signatures."""
        return {
            "tok": self.tok + get_tokenizer_version(self.tok),
            "stem": self.stem + get_stemmer_version(self.stem),
        }


def make_preparation(*, tok: str, case: str, stem: str) -> Preparation:
    """Check the names and join them."""
    chosen = Preparation(tok, case, stem)
    find_steps(chosen)
    return chosen


def make_mteval_preparation(
    owner: str, *, tok: str, case: str, stem: str
) -> Preparation:
    """Prepare text as mteval does: the two tokenisers it has, its own lower-casing."""
    if tok not in ("13a", "intl"):
        msg = f"{owner}: tok={tok} is not possible with style=mteval; expected 13a or intl."
        raise OptionError(msg)
    lower = "lower-ascii" if tok == "13a" else "lower-letters"
    folded = lower if case == "lower" else case
    return make_preparation(tok=f"mteval-{tok}", case=folded, stem=stem)


def prepare(text: Text, chosen: Preparation) -> Tokens:
    """Tokenise a column, fold its case, stem it."""
    cut, reduce = find_steps(chosen)
    tokens = cut(text)
    return tokens if reduce is None else reduce(tokens)


def find_whole_tokenizer(chosen: Preparation) -> Tokenizer | None:
    """Find the built-in tokeniser that does all there is to do, if one does."""
    cut, reduce = find_steps(chosen)
    return cut if reduce is None and isinstance(cut, Tokenizer) else None


@lru_cache(maxsize=256)
def find_steps(
    chosen: Preparation,
) -> tuple[Callable[[Text], Tokens], Callable[[Tokens], Tokens] | None]:
    """Find the tokeniser and the stemmer, if any."""
    return find_tokenizer(chosen.tok, chosen.case), find_stemmer(chosen.stem)


def build_hits(hyps: Tokens, refs: Sequence[Tokens]) -> Hits:
    """Compare each output with its references once, for every metric that asks."""
    return Hits(hyps, list(refs))


def build_sentence_hits(hyp: str, refs: Sequence[str], chosen: Preparation) -> Hits:
    """Compare one output with its references."""
    cut = find_whole_tokenizer(chosen)
    if cut is not None:
        return cut.hits(hyp, refs)
    columns = [prepare(pack([ref], "refs"), chosen) for ref in refs]
    return Hits(prepare(pack([hyp], "hyp"), chosen), columns)


class WordNumbers:
    """Numbers of words, from 0 on in order of appearance; equal words have equal ones."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._spell = TypeMap(partial(_spell_numbers, self.words))

    def number(self, tokens: Tokens) -> "tuple[NDArray[Any], NDArray[Any]]":
        """Give the number of each word, and how many words each segment has."""
        import numpy as np

        spelled = self._spell(tokens).joined()
        segments = [text or "" for text in window(spelled, 0, len(spelled))]
        lengths = np.fromiter(map(len, segments), np.int64, len(segments))
        joined = " ".join(filter(None, segments)).encode("utf-32-le")
        # Two characters and a blank are a word.
        high, low = (
            np.frombuffer(joined, np.int32)[at::3] - _FIRST_CODE for at in (0, 1)
        )
        return (high << _CODE_BITS) + low, (lengths + 1) // 3


#: Characters from this one on stand for so many bits of a number; all are letters or signs.
_FIRST_CODE, _CODE_BITS = 256, 15


def _spell_numbers(words: list[str], new: list[str]) -> list[str]:
    """Number new words, each number as two characters that stand in place of the word."""
    numbers = range(len(words), len(words) + len(new))
    words += new
    low = (1 << _CODE_BITS) - 1
    return [
        chr(_FIRST_CODE + (number >> _CODE_BITS)) + chr(_FIRST_CODE + (number & low))
        for number in numbers
    ]
