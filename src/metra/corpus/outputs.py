"""Corpora: what can be scored, segment by segment, and a corpus in memory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from metra.corpus.batch import BatchPosition, CorpusChunk, SegmentColumn, check_chunk
from metra.corpus.evalset import EvalSet, name_reference
from metra.text.columns import Segments, check_lengths, pack, window


class Corpus(Protocol):
    """Outputs with their references, in memory or in files, read from the start each time."""

    #: Documents of segments, the source, or any reference.
    has_documents: bool
    has_source: bool
    has_references: bool
    #: The kinds of marks that were removed from outputs, for signatures.
    cleaned: str

    @property
    def systems(self) -> Sequence[str]:
        """The systems' names."""

    def share(self) -> float | None:
        """Return the share that has been read, None if it is not known."""

    def chunks(self, size: int, labels: Sequence[str] = ()) -> Iterator[CorpusChunk]:
        """Walk through the segments, `size` at a time, with some of their labels."""

    def sections(
        self, size: int, labels: Sequence[str] = ()
    ) -> list[Iterator[CorpusChunk]]:
        """List parts that can be read at the same time, if there are any."""


class Outputs:
    """An evaluation set in memory with the outputs of one or more systems: a Corpus."""

    def __init__(
        self,
        evalset: EvalSet,
        outputs: Mapping[str, Segments],
        labels: Mapping[str, Sequence[Any]] | None = None,
        position: type[BatchPosition] = BatchPosition,
    ) -> None:
        """Check that every output is as long as what the evaluation set holds.

        `labels` are further values of each segment, by name, to group segments by.
        `position` is the class of what batches know about their place.
        """
        self._position = position
        self.outputs = evalset.check_outputs(outputs)
        self.labels = {name: list(values) for name, values in (labels or {}).items()}
        self.evalset = evalset
        self.systems = tuple(outputs)
        self.has_documents = evalset.documents is not None
        self.has_source = evalset.source is not None
        self.has_references = bool(evalset.refs)
        self.cleaned = ""
        self.layouts: Mapping[str, str] = {}
        self.joined = ""
        lengths = {
            f"the column of labels {name!r}": len(self.labels[name])
            for name in self.labels
        }
        check_lengths({"the corpus": len(self)} | lengths)

    def share(self) -> float | None:
        """Return None: texts in memory are not counted in bytes."""
        return None

    def sections(
        self, size: int, labels: Sequence[str] = ()
    ) -> list[Iterator[CorpusChunk]]:
        """List nothing: texts in memory take no time to read."""
        del size, labels
        return []

    def __len__(self) -> int:
        """Count the segments."""
        return len(self.outputs[self.systems[0]])

    def chunks(self, size: int, labels: Sequence[str] = ()) -> Iterator[CorpusChunk]:
        """Walk through the segments, `size` at a time, with some of their labels."""
        evalset = self.evalset
        columns = [self.labels[name] for name in labels]

        def take(segments: Segments, what: str) -> SegmentColumn:
            return SegmentColumn(pack(window(segments, start, stop), what, first=start))

        for start in range(0, len(self), size):
            stop = min(start + size, len(self))
            # References come before outputs, so that their faults are the first to be named.
            refs = [
                take(ref, name_reference(index))
                for index, ref in enumerate(evalset.refs)
            ]
            systems = {
                name: take(column, f"the output {name!r}")
                for name, column in self.outputs.items()
            }
            source, documents = evalset.source, evalset.documents
            chunk = CorpusChunk(
                systems,
                refs,
                None if source is None else take(source, "the source"),
                None if documents is None else documents[start:stop],
                start,
                [column[start:stop] for column in columns],
                self._position,
            )
            yield check_chunk(chunk)
