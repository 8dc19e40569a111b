"""The kernels: pure counting in Rust, interpreter released, no options they do not use.

Every kernel looks every few milliseconds whether it should stop. In the main thread it
raises what a signal's handler raises, KeyboardInterrupt for Ctrl-C; in other threads it
stops for a `StopFlag`. An object that was counting when its kernel stopped is of no use.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, final

import numpy as np
from numpy.typing import NDArray

_Answer = TypeVar("_Answer")
_Places = Sequence[int]
_Rows = NDArray[np.float64]
_Ints = NDArray[np.int64]

class BadLine(Exception):
    """A line that is no entry of a list: its number, from 1, and its text."""

class BadSegment(Exception):
    """A segment that is no string: its position and what it is."""

class NotUtf8(Exception):
    """Bytes that are not UTF-8: line, byte in it (both from 0) and the byte's value."""

@final
class StopFlag:
    """Makes kernels of other threads raise KeyboardInterrupt."""

    def __new__(cls) -> StopFlag: ...
    def set(self) -> None:
        """Stop what `call` is running, in any thread, and refuse to run more."""

    def call(self, function: Callable[..., _Answer], *arguments: object) -> _Answer:
        """Call a function, the kernels of which stop once the flag is set."""

@final
class Text:
    """Segments packed into one buffer; None, NaN and pandas' NA become missing segments."""

    def __new__(cls, segments: list[str | None]) -> Text: ...
    @staticmethod
    def packed(
        bytes: NDArray[np.uint8], bounds: _Ints, there: NDArray[np.bool_] | None = None
    ) -> Text:
        """Segments from one buffer, each between two bounds; raises BadSegment."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> str | None: ...
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
    def __getitem__(self, index: int, /) -> list[str] | None: ...
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

def ngram_sums(hits: Hits, order: int, ref_len: str, block: int) -> list[list[float]]:
    """The sums of the same rows, `block` rows at a time."""

@final
class BleuFormula:
    """From rows of n-gram counts, or sums of them, to BLEU.

    One row of totals may also be a list of plain numbers; its score is a plain number then,
    and numpy is not loaded.
    """

    def __new__(
        cls, order: int, smooth: str, value: float, mean: str, short: str
    ) -> BleuFormula: ...
    def score(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row, 0 to 100."""

    def sentence(
        self, tokenizer: Tokenizer, ref_len: str, output: str, references: Sequence[str]
    ) -> float:
        """The score of one output, with no arrays in between."""

    def pairs(
        self, texts: Tokens, outputs: Sequence[int], references: Sequence[int]
    ) -> _Rows:
        """The score of each output against each reference, both by their places."""

    def expected_rows(
        self,
        texts: Tokens,
        outputs: _Places,
        references: _Places,
        weights: Sequence[float],
    ) -> _Rows:
        """The row of each output against the expected n-gram counts of weighed references."""

    def penalty(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The brevity penalty of each row."""

    def precisions(self, totals: NDArray[np.float64]) -> list[float]:
        """The precisions of one row after smoothing, 0 to 1."""

@final
class Meteor:
    """METEOR 1.5's aligner with a formula; words are looked up once a type and kept."""

    def __new__(
        cls,
        stages: Sequence[str],
        stemmer: str | None,
        wordnet: str | None,
        paraphrases: Iterable[bytes] | None,
        function_words: Sequence[str],
        parameters: Sequence[float],
    ) -> Meteor:
        """`parameters`: alpha, beta, gamma, delta, then the weight of each stage."""

    def rows(self, output: Tokens, references: Sequence[Tokens]) -> NDArray[np.float64]:
        """The 23 counts of each segment's alignment with its best reference."""

    def score(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row, 0 to 100."""

    def pieces(self, totals: NDArray[np.float64]) -> tuple[float, float, float, float]:
        """Precision, recall, F-mean (0 to 1) and penalty of one row."""

    def alignments(
        self, output: Tokens, references: Sequence[Tokens], index: int
    ) -> tuple[int, list[list[tuple[int, int, int, int, int]]]]:
        """The best reference of a segment, and the links with each that is there.

        A link: first reference word, words, first output word, words, stage.
        """

def edit_rows(hits: Hits, order: str, refs: str) -> NDArray[np.float64]:
    """[substitutions, insertions, deletions, hits, reference length] of each segment.

    `order` is "fixed", edits of our alignment, "rapidfuzz", of the one that rapidfuzz takes,
    or "free", those of two bags of words; `refs` is "best", "best-rate" or "average-length".
    """

def unequal_rows(hits: Hits) -> NDArray[np.float64]:
    """[1 where the output is none of its references, 1] of each segment."""

def edit_alignments(
    hits: Hits, index: int, order: str, refs: str
) -> tuple[int, list[str]]:
    """The chosen reference of a segment, and the steps to each that is there, as letters.

    H, S, I, D: hit, substitution, insertion (the output has a word too much), deletion.
    """

def grapheme_version() -> str:
    """The version of the Unicode standard whose grapheme clusters are cut."""

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
    ) -> _Rows:
        """[output n-grams, reference n-grams, matches] of each order, characters first.

        Of several references the one with the best score counts.
        """

    def sentence(
        self, tokenizer: Tokenizer | None, output: str, references: Sequence[str]
    ) -> float:
        """The score of one output; word n-grams need the tokenizer."""

    def pairs(
        self, texts: Text, words: Tokens | None, outputs: _Places, references: _Places
    ) -> _Rows:
        """The score of each output against each reference, both by their places."""

    def expected_rows(
        self,
        texts: Text,
        words: Tokens | None,
        outputs: _Places,
        references: _Places,
        weights: Sequence[float],
    ) -> _Rows:
        """The row of each output against the expected n-gram counts of weighed references."""

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

    def terms(self) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
        """All n-grams with the byte 0xFF between words, where each ends, their counts."""

    def learn(
        self, bytes: bytes, ends: _Ints, counts: _Ints, total: int | None = None
    ) -> None:
        """Count what `terms` gave elsewhere too; what begins an n-gram comes before it.

        `total` is the number of words in the corpus, if the n-grams are only some of it.
        """

    def lines(self, n: int) -> str | None:
        """The n-grams of n words in lines for `given`; None if a word has white space."""

    def rows(self, hits: Hits, output: Tokens) -> NDArray[np.float64]:
        """[information matched of orders 1..n, n-grams of orders 1..n, the two lengths]."""

def logarithms(values: _Rows) -> NDArray[np.float64]:
    """Natural logarithms with the digits that the kernels have."""

def nist_score(totals: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """The score of each row."""

def nist_penalty(totals: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """The brevity penalty of each row."""

def ter_rows(hits: Hits, style: str) -> NDArray[np.float64]:
    """[insertions, deletions, substitutions, shifts, average reference length].

    The edits are those of the reference that takes the fewest, the first of equal ones.
    `style` is sacrebleu or tercom.
    """

def unigram_rows(hits: Hits, recall_weight: float) -> NDArray[np.float64]:
    """[one-to-one matches, two lengths], best by F in which recall has this weight."""

def gtm_rows(hits: Hits, exponent: float, match: str, nodes: int) -> _Rows:
    """[size of the matching, output length, mean reference length]; if exact, [unproved]."""

def gtm_blocks(
    hits: Hits, index: int, exponent: float, match: str, nodes: int
) -> tuple[list[tuple[int, int, int, int, float]], bool]:
    """One segment's matching, and whether it is proved to be what was asked for.

    A block is (first word in the output, reference, first word in it, words, words that
    count); the references that are missing are not counted.
    """

@final
class Salience:
    """How often each word occurs in each document, and how salient that makes it.

    There is an entry for each word of each document, in the order in which the documents,
    and the words in them, first occurred.
    """

    @property
    def documents(self) -> list[str]:
        """The names of the documents, by number."""

    @property
    def words(self) -> list[str]:
        """The words, by number."""

    def __new__(cls, texts: Iterable[tuple[Tokens, list[str]]]) -> Salience:
        """Count the words of segments, given with the name of each segment's document."""

    @staticmethod
    def learnt(bytes: bytes, ends: _Ints, counts: _Ints) -> Salience:
        """Take what `terms` gave, each term once and those of a document together."""

    def terms(self) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
        """Document, the byte 0xFF and word of each entry, where each ends, their counts."""

    def column(self, name: str) -> NDArray[np.float64]:
        """One number for each entry.

        Names: word and document (their numbers), tf, df, P_doc, P_rest, P_corp, tf.idf,
        S (NaN for words that are not salient).
        """

    def weighed(
        self,
        salience: str | _Rows,
        *,
        floor: float,
        least: float | None = None,
        most: float | None = None,
        unknown: float | None = None,
    ) -> WordWeights:
        """Make weights of a column, or of a number for each entry (NaN: not salient).

        No weight is below the floor; those below `least` and above `most` are 0. Words that
        a document does not have weigh `unknown`, or as its lightest.
        """

@final
class WordWeights:
    """What each word weighs in each document."""

    @property
    def heaviest(self) -> float:
        """The largest weight of a word in its document, 0 if there is none."""

@final
class Ltv:
    """Weighed n-grams: what an n-gram weighs, what it is held against, how orders join.

    `gram` is sum, mean or max; `side` precision, recall or f; `combination` mean or
    geometric.
    """

    def __new__(cls, order: int, gram: str, side: str, combination: str) -> Ltv: ...
    def rows(
        self,
        hits: Hits,
        output: Tokens,
        references: Sequence[Tokens],
        weights: WordWeights | None = None,
        documents: list[str] | None = None,
    ) -> _Rows:
        """[weight matched, weight of the output, of the reference], each for orders 1..n.

        All are of the reference with the highest score, the first of equals. Without
        weights every word weighs 1; without documents the first list is everyone's. A
        document that has no list is a KeyError.
        """

    def score(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row, 0 to 100."""

def tie_counts(
    gold: NDArray[np.uint32],
    metric: _Rows,
    start: int,
    stop: int,
    cuts: NDArray[np.uint64],
    wanted: NDArray[np.bool_],
) -> tuple[_Ints, _Ints]:
    """How many pairs the gold ties, and has in the metric's order, by their difference.

    Both are of the same length, in rising order of the metric; the gold is given as ranks.
    Counted are the pairs whose lower value is one of start to stop, for each wanted interval
    of differences: from one cut up to the next, as bits of floating-point numbers.
    """

def tie_pairs(
    gold: NDArray[np.uint32],
    metric: _Rows,
    start: int,
    stop: int,
    cuts: NDArray[np.uint64],
    wanted: NDArray[np.bool_],
) -> NDArray[np.uint64]:
    """The same pairs' differences as bits, times two, plus one where the gold ties."""

def pair_sums(
    weights: _Rows,
    drawn: _Ints,
    sides: tuple[_Ints, _Ints],
    starts: _Ints,
    values: _Rows,
    value_starts: _Ints,
) -> _Rows:
    """Sums over the judgements of each two judges, for each row of weights, 11 a pair.

    Judgements are sorted by pair; `drawn` says with which weight each counts, `sides` the
    places of both judges' values. `values` are the different ones of each pair, in rising
    order. `starts` and `value_starts` say where pairs begin, and where the last ends. The
    sums are the weight; different values, gaps and squared gaps; both judges' values, their
    squares and products; and of all values of one against all of the other, equal ones and
    gaps.
    """

def word_counts(texts: Sequence[str]) -> _Ints:
    """How many words each text has, as `str.split` finds them."""

def rank_sums(
    weights: _Rows, drawn: _Ints, starts: _Ints, codes: _Ints, values: int
) -> _Rows:
    """[weight, differences within units, sum, squares] of ranks, for each row of weights.

    Judgements are sorted by unit; `starts` says where units begin, and where the last ends,
    `drawn` with which weight each unit counts, `codes` which of the values each judgement
    is. Ranks are the middle ones among all that is weighed, less their mean; the differences
    of a unit are squared, of each with each, over how many others it has.
    """
