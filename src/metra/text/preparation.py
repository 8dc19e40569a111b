"""How text is made comparable: tokeniser, letter case, stemmer; and the hit map of it.

A hit map says which tokens of the outputs equal which tokens of the references.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from metra._core import Hits, Text, Tokenizer, Tokens
from metra.errors import OptionError
from metra.text.columns import pack
from metra.text.lemmas import find_stemmer
from metra.text.tokenizers import find_tokenizer

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
    reduce, stemmer = find_stemmer(chosen.stem)
    return cut, reduce, {"tok": chosen.tok + tokenizer, "stem": chosen.stem + stemmer}


def build_sentence_hits(hyp: str, refs: Sequence[str], chosen: Preparation) -> Hits:
    """Compare one output with its references."""
    cut = find_whole_tokenizer(chosen)
    if cut is not None:
        return cut.hits(hyp, refs)
    columns = [prepare(pack([ref], "refs"), chosen) for ref in refs]
    return Hits(prepare(pack([hyp], "hyp"), chosen), columns)
