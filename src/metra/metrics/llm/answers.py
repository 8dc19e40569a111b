"""Answers of judges, read strictly: anything unexpected is unread, never guessed."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from metra.metrics.llm.cache import ModelAnswer
from metra.scores.spans import Mark

SEVERITIES = ("minor", "major", "critical")

_NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?")
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)
# Ends of an answer with which it is not whole.
_CUT_SHORT = {
    "length": "it was cut off at answer_tokens",
    "content_filter": "the endpoint's content filter blocked it",
    "refusal": "the judge refused",
}
_LISTED = re.compile(r'(?P<category>[^"“]+?)\s+[-–]\s+["“](?P<text>.*)["”]\.?')


class UnreadError(ValueError):
    """An answer in another format than requested; the message says why."""


class AnswerScale(NamedTuple):
    """Answers with a score within a scale."""

    low: float
    high: float

    def score(self, answer: ModelAnswer) -> float:
        """Read a number, or a JSON object with the number `score`, within the scale."""
        text = _get_whole_text(answer)
        number = float(text) if _NUMBER.fullmatch(text) else _read_object(text, "score")
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            msg = "the score is not a number"
            raise UnreadError(msg)
        if not self.low <= number <= self.high:
            msg = f"the score is {number:g}, not from {self.low:g} to {self.high:g}"
            raise UnreadError(msg)
        return float(number)

    def list_errors(self, answer: ModelAnswer) -> list[Mark]:
        """Return no errors; raise an error if the answer cannot be read."""
        self.score(answer)
        return []


class ErrorWeights(NamedTuple):
    """Answers with errors, and the weights of severities."""

    weights: Mapping[str, float]
    cap: float
    has_lists: bool

    def score(self, answer: ModelAnswer) -> float:
        """Read an answer as errors and return minus their weight."""
        errors = self.list_errors(answer)
        total = sum(self.weights[error.severity] for error in errors)
        return 0.0 - (min(total, self.cap) if self.cap else total)

    def list_errors(self, answer: ModelAnswer) -> list[Mark]:
        """Read an answer as errors."""
        if self.has_lists:
            return read_error_lists(answer)
        return read_errors(answer)


def read_errors(answer: ModelAnswer) -> list[Mark]:
    """Read a JSON object with the list `errors` of objects: span, severity, category."""
    entries = _read_object(_get_whole_text(answer), "errors")
    if not isinstance(entries, list):
        msg = "errors is not a list"
        raise UnreadError(msg)
    return [_read_error(entry) for entry in entries]


def read_error_lists(answer: ModelAnswer) -> list[Mark]:
    """Read GEMBA-MQM's lists: `Critical:`, `Major:` and `Minor:`, an error a line.

    A line is `category - "words"`, or `no-error`.
    """
    severity: str | None = None
    errors = []
    is_empty = True
    for line in map(str.strip, _get_whole_text(answer).split("\n")):
        heading = line.lower().removesuffix(":")
        if heading in SEVERITIES and line.endswith(":"):
            severity = heading
        elif line.lower().rstrip(".") in ("no-error", "no error"):
            is_empty = False
        elif line:
            listed = _LISTED.fullmatch(line)
            if severity is None or listed is None:
                msg = f"{line[:60]!r} is not an item of an error list"
                raise UnreadError(msg)
            is_empty = False
            category = listed["category"].strip()
            errors.append(Mark(severity, category=category, text=listed["text"]))
    if is_empty:
        msg = "it lists neither errors nor no-error"
        raise UnreadError(msg)
    return errors


def place_errors(errors: Iterable[Mark], output: str, source: str) -> Iterator[Mark]:
    """Look up the words of errors: in the output, else in the source, as for omissions.

    Equal words, marked again, are the next ones in the text.
    """
    ends: dict[tuple[str, str], int] = {}
    for error in errors:
        placed = error
        for side, text in (("output", output), ("source", source)):
            start = text.find(error.text, ends.get((side, error.text), 0))
            if error.text and start >= 0:
                end = ends[side, error.text] = start + len(error.text)
                placed = error._replace(side=side, start=start, end=end)
                break
        yield placed


def _get_whole_text(answer: ModelAnswer) -> str:
    if answer.finish in _CUT_SHORT:
        raise UnreadError(_CUT_SHORT[answer.finish])
    text = answer.text.strip()
    if not text:
        msg = "it is empty"
        raise UnreadError(msg)
    return text


def _read_object(text: str, key: str) -> Any:
    """Return a value of a JSON object; the text is this object, or a fence around it."""
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(
            fenced[1] if fenced else text,
            object_pairs_hook=_build_object,
            parse_constant=_refuse_constant,
        )
    except UnreadError:
        raise
    except (ValueError, RecursionError):
        msg = "it is not JSON"
        raise UnreadError(msg) from None
    if not isinstance(value, dict) or key not in value:
        msg = f"it is not a JSON object with {key!r}"
        raise UnreadError(msg)
    return value[key]


def _read_error(entry: Any) -> Mark:
    if not isinstance(entry, dict):
        msg = "an error is not a JSON object"
        raise UnreadError(msg)
    values = [entry.get(name) for name in ("span", "severity", "category")]
    text, given, category = (v if isinstance(v, str) else None for v in values)
    if text is None or given is None or category is None:
        msg = "an error lacks span, severity or category, or one of them is not a text"
        raise UnreadError(msg)
    if given not in SEVERITIES:
        msg = f"an error has the severity {given[:30]!r}"
        raise UnreadError(msg)
    return Mark(given, category=category, text=text)


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) < len(pairs):
        msg = "it gives a key twice"
        raise UnreadError(msg)
    return built


def _refuse_constant(name: str) -> None:
    msg = f"it has {name}"
    raise UnreadError(msg)
