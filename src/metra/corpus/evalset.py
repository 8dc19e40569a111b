"""Test sets: references, sources and documents, checked to be parallel."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from metra.corpus.batch import EMPTY
from metra.errors import CorpusError
from metra.text.columns import Segments, as_column, check_lengths, window


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
        either, only metrics that compare with no reference can be used.
        """
        self.refs = _collect_references(refs, refs_per_segment)
        self.source = None if source is None else as_column(source, "the source")
        self.documents = None if documents is None else _list_document_ids(documents)
        check_lengths(self._count_segments())

    def __len__(self) -> int:
        """Count the segments; an empty set, which fits any output, has none."""
        return next(iter(self._count_segments().values()), 0)

    def check_outputs(self, outputs: Mapping[str, Segments]) -> dict[str, Segments]:
        """Return the outputs as columns, each as long as the streams of this set."""
        if not outputs:
            msg = "There is no output to score; give at least one system's segments."
            raise CorpusError(msg)
        columns = {name: as_column(segs, name) for name, segs in outputs.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        check_lengths(self._count_segments() | lengths)
        if not any(lengths.values()):
            raise CorpusError(EMPTY)
        return columns

    def _count_segments(self) -> dict[str, int]:
        """Count the segments of each stream, under the name it has in messages."""
        lengths = {
            name_reference(index): len(ref) for index, ref in enumerate(self.refs)
        }
        if self.source is not None:
            lengths["the source"] = len(self.source)
        if self.documents is not None:
            lengths["the list of documents"] = len(self.documents)
        return lengths


def name_reference(index: int) -> str:
    """Name a stream of references in messages, counted from 1."""
    return f"reference {index + 1}"


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
                as_column(ref, name_reference(index)) for index, ref in enumerate(refs)
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
        list(cast("list[str]", as_column(refs, f"refs_per_segment[{index}]")))
        for index, refs in enumerate(segments)
    ]
    width = max(map(len, rows), default=1)
    return [
        [row[index] if index < len(row) else None for row in rows]
        for index in range(width)
    ]


def _list_document_ids(documents: Any) -> list[Any]:
    column = as_column(documents, "the list of documents")
    return window(column, 0, len(column))
