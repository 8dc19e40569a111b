"""The kernels: pure counting in Rust, interpreter released, no options they do not use."""

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

class BadLine(Exception):
    """A line that is no entry of a list: its number, from 1, and its text."""

class BadSegment(Exception):
    """A segment that is no string: its position and what it is."""

class NotUtf8(Exception):
    """Bytes that are not UTF-8: line, byte in it (both from 0) and the byte's value."""

@final
class Text:
    """Segments packed into one buffer; None and NaN become missing segments."""

    def __new__(cls, segments: list[str | None]) -> Text: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> str | None: ...
    def missing(self) -> list[int]:
        """The positions of the missing segments."""

@final
class LineBuffer:
    """Cuts bytes into lines at newlines only; drops a carriage return before one, and a BOM."""

    def __new__(cls) -> LineBuffer: ...
    @property
    def ready(self) -> int:
        """How many whole lines can be taken."""

    def push(self, bytes: bytes) -> None:
        """Add bytes as they come from the file."""

    def finish(self) -> None:
        """Say that no more bytes come."""

    def pop(self, most: int) -> Text:
        """Take up to `most` whole lines; raises NotUtf8."""

@final
class Tokens:
    """Segments cut into tokens: packed bytes with token boundaries."""

    def __new__(cls, sentences: Sequence[Sequence[str] | None]) -> Tokens: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> list[str] | None: ...
    def joined(self) -> Text:
        """Each segment as text: its tokens with blanks between them."""

@final
class Tokenizer:
    """A built-in tokeniser with a way to fold case."""

    def __new__(cls, name: str, case: str) -> Tokenizer: ...
    def __call__(self, text: Text) -> Tokens: ...
    def hits(self, output: str, references: Sequence[str]) -> Hits:
        """The hit map of one output and its references, and nothing else."""

@final
class TypeMap:
    """Replaces words; the function is called once for each word type, with lists of words."""

    def __new__(cls, function: Callable[[list[str]], list[str]]) -> TypeMap: ...
    def __call__(self, tokens: Tokens) -> Tokens: ...

@final
class Hits:
    """The hit maps of outputs against one or more columns of references."""

    def __new__(cls, output: Tokens, references: Sequence[Tokens]) -> Hits: ...
    def __len__(self) -> int: ...

def ngram_rows(hits: Hits, order: int, ref_len: str) -> NDArray[np.float64]:
    """[matches of orders 1..n, n-grams of orders 1..n, output length, reference length]."""

@final
class BleuFormula:
    """From rows of n-gram counts, or sums of them, to BLEU."""

    def __new__(
        cls, order: int, smooth: str, value: float, mean: str, short: str
    ) -> BleuFormula: ...
    def score(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row, 0 to 100."""

    def penalty(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The brevity penalty of each row."""

    def precisions(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The precisions of one row after smoothing, 0 to 1."""

@final
class Chrf:
    """chrF: counts of character and word n-grams, and the score from their sums."""

    def __new__(
        cls,
        order: int,
        word_order: int,
        beta: float,
        mean: str,
        keep_white: bool,
        case: str,
    ) -> Chrf: ...
    def rows(
        self, output: Text, references: Sequence[Text], words: Hits | None
    ) -> NDArray[np.float64]:
        """[output n-grams, reference n-grams, matches] of each order, characters first.

        Of several references the one with the best score counts.
        """

    def score(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row, 0 to 100."""

@final
class Information:
    """The n-grams of references, and what each tells after its first words, in bits."""

    def __new__(cls, order: int, history: str) -> Information: ...
    @staticmethod
    def given(lines: str, order: int) -> Information:
        """Take the weights from lines of words, a tab and a number; raises BadLine."""

    @property
    def order(self) -> int:
        """How many words the longest n-grams have."""

    def add(self, tokens: Tokens) -> None:
        """Count the n-grams of these references too."""

    def lines(self, n: int) -> str | None:
        """Write the weights of the n-grams of n words, a line each, as `given` reads them.

        None if a word has white space in it.
        """

    def rows(self, hits: Hits, output: Tokens) -> NDArray[np.float64]:
        """[information matched of orders 1..n, n-grams of orders 1..n, the two lengths]."""

def nist_score(totals: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """The score of each row."""

def nist_penalty(totals: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """The brevity penalty of each row."""
