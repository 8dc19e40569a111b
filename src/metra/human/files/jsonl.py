"""JSON lines: everything there is to know, a judgement a line, with the schema's version."""

import json
from collections.abc import Iterable
from dataclasses import MISSING, asdict, fields
from typing import Any

from metra.errors import FormatError
from metra.human.files.json_text import parsed
from metra.human.judgement import Judgement
from metra.human.protocols import PROTOCOLS

SCHEMA = "metra-judgement/1"


def write(judgements: Iterable[Judgement]) -> str:
    """Write all of them, every revision."""
    return "".join(
        json.dumps({"schema": SCHEMA} | asdict(judgement), ensure_ascii=False) + "\n"
        for judgement in judgements
    )


def read(text: str, place: str) -> list[Judgement]:
    """Read them again; `place` names the file for messages."""
    return [
        _judgement(line, f"{place}, line {at}")
        for at, line in enumerate(text.split("\n"), 1)
        if line
    ]


def _judgement(line: str, place: str) -> Judgement:
    entry = parsed(line, place)
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
    return Judgement(**_checked(entry, place))


def _checked(entry: dict[str, Any], place: str) -> dict[str, Any]:
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
            value = asked.recorded().check(entry["value"], texts)
    except ValueError as error:
        msg = f"{place}: {error}"
        raise FormatError(msg) from None
    return entry | {
        "systems": tuple(map(str, entry["systems"])),
        "outputs": tuple(outputs),
        "value": value,
    }
