"""Test sets: references, sources and documents, checked to be parallel."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from metra.corpus.batch import EMPTY
from metra.errors import CorpusError, LengthError
from metra.text.columns import Segments, as_column, check_lengths, window


class EvalSet:
    """A test set: references and, optionally, sources and documents."""

    __slots__ = ("_other", "documents", "refs", "source")

    _other: tuple[int, str] | None

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
        either, only metrics that compare with no reference can be used. Lists that could
        be streams and segments alike, as many as each is long, are refused in `refs`.
        """
        self.refs = _collect_references(refs, refs_per_segment)
        self._other = _find_other_reading(refs, refs_per_segment)
        self.source = None if source is None else as_column(source, "the source")
        self.documents: list[Any] | None = None
        if documents is not None:
            column = as_column(documents, "the list of documents")
            self.documents = window(column, 0, len(column))
        self._check_lengths({})

    def __len__(self) -> int:
        """Count the segments; an empty set, which fits any output, has none."""
        return next(iter(self._count_segments().values()), 0)

    def __repr__(self) -> str:
        counts = {"segments": len(self), "references": len(self.refs)}
        if self.documents is not None:
            counts["documents"] = len(set(self.documents))
        listed = [f"{name} {count}" for name, count in counts.items()]
        listed += ["with source"] if self.source is not None else []
        return f"<EvalSet: {', '.join(listed)}>"

    def has_streams(self) -> bool:
        """Return True if the set has references, a source or documents."""
        return bool(self._count_segments())

    def check_outputs(self, outputs: Mapping[str, Segments]) -> dict[str, Segments]:
        """Return the outputs as columns, each as long as the streams of this set."""
        if not outputs:
            msg = "No output was given; give the segments of at least one system."
            raise CorpusError(msg)
        columns = {name: as_column(segs, name) for name, segs in outputs.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        self._check_lengths(lengths)
        if not any(lengths.values()):
            raise CorpusError(EMPTY)
        return columns

    def _check_lengths(self, lengths: dict[str, int]) -> None:
        """Refuse streams of different lengths; name the other way to give references."""
        counts = self._count_segments()
        try:
            check_lengths(counts | lengths)
        except LengthError as error:
            others = [*counts.values(), *lengths.values()][len(self.refs) :]
            if self._other is None or any(self._other[0] != count for count in others):
                raise
            msg = f"{error} {self._other[1]}"
            raise LengthError(msg) from None

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
        msg = "Give either refs or refs_per_segment, not both."
        raise CorpusError(msg)
    if refs_per_segment is not None:
        return _transpose_references(refs_per_segment)
    if refs is None:
        return []
    refs = as_column(refs, "refs")
    if isinstance(refs, (list, tuple)):
        if not refs:
            msg = "No references were given; expected at least one stream of segments."
            raise CorpusError(msg)
        _refuse_ambiguous(refs)
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
    elif any(map(_is_sequence, window(refs, 0, min(1, len(refs))))):
        msg = (
            "refs is a column of lists; expected a column of strings or a list of "
            "such columns. If each entry holds the references of a segment, use "
            "refs_per_segment."
        )
        raise CorpusError(msg)
    return [refs]


def _is_sequence(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _is_nested(refs: Any) -> bool:
    """Return True for a list of lists, whose entries may be streams or segments."""
    kinds = (list, tuple)
    return isinstance(refs, kinds) and all(isinstance(ref, kinds) for ref in refs)


def _refuse_ambiguous(refs: Any) -> None:
    """Refuse as many lists as each of them is long, unless both readings are the same."""
    size = len(refs)
    if not _is_nested(refs) or any(len(ref) != size for ref in refs):
        return
    streams = list(map(list, refs))
    if streams == list(map(list, zip(*streams, strict=True))):
        return
    msg = (
        f"refs has {size} entries of {size} texts each, so an entry could be a stream "
        "or the references of a segment; give refs_per_segment=refs if entries are "
        "segments, or refs_per_segment=list(zip(*refs)) if they are streams."
    )
    raise CorpusError(msg)


def _find_other_reading(refs: Any, refs_per_segment: Any) -> tuple[int, str] | None:
    """Return how many segments references have if taken the other way, and what to say."""
    if refs is not None and _is_nested(refs) and all(refs):
        hint = (
            "If entries of refs are the references of a segment, give refs_per_segment."
        )
        return len(refs), hint
    if refs_per_segment is not None and _is_nested(refs_per_segment):
        widths = {len(row) for row in refs_per_segment}
        if len(widths) == 1:
            hint = "If entries of refs_per_segment are streams, give refs."
            return widths.pop(), hint
    return None


def _transpose_references(refs_per_segment: Any) -> list[Segments]:
    segments: Any = as_column(refs_per_segment, "refs_per_segment")
    rows: list[Any] = [
        list(cast("list[str]", as_column(refs, f"refs_per_segment[{index}]")))
        for index, refs in enumerate(window(segments, 0, len(segments)))
    ]
    width = max(map(len, rows), default=1)
    return [
        [row[index] if index < len(row) else None for row in rows]
        for index in range(width)
    ]
