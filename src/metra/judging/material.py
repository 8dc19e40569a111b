"""What protocols need beside the texts: questions, templates, a baseline, a brief, scores.

Questions are a table with the columns document, question and answer, and perhaps choices;
`|` stands between accepted answers and between choices. Templates are tables as `ie` reads
them. The baseline and the brief are texts. Judged outputs are a table or a database as
`evaltrans` reads them, whose sources are the numbers of the segments. Marks are JSON lines,
and stand in the outputs before anybody judges them.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from metra.annotations.entities import read_entities
from metra.annotations.judged import read_judged
from metra.annotations.table import read_lines, read_table
from metra.annotations.templates import filled_slots
from metra.errors import FormatError
from metra.human.files.json_text import parsed

_BETWEEN = "|"


def read_material(files: Mapping[str, str]) -> dict[str, Any]:
    """Read each file by what it is for; the content is plain JSON."""
    return {name: READERS[name](path) for name, path in files.items()}


def read_pasted(texts: Mapping[str, str]) -> dict[str, Any]:
    """Read what somebody wrote or pasted into a form; empty fields are left out."""
    given = {name: text for name, text in texts.items() if text.strip()}
    with TemporaryDirectory() as folder:
        files = {}
        for name, text in given.items():
            path = Path(folder) / f"{name}.tsv"
            path.write_text(text.replace("\r\n", "\n"), encoding="utf-8")
            files[name] = str(path)
        try:
            return read_material(files)
        except FormatError as error:
            # Nobody knows the folder; what matters is which field it was.
            raise FormatError(str(error).replace(f"{folder}{os.sep}", "")) from None


def read_options(text: str) -> dict[str, Any]:
    """Read a protocol's options as lines of TOML, such as every = 6."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        msg = f"The options are no TOML: {error}; expected lines such as every = 6."
        raise FormatError(msg) from None


def read_questions(path: str) -> dict[str, list[list[Any]]]:
    """Read questions: by document, the question, accepted answers and choices."""
    needed = ["document", "question", "answer"]
    table = read_table(path, needed, {*needed, "choices"})
    found: dict[str, list[list[Any]]] = {}
    for row in table.rows:
        document, question, answer = (row.cells[name] for name in needed)
        accepted, choices = _parts(answer), _parts(row.cells.get("choices", ""))
        if not document or not question or not accepted:
            raise table.refuse(
                row, "an empty cell", "expected document, question and answer"
            )
        if choices and (len(accepted) > 1 or accepted[0] not in choices):
            raise table.refuse(
                row, f"the answer is {answer!r}", "expected one of the choices"
            )
        found.setdefault(document, []).append([question, accepted, choices])
    return found


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(_BETWEEN) if part.strip()]


def _templates(path: str) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for document, slot, value in filled_slots(path):
        found.setdefault(document, []).append([slot, value])
    return found


def _text(path: str) -> str:
    return "\n".join(read_lines(path)).strip()


def _judged(path: str) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = {}
    for entry in read_judged(path):
        found.setdefault(entry.source, []).append([entry.output, entry.score])
    return found


def read_marks(path: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Read marks in JSON lines: by system and segment, from 1, a list of them.

    {"system": "one", "segment": 3, "marks": [{"start": 0, "end": 4, "severity": "minor"}]}
    """
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for at, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        entry = parsed(line, f"{path}, line {at}")
        fits = (
            isinstance(entry, dict)
            and isinstance(entry.get("system"), str)
            and type(entry.get("segment")) is int
            and isinstance(entry.get("marks"), list)
        )
        if not fits:
            msg = f"{path}, line {at}: expected system, segment and a list of marks."
            raise FormatError(msg)
        mine = found.setdefault(entry["system"], {})
        if str(entry["segment"]) in mine:
            msg = (
                f"{path}, line {at}: segment {entry['segment']} of {entry['system']} has "
                "marks already; give them in one line."
            )
            raise FormatError(msg)
        mine[str(entry["segment"])] = entry["marks"]
    return found


def _entities(path: str) -> dict[str, list[list[str]]]:
    found = read_entities(path)
    if found.documents:
        msg = (
            f"{path} says to which documents names belong, but not to which segments; "
            "expected a column segment."
        )
        raise FormatError(msg)
    return {
        str(at + 1): [[name.type, name.text] for name in names]
        for at, names in found.segments.items()
    }


READERS: dict[str, Callable[[str], Any]] = {
    "questions": read_questions,
    "templates": _templates,
    "baseline": _text,
    "judged": _judged,
    "marks": read_marks,
    "entities": _entities,
}


def placed(files: Mapping[str, str], here: Path) -> dict[str, str]:
    """Find the files from the campaign's folder."""
    return {name: str(here / path) for name, path in files.items()}
