"""Data of a corpus for analyses, collected in the pass that counts its metrics.

A `CollectedCorpus` is a visitor of that pass: it works on tokens that the metrics have made,
so that no analysis reads or tokenises the corpus again.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from metra.corpus.batch import Batch, CorpusChunk, SegmentColumn
from metra.corpus.outputs import Corpus
from metra.metrics import unigram
from metra.metrics.record import Array
from metra.scoring.guards import TextGuard
from metra.scoring.statistics import CHUNK
from metra.text.columns import window
from metra.text.preparation import Preparation, WordNumbers

Ids = NDArray[np.int64]
#: Numbers below two billion, of which there are many.
SmallIds = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """Every segment as it was written: source, references, and each system's output."""

    #: An output is never missing.
    outputs: Mapping[str, Sequence[str | None]]
    #: One stream for each reference; a missing reference is None.
    refs: Sequence[Sequence[str | None]]
    source: Sequence[str | None] | None = None
    documents: Sequence[str] | None = None


#: Each word in each segment as one number, in order, and how often it is there.
CellCounts: TypeAlias = tuple[Ids, Ids]


@dataclass(frozen=True)
class TokenStream:
    """One output, reference or source: the ids of its words, and how many each segment has."""

    ids: SmallIds
    lengths: Ids
    #: How many ids there are: all are below.
    vocabulary: int

    @cached_property
    def segments(self) -> Ids:
        """The segment of each word, counted from 0."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def cells(self) -> CellCounts:
        """Counts of each word in each segment: `segment * vocabulary + id`."""
        return np.unique(self.segments * self.vocabulary + self.ids, return_counts=True)

    def match_cells(self, other: CellCounts) -> CellCounts:
        """Count the words that this stream and another have in each segment, one to one."""
        (cells, counts), (other_cells, other_counts) = self.cells, other
        places = np.searchsorted(other_cells, cells)
        common = np.append(other_cells, -1)[places] == cells
        both = np.minimum(counts[common], other_counts[places[common]])
        return cells[common], both

    def count_matches(self, other: CellCounts) -> Array:
        """Count the words of each segment that another stream has, one to one."""
        cells, both = self.match_cells(other)
        segments = cells // self.vocabulary
        return np.bincount(segments, both, len(self.lengths)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class NumberedCorpus:
    """A corpus's streams; equal words have equal ids in all of them."""

    words: Sequence[str]
    systems: Mapping[str, TokenStream]
    refs: Sequence[TokenStream]
    source: TokenStream | None


#: "system" and its name, "reference" and its place, or "source".
ColumnKey: TypeAlias = tuple[str, str | int]
Stream = TypeVar("Stream")


