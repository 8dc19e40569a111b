"""Files of a campaign: the texts that somebody chose, and material that protocols need.

Questions are a table with the columns document, question and answer, and perhaps choices;
`|` stands between accepted answers and between choices. Templates are tables as `ie` reads
them. The baseline is a text. Judged outputs are a table or a database as `evaltrans` reads
them, whose sources are the numbers of the segments. Marks are JSON lines, and stand in the
outputs before anybody judges them. Portions are a table with the columns system, segment and
portion, the judged words of the output, and start if they stand there twice.
"""

import base64
import json
import os
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from types import NoneType
from typing import Any, Literal, NamedTuple

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Corpus, Outputs
from metra.errors import FormatError, MetraError, TextWarning, format_count
from metra.formats.annotations.judged_outputs import read_judged_outputs
from metra.formats.annotations.table import read_annotation_table, read_entities
from metra.formats.annotations.templates import build_entries, read_templates
from metra.formats.headed_table import is_workbook_name, read_headed_table
from metra.formats.lines import read_lines
from metra.formats.stream import DAMAGE, load_json, parse_json
from metra.formats.texts.columns import ColumnNames
from metra.formats.texts.roles import count_headings
from metra.limits import get_limits
from metra.scoring.files import open_corpus
from metra.scoring.guards import find_text_problems
from metra.scoring.read import collect_texts

Use = Literal["output", "reference", "source", "document"]


class Upload(NamedTuple):
    """A file that somebody chose: what it is for, what it is called, its bytes."""

    use: Use
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """Counts of one column of texts."""

    use: Use
    #: The name of a system.
    name: str
    segments: int
    empty: int
    #: Segments whose text has come before.
    repeated: int


@dataclass(frozen=True, slots=True)
class CampaignTexts:
    """The texts of a campaign to be: everything is as long as the outputs."""

    outputs: dict[str, list[str]]
    references: list[list[str | None]]
    source: list[str] | None
    documents: list[str] | None

    def as_corpus(self) -> Outputs:
        """Return the texts as a corpus."""
        rows = list(zip(*self.references, strict=True)) or None
        evalset = EvalSet(
            source=self.source, documents=self.documents, refs_per_segment=rows
        )
        return Outputs(evalset, self.outputs)

    def pack(self) -> str:
        """Return the texts as a short line of letters, for a page to carry along."""
        content = json.dumps(asdict(self), separators=(",", ":")).encode()
        return base64.b85encode(zlib.compress(content, 6)).decode()


@dataclass(frozen=True, slots=True)
class PairedUploads:
    """The texts of files with their columns, and what judges would notice."""

    columns: tuple[ColumnCounts, ...]
    texts: CampaignTexts
    warnings: tuple[str, ...]
    #: How each table was read, and what its columns were taken for.
    layouts: tuple[str, ...] = ()


@contextmanager
def save_files(files: Iterable[tuple[str, bytes]]) -> Iterator[list[str]]:
    """Keep files on the disk for readers; messages name them without their folder."""
    with TemporaryDirectory(prefix="metra-") as folder:
        paths: list[str] = []
        for number, (name, content) in enumerate(files, 1):
            path = Path(folder) / make_safe_name(name)
            if path.exists():
                path = Path(folder) / str(number) / path.name
                path.parent.mkdir()
            path.write_bytes(content)
            paths.append(str(path))
        try:
            yield paths
        except MetraError as error:
            message = str(error).replace(f"{folder}{os.sep}", "")
            raise type(error)(message.replace(folder, "the files")) from None


def pair_uploads(
    uploads: Sequence[Upload], columns: ColumnNames | None = None
) -> PairedUploads:
    """Return the texts of files that belong together; `columns` names those of tables."""
    with (
        save_files((one.name, one.content) for one in uploads) as files,
        _record_warnings(files) as warned,
    ):
        paths = _group_uploads(uploads, files)
        corpus = open_corpus(
            paths["output"],
            paths.get("reference", []),
            *(paths.get(use, [None])[0] for use in ("source", "document")),
            columns=columns,
        )
        texts = read_campaign_texts(corpus)
        layouts = (
            f"{Path(path).name} ({text})" for path, text in corpus.layouts.items()
        )
        read = tuple(layouts)
    counts = tuple(_count_columns(texts))
    warned += [
        *find_text_problems(texts.as_corpus()),
        *_find_warnings(counts, uploads),
    ]
    return PairedUploads(counts, texts, tuple(warned), read)


def read_campaign_texts(corpus: Corpus) -> CampaignTexts:
    """Read all texts of a corpus."""
    outputs, references, source, documents = collect_texts(corpus)
    return CampaignTexts(
        {name: [text or "" for text in column] for name, column in outputs.items()},
        references,
        [text or "" for text in source] or None,
        documents or None,
    )


