"""Reading: how long somebody takes for a text, silently or aloud."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from metra.campaign.protocols.answers import (
    KEY,
    get_count,
    get_key,
    get_table,
    make_undefined,
)
from metra.campaign.protocols.kind import KeyedKind, interpolate_chance
from metra.errors import OptionError
from metra.formats.scores.judgement import OutputScore
from metra.text.words import find_words, recognise_spacing

if TYPE_CHECKING:
    import numpy as np

MINUTE = 60_000
#: What is measured: milliseconds in sight and not paused, those of them without a sign of
#: life, pauses, and milliseconds out of sight.
TIMES = ("ms", "idle_ms", "pauses", "hidden_ms")


@dataclass(frozen=True, slots=True)
class Reading(KeyedKind):
    """Milliseconds from start to finish, without pauses, and how often there was one."""

    kind: ClassVar[str] = "reading"
    answer: ClassVar[str] = "The time from start to finish, without pauses."
    measures_reading: ClassVar[bool] = True

    aloud: bool = False
    #: Words per minute of natural text; 0 takes the judge's own, from the baseline text.
    natural: float = 0
    #: Whether there is no score without a natural speed to compare with, or none needed.
    compared: bool = True

    @property
    def needs_baseline(self) -> bool:
        """Whether scores need the judge's own speed."""
        return self.compared and not self.natural

    def limit_times(self, value: Mapping[str, Any], wall_ms: int) -> dict[str, Any]:
        """Return the answer with no time beyond the server's."""
        return limit_times(value, wall_ms)

    def check(
        self, value: object, name: str, texts: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the times with the number of words."""
        entry = get_table(value, name, "ms")
        if self.keyed:
            key = get_key(value, name)
        else:
            text = texts["output"]
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
        """Return words per minute; as fast as natural text, or faster, is 100.

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

    def simulate(
        self, qualities: Sequence[float], text: str, rng: "np.random.Generator"
    ) -> dict[str, Any]:
        """Draw a reading time, shorter where the quality is higher."""
        speed = interpolate_chance(qualities, 90, 240) * float(rng.lognormal(0, 0.1))
        interruptions = int(rng.random() < 0.1)
        milliseconds = 1 + round(len(find_words(text)) * MINUTE / speed)
        return {"ms": milliseconds, "pauses": interruptions}


def compute_reading_speed(value: Mapping[str, Any]) -> float:
    """Return words per minute of active time."""
    return float(value[KEY]["words"] * MINUTE / value["ms"])


def is_interrupted(value: Mapping[str, Any]) -> bool:
    """Return whether there was a pause, so that somebody should look at the attempt."""
    return bool(value.get("pauses") or value.get("hidden_ms"))


def get_dictionary_words(entry: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return the browser's own count of words, if it sent one: no score uses it."""
    what = "dictionary_words"
    return {what: get_count(entry, what, name)} if what in entry else {}


def limit_times(value: Mapping[str, Any], wall_ms: int) -> dict[str, Any]:
    """Return an answer with its times cut to the server's time of the screen."""
    times = ("ms", "idle_ms", "hidden_ms")
    return {
        name: min(entry, wall_ms) if name in times and type(entry) is int else entry
        for name, entry in value.items()
    }