class CollectedCorpus:
    """Texts and lengths of a corpus, and its words if wanted, as a preparation cuts them.

    Words are kept by numbers, with how many of each output its best reference has.
    """

    def __init__(
        self, corpus: Corpus, preparation: Preparation, *, words: bool = True
    ) -> None:
        self.systems = tuple(corpus.systems)
        self.has_source = corpus.has_source
        self.has_references = corpus.has_references
        self.preparation = preparation
        self._texts: defaultdict[ColumnKey, list[str | None]] = defaultdict(list)
        self._documents: list[str] = []
        self._lengths: list[Array] = []
        self._has_words = words
        self._numbers = WordNumbers()
        self._words: defaultdict[ColumnKey, list[tuple[SmallIds, Ids]]]
        self._words = defaultdict(list)
        self._matches: defaultdict[str, list[Array]] = defaultdict(list)

    def visit(self, chunk: CorpusChunk) -> None:
        """Keep the data of the next segments."""
        columns: dict[ColumnKey, SegmentColumn] = {
            **{("system", name): column for name, column in chunk.systems.items()},
            **{("reference", at): column for at, column in enumerate(chunk.refs)},
        }
        if chunk.source is not None:
            columns["source", 0] = chunk.source
        for key, column in columns.items():
            self._texts[key] += window(column.text, 0, len(column.text))
        self._documents += chunk.documents or ()
        self._lengths.append(_average_lengths(chunk, self.preparation))
        if not self._has_words:
            return
        for key, column in columns.items():
            tokens = column.tokens(self.preparation)
            self._words[key].append(self._numbers.number(tokens))
        for name in chunk.systems:
            matches = _count_matches(chunk.batch(name), self.preparation)
            self._matches[name].append(matches)

    @cached_property
    def texts(self) -> CorpusTexts:
        """All texts."""
        return CorpusTexts(*_sort_streams(self._texts), self._documents or None)

    @cached_property
    def lengths(self) -> Array:
        """The words of each segment's references on average, or of its outputs."""
        return np.concatenate(self._lengths)

    @cached_property
    def words(self) -> NumberedCorpus:
        """Every word by its number."""
        words = self._numbers.words
        streams: dict[ColumnKey, TokenStream] = {}
        for key, parts in self._words.items():
            ids, lengths = map(np.concatenate, zip(*parts, strict=True))
            streams[key] = TokenStream(ids, lengths, len(words))
        return NumberedCorpus(words, *_sort_streams(streams))

    @cached_property
    def matches(self) -> Mapping[str, Array]:
        """Each system's rows of [matches, words, words of the best reference]."""
        return {name: np.concatenate(rows) for name, rows in self._matches.items()}


def collect_corpus(corpus: Corpus, preparation: Preparation) -> CollectedCorpus:
    """Read a corpus for analyses alone, and keep all that they may need."""
    collected = CollectedCorpus(corpus, preparation)
    guard = TextGuard({"the profile": preparation.tok})
    for chunk in corpus.chunks(CHUNK):
        collected.visit(chunk)
        guard.visit(chunk)
    guard.warn()
    return collected


def sort_places(numbers: Ids | SmallIds) -> Ids:
    """Sort numbers from 0 on stably, and return where each stood."""
    keys = numbers.astype(np.int64, copy=False)
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable")
    # Plain numbers sort many times faster than their places do.
    packed = (keys << bits) | np.arange(len(keys))
    packed.sort()
    return packed & ((1 << bits) - 1)


def format_preparation(preparation: Preparation) -> str:
    """Write how text was prepared, as signatures do."""
    return "|".join(f"{key}:{value}" for key, value in preparation._asdict().items())


def _count_matches(batch: Batch, preparation: Preparation) -> Array:
    """Count [matches, words, words of the best reference] of each segment."""
    if not batch.refs:
        words = _count_words(batch.hyps, preparation)
        return np.stack([np.zeros_like(words), words, np.zeros_like(words)], axis=1)
    return unigram.rows(batch, text=preparation, recall_weight=0.5)


def _count_words(column: SegmentColumn, preparation: Preparation) -> Array:
    """Count each segment's words; a missing segment has none."""
    # A text matches itself word by word, and the kernel gives its length along.
    return _count_matches(Batch.of(column, [column], None), preparation)[:, 1]


def _average_lengths(chunk: CorpusChunk, preparation: Preparation) -> Array:
    """Average the words of each segment's references; missing references do not count."""
    lengths, present = np.zeros(len(chunk)), np.zeros(len(chunk))
    for column in chunk.refs or chunk.systems.values():
        lengths += _count_words(column, preparation)
        present += 1
        present[column.text.missing()] -= 1
    return lengths / np.maximum(present, 1)


def _sort_streams(
    streams: Mapping[ColumnKey, Stream],
) -> tuple[dict[str, Stream], list[Stream], Stream | None]:
    """Give the streams of the systems by name, of the references and of the source."""
    systems = {
        str(key): each for (kind, key), each in streams.items() if kind == "system"
    }
    refs = [each for (kind, _), each in streams.items() if kind == "reference"]
    return systems, refs, streams.get(("source", 0))
