"""What is scored: evaluation sets, and batches of segments with the tokens made of them.

Lengths are checked here and nowhere else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

from metra.errors import CorpusError, LengthError
from metra.text.columns import Segments, Text, as_column, pack, window
from metra.text.preparation import (
    Hits,
    Preparation,
    Tokens,
    build_hits,
    build_sentence_hits,
    prepare,
)


class SegmentColumn:
    """One stream of segments and, by preparation, its tokens: made once, used by all."""

    __slots__ = ("_tokens", "text")

    def __init__(self, text: Text) -> None:
        self.text = text
        self._tokens: dict[Preparation, Tokens] = {}

    def tokens(self, preparation: Preparation) -> Tokens:
        """Tokens of every segment, prepared this way."""
        tokens = self._tokens.get(preparation)
        if tokens is None:
            tokens = self._tokens[preparation] = prepare(self.text, preparation)
        return tokens


class BatchPosition(NamedTuple):
    """Where a batch stands in its corpus, for measures that look up what is known there."""

    system: str | None = None
    first: int = 0
    documents: Sequence[str] | None = None


class Batch:
    """Outputs with their references (and sources), and what metrics share about them."""

    __slots__ = ("_hits", "hyps", "place", "refs", "source")

    def __init__(
        self,
        hyps: Segments,
        refs: Sequence[Segments] | Segments | None = None,
        source: Segments | None = None,
        *,
        documents: Sequence[str] | None = None,
        refs_per_segment: Sequence[Sequence[str]] | None = None,
        place: BatchPosition = BatchPosition(),  # noqa: B008, it cannot change
    ) -> None:
        """Check and pack the segments.

        `refs` is a list of streams, each as long as `hyps` (one stream may stand alone);
        `refs_per_segment` gives the references of each segment instead. Measures that
        compare with no reference need none. `documents` names each segment's document.
        """
        evalset = EvalSet(refs, source, documents, refs_per_segment=refs_per_segment)
        outputs = Outputs(evalset, {"hyps": hyps})
        chunk = next(outputs.chunks(len(outputs)))
        if documents is not None:
            place = place._replace(documents=chunk.documents)
        self._fill(chunk.systems["hyps"], chunk.refs, chunk.source, place)

    @classmethod
    def of(
        cls,
        hyps: SegmentColumn,
        refs: Sequence[SegmentColumn],
        source: SegmentColumn | None,
        place: BatchPosition = BatchPosition(),  # noqa: B008, it cannot change
    ) -> "Batch":
        """Join columns that are known to be parallel."""
        batch = cls.__new__(cls)
        batch._fill(hyps, refs, source, place)
        return batch

    def _fill(
        self,
        hyps: SegmentColumn,
        refs: Sequence[SegmentColumn],
        source: SegmentColumn | None,
        place: BatchPosition,
    ) -> None:
        self.hyps = hyps
        self.refs = refs
        self.source = source
        self.place = place
        self._hits: dict[Preparation, Hits] = {}

    def __len__(self) -> int:
        """Count the segments."""
        return len(self.hyps.text)

    def texts(self) -> tuple[Text, list[Text]]:
        """Give the outputs and each stream of references as they were written."""
        self._need_references()
        return self.hyps.text, [ref.text for ref in self.refs]

    def hits(self, preparation: Preparation) -> Hits:
        """Tell which tokens of each output equal which tokens of its references."""
        hits = self._hits.get(preparation)
        if hits is None:
            self._need_references()
            refs = [column.tokens(preparation) for column in self.refs]
            hits = build_hits(self.hyps.tokens(preparation), refs)
            self._hits[preparation] = hits
        return hits

    def _need_references(self) -> None:
        if not self.refs:
            msg = "The batch has no references, but the measure compares with them."
            raise CorpusError(msg)


class Sentence:
    """One output with its references: a Batch of one segment, with the least around it."""

    __slots__ = ("_hyp", "_refs", "_source")

    def __init__(
        self, hyp: str, refs: Sequence[str] = (), source: str | None = None
    ) -> None:
        self._hyp = hyp
        self._refs = refs
        self._source = source

    def __len__(self) -> int:
        """Count the segments."""
        return 1

    def texts(self) -> tuple[Text, list[Text]]:
        """Give the output and each reference as they were written."""
        return _pack_segment(self._hyp, "hyp"), [
            _pack_segment(ref, "refs") for ref in self._refs
        ]

    def hits(self, preparation: Preparation) -> Hits:
        """Tell which tokens of the output equal which tokens of its references."""
        return build_sentence_hits(self._hyp, self._refs, preparation)

    @property
    def hyps(self) -> SegmentColumn:
        """The output as a column."""
        return SegmentColumn(_pack_segment(self._hyp, "hyp"))

    @property
    def refs(self) -> list[SegmentColumn]:
        """Each reference as a column."""
        return [SegmentColumn(_pack_segment(ref, "refs")) for ref in self._refs]

    @property
    def source(self) -> SegmentColumn | None:
        """The source as a column, where it is known."""
        return (
            None
            if self._source is None
            else SegmentColumn(_pack_segment(self._source, "source"))
        )

    place = BatchPosition()


def _pack_segment(text: str, what: str) -> Text:
    """Pack one text; where there is but one segment, none of it can be missing."""
    if not isinstance(text, str):
        msg = f"{what} has {text!r} where a text was expected."
        raise CorpusError(msg)
    return pack([text], what)


def get_segment_words(
    batch: Batch | Sentence, index: int, preparation: Preparation
) -> tuple[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    """One segment's words: the output's, and each reference's that is there, numbered."""
    columns = [column.tokens(preparation)[index] for column in batch.refs]
    there = [
        (at, tuple(words)) for at, words in enumerate(columns) if words is not None
    ]
    return tuple(batch.hyps.tokens(preparation)[index] or ()), there