def list_headings(uploads: Sequence[Upload]) -> list[str]:
    """Return the headings of all tables among some files, each once."""
    headings: dict[str, None] = {}
    with save_files((one.name, one.content) for one in uploads) as files:
        for path in files:
            is_table = is_workbook_name(path) or path.endswith((".csv", ".tsv"))
            # What cannot be read is refused where its texts are read.
            with suppress(MetraError):
                if is_table:
                    table = read_headed_table(path, count_headings)
                    headings.update(dict.fromkeys(filter(None, table.header)))
    return [*headings]


#: Warnings of a process are recorded in one place.
_RECORDING = Lock()


@contextmanager
def _record_warnings(files: Sequence[str]) -> Iterator[list[str]]:
    """Record what readers warn of; messages name files without their folder."""
    messages: list[str] = []
    with _RECORDING, warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", TextWarning)
        yield messages
    for warning in recorded:
        message = str(warning.message)
        for path in files:
            message = message.replace(path, Path(path).name)
        messages.append(message)


def unpack_texts(line: str) -> CampaignTexts:
    """Return the texts that `CampaignTexts.pack` packed; changed ones are refused."""
    try:
        raw = zlib.decompressobj()
        packed = base64.b85decode(line.strip())
        content = raw.decompress(packed, get_limits().unpacked)
        return _check_texts(CampaignTexts(**load_json(content.decode(), "The texts")))
    except (*DAMAGE, zlib.error):
        msg = "The form lost part of the texts; choose the files again."
        raise FormatError(msg) from None


def _check_texts(texts: CampaignTexts) -> CampaignTexts:
    """Return texts of the right types, all of the same length, or raise a ValueError."""
    given = (texts.source, texts.documents)
    whole: list[Any] = [*texts.outputs.values(), *filter(None, given)]
    columns: list[Any] = [*whole, *texts.references]
    is_list = all(isinstance(column, list) for column in columns)
    sizes = {len(column) for column in columns}
    kinds = {type(text) for column in columns for text in column}
    has_gaps = any(None in column for column in whole)
    is_sound = len(sizes) == 1 and kinds <= {str, NoneType} and not has_gaps
    if not (texts.outputs and is_list and is_sound):
        msg = "columns of different lengths or types"
        raise ValueError(msg)
    return texts


def _group_uploads(
    uploads: Sequence[Upload], files: Sequence[str]
) -> dict[str, list[Any]]:
    """Return the paths of files by their use."""
    paths: dict[str, list[Any]] = {}
    for upload, path in zip(uploads, files, strict=True):
        paths.setdefault(upload.use, []).append(path)
    if "output" not in paths:
        msg = "There is no output to judge; choose at least one file of outputs."
        raise FormatError(msg)
    for use in ("source", "document"):
        if len(paths.get(use, [])) > 1:
            msg = f"There are {len(paths[use])} files for the {use}; choose one."
            raise FormatError(msg)
    return paths


def _count_columns(texts: CampaignTexts) -> Iterator[ColumnCounts]:
    columns: list[tuple[Use, str, Sequence[str | None] | None]] = [
        *(("output", name, column) for name, column in texts.outputs.items()),
        *(("reference", "", column) for column in texts.references),
        ("source", "", texts.source),
        ("document", "", texts.documents),
    ]
    for use, name, column in columns:
        if column is not None:
            empty = sum(not (text or "").strip() for text in column)
            repeated = 0 if use == "document" else len(column) - len(set(column))
            yield ColumnCounts(use, name, len(column), empty, repeated)


def _find_warnings(
    columns: Sequence[ColumnCounts], uploads: Sequence[Upload]
) -> Iterator[str]:
    read, sent = (Counter(one.use for one in each) for each in (columns, uploads))
    others: tuple[Use, ...] = ("reference", "source", "document")
    if read["output"] > sent["output"] and all(
        read[use] <= sent[use] for use in others
    ):
        names = ", ".join(one.name for one in columns if one.use == "output")
        yield (
            f"There are only columns of outputs: {names}. Name other columns source, "
            "ref or doc."
        )
    for one in columns:
        what = one.name or f"The {one.use}"
        if one.empty and one.use != "document":
            yield f"{what} has {format_count(one.empty, 'empty segment')}."
        if one.repeated > one.segments // 10:
            yield (
                f"{what} repeats earlier text in {one.repeated} of {one.segments} "
                "segments; judges will notice."
            )
    if read["output"] == 1:
        yield "There is only one system, so its scores cannot be compared."


