"""What judges are told before they begin: a lead, what to look at, and worked examples.

The English texts belong to the protocols: `human/guides/PROTOCOL.en.toml`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from metra import human
from metra.errors import FormatError
from metra.human.protocols import Protocol, protocol
from metra.human.protocols.marks import MISSING
from metra.human.protocols.record import ASKS_WITH_EXTRA, public
from metra.human.wording import Example

_HERE = Path(human.__file__).parent / "guides"


@dataclass(frozen=True, slots=True)
class Guide:
    """How to judge by a protocol."""

    lead: str
    points: tuple[str, ...]
    examples: tuple[Example, ...]


@cache
def guide(name: str) -> Guide:
    """The guide of a protocol in English, or its title where it has none."""
    path = _HERE / f"{name}.en.toml"
    if not path.exists():
        return Guide(protocol(name).title, (), ())
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Guide(
        content["lead"],
        tuple(content["points"]),
        tuple(
            worked_example(protocol(name), one, f"{path}")
            for one in content["examples"]
        ),
    )


def worked_example(asked: Protocol, content: Mapping[str, Any], place: str) -> Example:
    """Check our answer as a judge's would be, so that no guide teaches what is refused.

    Marks and tags quote the words that they stand on.
    """
    asked = asked.bound(content.get("material", {}), document="", segment=0)
    outputs = tuple(content["outputs"])
    written = {
        step.replace("{step}", asked.steps[0].name): value
        for step, value in content["answer"].items()
    }
    answer = {
        step: [_placed(mark, outputs[0], place) for mark in value]
        if _marks(value)
        else _tagged(value, outputs[0], place)
        for step, value in written.items()
    }
    texts = {str(at): text for at, text in enumerate(outputs, 1)}
    if not asked.contrastive:
        texts = {"output": outputs[0]}
    checked = public(asked.check(answer, texts))
    extra = {
        step.name: step.asks.extra(outputs[0])
        for step in asked.steps
        if isinstance(step.asks, ASKS_WITH_EXTRA)
    }
    return Example(content["other"], outputs, checked, content["why"], extra)


def _marks(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _placed(mark: Mapping[str, Any], output: str, place: str) -> dict[str, Any]:
    """A mark in code points, from one that quotes the words it stands on."""
    kept = {key: mark[key] for key in ("severity", "category") if key in mark}
    if mark.get("missing"):
        return {"side": MISSING, **kept}
    return {"side": "output", **_span(mark.get("text"), output, place), **kept}


def _tagged(value: Any, output: str, place: str) -> Any:
    """Tags in code points, from ones that quote the words they stand on."""
    if isinstance(value, dict) and isinstance(value.get("found"), list):
        # An empty quotation stands for what is not there.
        found = [
            _span(text, output, place) if text else None for text in value["found"]
        ]
        return {**value, "found": found}
    if not isinstance(value, dict) or not _marks(value.get("tags")):
        return value
    tags = [
        {
            **_span(tag.get("text"), output, place),
            **{key: entry for key, entry in tag.items() if key != "text"},
        }
        for tag in value["tags"]
    ]
    return {**value, "tags": tags}


def _span(text: object, output: str, place: str) -> dict[str, int]:
    start = output.find(text) if isinstance(text, str) and text else -1
    if start < 0:
        msg = f"{place} marks {text!r}, which its output does not hold."
        raise FormatError(msg)
    return {"start": start, "end": start + len(str(text))}
