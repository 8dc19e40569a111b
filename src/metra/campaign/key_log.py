"""Key logs of campaigns that record every key, played again.

A log is a list of entries in the order in which they came. Of these, `text` says what a field
held when it was opened, and `write` what went and what came at a place counted in code points;
`key` tells of a key and changes nothing, `answer` that the judge handed in.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from metra.campaign.protocols.kind import KEY
from metra.errors import FormatError

#: Kinds of entries that tell what was typed.
TYPED = frozenset({"text", "write", "key"})
#: The entry that says under which id an answer was handed in.
ANSWER = "answer"


class FieldState(NamedTuple):
    """Text of a field from a moment on, in milliseconds of the screen's clock."""

    t_ms: float
    field: str
    text: str


def replay_keys(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return what each field held in the end.

    >>> begun = {"field": "correction", "text": "He go."}
    >>> more = {"field": "correction", "at": 5, "gone": 0, "text": "es"}
    >>> replay_keys([
    ...     {"t_ms": 0, "kind": "text", "data": begun},
    ...     {"t_ms": 900, "kind": "key", "data": {"field": "correction", "key": "e"}},
    ...     {"t_ms": 905, "kind": "write", "data": more},
    ... ])
    {'correction': 'He goes.'}
    """
    return {state.field: state.text for state in iterate_states(entries)}


def iterate_states(entries: Iterable[Mapping[str, Any]]) -> Iterator[FieldState]:
    """Yield every state that a field was in."""
    texts: dict[str, str] = {}
    for number, entry in enumerate(entries, 1):
        data = entry.get("data")
        if entry.get("kind") not in ("text", "write") or not isinstance(data, Mapping):
            continue
        field, place = data["field"], f"Entry {number}"
        if entry["kind"] == "write":
            if field not in texts:
                msg = f"{place} writes in {field!r}, whose text is not known at this point."
                raise FormatError(msg)
            old, at, gone = texts[field], data["at"], data["gone"]
            if not 0 <= at <= at + gone <= len(old):
                msg = (
                    f"{place} changes {gone} characters from {at}, but {field!r} has "
                    f"{len(old)}; entries are missing before it."
                )
                raise FormatError(msg)
            texts[field] = old[:at] + data["text"] + old[at + gone :]
        else:
            texts[field] = data["text"]
        yield FieldState(entry["t_ms"], field, texts[field])


def matches_answer(
    log: Iterable[Mapping[str, Any]], value: Mapping[str, Any]
) -> bool | None:
    """Return whether a log ends in the texts of an answer; None if it has no texts."""
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