def make_safe_name(name: str) -> str:
    """Return the last part of a name without signs that a file system interprets.

    >>> make_safe_name("../a b=c.txt"), make_safe_name("..")
    ('a b-c.txt', 'file')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(
        letter if letter.isprintable() and letter not in '=:*?"<>|' else "-"
        for letter in last
    )[-100:].strip(". ")
    return kept or "file"


def read_material(files: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of each file by what it is for, as plain JSON."""
    return {name: READERS[name](path) for name, path in files.items()}


def read_pasted(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the material in the fields of a form; empty fields are left out."""
    given = {name: text for name, text in texts.items() if text.strip()}
    files = [
        (f"{name}.tsv", text.replace("\r\n", "\n").encode())
        for name, text in given.items()
    ]
    with save_files(files) as paths:
        return read_material(dict(zip(given, paths, strict=True)))


def read_questions(path: str) -> dict[str, list[list[Any]]]:
    """Return by document each question with accepted answers and choices."""
    needed = ["document", "question", "answer"]
    table = read_annotation_table(path, needed, {*needed, "choices"})
    questions: dict[str, list[list[Any]]] = {}
    for row in table.rows:
        document, question, answer = (row.cells[name] for name in needed)
        accepted, choices = map(_split_cell, (answer, row.cells.get("choices", "")))
        if not document or not question or not accepted:
            expected = "expected document, question and answer"
            raise table.error(row, "an empty cell", expected)
        if choices and (len(accepted) > 1 or accepted[0] not in choices):
            wrong = f"the answer is {answer!r}"
            raise table.error(row, wrong, "expected one of the choices")
        questions.setdefault(document, []).append([question, accepted, choices])
    return questions


def _split_cell(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]


def _read_templates(path: str) -> dict[str, list[Any]]:
    documents = read_templates(path).documents
    return {name: build_entries(instances) for name, instances in documents.items()}


def _read_judged_outputs(path: str) -> dict[str, list[list[Any]]]:
    outputs: dict[str, list[list[Any]]] = {}
    for entry in read_judged_outputs(path):
        outputs.setdefault(entry.source, []).append([entry.output, entry.score])
    return outputs


def read_marks(path: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the marks in JSON lines, by system and segment from 1.

    {"system": "one", "segment": 3, "marks": [{"start": 0, "end": 4, "severity": "minor"}]}
    """
    marks: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        entry = parse_json(line, place)
        fits = (
            isinstance(entry, dict)
            and isinstance(entry.get("system"), str)
            and type(entry.get("segment")) is int
            and isinstance(entry.get("marks"), list)
        )
        if not fits:
            msg = f"{place}: expected system, segment and a list of marks."
            raise FormatError(msg)
        system, segment = entry["system"], str(entry["segment"])
        if segment in marks.setdefault(system, {}):
            msg = (
                f"{place}: segment {segment} of {system} already has marks; give all "
                "marks of an output in one line."
            )
            raise FormatError(msg)
        marks[system][segment] = entry["marks"]
    return marks


def read_portions(path: str) -> dict[str, dict[str, list[Any]]]:
    """Return words and start of each portion, by system and segment from 1.

    The start is a place in code points, or None where the words tell it.
    """
    needed = ["system", "segment", "portion"]
    table = read_annotation_table(path, needed, {*needed, "start"})
    portions: dict[str, dict[str, list[Any]]] = {}
    for row in table.rows:
        system, segment, words = (row.cells[name] for name in needed)
        start = row.cells.get("start", "")
        numbers = [segment, start or "0"]
        if not all(cell.isascii() and cell.isdecimal() for cell in numbers):
            expected = "expected whole numbers; segments count from 1, positions from 0"
            raise table.error(
                row, f"segment and start are {segment!r}, {start!r}", expected
            )
        number = str(int(segment))
        if not words or number in portions.setdefault(system, {}):
            expected = "expected the words of one portion for each output"
            raise table.error(row, f"the portion is {words!r}", expected)
        portions[system][number] = [words, int(start) if start else None]
    return portions


def _read_entities(path: str) -> dict[str, list[list[str]]]:
    entities = read_entities(path)
    if entities.documents:
        msg = (
            f"{path} gives the documents of names but not the segments; add a column "
            "segment."
        )
        raise FormatError(msg)
    return {
        str(segment + 1): [[name.type, name.text] for name in names]
        for segment, names in entities.segments.items()
    }


READERS: dict[str, Callable[[str], Any]] = {
    "questions": read_questions,
    "templates": _read_templates,
    "baseline": lambda path: "\n".join(read_lines(path)).strip(),
    "judged": _read_judged_outputs,
    "marks": read_marks,
    "portions": read_portions,
    "entities": _read_entities,
}
