"""Files for mt-metrics-eval: `LP.NAME.seg.score` and `LP.NAME.JUDGE.seg.rating`.

A score file has a line for each system and segment, segments in order, None where nobody
judged. A rating holds a judge's marks as JSON, in code points, their ends not included.
Freitag et al. 2023, WMT.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from metra.campaign.judgement import keep_latest, score_outputs
from metra.campaign.protocols.marks import find_marks
from metra.campaign.protocols.registry import protocol
from metra.errors import FormatError
from metra.formats.scores.judgement import OMISSION, Judgement, get_marks
from metra.formats.table import replace_line_breaks

_NOTHING = "None"


def write_scores(
    judgements: Iterable[Judgement],
    scorer: str,
    *,
    systems: Sequence[str],
    segments: int,
) -> str:
    """Write the mean of the judges; penalties are negated, so that higher is better."""
    found: dict[tuple[str, int], list[float]] = {}
    for judgement in keep_latest(judgements):
        if not judgement.counts:
            continue
        for system, scores in zip(
            judgement.systems, score_outputs(judgement), strict=True
        ):
            for scored in scores:
                if scored.scorer == scorer and scored.is_defined:
                    sign = 1 if scored.higher_is_better else -1
                    found.setdefault((system, judgement.segment), []).append(
                        sign * scored.native
                    )
    names = make_file_names(systems)
    lines = (
        f"{names[system]}\t{_mean(found.get((system, segment)))}\n"
        for system in systems
        for segment in range(1, segments + 1)
    )
    return "".join(lines)


def write_ratings(
    judgements: Iterable[Judgement],
    *,
    systems: Sequence[str],
    segments: int,
    judge: str,
) -> str:
    """Write one judge's marks, a line for each system and segment."""
    found: dict[tuple[str, int], Judgement] = {
        (judgement.systems[0], judgement.segment): judgement
        for judgement in keep_latest(judgements)
        if judgement.counts and judgement.judge == judge
    }
    names = make_file_names(systems)
    return "".join(
        f"{names[system]}\t{_rating(found.get((system, segment)))}\t"
        f"{replace_line_breaks(judge)}\n"
        for system in systems
        for segment in range(1, segments + 1)
    )


def make_file_names(systems: Sequence[str]) -> dict[str, str]:
    """Give each system a name without spaces, at which score files are cut; none twice.

    >>> make_file_names(["my system", "my_system", "other"])
    {'my system': 'my_system', 'my_system': 'my_system-2', 'other': 'other'}
    """
    found: dict[str, str] = {}
    for system in systems:
        plain = name = "_".join(system.split()) or "system"
        number = 1
        while name in found.values():
            number += 1
            name = f"{plain}-{number}"
        found[system] = name
    return found


def read_scores(text: str, place: str) -> list[tuple[str, int, float | None]]:
    """Read system, segment and score of each line; None where nobody judged."""
    counts: dict[str, int] = {}
    found = []
    for at, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        system, _, cell = line.partition("\t")
        counts[system] = counts.get(system, 0) + 1
        try:
            score = None if cell == _NOTHING else float(cell)
        except ValueError:
            msg = (
                f"{place}, line {at} is {line[:60]!r}; expected a system's name, a tab and "
                "its score, or None where it is missing."
            )
            raise FormatError(msg) from None
        found.append((system, counts[system], score))
    return found


def read_ratings(
    text: str, place: str, *, judge: str = ""
) -> list[tuple[str, int, str, list[dict[str, Any]] | None]]:
    """Read system, segment, judge and marks of each line; None where nobody judged.

    `judge` is who judged where the lines do not say it.
    """
    counts: dict[str, int] = {}
    found = []
    for at, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        cells = line.split("\t")
        cells += [judge] if len(cells) == 2 and judge else []
        if len(cells) != 3:
            msg = (
                f"{place}, line {at} has {len(cells)} columns; "
                "expected system, rating and judge."
            )
            raise FormatError(msg)
        system, rating, who = cells
        counts[system] = counts.get(system, 0) + 1
        found.append(
            (system, counts[system], who, _marks(rating, f"{place}, line {at}"))
        )
    return found


def _mean(values: list[float] | None) -> str:
    return _NOTHING if values is None else repr(sum(values) / len(values) + 0.0)


def _rating(judgement: Judgement | None) -> str:
    if judgement is None:
        return _NOTHING
    asks = find_marks(step.asks for step in protocol(judgement.protocol).steps)
    errors = [
        {
            "start": mark["start"],
            "end": mark["end"],
            "category": mark.get(
                "category", OMISSION if mark["side"] == OMISSION else ""
            ),
            "severity": mark["severity"],
            "score": asks.cost(mark["severity"], mark.get("category", "")) / 10
            if asks
            else 0.0,
            "is_source_error": mark["side"] == "source",
        }
        for mark in get_marks(judgement)
    ]
    return json.dumps({"errors": errors}, ensure_ascii=True)


def _marks(rating: str, place: str) -> list[dict[str, Any]] | None:
    if rating == _NOTHING:
        return None
    try:
        return [_mark(error) for error in json.loads(rating)["errors"]]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{place}: the rating is no JSON with errors ({error})."
        raise FormatError(msg) from None


def _mark(error: dict[str, Any]) -> dict[str, Any]:
    side = "source" if error.get("is_source_error") else "output"
    if error["start"] == error["end"]:
        side = OMISSION
    mark = {"side": side, "start": error["start"], "end": error["end"]}
    mark["severity"] = error["severity"]
    if error.get("category") and error["category"] != OMISSION:
        mark["category"] = error["category"]
    return mark
