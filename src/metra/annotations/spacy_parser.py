"""Parses by an installed spaCy model, in the same form as parses from a file."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock
from typing import Any

from metra.annotations.conllu import Parse, Word
from metra.annotations.spacy_model import model_version, spacy_model
from metra.errors import MissingResourceError


class Parser:
    """A spaCy model that cuts sentences, tags them and finds their dependencies."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = Lock()  # a pipeline keeps state while it works
        self.version = model_version(pipeline)

    def parse(self, texts: Iterable[str]) -> list[tuple[Parse, ...]]:
        """Parse every text into its sentences."""
        with self._lock:
            docs = self._pipeline.pipe(texts)
            return [tuple(sentences(doc)) for doc in docs]


@lru_cache(maxsize=8)
def parser(model: str) -> Parser:
    """Load a model by its package's name or its folder."""
    pipeline = spacy_model(model, owner="parsing", extra="parse")
    if "parser" not in pipeline.pipe_names:
        msg = (
            f"The spaCy model {model!r} has no dependency parser; choose one that has."
        )
        raise MissingResourceError(msg)
    return Parser(pipeline)


def sentences(doc: Any) -> Iterator[Parse]:
    """Give the sentences of a spaCy document; tokens of white space are left out."""
    for sentence in doc.sents:
        tokens = [token for token in sentence if not token.text.isspace()]
        place = {token.i: at for at, token in enumerate(tokens, 1)}
        words = tuple(
            Word(
                form=token.text,
                lemma=token.lemma_ or "_",
                upos=token.pos_ or "_",
                xpos=token.tag_ or "_",
                features=str(token.morph) or "_",
                head=0 if token.head.i == token.i else place.get(token.head.i, 0),
                deprel=token.dep_ or "_",
            )
            for token in tokens
        )
        if words:
            yield Parse(words, "".join("".join(token.text.split()) for token in tokens))
