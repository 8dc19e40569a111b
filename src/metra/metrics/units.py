"""Segments and documents as units of annotation, and files named after a system."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from metra.corpus.batch import Batch, BatchPosition, Sentence
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.table import PlacedAnnotations

T = TypeVar("T")


def fill_system(owner: str, path: str, place: BatchPosition) -> str:
    """Put the system's name in the place of `{system}`; `owner` is for the message."""
    if "{system}" not in path:
        return path
    if place.system is None:
        msg = (
            f"{owner}: {path} names a file for each system, but which system this is is "
            "not known; give the file's own name."
        )
        raise OptionError(msg)
    return path.replace("{system}", place.system)


def list_units(batch: Batch | Sentence, unit: str) -> Iterator[tuple[str, range]]:
    """Give the segments, or the documents, of a batch: a document's name, and its segments.

    Where no documents are known, all is one document.
    """
    if unit == "segment":
        yield from (("", range(index, index + 1)) for index in range(len(batch)))
        return
    names = batch.place.documents
    if names is None:
        yield "", range(len(batch))
        return
    start = 0
    for index in range(1, len(names) + 1):
        if index == len(names) or names[index] != names[start]:
            yield names[start], range(start, index)
            start = index


def check_places(placed: PlacedAnnotations[T], batches: Iterable[Batch]) -> None:
    """Raise an error if an annotation belongs to a segment or document that the text lacks."""
    count = 0
    known: set[str] | None = set()
    for batch in batches:
        count += len(batch)
        if known is not None:
            names = batch.place.documents
            known = None if names is None else known | set(names)
    beyond = max(placed.segments, default=0)
    if beyond >= count:
        msg = (
            f"{placed.path} speaks of segment {beyond + 1}, but the text has {count} "
            "segments; the annotations must belong to the text."
        )
        raise CorpusError(msg)
    if not placed.documents:
        return
    if known is None:
        msg = (
            f"{placed.path} says which document its lines belong to, but no documents "
            "are known; give `documents`."
        )
        raise CorpusError(msg)
    for name in placed.documents:
        if name not in known:
            msg = (
                f"{placed.path} speaks of document {name!r}, which the text has not; it "
                f"has: {', '.join(sorted(known)[:10])}."
            )
            raise CorpusError(msg)
