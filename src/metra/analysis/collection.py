"""What analyses need of a corpus, collected in the pass in which its metrics are counted.

A `CollectedCorpus` is a visitor of that pass: it keeps what it is told to keep, from tokens
that the metrics have made, so that no analysis reads or tokenises the corpus again.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
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
from metra.text.columns import Text, window
from metra.text.preparation import Preparation, WordNumbers

Ids = NDArray[np.int64]
#: Numbers below two billion, of which there are many.
SmallIds = NDArray[np.int32]


class TextStream(Sequence[str | None]):
    """The segments of one column: packed, and unpacked one at a time."""

    def __init__(self) -> None:
        self._parts: list[Text] = []
        self._ends: list[int] = []

    def append(self, part: Text) -> None:
        """Add the next segments."""
        self._parts.append(part)
        self._ends.append(len(self) + len(part))

    def __len__(self) -> int:
        """Count the segments."""
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: int) -> str | None:  # type: ignore[override]  # no slices
        """Unpack a segment; None if it is missing."""
        part = bisect_right(self._ends, index)
        return self._parts[part][index - (self._ends[part - 1] if part else 0)]

    def __iter__(self) -> Iterator[str | None]:
        """Unpack the segments, some at a time."""
        for part in self._parts:
            yield from window(part, 0, len(part))


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
        """How often each segment has each word: `segment * vocabulary + id`."""
        return np.unique(self.segments * self.vocabulary + self.ids, return_counts=True)

    def match_cells(self, other: CellCounts) -> CellCounts:
        """Count the words that this stream and another have in each segment, one to one."""
        (cells, counts), (other_cells, other_counts) = self.cells, other
        places = np.searchsorted(other_cells, cells)
        common = np.append(other_cells, -1)[places] == cells
        both = np.minimum(counts[common], other_counts[places[common]])
        return cells[common], both


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
    """What is kept of a corpus while it is counted, each by how its text is prepared.

    `lengths` keeps how many words each segment has, `words` every word by a number, and
    `matches` how many words of each output its best reference has.
    """

    def __init__(
        self,
        corpus: Corpus,
        *,
        texts: bool = False,
        lengths: Collection[Preparation] = (),
        words: Collection[Preparation] = (),
        matches: Collection[Preparation] = (),
    ) -> None:
        self.systems = tuple(corpus.systems)
        self.has_source = corpus.has_source
        self.has_references = corpus.has_references
        self.has_documents = corpus.has_documents
        self._has_texts = texts
        self._texts: defaultdict[ColumnKey, TextStream] = defaultdict(TextStream)
        self._documents: list[str] = []
        self._lengths, self._matches = lengths, matches
        self._rows: defaultdict[object, list[Array]] = defaultdict(list)
        self._numbers = {each: WordNumbers() for each in words}
        self._numbered: dict[Preparation, NumberedCorpus] = {}
        self._words: defaultdict[
            tuple[Preparation, ColumnKey], list[tuple[SmallIds, Ids]]
        ] = defaultdict(list)

    def visit(self, chunk: CorpusChunk) -> None:
        """Keep what is needed of the next segments."""
        columns: dict[ColumnKey, SegmentColumn] = {
            **{("system", name): column for name, column in chunk.systems.items()},
            **{("reference", at): column for at, column in enumerate(chunk.refs)},
        }
        if chunk.source is not None:
            columns["source", 0] = chunk.source
        if self._has_texts:
            for key, column in columns.items():
                self._texts[key].append(column.text)
            self._documents += chunk.documents or ()
        for each in self._lengths:
            self._rows["segment", each].append(_average_lengths(chunk, each))
            if chunk.source is not None:
                self._rows["source", each].append(_count_words(chunk.source, each))
        for each, numbers in self._numbers.items():
            for key, column in columns.items():
                self._words[each, key].append(numbers.number(column.tokens(each)))
        for each in self._matches:
            for name in chunk.systems:
                rows = _count_matches(chunk.batch(name), each)
                self._rows["system", name, each].append(rows)

    @property
    def texts(self) -> CorpusTexts:
        """All texts."""
        if not self._has_texts:
            msg = "the texts were not kept"
            raise RuntimeError(msg)
        return CorpusTexts(*_sort_streams(self._texts), self._documents or None)

    def segment_lengths(self, preparation: Preparation) -> Array:
        """Give how many words each segment's references have on average.

        Where there are no references, it is the average of the outputs.
        """
        return np.concatenate(self._rows["segment", preparation])

    def source_lengths(self, preparation: Preparation) -> Array:
        """Give how many words each segment's source has."""
        return np.concatenate(self._rows["source", preparation])

    def words(self, preparation: Preparation) -> NumberedCorpus:
        """Give every word by its number."""
        if preparation not in self._numbered:
            words = self._numbers[preparation].words
            streams: dict[ColumnKey, TokenStream] = {}
            for (each, key), parts in self._words.items():
                if each == preparation:
                    ids, lengths = map(np.concatenate, zip(*parts, strict=True))
                    streams[key] = TokenStream(ids, lengths, len(words))
            numbered = NumberedCorpus(words, *_sort_streams(streams))
            self._numbered[preparation] = numbered
        return self._numbered[preparation]

    def matches(self, preparation: Preparation) -> Mapping[str, Array]:
        """Give each system's rows of [matches, words, words of the best reference]."""
        return {
            name: np.concatenate(self._rows["system", name, preparation])
            for name in self.systems
        }


def collect_corpus(corpus: Corpus, preparation: Preparation) -> CollectedCorpus:
    """Read a corpus for analyses alone, and keep all that they may need."""
    needed = [preparation]
    collected = CollectedCorpus(
        corpus, texts=True, lengths=needed, words=needed, matches=needed
    )
    guard = TextGuard({"the profile": preparation.tok})
    for chunk in corpus.chunks(CHUNK):
        collected.visit(chunk)
        guard.visit(chunk)
    guard.warn()
    return collected


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
    """Average the words of each segment's references, of those that are there."""
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
