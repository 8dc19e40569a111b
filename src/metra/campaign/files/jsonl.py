"""JSON lines: everything there is to know, a judgement a line, with the schema's version."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any, get_args

from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError
from metra.formats.scores.judgement import Judgement, JudgementKind
from metra.formats.stream import parse_json

SCHEMA = "metra-judgement/1"


def write(judgements: Iterable[Judgement]) -> str:
    """Write all of them, every revision."""
    # Values are plain JSON already, which `asdict` would copy to the last mark.
    names = [field.name for field in fields(Judgement)]
    of = attrgetter(*names)
    return "".join(
        json.dumps(
            {"schema": SCHEMA, **dict(zip(names, of(one), strict=True))},
            ensure_ascii=False,
        )
        + "\n"
        for one in judgements
    )


def read(text: str, place: str) -> list[Judgement]:
    """Read them again; `place` names the file for messages."""
    return [
        _read_judgement(line, f"{place}, line {at}")
        for at, line in enumerate(text.split("\n"), 1)
        if line
    ]


def _read_judgement(line: str, place: str) -> Judgement:
    entry = parse_json(line, place)
    if not isinstance(entry, dict) or entry.pop("schema", None) != SCHEMA:
        msg = f'{place} is no judgement; expected an object with "schema": "{SCHEMA}".'
        raise FormatError(msg)
    known = {field.name: field for field in fields(Judgement)}
    needed = {name for name, field in known.items() if field.default is MISSING}
    wrong = sorted((needed - set(entry)) | (set(entry) - set(known)))
    if wrong:
        what = "lacks" if wrong[0] in known else "has an unknown entry"
        msg = f"{place} {what} {wrong[0]!r}; expected what {SCHEMA} holds."
        raise FormatError(msg)
    for name, value in entry.items():
        fits, expected = _RULES.get(name, _ANYTHING)
        if not fits(value):
            msg = f"{place}: {name} is {value!r}; expected {expected}."
            raise FormatError(msg)
    return Judgement(**_check_entry(entry, place))


def _text(value: object) -> bool:
    return isinstance(value, str)


def _text_or_nothing(value: object) -> bool:
    return value is None or isinstance(value, str)


def _time(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and math.isfinite(value))  # type: ignore[arg-type]


def _count(value: object) -> bool:
    return value is None or (type(value) is int and 0 <= value < 2**63)


_ANYTHING: tuple[Callable[[object], bool], str] = (lambda _: True, "")
#: What entries must be, where nothing else looks at them.
_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(
        (
            *("id", "campaign", "protocol", "protocol_version", "source_language"),
            *("target_language", "judge", "task", "document", "comment"),
            *("wording", "wording_version"),
        ),
        (_text, "a text"),
    ),
    **dict.fromkeys(
        ("source", "original", "cannot"), (_text_or_nothing, "a text or null")
    ),
    **dict.fromkeys(
        ("shown_at", "first_action_at", "submitted_at"),
        (_time, "seconds since 1970 or null"),
    ),
    **dict.fromkeys(
        ("wall_ms", "active_ms", "hidden_ms", "idle_ms", "paused_ms"),
        (_count, "whole milliseconds or null"),
    ),
    "kind": (get_args(JudgementKind).__contains__, ", ".join(get_args(JudgementKind))),
    "segment": (
        lambda value: value is not None and _count(value),
        "a whole number, 0 or more",
    ),
    "revision": (
        lambda value: bool(value) and _count(value),
        "a whole number, 1 or more",
    ),
}


def _check_entry(entry: dict[str, Any], place: str) -> dict[str, Any]:
    if entry["protocol"] not in PROTOCOLS:
        msg = (
            f"{place} follows {entry['protocol']!r}; "
            f"expected one of {', '.join(PROTOCOLS)}."
        )
        raise FormatError(msg)
    lists = [entry[name] for name in ("systems", "outputs")]
    if not all(isinstance(one, list) and one for one in lists):
        msg = f"{place}: systems and outputs must be lists with at least one entry."
        raise FormatError(msg)
    if len(lists[0]) != len(lists[1]):
        msg = (
            f"{place} has {len(lists[0])} systems and {len(lists[1])} outputs; expected as "
            "many of both."
        )
        raise FormatError(msg)
    outputs = [str(one) for one in entry["outputs"]]
    asked = PROTOCOLS[entry["protocol"]]
    texts = {str(at): text for at, text in enumerate(outputs, 1)}
    if not asked.contrastive:
        texts = {"output": outputs[0]}
    if isinstance(entry["source"], str):
        texts["source"] = entry["source"]
    try:
        value = {}
        if entry.get("cannot") is None:
            value = asked.relax_rules().check(entry["value"], texts)
    except ValueError as error:
        msg = f"{place}: {error}"
        raise FormatError(msg) from None
    return entry | {
        "systems": tuple(map(str, entry["systems"])),
        "outputs": tuple(outputs),
        "value": value,
    }
