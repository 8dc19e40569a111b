"""Preparation of text: tokeniser, letter case, stemmer; and the hit map of it.

A hit map says which tokens of the outputs equal which tokens of the references.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metra._core import Hits, Text, Tokenizer, Tokens, TypeMap
from metra.errors import OptionError
from metra.text.columns import pack, window
from metra.text.tokenizers import find_tokenizer

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
        return dict(find_steps(self)[2])


def make_preparation(*, tok: str, case: str, stem: str) -> Preparation:
    """Check the names and join them."""
    chosen = Preparation(tok, case, stem)
    find_steps(chosen)
    return chosen


def choose_preparation(
    owner: str, tok: str, case: str, stem: str, style: str
) -> tuple[Preparation, dict[str, str]]:
    """Prepare text as `style` does, and name the versions for signatures.

    mteval has two tokenisers and its own lower-casing.
    """
    if style != "mteval":
        text = make_preparation(tok=tok, case=case, stem=stem)
        return text, text.versions()
    if tok not in ("13a", "intl"):
        msg = f"{owner}: tok={tok} is not possible with style=mteval; expected 13a or intl."
        raise OptionError(msg)
    if case == "lower":
        case = "lower-ascii" if tok == "13a" else "lower-letters"
    text = make_preparation(tok=f"mteval-{tok}", case=case, stem=stem)
    return text, text.versions() | {"tok": tok}


def prepare(text: Text, chosen: Preparation) -> Tokens:
    """Tokenise a column, fold its case, stem it."""
    cut, reduce, _ = find_steps(chosen)
    return cut(text) if reduce is None else reduce(cut(text))


def find_whole_tokenizer(chosen: Preparation) -> Tokenizer | None:
    """Find the built-in tokeniser that does all there is to do, if one does."""
    cut, reduce, _ = find_steps(chosen)
    return cut if reduce is None and isinstance(cut, Tokenizer) else None


#: The tokeniser; the stemmer, if any; and both by name, with their versions.
Steps: TypeAlias = tuple[
    Callable[[Text], Tokens], Callable[[Tokens], Tokens] | None, dict[str, str]
]


@lru_cache(maxsize=256)
def find_steps(chosen: Preparation) -> Steps:
    """Find what a preparation does."""
    cut, tokenizer = find_tokenizer(chosen.tok, chosen.case)
    if chosen.stem == "no":
        return cut, None, {"tok": chosen.tok + tokenizer, "stem": "no"}
    from metra.text.lemmas import find_stemmer

    reduce, stemmer = find_stemmer(chosen.stem)
    return cut, reduce, {"tok": chosen.tok + tokenizer, "stem": chosen.stem + stemmer}


def build_sentence_hits(hyp: str, refs: Sequence[str], chosen: Preparation) -> Hits:
    """Compare one output with its references."""
    cut = find_whole_tokenizer(chosen)
    if cut is not None:
        return cut.hits(hyp, refs)
    columns = [prepare(pack([ref], "refs"), chosen) for ref in refs]
    return Hits(prepare(pack([hyp], "hyp"), chosen), columns)


def build_text_hits(
    hyps: Sequence[str], refs: Sequence[str], chosen: Preparation
) -> Hits:
    """Compare each output with its only reference."""
    references = prepare(pack([*refs], "refs"), chosen)
    return Hits(prepare(pack([*hyps], "hyps"), chosen), [references])


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
        lengths = (len(segment.split()) for segment in segments)
        numbers = np.fromstring(" ".join(filter(None, segments)), np.int32, sep=" ")
        return numbers, np.fromiter(lengths, np.int64, len(segments))


def _spell_numbers(words: list[str], new: list[str]) -> list[str]:
    """Number new words; the digits stand in place of the word."""
    first = len(words)
    words += new
    return [*map(str, range(first, len(words)))]
