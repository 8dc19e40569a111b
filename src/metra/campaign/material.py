"""What protocols need beside the texts: questions, templates, a baseline, a brief, scores.

Questions are a table with the columns document, question and answer, and perhaps choices;
`|` stands between accepted answers and between choices. Templates are tables as `ie` reads
them. The baseline and the brief are texts. Judged outputs are a table or a database as
`evaltrans` reads them, whose sources are the numbers of the segments. Marks are JSON lines,
and stand in the outputs before anybody judges them.

Marks that stand in an output before its judge begins, as a program found them.
A judge's own scores of other outputs of a sentence, to judge new ones beside them.
"""

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from metra.campaign.campaign import MARKS, Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.protocols.marks import Marks
from metra.campaign.protocols.near import Near
from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.task import Task
from metra.errors import CorpusError, FormatError, OptionError
from metra.formats.annotations.entities import read_entities
from metra.formats.annotations.judged_outputs import read_judged_outputs
from metra.formats.annotations.table import read_annotation_table
from metra.formats.annotations.templates import read_filled_slots
from metra.formats.lines import read_lines
from metra.formats.scores.judgement import Judgement, get_marks
from metra.formats.stream import parse_json

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
    table = read_annotation_table(path, needed, {*needed, "choices"})
    found: dict[str, list[list[Any]]] = {}
    for row in table.rows:
        document, question, answer = (row.cells[name] for name in needed)
        accepted, choices = _parts(answer), _parts(row.cells.get("choices", ""))
        if not document or not question or not accepted:
            raise table.error(
                row, "an empty cell", "expected document, question and answer"
            )
        if choices and (len(accepted) > 1 or accepted[0] not in choices):
            raise table.error(
                row, f"the answer is {answer!r}", "expected one of the choices"
            )
        found.setdefault(document, []).append([question, accepted, choices])
    return found


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(_BETWEEN) if part.strip()]


def _read_templates(path: str) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for document, slot, value in read_filled_slots(path):
        found.setdefault(document, []).append([slot, value])
    return found


def _read_text(path: str) -> str:
    return "\n".join(read_lines(path)).strip()


def _read_judged_outputs(path: str) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = {}
    for entry in read_judged_outputs(path):
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
        entry = parse_json(line, f"{path}, line {at}")
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


def _read_entities(path: str) -> dict[str, list[list[str]]]:
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
    "templates": _read_templates,
    "baseline": _read_text,
    "judged": _read_judged_outputs,
    "marks": read_marks,
    "entities": _read_entities,
}


def resolve_paths(files: Mapping[str, str], here: Path) -> dict[str, str]:
    """Find the files from the campaign's folder."""
    return {name: str(here / path) for name, path in files.items()}


@dataclass(frozen=True, slots=True)
class MarkChanges:
    """What a judge made of the marks that were there."""

    judge: str
    answers: int
    there: int
    kept: int
    #: The same place with another severity or category.
    changed: int
    deleted: int
    added: int


def check_marks(campaign: Campaign) -> Campaign:
    """Give the campaign back with tidy marks, or say which does not lie inside its text."""
    given = campaign.material.get(MARKS)
    if not given:
        return campaign
    place = campaign.settings.name
    step = _find_marks_step(campaign)
    if step is None:
        msg = f"{place}: {campaign.protocol.name} asks for no marks; leave files.marks out."
        raise OptionError(msg)
    outputs = {system.name: system.outputs for system in campaign.systems}
    tidy: dict[str, dict[str, Any]] = {}
    for system, by_segment in given.items():
        if system not in outputs:
            known = ", ".join(outputs)
            msg = f"{place}: there are marks of {system!r}; expected {known}."
            raise CorpusError(msg)
        for segment, marks in by_segment.items():
            at = int(segment) - 1
            if not 0 <= at < len(campaign.segments):
                msg = (
                    f"{place}: there are marks in segment {segment} of {system}; there are "
                    f"{len(campaign.segments)}, counted from 1."
                )
                raise CorpusError(msg)
            texts = {"output": outputs[system][at]}
            if campaign.segments[at].source is not None:
                texts["source"] = campaign.segments[at].source or ""
            name = f"{place}: {system}, segment {segment}"
            tidy.setdefault(system, {})[segment] = step.asks.check(marks, name, texts)
    return replace(campaign, material=campaign.material | {MARKS: tidy})


