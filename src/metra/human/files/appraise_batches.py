"""Appraise's batches: the texts of a campaign, task by task, as JSON.

A list of tasks, each with `items`: documentID, sourceID, sourceText, targetID (the system),
targetText, itemID and itemType, which is TGT for what is judged, BAD for spoilt copies, REF for
references and CHK for repeats.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from metra.errors import FormatError
from metra.human.files.json_text import parsed
from metra.human.files.judged_text import JudgedText

_TYPES = ("TGT", "BAD", "REF", "CHK")


def read(text: str, place: str) -> list[JudgedText]:
    """Read the texts; each once, however many tasks show it."""
    found = {(one.system, one.item, kind): one for kind, one in _items(text, place)}
    return list(found.values())


def by_item(
    text: str, place: str
) -> dict[tuple[str, str, str], tuple[str | None, str]]:
    """Source and output of each system, item and type, as Appraise's export names them."""
    return {
        (one.system, one.item, kind): (one.source, one.output)
        for kind, one in _items(text, place)
    }


def _items(text: str, place: str) -> Iterable[tuple[str, JudgedText]]:
    tasks = parsed(text, place)
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
