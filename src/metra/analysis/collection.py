"""What analyses need of a corpus, collected in the pass in which its metrics are counted.

A `CollectedCorpus` is a visitor of that pass: it keeps what it is told to keep, from tokens
that the metrics have made, so that no analysis reads or tokenises the corpus again.
"""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from metra.corpus.batch import Batch, CorpusChunk, SegmentColumn
from metra.corpus.outputs import Corpus
from metra.metrics import unigram
from metra.metrics.record import Array
from metra.scoring.statistics import CHUNK
from metra.text.columns import Text
from metra.text.preparation import Preparation

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
        """Unpack one segment after the other."""
        for part in self._parts:
            yield from (part[index] for index in range(len(part)))


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """Every segment as it was written: source, references, and each system's output."""

    #: An output is never missing.
    outputs: Mapping[str, Sequence[str | None]]
    #: One stream for each reference; a missing reference is None.
    refs: Sequence[Sequence[str | None]]
    source: Sequence[str | None] | None = None
    documents: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class TokenStream:
    """One output, reference or source: the ids of its words, and how many each segment has."""

    ids: SmallIds
    lengths: Ids

    def segments(self) -> Ids:
        """Give the segment of each word, counted from 0."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


@dataclass(frozen=True, slots=True)
class NumberedCorpus:
    """A corpus's streams; equal words have equal ids in all of them."""

    words: Sequence[str]
    systems: Mapping[str, TokenStream]
    refs: Sequence[TokenStream]
    source: TokenStream | None


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
        self.has_documents = corpus.has_documents
        self._texts = _TextCollector() if texts else None
        self._lengths = {each: _LengthCollector(each) for each in lengths}
        self._words = {each: _WordCollector(each) for each in words}
        self._matches = {each: _MatchCollector(each) for each in matches}

    def visit(self, chunk: CorpusChunk) -> None:
        """Keep what is needed of the next segments."""
        if self._texts is not None:
            self._texts.visit(chunk)
        for collectors in (self._lengths, self._words, self._matches):
            for collector in collectors.values():
                collector.visit(chunk)

    @property
    def texts(self) -> CorpusTexts:
        """All texts."""
        if self._texts is None:
            msg = "the texts were not kept"
            raise RuntimeError(msg)
        return self._texts.finish()

    def reference_lengths(self, preparation: Preparation) -> Array:
        """Give how many words each segment's references have on average."""
        return np.concatenate(self._lengths[preparation].references)

    def source_lengths(self, preparation: Preparation) -> Array:
        """Give how many words each segment's source has."""
        return np.concatenate(self._lengths[preparation].source)

    def words(self, preparation: Preparation) -> NumberedCorpus:
        """Give every word by its number."""
        return self._words[preparation].finish()

    def matches(self, preparation: Preparation) -> Mapping[str, Array]:
        """Give each system's rows of [matches, words, words of the best reference]."""
        rows = self._matches[preparation].rows
        return {name: np.concatenate(parts) for name, parts in rows.items()}


def collect_corpus(corpus: Corpus, preparation: Preparation) -> CollectedCorpus:
    """Read a corpus for analyses alone, and keep all that they may need."""
    needed = [preparation]
    collected = CollectedCorpus(
        corpus, texts=True, lengths=needed, words=needed, matches=needed
    )
    for chunk in corpus.chunks(CHUNK):
        collected.visit(chunk)
    return collected


def format_preparation(preparation: Preparation) -> str:
    """Write how text was prepared, as signatures do."""
    return "|".join(f"{key}:{value}" for key, value in preparation._asdict().items())


class _TextCollector:
    """Keeps every text, packed as it came."""

    def __init__(self) -> None:
        self._systems: defaultdict[str, TextStream] = defaultdict(TextStream)
        self._refs: list[TextStream] = []
        self._source: TextStream | None = None
        self._documents: list[str] | None = None

    def visit(self, chunk: CorpusChunk) -> None:
        for name, column in chunk.systems.items():
            self._systems[name].append(column.text)
        self._refs = self._refs or [TextStream() for _ in chunk.refs]
        for stream, column in zip(self._refs, chunk.refs, strict=True):
            stream.append(column.text)
        if chunk.source is not None:
            self._source = self._source or TextStream()
            self._source.append(chunk.source.text)
        if chunk.documents is not None:
            self._documents = [*(self._documents or ()), *chunk.documents]

    def finish(self) -> CorpusTexts:
        return CorpusTexts(self._systems, self._refs, self._source, self._documents)


class _LengthCollector:
    """Keeps how many words each segment of the references and of the source has."""

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        self.references: list[Array] = []
        self.source: list[Array] = []

    def visit(self, chunk: CorpusChunk) -> None:
        lengths, present = np.zeros(len(chunk)), np.zeros(len(chunk))
        for column in chunk.refs:
            lengths += self._count_words(column)
            present += 1
            present[column.text.missing()] -= 1
        self.references.append(lengths / np.maximum(present, 1))
        if chunk.source is not None:
            self.source.append(self._count_words(chunk.source))

    def _count_words(self, column: SegmentColumn) -> Array:
        """Count each segment's words; a missing segment has none."""
        # A text matches itself word by word, and the kernel gives its length along.
        itself = Batch.of(column, [column], None)
        return unigram.rows(itself, text=self._preparation, recall_weight=0.5)[:, 1]


class _WordCollector:
    """Numbers the words of all streams as they come."""

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        self._known: defaultdict[str, int] = defaultdict(count().__next__)
        # Plain arrays: lists take twice as much for each word.
        self._streams: defaultdict[object, tuple[array[int], array[int]]] = defaultdict(
            lambda: (array("i"), array("i"))
        )
        self._systems: Sequence[str] = ()
        self._references = 0

    def visit(self, chunk: CorpusChunk) -> None:
        self._systems, self._references = list(chunk.systems), len(chunk.refs)
        for name, column in chunk.systems.items():
            self._add(("system", name), column)
        for index, column in enumerate(chunk.refs):
            self._add(("reference", index), column)
        if chunk.source is not None:
            self._add("source", chunk.source)

    def _add(self, key: object, column: SegmentColumn) -> None:
        ids, lengths = self._streams[key]
        tokens = column.tokens(self._preparation)
        words: list[str] = []
        for index in range(len(tokens)):
            segment = tokens[index] or ()
            words += segment
            lengths.append(len(segment))
        ids.extend(map(self._known.__getitem__, words))

    def finish(self) -> NumberedCorpus:
        return NumberedCorpus(
            list(self._known),
            {name: self._finish_stream(("system", name)) for name in self._systems},
            [self._finish_stream(("reference", i)) for i in range(self._references)],
            self._finish_stream("source") if "source" in self._streams else None,
        )

    def _finish_stream(self, key: object) -> TokenStream:
        ids, lengths = self._streams[key]
        return TokenStream(np.array(ids, np.int32), np.array(lengths, np.int64))


class _MatchCollector:
    """Keeps how many words each output has in common with its best reference."""

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        self.rows: defaultdict[str, list[Array]] = defaultdict(list)

    def visit(self, chunk: CorpusChunk) -> None:
        for name in chunk.systems:
            rows = unigram.rows(
                chunk.batch(name), text=self._preparation, recall_weight=0.5
            )
            self.rows[name].append(rows)
