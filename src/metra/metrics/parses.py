"""Parses of texts: from a CoNLL-U file beside them, or by an installed spaCy model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from metra.corpus.batch import BatchPosition, SegmentColumn
from metra.errors import MissingResourceError
from metra.formats.annotations.conllu import Parse, ParsedWord, read_conllu
from metra.formats.lines import list_strings
from metra.formats.resources import SpacyModel, load_spacy_model
from metra.formats.stream import compute_file_version
from metra.metrics.units import fill_system
from metra.text.words import tokenize_words


@dataclass(frozen=True, slots=True)
class ParseSource:
    """Gives the sentences of each segment of a column, which stands at this place."""

    find: Callable[[SegmentColumn, BatchPosition], list[Sequence[Parse]]]
    #: Whether lemmas, parts of speech and dependencies are known, not words alone.
    parsed: bool = True
    version: str = "none"


def build_file_source(owner: str, path: str) -> ParseSource:
    """Take parses from CoNLL-U; `{system}` in the path stands for the system's name.

    Parses of another text are refused.
    """

    def find(column: SegmentColumn, place: BatchPosition) -> list[Sequence[Parse]]:
        parses = read_conllu(fill_system(owner, path, place))
        return [
            parses.of(place.first + index, text)
            for index, text in enumerate(list_strings(column.text))
        ]

    return ParseSource(find, version=compute_file_version(path))


def build_word_source() -> ParseSource:
    """Take the words alone, each punctuation mark a word, as one sentence a segment."""

    def wrap(text: str) -> Parse:
        words = tokenize_words(text)
        parsed = (ParsedWord(word, "_", "_", "_", "_", 0, "_") for word in words)
        return Parse(tuple(parsed), "".join(words))

    return ParseSource(
        lambda column, _: [(wrap(text),) for text in list_strings(column.text)],
        parsed=False,
    )


def load_parser(model: str) -> SpacyModel:
    """Load a spaCy model, given by its name or folder, or refuse one that parses nothing."""
    loaded = load_spacy_model(model, owner="parsing", extra="parse")
    if "parser" not in loaded.pipeline.pipe_names:
        msg = (
            f"The spaCy model {model!r} has no dependency parser; choose another model."
        )
        raise MissingResourceError(msg)
    return loaded


def parse_column(parser: SpacyModel, column: SegmentColumn) -> list[Sequence[Parse]]:
    """Return the sentences of each segment as a spaCy model parses them."""
    return parser.read(
        list_strings(column.text), lambda doc: tuple(convert_sentences(doc))
    )


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