@dataclass(frozen=True, slots=True)
class CorpusChunk:
    """Some consecutive segments of every system, with what they share."""

    systems: Mapping[str, SegmentColumn]
    refs: Sequence[SegmentColumn]
    source: SegmentColumn | None
    documents: Sequence[str] | None
    first: int = 0

    def batch(self, system: str) -> Batch:
        """Give one system's outputs with the shared references."""
        place = BatchPosition(system, self.first, self.documents)
        return Batch.of(self.systems[system], self.refs, self.source, place)

    def __len__(self) -> int:
        """Count the segments."""
        return len(next(iter([*self.systems.values(), *self.refs])).text)


class Corpus(Protocol):
    """Outputs with their references, in memory or in files, read from the start each time."""

    @property
    def systems(self) -> Sequence[str]:
        """The systems' names."""
        ...

    @property
    def has_documents(self) -> bool:
        """Whether each segment is known to belong to a document."""
        ...

    @property
    def has_source(self) -> bool:
        """Whether the source text is there."""
        ...

    @property
    def has_references(self) -> bool:
        """Whether there is a reference at all."""
        ...

    def chunks(self, size: int) -> Iterator[CorpusChunk]:
        """Walk through the segments, `size` at a time."""
        ...


class EvalSet:
    """A test set: references, sources and documents, where there are any."""

    __slots__ = ("documents", "refs", "source")

    def __init__(
        self,
        refs: Sequence[Segments] | Segments | None = None,
        source: Segments | None = None,
        documents: Sequence[str] | None = None,
        *,
        refs_per_segment: Sequence[Sequence[str]] | None = None,
    ) -> None:
        """Check that everything is parallel.

        `refs` is a list of streams (one stream may stand alone); a missing reference is
        None. `refs_per_segment` gives the references of each segment instead. Without
        either, only measures that compare with no reference can be used.
        """
        self.refs = _collect_references(refs, refs_per_segment)
        self.source = None if source is None else as_column(source, "the source")
        self.documents = (
            None
            if documents is None
            else _list_values(documents, "the list of documents")
        )
        _check_lengths(self._name_streams())

    def _name_streams(self) -> dict[str, Any]:
        streams = {_describe_reference(at): ref for at, ref in enumerate(self.refs)}
        if self.source is not None:
            streams["the source"] = self.source
        if self.documents is not None:
            streams["the list of documents"] = self.documents
        return streams

    def __len__(self) -> int:
        """Count the segments; an empty set, which fits any output, has none."""
        return len(next(iter(self._name_streams().values()), ()))


