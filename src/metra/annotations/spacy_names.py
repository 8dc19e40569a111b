"""Names found by an installed spaCy model, in the same form as names from a file."""

from collections.abc import Iterable
from functools import lru_cache
from threading import Lock
from typing import Any

from metra.annotations.entities import Entity
from metra.annotations.spacy_model import model_version, spacy_model
from metra.errors import MissingResourceError


class Finder:
    """A spaCy model that finds names: which types it knows, and its version."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = Lock()  # a pipeline keeps state while it works
        finders = (pipeline.get_pipe(name) for name in _finders(pipeline))
        self.types = sorted({label for finder in finders for label in finder.labels})
        self.version = model_version(pipeline)

    def find(self, texts: Iterable[str]) -> list[list[Entity]]:
        """Find the names of every text."""
        with self._lock:
            docs = self._pipeline.pipe(texts)
            return [
                [Entity(name.label_, name.text) for name in doc.ents] for doc in docs
            ]


@lru_cache(maxsize=8)
def finder(model: str) -> Finder:
    """Load a model by its package's name or its folder."""
    pipeline = spacy_model(model, owner="entities", extra="ner")
    if not _finders(pipeline):
        msg = f"The spaCy model {model!r} finds no names; choose one that has 'ner'."
        raise MissingResourceError(msg)
    return Finder(pipeline)


def _finders(pipeline: Any) -> list[str]:
    return [name for name in pipeline.pipe_names if name in ("ner", "entity_ruler")]
