"""What an organiser should look at: a reason in words for each judge, never a verdict."""

from collections.abc import Iterable
from dataclasses import dataclass

from metra.judging.judges import JudgeRow
from metra.judging.reading_speed import WORDS_PER_MINUTE


@dataclass(frozen=True, slots=True)
class Rules:
    """When a judge is flagged; every limit is somebody's choice, so it can be another."""

    #: Nobody reads faster.
    words_per_minute: float = WORDS_PER_MINUTE
    #: The share of early answers that is still allowed.
    too_fast: float = 0.1
    #: So many spoilt copies are needed before anything is said about them.
    spoilt: int = 5
    #: A judge who saw them has a p-value below this.
    alpha: float = 0.05
    #: So many repeats are needed, and so far apart may they be, between 0 and 100.
    repeats: int = 5
    distance: float = 25.0


def flags(rows: Iterable[JudgeRow], rules: Rules | None = None) -> dict[str, list[str]]:
    """Give each judge's reasons, once each; a judge without any has an empty list."""
    rules = rules or Rules()
    found: dict[str, list[str]] = {}
    for row in rows:
        mine = found.setdefault(row.judge, [])
        mine += [reason for reason in _reasons(row, rules) if reason not in mine]
    return found


def flagged(rows: Iterable[JudgeRow], rules: Rules | None = None) -> set[str]:
    """The judges with at least one reason."""
    return {judge for judge, reasons in flags(rows, rules).items() if reasons}


def _reasons(row: JudgeRow, rules: Rules) -> list[str]:
    found = []
    share = row.speed.share
    if share is not None and share > rules.too_fast:
        found.append(
            f"{row.speed.too_fast} of {row.speed.timed} answers faster than "
            f"{rules.words_per_minute:g} words a minute"
        )
    if row.spoilt >= rules.spoilt and (
        row.p_value is None or row.p_value >= rules.alpha
    ):
        chance = "" if row.p_value is None else f" (p = {row.p_value:.2f})"
        found.append(
            f"scored {row.noticed} of {row.spoilt} spoilt copies lower{chance}"
        )
    if row.repeats >= rules.repeats and (row.distance or 0) > rules.distance:
        found.append(f"repeats are {row.distance:.0f} of 100 apart on average")
    if row.deviation == 0 and row.judgements >= rules.repeats:
        found.append(f"always the same score ({row.mean:.0f} of 100)")
    return found
