"""Batches of segments, with the tokens and hit maps that metrics share about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from metra.errors import CorpusError
from metra.text.columns import Segments, Text, pack
from metra.text.preparation import (
    Hits,
    Preparation,
    Tokens,
    build_sentence_hits,
    prepare,
)


class SegmentColumn:
    """One stream of segments and, by preparation, its tokens: made once, used by all."""

    __slots__ = ("_tokens", "text")

    def __init__(self, text: Text) -> None:
        """Take the packed segments."""
        self.text = text
        self._tokens: dict[Preparation, Tokens] = {}

    def tokens(self, preparation: Preparation) -> Tokens:
        """Tokens of every segment, prepared this way."""
        tokens = self._tokens.get(preparation)
        if tokens is None:
            tokens = self._tokens[preparation] = prepare(self.text, preparation)
        return tokens


EMPTY = "The input has no segments; expected at least one line in every stream."
_NO_REFERENCES = "The batch has no references, but the metric needs them."


class BatchPosition(NamedTuple):
    """Position of a batch in its corpus, for metrics that look up values by it."""

    system: str | None = None
    first: int = 0
    documents: Sequence[str] | None = None
    #: The names of all systems of the corpus, where they are known.
    systems: Sequence[str] = ()
    #: The ids of the segments, for metrics that join files by them.
    ids: Sequence[str] = ()


class UnnumberedPosition(BatchPosition):
    """Position of segments in batches or parts of a table, whose numbers are unknown."""

    @property
    def first(self) -> int:
        """Refuse: a number made up would be looked up."""
        msg = (
            "A metric needs segment numbers, which batches and parts of a table do not "
            "have; score the whole test set at once, on this machine."
        )
        raise CorpusError(msg)


class Batch:
    """Outputs with references and sources, and token data that metrics share."""

    __slots__ = ("_hits", "hyps", "place", "refs", "source")

    hyps: SegmentColumn
    refs: Sequence[SegmentColumn]
    source: SegmentColumn | None
    place: BatchPosition
    _hits: dict[Preparation, Hits]

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
        `refs_per_segment` gives the references of each segment instead. Metrics that
        compare with no reference need none. `documents` names each segment's document.
        """
        from metra.corpus.evalset import EvalSet
        from metra.corpus.outputs import Outputs

        evalset = EvalSet(refs, source, documents, refs_per_segment=refs_per_segment)
        corpus = Outputs(evalset, {"hyps": hyps})
        (chunk,) = corpus.chunks(len(corpus))
        if documents is not None:
            place = place._replace(documents=chunk.documents)
        packed = Batch.of(chunk.systems["hyps"], chunk.refs, chunk.source, place)
        for name in self.__slots__:
            setattr(self, name, getattr(packed, name))

    @classmethod
    def of(
        cls,
        hyps: SegmentColumn,
        refs: Sequence[SegmentColumn],
        source: SegmentColumn | None,
        place: BatchPosition = BatchPosition(),  # noqa: B008, it cannot change
    ) -> "Batch":
        """Return a batch of parallel columns, without checks."""
        batch = cls.__new__(cls)
        batch.hyps, batch.refs, batch.source, batch.place = hyps, refs, source, place
        batch._hits = {}
        return batch

    def __len__(self) -> int:
        """Count the segments."""
        return len(self.hyps.text)

    def texts(self) -> tuple[Text, list[Text]]:
        """Return the original outputs and streams of references."""
        if not self.refs:
            raise CorpusError(_NO_REFERENCES)
        return self.hyps.text, [ref.text for ref in self.refs]

    def hits(self, preparation: Preparation) -> Hits:
        """Return which tokens of each output equal which tokens of its references."""
        hits = self._hits.get(preparation)
        if hits is None:
            if not self.refs:
                raise CorpusError(_NO_REFERENCES)
            refs = [column.tokens(preparation) for column in self.refs]
            hits = Hits(self.hyps.tokens(preparation), refs)
            self._hits[preparation] = hits
        return hits


class Sentence:
    """One output with its references: a Batch of one segment, with the least around it."""

    __slots__ = ("_hyp", "_refs", "_source")
    place = BatchPosition()

    def __init__(
        self, hyp: str, refs: Sequence[str] = (), source: str | None = None
    ) -> None:
        """Take the texts as they are."""
        self._hyp, self._refs, self._source = hyp, refs, source

    def __len__(self) -> int:
        """Count the segments."""
        return 1

    def texts(self) -> tuple[Text, list[Text]]:
        """Give the output and each reference as they were written."""
        return self.hyps.text, [ref.text for ref in self.refs]

    def hits(self, preparation: Preparation) -> Hits:
        """Tell which tokens of the output equal which tokens of its references."""
        return build_sentence_hits(self._hyp, self._refs, preparation)

    @property
    def hyps(self) -> SegmentColumn:
        """The output as a column."""
        return _pack_segment(self._hyp, "hyp")

    @property
    def refs(self) -> list[SegmentColumn]:
        """Each reference as a column."""
        return [_pack_segment(ref, "refs") for ref in self._refs]

    @property
    def source(self) -> SegmentColumn | None:
        """The source as a column, where it is known."""
        return None if self._source is None else _pack_segment(self._source, "source")


def _pack_segment(text: str, what: str) -> SegmentColumn:
    """Pack one text; where there is but one segment, none of it can be missing."""
    if not isinstance(text, str):
        msg = f"{what} contains {text!r} where a text was expected."
        raise CorpusError(msg)
    return SegmentColumn(pack([text], what))


@dataclass(slots=True, eq=False)
class CorpusChunk:
    """Some consecutive segments of every system, with what they share."""

    systems: Mapping[str, SegmentColumn]
    refs: Sequence[SegmentColumn]
    source: SegmentColumn | None
    documents: Sequence[str] | None
    first: int = 0
    #: Columns of further values, which segments may be grouped by.
    labels: Sequence[Sequence[Any]] = ()
    position: type[BatchPosition] = BatchPosition

    def batch(self, system: str) -> Batch:
        """Give one system's outputs with the shared references."""
        systems = tuple(self.systems)
        place = self.position(system, self.first, self.documents, systems)
        return Batch.of(self.systems[system], self.refs, self.source, place)

    def __len__(self) -> int:
        """Count the segments."""
        return len(next(iter([*self.systems.values(), *self.refs])).text)


def check_chunk(chunk: CorpusChunk) -> CorpusChunk:
    """Refuse missing outputs, and segments without a reference where others have one."""
    for name, column in chunk.systems.items():
        gone = column.text.missing()
        if gone:
            msg = (
                f"Segment {chunk.first + gone[0] + 1} of the output {name!r} is "
                "missing; every segment needs an output; use an empty string if the "
                "system gave none."
            )
            raise CorpusError(msg)
    without = [set(ref.text.missing()) for ref in chunk.refs]
    gaps = set.intersection(*without) if without else set()
    if gaps:
        where = f" (document {chunk.documents[min(gaps)]!r})" if chunk.documents else ""
        msg = (
            f"Segment {chunk.first + min(gaps) + 1}{where} has no reference; give at "
            "least one, an empty string if nothing is expected."
        )
        raise CorpusError(msg)
    return chunk
