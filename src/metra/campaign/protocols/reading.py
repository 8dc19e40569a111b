"""Reading: how long somebody takes for a text, silently or aloud."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from metra.campaign.protocols.answers import (
    KEY,
    get_count,
    get_key,
    get_table,
    make_undefined,
)
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.words import find_words, recognise_spacing

MINUTE = 60_000
#: What is measured: milliseconds in sight and not paused, those of them without a sign of
#: life, pauses, and milliseconds out of sight.
TIMES = ("ms", "idle_ms", "pauses", "hidden_ms")


@dataclass(frozen=True, slots=True)
class Reading:
    """Milliseconds from start to finish, without pauses, and how often there was one."""

    kind: ClassVar[str] = "reading"

    aloud: bool = False
    #: Words per minute of natural text; 0 takes the judge's own, from the baseline text.
    natural: float = 0
    #: Whether there is no score without a natural speed to compare with, or none needed.
    compared: bool = True
    keyed: bool = False

    def within(self, value: object, wall_ms: int) -> object:
        """Trust no client's time beyond the server's."""
        return limit_times(value, wall_ms, "ms", "idle_ms", "hidden_ms")

    def check(
        self, value: object, name: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Give the times back with the number of words."""
        entry = get_table(value, name, "ms")
        if self.keyed:
            key = get_key(value, name)
        else:
            text = given["output"]
            key = {
                "words": len(find_words(text)),
                "counted": recognise_spacing(text),
                "natural": self.natural or None,
            }
            if not self.compared:
                key["compared"] = False
        times = {what: get_count(entry, what, name) for what in TIMES}
        if not times["ms"] and key["words"]:
            msg = f"{name}: ms is 0; expected the time that reading took."
            raise OptionError(msg)
        return {**times, **get_dictionary_words(entry, name), KEY: key}

    def scores(self, value: dict[str, Any], name: str) -> list[OutputScore]:
        """Words per minute; as fast as natural text, or faster, is 100.

        >>> value = {"ms": 30000, "pauses": 0, "key": {"words": 60, "natural": 160.0}}
        >>> Reading().scores(value, "reading-speed")[0][1:3]
        (120.0, 75.0)
        """
        key = value[KEY]
        if not key["words"]:
            return [make_undefined(name, "the text has no words")]
        if not value["ms"]:
            return [make_undefined(name, "no time was measured")]
        if not key["natural"] and not key.get("compared", True):
            return []
        if not key["natural"]:
            reason = "the judge has not read the baseline text"
            return [
                make_undefined(name, reason)._replace(
                    native=compute_reading_speed(value)
                )
            ]
        pace = compute_reading_speed(value)
        return [OutputScore(name, pace, 100 * min(1.0, pace / key["natural"]))]


def compute_reading_speed(value: Mapping[str, Any]) -> float:
    """Words per minute of active time."""
    return float(value[KEY]["words"] * MINUTE / value["ms"])


def is_interrupted(value: Mapping[str, Any]) -> bool:
    """Whether there was a pause, so that the attempt is to be looked at."""
    return bool(value.get("pauses") or value.get("hidden_ms"))


def get_dictionary_words(entry: Mapping[str, Any], name: str) -> dict[str, int]:
    """The words that the judge's browser found in the text, if it told: no score uses it."""
    what = "dictionary_words"
    return {what: get_count(entry, what, name)} if what in entry else {}


def limit_times(value: object, wall_ms: int, *entries: str) -> object:
    """Cut times to the server's; what is no table of times is left to be refused."""
    if not isinstance(value, Mapping):
        return value
    return {
        name: min(entry, wall_ms) if name in entries and type(entry) is int else entry
        for name, entry in value.items()
    }
