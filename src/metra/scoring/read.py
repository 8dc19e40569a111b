"""Content of one file in memory: segments, or a test set with outputs."""

import re
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, NamedTuple, TypeAlias

from metra.corpus.batch import SegmentColumn
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Corpus
from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import PLAIN, choose_format, read_head
from metra.formats.stream import format_path
from metra.formats.texts.columns import ReadingOptions
from metra.formats.texts.sources import list_sources
from metra.scoring.files import CHUNK, FileCorpus
from metra.text.columns import window

# `metra` is the first key of every document that metra writes.
_METRA_JSON = re.compile(r'\s*\{\s*"metra"\s*:')


class FileTexts(NamedTuple):
    """The texts of a file: the arguments of `metra.evaluate` and `metra.compare`."""

    evalset: EvalSet
    #: Each system's segments by its name; there may be none.
    outputs: Mapping[str, list[str | None]]


def read(
    path: str | PathLike[str], *, input_format: str = "auto", pair: str = ""
) -> Any:
    """Read a file into memory and return its texts.

    - A file with one text, such as one segment per line or a JSON array of strings, returns
      the list of its segments.
    - A file with several texts (a table, JSON lines, SGML, WMT XML, Parquet, …) returns an
      evaluation set and outputs by system: `evalset, outputs = metra.read("test.tsv")`.

    The format is recognised as on the command line; `input_format` overrides that. `pair`
    is the language pair to read from a table that has several.
    """
    file = fspath(path)
    if input_format == "auto" and _METRA_JSON.match(read_head(file).text):
        msg = (
            f"{format_path(file)} holds results of metra, not texts; read them with "
            "json.load, or give the file to metra meta."
        )
        raise FormatError(msg)
    if choose_format(file, input_format) is PLAIN:
        return read_lines(file)
    reading = ReadingOptions(pair=pair)
    sources = list_sources(
        [file], input_format=input_format, use="any", reading=reading
    )
    outputs, refs, source, documents = collect_texts(FileCorpus(sources))
    evalset = EvalSet(refs or None, source or None, documents or None)
    if len(outputs) == 1 and not evalset.has_streams():
        (segments,) = outputs.values()
        return segments
    return FileTexts(evalset, outputs)


Texts: TypeAlias = list[str | None]


def collect_texts(
    corpus: Corpus,
) -> tuple[dict[str, Texts], list[Texts], Texts, list[str]]:
    """Read a corpus: outputs by system, references, source and documents."""
    outputs: dict[str, Texts] = {name: [] for name in corpus.systems}
    refs: list[Texts] = []
    source: Texts = []
    documents: list[str] = []

    def list_segments(column: SegmentColumn) -> Texts:
        return window(column.text, 0, len(column.text))

    for chunk in corpus.chunks(CHUNK):
        for name, column in chunk.systems.items():
            outputs[name] += list_segments(column)
        refs = refs or [[] for _ in chunk.refs]
        for stream, column in zip(refs, chunk.refs, strict=True):
            stream += list_segments(column)
        if chunk.source is not None:
            source += list_segments(chunk.source)
        documents += chunk.documents or ()
    return outputs, refs, source, documents