class Outputs:
    """An evaluation set in memory with the outputs of one or more systems: a Corpus."""

    def __init__(
        self,
        evalset: EvalSet,
        outputs: Mapping[str, Segments],
        labels: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """Check that every output is as long as what the evaluation set holds.

        `labels` are further values of each segment, by name, to group segments by.
        """
        if not outputs:
            msg = "There is no output to score; give at least one system's segments."
            raise CorpusError(msg)
        self.evalset = evalset
        self.outputs = {name: as_column(segs, name) for name, segs in outputs.items()}
        self.systems = tuple(outputs)
        self.has_documents = evalset.documents is not None
        self.has_source = evalset.source is not None
        self.has_references = bool(evalset.refs)
        self.labels = {
            name: _list_values(values, f"the labels {name!r}")
            for name, values in (labels or {}).items()
        }
        named = {
            f"the list of labels {name!r}": self.labels[name] for name in self.labels
        }
        _check_lengths(evalset._name_streams() | self.outputs | named)
        if not len(self):
            raise CorpusError(EMPTY)

    def __len__(self) -> int:
        """Count the segments."""
        return len(self.outputs[self.systems[0]])

    def chunks(self, size: int) -> Iterator[CorpusChunk]:
        """Walk through the segments, `size` at a time."""
        evalset = self.evalset
        for start in range(0, len(self), size):
            stop = min(start + size, len(self))

            def part(segments: Segments, what: str) -> SegmentColumn:
                text = window(segments, start, stop)  # noqa: B023, used at once
                return SegmentColumn(pack(text, what, first=start))  # noqa: B023, used at once

            refs = [
                part(ref, _describe_reference(at))
                for at, ref in enumerate(evalset.refs)
            ]
            systems = {
                name: part(segs, f"the output {name!r}")
                for name, segs in self.outputs.items()
            }
            source = evalset.source
            documents = evalset.documents
            yield check_chunk(
                CorpusChunk(
                    systems,
                    refs,
                    None if source is None else part(source, "the source"),
                    None if documents is None else documents[start:stop],
                    start,
                ),
                start,
            )

    def labelled_chunks(
        self, size: int, labels: Sequence[str]
    ) -> Iterator[tuple[CorpusChunk, list[Sequence[Any]]]]:
        """Walk through the segments with some of their labels, by these names."""
        columns = [self.labels[name] for name in labels]
        for chunk in self.chunks(size):
            stop = chunk.first + len(chunk)
            yield chunk, [column[chunk.first : stop] for column in columns]


EMPTY = "There are no segments to score; expected at least one line in every stream."


def check_chunk(chunk: CorpusChunk, start: int) -> CorpusChunk:
    """Refuse outputs that are missing, and segments that alone have no reference."""
    for name, column in chunk.systems.items():
        gone = column.text.missing()
        if gone:
            msg = (
                f"Segment {start + gone[0] + 1} of the output {name!r} is missing; "
                "every segment needs an output, an empty string if the system gave none."
            )
            raise CorpusError(msg)
    without = [set(ref.text.missing()) for ref in chunk.refs]
    gaps = set.intersection(*without) if without else set()
    if gaps:
        msg = (
            f"Segment {start + min(gaps) + 1} has no reference: all of its references "
            "are missing; give at least one, an empty string if nothing is expected."
        )
        raise CorpusError(msg)
    return chunk


def _collect_references(refs: Any, refs_per_segment: Any) -> list[Segments]:
    if refs is not None and refs_per_segment is not None:
        msg = "Give either refs or refs_per_segment: one of them, not both."
        raise CorpusError(msg)
    if refs_per_segment is not None:
        return _transpose_references(refs_per_segment)
    if refs is None:
        return []
    refs = as_column(refs, "refs")
    if isinstance(refs, (list, tuple)):
        if not refs:
            msg = "There are no references; expected at least one stream of segments."
            raise CorpusError(msg)
        strings = [isinstance(ref, str) or ref is None for ref in refs]
        if not any(strings):
            return [
                as_column(ref, _describe_reference(at)) for at, ref in enumerate(refs)
            ]
        if not all(strings):
            msg = (
                "refs mixes strings and sequences; expected a list of streams, each a "
                "sequence of strings, or refs_per_segment=."
            )
            raise CorpusError(msg)
    return [refs]


def _transpose_references(refs_per_segment: Any) -> list[Segments]:
    segments: Any = as_column(refs_per_segment, "refs_per_segment")
    rows: list[Any] = [
        list(cast("list[str]", as_column(refs, f"refs_per_segment[{at}]")))
        for at, refs in enumerate(segments)
    ]
    width = max(map(len, rows), default=1)
    return [[row[at] if at < len(row) else None for row in rows] for at in range(width)]


def _list_values(values: Any, what: str) -> list[Any]:
    column = as_column(values, what)
    return window(column, 0, len(column))


def _check_lengths(streams: Mapping[str, Any]) -> None:
    named = iter(streams.items())
    first, expected = next(named, ("", ()))
    for name, stream in named:
        if len(stream) != len(expected):
            msg = (
                f"{name} has {len(stream)} segments but {first} has {len(expected)}; "
                "each entry must be one segment, in the same order everywhere."
            )
            raise LengthError(msg)


def _describe_reference(index: int) -> str:
    return f"reference {index + 1}"
