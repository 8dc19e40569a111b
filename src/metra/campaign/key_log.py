"""What somebody wrote, played again from the log of a campaign that records every key.

A log is a list of entries in the order in which they came. Of these, `text` says what a field
held when it was opened, and `write` what went and what came at a place counted in code points;
`key` tells of a key and changes nothing, `answer` that the judge handed in.

What judges typed, as JSON lines: for campaigns that record every key.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from metra.campaign.protocols.answers import KEY
from metra.errors import FormatError
from metra.store import answers, events

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from metra.formats.scores.judgement import Judgement
    from metra.store.campaigns import StoredCampaign


#: Kinds of entries that tell what was typed.
TYPED = frozenset({"text", "write", "key"})
#: The entry that says under which id an answer was handed in.
ANSWER = "answer"


class FieldState(NamedTuple):
    """What a field held from a moment on, in milliseconds of the screen's clock."""

    t_ms: float
    field: str
    text: str


def replay_keys(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Give what each field held in the end.

    >>> begun = {"field": "correction", "text": "He go."}
    >>> more = {"field": "correction", "at": 5, "gone": 0, "text": "es"}
    >>> replay_keys([
    ...     {"t_ms": 0, "kind": "text", "data": begun},
    ...     {"t_ms": 900, "kind": "key", "data": {"field": "correction", "key": "e"}},
    ...     {"t_ms": 905, "kind": "write", "data": more},
    ... ])
    {'correction': 'He goes.'}
    """
    return {one.field: one.text for one in iterate_states(entries)}


def iterate_states(entries: Iterable[Mapping[str, Any]]) -> Iterator[FieldState]:
    """Give every state that a field was in, as one would have seen it."""
    texts: dict[str, str] = {}
    for number, entry in enumerate(entries, 1):
        data = entry.get("data")
        if entry.get("kind") not in ("text", "write") or not isinstance(data, Mapping):
            continue
        field = data["field"]
        if entry["kind"] == "write":
            if field not in texts:
                msg = (
                    f"Entry {number} writes in {field!r}, whose text is not known yet."
                )
                raise FormatError(msg)
            old, at, gone = texts[field], data["at"], data["gone"]
            if not 0 <= at <= at + gone <= len(old):
                msg = (
                    f"Entry {number} changes {gone} characters from {at}, but {field!r} has "
                    f"{len(old)}; entries are missing before it."
                )
                raise FormatError(msg)
            texts[field] = old[:at] + data["text"] + old[at + gone :]
        else:
            texts[field] = data["text"]
        yield FieldState(entry["t_ms"], field, texts[field])


SCHEMA = "metra-keys-1"


def write_key_log(db: "Connection", stored: "StoredCampaign") -> str:
    """Write the log of a campaign, screen by screen, an entry a line."""
    known = {one.id: one for one in answers.read_judgements(db, stored)}
    found = [_line(one) for one in _entries(db, stored, known)]
    return "".join(f"{line}\n" for line in found)


def _entries(
    db: "Connection", stored: "StoredCampaign", known: Mapping[str, "Judgement"]
) -> Iterator[dict[str, Any]]:
    logged = events.list_campaign_events(db, stored.id, {*TYPED, ANSWER})
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
                entry["same"] = answer is not None and _matches_answer(
                    begun, answer.value
                )
            yield entry


def _matches_answer(
    log: Iterable[Mapping[str, Any]], value: Mapping[str, Any]
) -> bool | None:
    """Whether the log ends in the texts that were handed in; None where none was."""
    handed_in = {
        name: step["text"]
        for name, step in value.items()
        if isinstance(step, Mapping) and KEY in step and "text" in step
    }
    if not handed_in:
        return None
    try:
        written = replay_keys(log)
    except FormatError:
        return False
    return all(written.get(name) == text for name, text in handed_in.items())


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False)
