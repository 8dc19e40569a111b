"""Where the parses of texts come from: a file beside the texts, or an installed model.

Parses by an installed spaCy model, in the same form as parses from a file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

from metra.corpus.batch import BatchPosition, SegmentColumn
from metra.errors import MissingResourceError
from metra.formats.annotations.conllu import Parse, ParsedWord, read_conllu
from metra.formats.stream import compute_file_version
from metra.metrics.units import fill_system
from metra.text.resources import get_model_version, load_spacy_model
from metra.text.words import tokenize_words

Finder = Callable[[SegmentColumn, BatchPosition], list[Sequence[Parse]]]


@dataclass(frozen=True, slots=True)
class ParseSource:
    """Gives the sentences of each segment of a column, which stands at this place."""

    find: Finder
    #: Whether lemmas, parts of speech and dependencies are known, not words alone.
    parsed: bool = True
    #: Options as they turned out, for signatures.
    settled: dict[str, object] = field(default_factory=dict)


def build_file_source(owner: str, path: str, *, match: bool) -> ParseSource:
    """Take parses from CoNLL-U; `{system}` in the path stands for the system's name.

    With `match`, parses of another text are refused.
    """

    def find(column: SegmentColumn, place: BatchPosition) -> list[Sequence[Parse]]:
        parses = read_conllu(fill_system(owner, path, place))
        texts = (column.text[index] or "" for index in range(len(column.text)))
        return [
            parses.of(place.first + index, text if match else None)
            for index, text in enumerate(texts)
        ]

    # Where each system has a file of its own, the signature that they share names none.
    named = path if "{system}" in path else compute_file_version(path)
    return ParseSource(find, settled={"parses": named})


def build_model_source(model: str) -> ParseSource:
    """Parse the texts by a spaCy model, given by its name or folder."""

    loaded = load_parser(model)

    def find(column: SegmentColumn, _: BatchPosition) -> list[Sequence[Parse]]:
        return list(
            loaded.parse(column.text[index] or "" for index in range(len(column.text)))
        )

    return ParseSource(find, settled={"model": loaded.version})


def build_word_source() -> ParseSource:
    """Take the words alone, each punctuation mark a word, as one sentence a segment."""

    def find(column: SegmentColumn, _: BatchPosition) -> list[Sequence[Parse]]:
        texts = (column.text[index] or "" for index in range(len(column.text)))
        return [(_wrap_words(tokenize_words(text)),) for text in texts]

    return ParseSource(find, parsed=False)


def _wrap_words(words: Sequence[str]) -> Parse:
    return Parse(
        tuple(ParsedWord(word, "_", "_", "_", "_", 0, "_") for word in words),
        "".join(words),
    )


class Parser:
    """A spaCy model that cuts sentences, tags them and finds their dependencies."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = Lock()  # a pipeline keeps state while it works
        self.version = get_model_version(pipeline)

    def parse(self, texts: Iterable[str]) -> list[tuple[Parse, ...]]:
        """Parse every text into its sentences."""
        with self._lock:
            docs = self._pipeline.pipe(texts)
            return [tuple(convert_sentences(doc)) for doc in docs]


@lru_cache(maxsize=8)
def load_parser(model: str) -> Parser:
    """Load a model by its package's name or its folder."""
    pipeline = load_spacy_model(model, owner="parsing", extra="parse")
    if "parser" not in pipeline.pipe_names:
        msg = (
            f"The spaCy model {model!r} has no dependency parser; choose one that has."
        )
        raise MissingResourceError(msg)
    return Parser(pipeline)


def convert_sentences(doc: Any) -> Iterator[Parse]:
    """Give the sentences of a spaCy document; tokens of white space are left out."""
    for sentence in doc.sents:
        tokens = [token for token in sentence if not token.text.isspace()]
        place = {token.i: index for index, token in enumerate(tokens, 1)}
        words = tuple(
            ParsedWord(
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
