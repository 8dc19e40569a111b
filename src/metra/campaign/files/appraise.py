"""Appraise's comma-separated export, for direct assessments and error spans.

Columns: login, system, item, type, source and target language, score, document, whether the
whole document was scored, marks (ESA only), start and end. Marks count UTF-16 units, and
their end is the last one inside; what is missing has no place.

Appraise's batches: the texts of a campaign, task by task, as JSON.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from metra.campaign.files.pearmut import JudgedText
from metra.campaign.judgement import keep_latest, score_outputs
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError, OptionError
from metra.formats.scores.judgement import OMISSION, Judgement, JudgementKind, get_marks
from metra.formats.stream import parse_json
from metra.formats.table import escape_formula, unescape_formula
from metra.text.offsets import Span, code_points_inclusive, utf16_inclusive

TYPES: dict[JudgementKind, str] = {
    "judged": "TGT",
    "degraded": "BAD",
    "reference": "REF",
    "repeat": "CHK",
}
_KINDS: dict[str, JudgementKind] = {
    "TGT": "judged",
    "BAD": "degraded",
    "REF": "reference",
    "CHK": "repeat",
}
_PROTOCOLS = ("da", "da-sqm", "esa")


def write(judgements: Iterable[Judgement]) -> str:
    """Write the last revision of each; names that look like formulas are made harmless.

    Calibration is left out: the format cannot tell it from what counts for systems. So is
    what could not be judged.
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for judgement in keep_latest(judgements):
        if judgement.protocol not in _PROTOCOLS:
            msg = (
                f"Appraise's export has no place for {judgement.protocol}; "
                f"expected {', '.join(_PROTOCOLS)}."
            )
            raise OptionError(msg)
        if judgement.kind not in TYPES or judgement.cannot is not None:
            continue
        [[scored]] = score_outputs(judgement)
        names = [judgement.judge, judgement.systems[0], str(judgement.segment)]
        languages = [judgement.source_language, judgement.target_language]
        cells = [
            *map(escape_formula, names),
            TYPES[judgement.kind],
            *map(escape_formula, languages),
        ]
        cells += [repr(scored.native), escape_formula(judgement.document), "False"]
        if judgement.protocol == "esa":
            cells.append(_marks(judgement))
        rows.writerow(
            [*cells, *map(_time, (judgement.shown_at, judgement.submitted_at))]
        )
    return out.getvalue()


def read(
    text: str,
    place: str,
    *,
    outputs: Mapping[tuple[str, str, str], tuple[str | None, str]],
    campaign: str = "appraise",
) -> list[Judgement]:
    """Read an export again; `outputs` gives source and text of each system, item and type.

    Marks can only be placed in the text that was judged, so ESA needs the texts, which
    stand in Appraise's batches.
    """
    return [
        _judgement(row, f"{place}, line {at}", outputs, campaign, at)
        for at, row in enumerate(csv.reader(io.StringIO(text, newline="")), 1)
        if row
    ]


def _marks(judgement: Judgement) -> str:
    found: list[dict[str, Any]] = []
    for mark in get_marks(judgement):
        if mark["side"] == "source":
            continue  # there is no place for it in this format
        first, last = (
            (OMISSION, OMISSION)
            if mark["side"] == OMISSION
            else utf16_inclusive(judgement.outputs[0], Span(mark["start"], mark["end"]))
        )
        found.append({"start_i": first, "end_i": last, "severity": mark["severity"]})
    return json.dumps(found)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else repr(seconds)


def _judgement(
    row: list[str],
    place: str,
    outputs: Mapping[tuple[str, str, str], tuple[str | None, str]],
    campaign: str,
    line: int,
) -> Judgement:
    if len(row) not in (11, 12, 13, 14) or row[3] not in _KINDS:
        msg = (
            f"{place} is no line of Appraise's export; expected login, system, item, one "
            f"of {'/'.join(_KINDS)}, two languages, score, document, …"
        )
        raise FormatError(msg)
    names = [unescape_formula(cell) for cell in row]
    esa = row[9].startswith("[")
    asked = PROTOCOLS["esa" if esa else "da"]
    source, output = outputs.get((names[1], names[2], row[3]), (None, ""))
    try:
        value: dict[str, Any] = {asked.name: float(row[6])}
        if esa:
            value["errors"] = [_mark(mark, output) for mark in json.loads(row[9])]
        value = asked.check(value, {"output": output})
        segment = int(names[2])
        times = [float(cell) if cell else None for cell in row[9 + esa : 11 + esa]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{place} cannot be read: {str(error).rstrip('.')}."
        raise FormatError(msg) from None
    return Judgement(
        id=f"{campaign}:{line}",
        campaign=campaign,
        protocol=asked.name,
        protocol_version=asked.version,
        source_language=names[4],
        target_language=names[5],
        judge=names[0],
        task=f"{campaign}:{line}",
        kind=_KINDS[row[3]],
        systems=(names[1],),
        document=names[7].partition("#")[0],
        segment=segment,
        source=source,
        outputs=(output,),
        value=value,
        shown_at=times[0],
        submitted_at=times[1],
    )


def _mark(mark: Mapping[str, Any], output: str) -> dict[str, Any]:
    if mark["start_i"] == OMISSION:
        return {"side": OMISSION, "severity": mark["severity"]}
    span = code_points_inclusive(output, mark["start_i"], mark["end_i"])
    return {"start": span.start, "end": span.end, "severity": mark["severity"]}


_TYPES = ("TGT", "BAD", "REF", "CHK")


def read_batches(text: str, place: str) -> list[JudgedText]:
    """Read the texts; each once, however many tasks show it."""
    found = {(one.system, one.item, kind): one for kind, one in _items(text, place)}
    return list(found.values())


def index_outputs(
    text: str, place: str
) -> dict[tuple[str, str, str], tuple[str | None, str]]:
    """Source and output of each system, item and type, as Appraise's export names them."""
    return {
        (one.system, one.item, kind): (one.source, one.output)
        for kind, one in _items(text, place)
    }


def _items(text: str, place: str) -> Iterable[tuple[str, JudgedText]]:
    tasks = parse_json(text, place)
    if not isinstance(tasks, list):
        msg = f"{place} holds no list; expected Appraise's batches: a list of tasks."
        raise FormatError(msg)
    for number, task in enumerate(tasks, 1):
        items = task.get("items") if isinstance(task, Mapping) else None
        if not isinstance(items, list):
            msg = f"{place}, task {number} has no items; expected Appraise's batches."
            raise FormatError(msg)
        for at, item in enumerate(items, 1):
            yield _item(item, f"{place}, task {number}, item {at}")


def _item(item: Any, place: str) -> tuple[str, JudgedText]:
    try:
        kind, target = str(item["itemType"]), item["targetText"]
        document = str(item.get("documentID", "")).partition("#")[0]
        if kind not in _TYPES or not isinstance(target, str):
            raise KeyError(kind)
        found = JudgedText(
            str(item["targetID"]),
            str(item["itemID"]),
            document,
            str(item["sourceText"]),
            None,
            target,
            kind in ("BAD", "CHK") or _is_tutorial(item.get("mqm")),
        )
    except (KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{place} cannot be read ({error}); expected targetID, targetText, sourceText, "
            f"itemID, and itemType as one of {'/'.join(_TYPES)}."
        )
        raise FormatError(msg) from None
    return kind, found


def _is_tutorial(marks: object) -> bool:
    return isinstance(marks, Mapping) and "tutorial" in marks
