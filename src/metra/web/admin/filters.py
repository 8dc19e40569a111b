"""The filter bar: what the address asks for, as wishes; what it cannot mean is left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args

from starlette.datastructures import QueryParams

from metra.human.judgement import Judgement
from metra.human.task import Kind
from metra.judging.choosing import Chosen
from metra.judging.flags import Rules
from metra.judging.ranking import RankingWishes
from metra.judging.reading_speed import WORDS_PER_MINUTE
from metra.judging.summary import Wishes

_SPEEDS = (300, 400, 600, 800, 1000)


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen in this campaign."""

    judges: Sequence[str]
    systems: Sequence[str]
    documents: Sequence[str]
    kinds: Sequence[str] = ()
    #: The first and the last day of an answer, in UTC; empty where nothing is timed.
    days: tuple[str, str] = ("", "")
    speeds: Sequence[int] = _SPEEDS


def choices(judgements: Iterable[Judgement], systems: Iterable[str]) -> Choices:
    """List the judges, systems and documents that there are answers about."""
    every = list(judgements)
    there = {one.kind for one in every}
    times = [one.submitted_at for one in every if one.submitted_at is not None]
    days = (_day(min(times)), _day(max(times))) if times else ("", "")
    return Choices(
        sorted({one.judge for one in every}),
        sorted(systems, key=_naturally),
        sorted({one.document for one in every if one.document}, key=_naturally),
        [kind for kind in get_args(Kind) if kind in there],
        days,
    )


def wishes(query: QueryParams, known: Choices) -> Wishes:
    """Read the address; names that are not known mean nothing."""

    def kept(name: str, allowed: Sequence[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(allowed)

    speed = query.get("speed", "")
    fastest = float(speed) if speed in map(str, _SPEEDS) else WORDS_PER_MINUTE
    return Wishes(
        Chosen(
            kept("judge", known.judges),
            kept("system", known.systems),
            kept("document", known.documents),
            kept("kind", known.kinds),
            since=_midnight(query.get("from", "")),
            until=_midnight(query.get("to", ""), days=1),
            without_flagged=query.get("flagged") == "without",
        ),
        RankingWishes(
            by="document" if query.get("by") == "document" else "segment",
            test="bootstrap" if query.get("test") == "bootstrap" else "wilcoxon",
            rule="all" if query.get("rule") == "all" else "neighbours",
            holm=query.get("holm") == "yes",
        ),
        Rules(words_per_minute=fastest),
    )


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _midnight(day: str, *, days: int = 0) -> float | None:
    """The beginning of a day in UTC, or of one that comes later; None for what is no day."""
    try:
        found = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
        return (found + timedelta(days=days)).timestamp()
    except (ValueError, OverflowError):
        return None


def _naturally(name: str) -> tuple[str, int, str]:
    """Put System 2 before System 10."""
    words, _, number = name.rpartition(" ")
    return (words, int(number), "") if number.isdecimal() else (name, 0, name)