def prefill_marks(campaign: Campaign, task: Task, number: int) -> dict[str, Any] | None:
    """The marks that a screen begins with, by step; None where there are none.

    A spoilt copy is another text, in which nobody has looked for errors.
    """
    given, step = campaign.material.get(MARKS), _find_marks_step(campaign)
    if not given or step is None or task.kind == "degraded":
        return None
    item = task.items[number]
    marks = given.get(item.system, {}).get(str(item.segment + 1))
    return None if marks is None else {step.name: [dict(mark) for mark in marks]}


def count_mark_changes(
    campaign: Campaign, judgements: Iterable[Judgement]
) -> list[MarkChanges]:
    """Count, judge by judge, what became of the marks; systems under their own names."""
    given = campaign.material.get(MARKS) or {}
    found: dict[str, list[tuple[int, int, int, int, int]]] = {}
    for one in keep_latest(judgements):
        marks = given.get(one.systems[0], {}).get(str(one.segment))
        if marks is not None and one.cannot is None and one.kind != "degraded":
            found.setdefault(one.judge, []).append(compare_marks(marks, get_marks(one)))
    return [
        MarkChanges(
            judge, len(mine), *(sum(column) for column in zip(*mine, strict=True))
        )
        for judge, mine in sorted(found.items())
    ]


def compare_marks(
    there: Iterable[Mapping[str, Any]], handed_in: Iterable[Mapping[str, Any]]
) -> tuple[int, int, int, int, int]:
    """Count marks that were there, kept, changed, deleted and added.

    >>> old = {"start": 0, "end": 3, "severity": "minor"}
    >>> compare_marks([old], [old | {"severity": "major"}, {"start": 4, "end": 5}])
    (1, 0, 1, 0, 1)
    """
    before = [*map(_complete_mark, there)]
    after = [*map(_complete_mark, handed_in)]
    kept = 0
    for mark in [*before]:
        if mark in after:
            before.remove(mark)
            after.remove(mark)
            kept += 1
    changed = 0
    for mark in [*before]:
        same = next((one for one in after if one[:3] == mark[:3]), None)
        if same is not None:
            before.remove(mark)
            after.remove(same)
            changed += 1
    count = kept + changed + len(before)
    return count, kept, changed, len(before), len(after)


def _complete_mark(mark: Mapping[str, Any]) -> tuple[Any, ...]:
    """A mark with what it may leave out."""
    side = mark.get("side", "output")
    start, end = (0, 0) if side == "missing" else (mark["start"], mark["end"])
    return side, start, end, mark.get("severity"), mark.get("category")


def _find_marks_step(campaign: Campaign) -> Step | None:
    steps = campaign.protocol.steps
    return next((step for step in steps if isinstance(step.asks, Marks)), None)


def shows_judged(protocol: Protocol) -> bool:
    """Whether a protocol shows what was judged before."""
    return any(isinstance(step.asks, Near) for step in protocol.steps)


def add_judged_outputs(campaign: Campaign, own: Iterable[Judgement]) -> Campaign:
    """Add a judge's answers so far to the judged outputs that the campaign began with."""
    judged = {
        source: list(listed)
        for source, listed in campaign.material.get("judged", {}).items()
    }
    for one in keep_latest(own):
        for step in one.value.values():
            entry = [one.outputs[0], float(step["score"])]
            judged.setdefault(str(one.segment), []).append(entry)
    if not judged:
        return campaign
    return replace(campaign, material=campaign.material | {"judged": judged})
