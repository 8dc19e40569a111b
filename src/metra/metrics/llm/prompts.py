"""Prompts for judges: two of our own, and prompts that users bring in files.

The built-in prompts ask what published ones ask, in our own words: a score (Kocmi and
Federmann 2023, EAMT) and errors with severities (Kocmi and Federmann 2023, WMT; Fernandes
et al. 2023, WMT; Lu et al. 2024, Findings of ACL). Texts stand in them as a JSON object, so
that no text can look like the end of itself.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from metra.errors import FormatError, OptionError, UnknownNameError, no_such
from metra.formats.stream import UnreadableError, parse_json, read_text

#: The folder with our own prompts: system.txt, score.txt and errors.txt.
_TEXTS = Path(__file__).parent / "texts"
_BUILT_IN = ("score", "errors")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_ROLES = ("system", "developer", "user", "assistant")


class SegmentTexts(NamedTuple):
    """The texts of one segment that a prompt may show."""

    hypothesis: str
    source: str = ""
    references: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages with placeholders, and what they are called."""

    name: str
    messages: tuple[tuple[str, str], ...]

    @property
    def placeholders(self) -> frozenset[str]:
        """The placeholders that occur in it."""
        return frozenset(
            name for _, text in self.messages for name in _PLACEHOLDER.findall(text)
        )

    def describe_version(self) -> str:
        """Return the name with a digest of the messages, for signatures."""
        return f"{self.name}[sha256:{self.compute_digest()}]"

    def compute_digest(self) -> str:
        """Return a digest of the messages."""
        return sha256(json.dumps(self.messages).encode()).hexdigest()[:12]

    def fill(
        self, texts: SegmentTexts, languages: Mapping[str, str]
    ) -> list[dict[str, str]]:
        """Put the texts of a segment in the places of placeholders, all at once."""
        shown: dict[str, Any] = {
            "source": texts.source,
            "translation": texts.hypothesis,
        }
        if texts.references:
            shown["references"] = list(texts.references)
        values = {
            "source": texts.source,
            "hypothesis": texts.hypothesis,
            "reference": "\n".join(texts.references),
            "texts": json.dumps(shown, ensure_ascii=False),
            **languages,
        }
        return [
            {"role": role, "content": _PLACEHOLDER.sub(lambda m: values[m[1]], text)}
            for role, text in self.messages
        ]


PLACEHOLDERS = (
    *("source", "hypothesis", "reference", "texts"),
    *("source_language", "target_language"),
)


def read_prompt(name: str) -> Prompt:
    """Return a built-in prompt, or read one from a file.

    A file that ends in .json is a list of messages with role and content; any other file is
    the message of the user.
    """
    if name in _BUILT_IN:
        return Prompt(
            name, (("system", _read_own("system")), ("user", _read_own(name)))
        )
    try:
        text = read_text(name)
    except UnreadableError as error:
        reason = error.reason
        msg = f"llm: prompt={name} is neither score nor errors nor a file: {reason}."
        raise FormatError(msg) from None
    is_list = name.endswith(".json")
    messages = _read_messages(text, name) if is_list else (("user", text),)
    prompt = Prompt(name, messages)
    for placeholder in sorted(prompt.placeholders):
        if placeholder not in PLACEHOLDERS:
            raise UnknownNameError(
                no_such("placeholder", placeholder, PLACEHOLDERS, owner=name)
            )
    if not prompt.placeholders & {"hypothesis", "texts"}:
        msg = (
            f"llm: {name} does not contain the output; add {{hypothesis}} or {{texts}}."
        )
        raise OptionError(msg)
    return prompt


def _read_own(name: str) -> str:
    return (_TEXTS / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def _read_messages(text: str, path: str) -> tuple[tuple[str, str], ...]:
    match parse_json(text, path):
        case [_, *_] as entries if all(map(_is_message, entries)):
            return tuple((entry["role"], entry["content"]) for entry in entries)
    msg = (
        f"{path} is not a list of messages; expected objects with content and a role, "
        f"one of {', '.join(_ROLES)}."
    )
    raise FormatError(msg)


def _is_message(entry: Any) -> bool:
    match entry:
        case {"role": str() as role, "content": str()}:
            return role in _ROLES and len(entry) == 2
    return False
