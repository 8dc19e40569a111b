"""Judgements as JSON lines: every field of every revision, and the scores of outputs.

The scores, their level and the flags of the judge stand beside the answer, so that the file
is read as a table of scores without its protocol.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from math import isfinite, nan
from operator import attrgetter
from typing import Any, get_args

import numpy as np

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.stream import format_path, parse_json
from metra.scores.judgement import (
    Judgement,
    JudgementCheck,
    JudgementKind,
    attach_outputs,
    build_scores,
    find_outputs,
    has_scores,
    refuse_line,
)
from metra.scores.selection import DEFAULT, select_judgements
from metra.scores.spans import Spans, collect_spans
from metra.scores.table import ScoreRow, Scores
from metra.text.scripts import is_language_code

SCHEMA_NAME = "metra-judgement/"
SCHEMA = f"{SCHEMA_NAME}1"
#: Entries beside the fields of a judgement.
_BESIDE = ("level", "scores", "flags")


def format_lines(judgements: Sequence[Judgement], scores: Scores) -> Iterator[str]:
    """Yield the line of each answer with its scores; `scores` is the table of all answers."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    listed: list[list[list[dict[str, object]]]]
    listed = [[[] for _ in one.outputs] for one in judgements]
    outputs = find_outputs(judgements, scores)
    levels = ["segment"] * len(judgements)
    columns = (scores.list_rows(), scores.answer.tolist(), scores.item.tolist())
    for row, answer, item, output in zip(*columns, outputs, strict=True):
        levels[answer] = scores.items[item].level
        if has_scores(row.reason):
            listed[answer][output].append(_export_row(row))
    entries = zip(_list_entries(judgements), levels, listed, strict=True)
    for entry, level, rows in entries:
        flags = list(scores.flags.get(entry["judge"], ()))
        yield f"{encode(entry | {'level': level, 'scores': rows, 'flags': flags})}\n"


def _list_entries(judgements: Iterable[Judgement]) -> Iterator[dict[str, Any]]:
    # Values are plain JSON already, which `asdict` would copy to the last mark.
    names = [field.name for field in fields(Judgement)]
    get_values = attrgetter(*names)
    for each in judgements:
        row = dict(zip(names, get_values(each), strict=True))
        if row["portion"] is None:  # all of the output was judged, as nearly always
            del row["portion"]
        yield {"schema": SCHEMA, **row}


def _export_row(row: ScoreRow) -> dict[str, object]:
    entry: dict[str, object] = {"scorer": row.scorer}
    if row.reason:
        entry |= {"reason": row.reason}
    else:
        entry |= {"value": row.value, "hundred": row.hundred}
    return entry | {"higher_is_better": row.higher_is_better}


def read_judgement_scores(path: str) -> Scores:
    """Read the scores of judgements, with the kinds of items and the flags of judges."""
    return parse_judgement_scores(read_lines(path), format_path(path))


def parse_judgement_scores(lines: Iterable[str], place: str) -> Scores:
    """Parse the scores of judgements, a line each; `place` names their file."""
    judgements, scores = _parse_judged(lines, place)
    if not np.isfinite(scores.value).any():
        because = f": {'; '.join(sorted(scores.reasons))}" if scores.reasons else ""
        msg = f"{place} has judgements without scores{because}."
        raise FormatError(msg)
    return attach_outputs(scores, judgements)


def read_judgement_spans(path: str) -> Spans:
    """Read the marks of the answers that count."""
    judgements, scores = _parse_judged(read_lines(path), format_path(path))
    spans = collect_spans(select_judgements(judgements, scores, DEFAULT), path)
    return replace(spans, selection=DEFAULT.describe(scores))


def _parse_judged(lines: Iterable[str], place: str) -> tuple[list[Judgement], Scores]:
    judgements, flags = [], {}
    rows: dict[int, list[tuple[ScoreRow, ...]]] = {}
    whole = set()
    for number, line in enumerate(lines, 1):
        if line:
            at = f"{place}, line {number}"
            entry = _parse_entry(line, at)
            scores = entry.get("scores")
            if scores is None:
                msg = (
                    f"{at} has no scores, because an older version wrote it; write it "
                    "again with `metra judge import FILE -o NEW`."
                )
                raise FormatError(msg)
            one = _build_judgement(entry, at)
            with refuse_line(at):
                rows[id(one)] = [tuple(map(_parse_row, each)) for each in scores]
            judgements.append(one)
            whole |= {one.protocol} if entry.get("level") == "document" else set()
            flags[one.judge] = tuple(entry.get("flags", ()))
    scores = build_scores(
        judgements, lambda one: rows[id(one)], whole=whole, flags=flags
    )
    return judgements, scores


