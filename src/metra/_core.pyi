"""The kernels: pure counting in Rust, interpreter released, no options they do not use."""

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

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

    def sentence(
        self,
        tokenizer: Tokenizer,
        ref_len: str,
        output: str,
        references: Sequence[str],
    ) -> float:
        """The score of one output, with no arrays in between."""

    def penalty(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The brevity penalty of each row."""

    def precisions(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The precisions of one row after smoothing, 0 to 1."""
