"""Where the parses of texts come from: a file beside the texts, or an installed model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from metra.annotations.conllu import Parse, Word, read
from metra.annotations.system_files import of_system
from metra.annotations.table import file_version
from metra.corpus import Column, Place
from metra.text.workbook import cut

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
    from metra.annotations.spacy_parser import parser

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