def _parse_row(entry: Mapping[str, Any]) -> ScoreRow:
    reason = str(entry.get("reason", ""))
    value, hundred = (nan if reason else float(entry[k]) for k in ("value", "hundred"))
    higher = entry["higher_is_better"]
    if not isinstance(higher, bool) or not (reason or isfinite(value + hundred)):
        msg = f"the score {entry!r} is not one; expected finite numbers"
        raise ValueError(msg)
    return ScoreRow(str(entry["scorer"]), value, hundred, higher, reason)


def parse_judgements(
    lines: Iterable[str],
    path: str,
    *,
    protocols: Collection[str] | None,
    check: JudgementCheck,
) -> list[Judgement]:
    """Parse lines, of which empty ones are left out.

    `protocols` are those that exist; None takes any.
    """
    judgements = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        place = f"{path}, line {number}"
        judgement = _build_judgement(_parse_entry(line, place), place)
        if protocols is not None and judgement.protocol not in protocols:
            problem = f"{place} follows {judgement.protocol!r}"
            msg = f"{problem}; expected one of {', '.join(protocols)}."
            raise FormatError(msg)
        try:
            judgements.append(check(judgement))
        except ValueError as error:
            msg = f"{place}: {error}"
            raise FormatError(msg) from None
    return judgements


def _parse_entry(line: str, place: str) -> dict[str, Any]:
    entry = parse_json(line, place)
    if not isinstance(entry, dict) or entry.pop("schema", None) != SCHEMA:
        msg = (
            f'{place} is not a judgement; expected an object with "schema": "{SCHEMA}".'
        )
        raise FormatError(msg)
    return entry


def _build_judgement(entry: dict[str, Any], place: str) -> Judgement:
    entry = {name: entry[name] for name in entry if name not in _BESIDE}
    by_name = {field.name: field for field in fields(Judgement)}
    needed = {name for name, field in by_name.items() if field.default is MISSING}
    wrong = sorted((needed - set(entry)) | (set(entry) - set(by_name)))
    if wrong:
        problem = "lacks" if wrong[0] in by_name else "has an unknown entry"
        msg = f"{place} {problem} {wrong[0]!r}; expected what {SCHEMA} holds."
        raise FormatError(msg)
    for name, value in entry.items():
        fits, expected = _RULES.get(name, (None, ""))
        if fits and not fits(value):
            msg = f"{place}: {name} is {value!r}; expected {expected}."
            raise FormatError(msg)
    _check_outputs(entry, place)
    for name in ("systems", "outputs"):
        entry[name] = tuple(map(str, entry[name]))
    if entry.get("portion") is not None:
        entry["portion"] = tuple(entry["portion"])
    return Judgement(**entry)


def _check_outputs(entry: dict[str, Any], place: str) -> None:
    systems, outputs = entry["systems"], entry["outputs"]
    if not all(isinstance(names, list) and names for names in (systems, outputs)):
        msg = f"{place}: systems and outputs must be lists with at least one entry."
        raise FormatError(msg)
    if len(systems) != len(outputs):
        problem = f"{place} has {len(systems)} systems and {len(outputs)} outputs"
        msg = f"{problem}; expected the same number of both."
        raise FormatError(msg)


def _is_time(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and isfinite(value))  # type: ignore[arg-type]


def _is_portion(value: object) -> bool:
    if value is None:
        return True
    listed = isinstance(value, list) and len(value) == 2 and all(map(_is_count, value))
    return listed and value[0] < value[1]  # type: ignore[index]


def _is_count(value: object, least: int = 0) -> bool:
    return type(value) is int and least <= value < 2**63


_KINDS = get_args(JudgementKind)
_LANGUAGE = (
    lambda value: isinstance(value, str) and is_language_code(value),
    "a language code such as fr",
)
#: The test of entries by the type of their field, and the words for a message.
_BY_TYPE: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str: (lambda value: isinstance(value, str), "a text"),
    str | None: (lambda value: isinstance(value, str | None), "a text or null"),
    float | None: (_is_time, "seconds since 1970 or null"),
    int | None: (
        lambda value: value is None or _is_count(value),
        "whole milliseconds or null",
    ),
}
_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    **{
        each.name: _BY_TYPE[each.type]
        for each in fields(Judgement)
        if each.type in _BY_TYPE
    },
    **{"source_language": _LANGUAGE, "target_language": _LANGUAGE},
    "kind": (_KINDS.__contains__, ", ".join(_KINDS)),
    "segment": (_is_count, "a whole number, 0 or more"),
    "portion": (_is_portion, "start and end of a part of the output, or null"),
    "revision": (lambda value: _is_count(value, 1), "a whole number, 1 or more"),
}
