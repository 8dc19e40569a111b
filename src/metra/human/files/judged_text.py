"""Texts as other programs' campaigns hold them, and how they become a corpus."""

import json
from collections.abc import Iterable
from typing import NamedTuple


class JudgedText(NamedTuple):
    """One system's output of one item, with what was shown beside it."""

    system: str
    #: What the other program calls the item.
    item: str
    document: str
    source: str | None
    reference: str | None
    output: str
    #: Whether it was made to be noticed: a spoilt copy, a repeat, a tutorial.
    is_check: bool = False


def corpus_lines(texts: Iterable[JudgedText]) -> tuple[str, int, int]:
    """Write a corpus as JSON lines; give also how many segments it has and how many not.

    An item is a segment where all systems translated it. Checks stay out.
    """
    items: dict[tuple[str, str], dict[str, JudgedText]] = {}
    for text in texts:
        if not text.is_check:
            items.setdefault((text.document, text.item), {})[text.system] = text
    systems = list(dict.fromkeys(name for item in items.values() for name in item))
    lines = []
    for (document, _), outputs in items.items():
        if len(outputs) == len(systems):
            first = outputs[systems[0]]
            entry: dict[str, object] = {"doc": document}
            if first.source is not None:
                entry["source"] = first.source
            if first.reference is not None:
                entry["ref"] = first.reference
            entry["outputs"] = {name: outputs[name].output for name in systems}
            lines.append(json.dumps(entry, ensure_ascii=False))
    kept = len(lines)
    return "".join(f"{line}\n" for line in lines), kept, len(items) - kept
