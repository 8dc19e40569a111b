"""Material that protocols need besides the texts, read from files or from a form.

Questions are a table with the columns document, question and answer, and perhaps choices;
`|` stands between accepted answers and between choices. Templates are tables as `ie` reads
them. The baseline is a text. Judged outputs are a table or a database as `evaltrans` reads
them, whose sources are the numbers of the segments. Marks are JSON lines, and stand in the
outputs before anybody judges them. Portions are a table with the columns system, segment and
portion, the judged words of the output, and start if they stand there twice.
"""

from collections.abc import Callable, Mapping
from typing import Any

from metra.campaign.uploads import save_files
from metra.errors import FormatError
from metra.formats.annotations.judged_outputs import read_judged_outputs
from metra.formats.annotations.table import read_annotation_table, read_entities
from metra.formats.annotations.templates import build_entries, read_templates
from metra.formats.lines import read_lines
from metra.formats.stream import parse_json, parse_toml


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


def read_options(text: str) -> dict[str, Any]:
    """Return a protocol's options from lines of TOML, such as every = 6."""
    return parse_toml(text, "The table of options", "lines such as every = 6")


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
