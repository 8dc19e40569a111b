"""Where the parses of texts come from: a file beside the texts, or an installed model.

Parses by an installed spaCy model, in the same form as parses from a file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

from metra.corpus.evalset import Column, Place
from metra.errors import MissingResourceError
from metra.formats.annotations.conllu import Parse, Word, read
from metra.formats.table import file_version
from metra.metrics.units import of_system
from metra.text.resources import model_version, spacy_model
from metra.text.words import cut

Finder = Callable[[Column, Place], list[Sequence[Parse]]]


@dataclass(frozen=True, slots=True)
class ParseSource:
    """Gives the sentences of each segment of a column, which stands at this place."""

    find: Finder
    #: Whether lemmas, parts of speech and dependencies are known, not words alone.
    parsed: bool = True
    #: Options as they turned out, for signatures.
    settled: dict[str, object] = field(default_factory=dict)


def from_file(owner: str, path: str, *, match: bool) -> ParseSource:
    """Take parses from CoNLL-U; `{system}` in the path stands for the system's name.

    With `match`, parses of another text are refused.
    """

    def find(column: Column, place: Place) -> list[Sequence[Parse]]:
        parses = read(of_system(owner, path, place))
        texts = (column.text[at] or "" for at in range(len(column.text)))
        return [
            parses.of(place.first + at, text if match else None)
            for at, text in enumerate(texts)
        ]

    # Where each system has a file of its own, the signature that they share names none.
    named = path if "{system}" in path else file_version(path)
    return ParseSource(find, settled={"parses": named})


def from_model(model: str) -> ParseSource:
    """Parse the texts by a spaCy model, given by its name or folder."""

    loaded = parser(model)

    def find(column: Column, _: Place) -> list[Sequence[Parse]]:
        return list(
            loaded.parse(column.text[at] or "" for at in range(len(column.text)))
        )

    return ParseSource(find, settled={"model": loaded.version})


def from_words() -> ParseSource:
    """Take the words alone, each punctuation mark a word, as one sentence a segment."""

    def find(column: Column, _: Place) -> list[Sequence[Parse]]:
        texts = (column.text[at] or "" for at in range(len(column.text)))
        return [(_unparsed(cut(text)),) for text in texts]

    return ParseSource(find, parsed=False)


def _unparsed(words: Sequence[str]) -> Parse:
    return Parse(
        tuple(Word(word, "_", "_", "_", "_", 0, "_") for word in words), "".join(words)
    )


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
