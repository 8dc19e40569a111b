"""What somebody wrote, played again from the log of a campaign that records every key.

A log is a list of entries in the order in which they came. Of these, `text` says what a field
held when it was opened, and `write` what went and what came at a place counted in code points;
`key` tells of a key and changes nothing, `answer` that the judge handed in.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from metra.errors import FormatError

#: Kinds of entries that tell what was typed.
TYPED = frozenset({"text", "write", "key"})
#: The entry that says under which id an answer was handed in.
ANSWER = "answer"


class Written(NamedTuple):
    """What a field held from a moment on, in milliseconds of the screen's clock."""

    t_ms: float
    field: str
    text: str


def replay(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Give what each field held in the end.

    >>> begun = {"field": "correction", "text": "He go."}
    >>> more = {"field": "correction", "at": 5, "gone": 0, "text": "es"}
    >>> replay([
    ...     {"t_ms": 0, "kind": "text", "data": begun},
    ...     {"t_ms": 900, "kind": "key", "data": {"field": "correction", "key": "e"}},
    ...     {"t_ms": 905, "kind": "write", "data": more},
    ... ])
    {'correction': 'He goes.'}
    """
    return {one.field: one.text for one in writing(entries)}


def writing(entries: Iterable[Mapping[str, Any]]) -> Iterator[Written]:
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
        yield Written(entry["t_ms"], field, texts[field])
