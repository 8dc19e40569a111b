"""Segments and documents as units of annotation, and what metrics note in them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, TypeVar

from metra.corpus.batch import Batch, BatchPosition
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.table import PlacedAnnotations
from metra.metrics.record import AnyBatch

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that a metric noted in a segment, such as a name that the output lacks.

    `about` says what else is known of it, by name: the type of a name, the source's term.
    """

    #: Which segment of the batch, counted from 0.
    at: int
    #: What was noted, in a word or two: missed, untranslated.
    note: str
    text: str
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """Equal details of all segments, together."""

    note: str
    text: str
    about: Mapping[str, str]
    #: The segments, counted from 1; one that has it twice is there twice.
    segments: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of times it was noted."""
        return len(self.segments)


def fill_system(owner: str, path: str, place: BatchPosition) -> str:
    """Put the system's name in the place of `{system}`; `owner` is for the message."""
    if "{system}" not in path:
        return path
    if place.system is None:
        msg = (
            f"{owner}: {path} contains {{system}}, but the system has no name here; "
            "give the name of the file."
        )
        raise OptionError(msg)
    return path.replace("{system}", place.system)


def list_units(batch: AnyBatch, unit: str) -> Iterator[tuple[str, range]]:
    """Give the segments, or the documents, of a batch: a document's name, and its segments.

    Where no documents are known, all is one document.
    """
    if unit == "segment":
        yield from (("", range(index, index + 1)) for index in range(len(batch)))
        return
    names = batch.place.documents
    if names is None:
        names = [""] * len(batch)
    for name, group in groupby(range(len(names)), names.__getitem__):
        segments = list(group)
        yield name, range(segments[0], segments[-1] + 1)


def list_annotations(
    placed: PlacedAnnotations[T], batch: AnyBatch, unit: str
) -> Iterator[tuple[range, list[tuple[int, T]]]]:
    """Give the segments of each unit of a batch, and the annotations at each of them."""
    for document, segments in list_units(batch, unit):
        entries = [(segments.start, one) for one in placed.documents.get(document, ())]
        for segment in segments:
            here = placed.segments.get(batch.place.first + segment, ())
            entries += [(segment, annotation) for annotation in here]
        yield segments, entries


class Extent(NamedTuple):
    """The size of a test set."""

    segments: int
    #: None if its system has no name.
    systems: Sequence[str | None]
    #: The document of each segment, none if documents are unknown.
    documents: Sequence[str]
    #: The id of each segment, where a column has them.
    ids: Sequence[str] = ()


def measure_extent(batches: Iterable[Batch]) -> Extent:
    """Walk through a test set and return its size."""
    count, documents, ids = 0, list[str](), list[str]()
    systems: Sequence[str | None] = ()
    for batch in batches:
        count += len(batch)
        systems = batch.place.systems or [batch.place.system]
        documents += batch.place.documents or ()
        ids += batch.place.ids
    return Extent(count, systems, documents, ids)


def check_last_segment(path: str, last: int, count: int) -> None:
    """Raise an error if the last segment that a file refers to is not in the text."""
    if last >= count:
        msg = (
            f"{path} refers to segment {last + 1}, but the text has {count} segments; "
            "the annotations must belong to the text."
        )
        raise CorpusError(msg)


def check_places(placed: PlacedAnnotations[T], batches: Iterable[Batch]) -> set[str]:
    """Raise an error if an annotation belongs to a segment or document that the text lacks.

    Return the names of the documents.
    """
    extent = measure_extent(batches)
    documents = set(extent.documents)
    check_last_segment(placed.path, max(placed.segments, default=-1), extent.segments)
    if placed.documents and not documents:
        msg = (
            f"{placed.path} assigns its lines to documents, but documents are "
            "missing; give `documents`."
        )
        raise CorpusError(msg)
    check_documents(f"{placed.path} refers to", placed.documents, documents)
    return documents


def check_documents(says: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise an error, which begins as given, if a document is not among those known."""
    for name in names:
        if name not in known:
            msg = (
                f"{says} document {name!r}, which is not in the text; it has: "
                f"{', '.join(sorted(known)[:10])}."
            )
            raise CorpusError(msg)
