"""Texts with their documents, outside of any test set: what word lists are counted on."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from metra.errors import CorpusError
from metra.io.files import FileCorpus
from metra.io.plain import Lines
from metra.io.recognise import format_of
from metra.io.sources import sources
from metra.io.stream import shown, stem
from metra.text import Preparation, Text, prepare
from metra.text.hits import Tokens

CHUNK = 1024


def open_texts(
    files: Sequence[str], documents: str | None, *, input_format: str = "auto"
) -> FileCorpus:
    """Join files of references, side by side; some formats bring their documents along."""
    forms = {
        path: format_of(path) if input_format == "auto" else input_format
        for path in files
    }
    plain = [path for path in files if forms[path] == "plain"]
    rich = [path for path in files if forms[path] != "plain"]
    given = sources(rich, input_format=input_format, use="any")
    given += sources([], plain, None, documents, input_format=input_format)
    corpus = FileCorpus(given)
    names = ", ".join(map(shown, files))
    if not corpus.has_references:
        msg = f"There are no references in {names}; lists are counted on references."
        raise CorpusError(msg)
    if not corpus.has_documents:
        msg = (
            f"The documents of {names} are not known; give --docs FILE with the document "
            "of each line, or several plain files, each of them a document."
        )
        raise CorpusError(msg)
    return corpus


def prepared(
    files: Sequence[str],
    documents: str | None,
    text: Preparation,
    *,
    input_format: str = "auto",
) -> Iterator[tuple[Tokens, list[str]]]:
    """Give the segments' tokens with their documents, all files of a document pooled.

    Without a list of documents, each of several plain files is one.
    """
    forms = [input_format if input_format != "auto" else format_of(f) for f in files]
    if documents is None and len(files) > 1 and set(forms) == {"plain"}:
        yield from _one_each(files, text)
        return
    corpus = open_texts(files, documents, input_format=input_format)
    for chunk in corpus.chunks(CHUNK):
        for column in chunk.refs:
            yield column.tokens(text), list(chunk.documents or ())


def streams(
    corpus: FileCorpus, text: Preparation
) -> tuple[list[tuple[Tokens, list[str]]], ...]:
    """Give the tokens of two references apart, each with the segments' documents."""
    found: tuple[list[tuple[Tokens, list[str]]], ...] = ([], [])
    for chunk in corpus.chunks(CHUNK):
        if len(chunk.refs) != 2:
            msg = f"There are {len(chunk.refs)} references; two are compared: give two."
            raise CorpusError(msg)
        for stream, column in zip(found, chunk.refs, strict=True):
            stream.append((column.tokens(text), list(chunk.documents or ())))
    return found


def _one_each(
    files: Sequence[str], text: Preparation
) -> Iterator[tuple[Tokens, list[str]]]:
    names = [stem(path) for path in files]
    if len(set(names)) < len(names):
        names = [str(Path(path)) for path in files]
    for path, name in zip(files, names, strict=True):
        for segments in _read(path):
            yield prepare(segments, text), [name] * len(segments)


def _read(path: str) -> Iterator[Text]:
    lines = Lines(path)
    while len(found := lines.read(CHUNK)):
        yield found
