"""What judges are told before they begin: a lead, what to look at, and worked examples.

The texts belong to the protocols: `human/guides/PROTOCOL.LANGUAGE.toml`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from metra import human
from metra.errors import FormatError
from metra.human.protocols import protocol
from metra.human.protocols.marks import MISSING
from metra.human.protocols.record import ASKS_WITH_EXTRA, public

_HERE = Path(human.__file__).parent / "guides"
_ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Example:
    """Texts as a screen would show them, the answer that we would give, and why."""

    other: str
    outputs: tuple[str, ...]
    answer: dict[str, Any]
    why: str
    #: What a step needs beside the texts, such as questions.
    extra: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Guide:
    """How to judge by a protocol, in the language that it was found in."""

    language: str
    lead: str
    points: tuple[str, ...]
    examples: tuple[Example, ...]

    def for_browser(self) -> dict[str, Any]:
        """What the page needs to let judges try the examples."""
        return {
            "language": self.language,
            "examples": [asdict(example) for example in self.examples],
        }


@cache
def guide(name: str, language: str = _ENGLISH) -> Guide:
    """The guide of a protocol in a language, else in English, else an empty one.

    >>> guide("ldc", "cs").language
    'en'
    """
    for code in (language, _ENGLISH):
        path = _HERE / f"{name}.{code}.toml"
        if path.exists():
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            return Guide(
                code,
                content["lead"],
                tuple(content["points"]),
                tuple(_example(name, one, path) for one in content["examples"]),
            )
    return Guide(_ENGLISH, protocol(name).title, (), ())


def _example(name: str, content: Mapping[str, Any], path: Path) -> Example:
    """Check our answer as a judge's would be, so that no guide teaches what is refused."""
    asked = protocol(name).bound(content.get("material", {}), document="", segment=0)
    outputs = tuple(content["outputs"])
    written = {
        step.replace("{step}", asked.steps[0].name): value
        for step, value in content["answer"].items()
    }
    answer = {
        step: [_placed(mark, outputs[0], path) for mark in value]
        if _marks(value)
        else value
        for step, value in written.items()
    }
    for value in answer.values():
        if isinstance(value, dict) and "tags" in value:
            value["tags"] = [_tag(tag, outputs[0], path) for tag in value["tags"]]
        elif isinstance(value, dict) and "found" in value:
            value["found"] = [
                _place(text, outputs[0], path) if text else None
                for text in value["found"]
            ]
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


def _placed(mark: Mapping[str, Any], output: str, path: Path) -> dict[str, Any]:
    """A mark in code points, from one that quotes the words it stands on."""
    kept = {key: mark[key] for key in ("severity", "category") if key in mark}
    if mark.get("missing"):
        return {"side": MISSING, **kept}
    return {"side": "output", **_place(mark["text"], output, path), **kept}


def _tag(tag: Mapping[str, Any], output: str, path: Path) -> dict[str, Any]:
    """A tag in code points, from one that quotes the words it stands on."""
    rest = {key: value for key, value in tag.items() if key != "text"}
    return {**_place(tag["text"], output, path), **rest}


def _place(text: str, output: str, path: Path) -> dict[str, int]:
    start = output.find(text)
    if start < 0:
        msg = f"{path} marks {text!r}, which its output does not hold."
        raise FormatError(msg)
    return {"start": start, "end": start + len(text)}
