"""How text is made comparable: tokeniser, letter case, stemmer."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from metra._core import Text, Tokenizer, Tokens
from metra.errors import OptionError
from metra.text.stemmers import stemmer, stemmer_version
from metra.text.tokenizers import tokenizer, tokenizer_version


class Preparation(NamedTuple):
    """The three choices; equal preparations share their tokens."""

    tok: str
    case: str
    stem: str

    def versions(self) -> dict[str, str]:
        """Name the tokeniser and the stemmer with their versions, for signatures."""
        return {
            "tok": self.tok + tokenizer_version(self.tok),
            "stem": self.stem + stemmer_version(self.stem),
        }


def preparation(*, tok: str, case: str, stem: str) -> Preparation:
    """Check the names and join them."""
    chosen = Preparation(tok, case, stem)
    steps(chosen)
    return chosen


def mteval_preparation(owner: str, *, tok: str, case: str, stem: str) -> Preparation:
    """Prepare text as mteval does: the two tokenisers it has, its own lower-casing."""
    if tok not in ("13a", "intl"):
        msg = f"{owner}: tok={tok} is not possible with style=mteval; expected 13a or intl."
        raise OptionError(msg)
    lower = "lower-ascii" if tok == "13a" else "lower-letters"
    folded = lower if case == "lower" else case
    return preparation(tok=f"mteval-{tok}", case=folded, stem=stem)


def prepare(text: Text, chosen: Preparation) -> Tokens:
    """Tokenise a column, fold its case, stem it."""
    cut, reduce = steps(chosen)
    tokens = cut(text)
    return tokens if reduce is None else reduce(tokens)


def whole_tokenizer(chosen: Preparation) -> Tokenizer | None:
    """Find the built-in tokeniser that does all there is to do, if one does."""
    cut, reduce = steps(chosen)
    return cut if reduce is None and isinstance(cut, Tokenizer) else None


@lru_cache(maxsize=256)
def steps(
    chosen: Preparation,
) -> tuple[Callable[[Text], Tokens], Callable[[Tokens], Tokens] | None]:
    """Find the tokeniser and the stemmer, if any."""
    return tokenizer(chosen.tok, chosen.case), stemmer(chosen.stem)
