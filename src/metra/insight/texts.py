"""The texts of a whole corpus in memory, for those who show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metra.corpus import Chunk, Column, Corpus

CHUNK = 1024


@dataclass(frozen=True, slots=True)
class Texts:
    """Every segment as it was written: source, references, and each system's output."""

    outputs: Mapping[str, Sequence[str]]
    #: One stream for each reference; a missing reference is None.
    refs: Sequence[Sequence[str | None]]
    source: Sequence[str | None] | None = None
    documents: Sequence[str] | None = None


def texts_of(corpus: Corpus) -> Texts:
    """Read all of a corpus."""
    chunks: list[Chunk] = list(corpus.chunks(CHUNK))

    def joined(columns: Sequence[Column]) -> list[str | None]:
        return [column.text[at] for column in columns for at in range(len(column.text))]

    outputs = {
        name: [text or "" for text in joined([part.systems[name] for part in chunks])]
        for name in corpus.systems
    }
    refs = [
        joined([part.refs[at] for part in chunks]) for at in range(len(chunks[0].refs))
    ]
    source = documents = None
    if corpus.has_source:
        source = joined([part.source for part in chunks if part.source is not None])
    if corpus.has_documents:
        documents = [name for part in chunks for name in part.documents or ()]
    return Texts(outputs, refs, source, documents)
