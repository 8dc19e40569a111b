"""What judges typed, as JSON lines: for campaigns that record every key.

No line names a system; `judgement` is the answer's id, by which the other files tell the rest.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from metra.errors import FormatError
from metra.human.protocols.entries import KEY
from metra.human.replaying import ANSWER, TYPED, replay
from metra.store import answers, events

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from metra.human.judgement import Judgement
    from metra.store.campaigns import Stored

SCHEMA = "metra-keys-1"


def key_log(db: "Connection", stored: "Stored") -> str:
    """Write the log of a campaign, screen by screen, an entry a line."""
    known = {one.id: one for one in answers.judgements(db, stored)}
    found = [_line(one) for one in _entries(db, stored, known)]
    return "".join(f"{line}\n" for line in found)


def _entries(
    db: "Connection", stored: "Stored", known: Mapping[str, "Judgement"]
) -> Iterator[dict[str, Any]]:
    logged = events.of_campaign(db, stored.id, {*TYPED, ANSWER})
    for (judge, task, number), screen in groupby(logged, lambda one: one[:3]):
        begun: list[dict[str, Any]] = []
        for *_, event in screen:
            entry = {
                "schema": SCHEMA,
                "judge": judge,
                "task": task,
                "number": number,
                "seq": event.seq,
                "t_ms": event.t_ms,
                "kind": event.kind,
                "data": event.data,
            }
            begun.append(entry)
            if event.kind == ANSWER:
                answer = known.get(event.data["id"])
                entry["same"] = answer is not None and _is_same(begun, answer.value)
            yield entry


def _is_same(log: Iterable[Mapping[str, Any]], value: Mapping[str, Any]) -> bool | None:
    """Whether the log ends in the texts that were handed in; None where none was."""
    handed_in = {
        name: step["text"]
        for name, step in value.items()
        if isinstance(step, Mapping) and KEY in step and "text" in step
    }
    if not handed_in:
        return None
    try:
        written = replay(log)
    except FormatError:
        return False
    return all(written.get(name) == text for name, text in handed_in.items())


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False)
