"""Scores of answers, and means of systems with intervals.

A system's score is the mean over its items of the mean of the item's judges. Calibration,
repeats and degraded copies never enter.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple

import numpy as np

from metra.campaign.judgement import AnswerScores, keep_latest, score_each
from metra.campaign.protocols.answers import KEY
from metra.campaign.protocols.registry import protocol
from metra.errors import format_count
from metra.formats.table import format_rows
from metra.scores.judgement import NOT_TRANSLATION, Judgement
from metra.scores.table import COUNTED
from metra.stats.arrays import (
    Array,
    Codes,
    Mask,
    divide,
    expand_ranges,
    group_lines,
    number_by_appearance,
    number_names,
)
from metra.stats.defaults import SEED, TRIALS
from metra.stats.resampling import Sample, check_settings, compute_intervals
from metra.text.words import Counted


class JudgeScore(NamedTuple):
    """One score of one output by one judge."""

    judge: str
    system: str
    document: str
    segment: int
    native: float
    hundred: float


@dataclass(frozen=True, slots=True)
class ScorerColumns:
    """The scores of one scorer, column by column: a line is one output by one judge."""

    scorer: str
    higher_is_better: bool
    #: Names, whose numbers stand in the columns.
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    documents: tuple[str, ...]
    judge: Codes
    system: Codes
    document: Codes
    segment: Codes
    native: Array
    hundred: Array
    #: What systems are ranked by, higher is better: the native score, or of an order the
    #: share of beaten outputs.
    worth: Array
    #: Whether it enters the means of systems.
    counts: Mask
    #: NaN where nobody knows.
    submitted_at: Array
    #: The number of the order that it is part of, where outputs were put in order; else -1.
    order: Codes

    def __len__(self) -> int:
        return len(self.native)

    def keep_lines(self, kept: Mask) -> "ScorerColumns":
        """Keep some lines; names keep their numbers."""
        columns = [one.name for one in fields(self)[5:]]
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    def list_lines(self) -> Iterator[JudgeScore]:
        """Yield the scores one by one."""
        coded = zip(
            *(
                getattr(self, name).tolist()
                for name in ("judge", "system", "document", *JudgeScore._fields[3:])
            ),
            strict=True,
        )
        judges, systems, documents = self.judges, self.systems, self.documents
        for judge, system, document, *rest in coded:
            yield JudgeScore(judges[judge], systems[system], documents[document], *rest)

    def average(self, key: Codes) -> Iterator[tuple[int, int, float, float]]:
        """Yield each key, its lines, and its mean score, native and between 0 and 100."""
        for code, lines in group_lines(key):
            native = fmean(self.native[lines].tolist())
            yield code, len(lines), native, fmean(self.hundred[lines].tolist())


def group_by_scorer(
    judgements: Iterable[Judgement], scored: AnswerScores | None = None
) -> list[ScorerColumns]:
    """Return all defined scores, scorer by scorer; `scored` are all, where known."""
    judgements = list(judgements)
    scored = score_each(judgements) if scored is None else scored
    # Answers with the same value have the same scores: these are read out once.
    different, code = number_names([id(outputs) for outputs in scored])
    outputs_by_id = {id(outputs): outputs for outputs in scored}
    lines: dict[tuple[str, bool], list[tuple[int, int, float, float]]] = {}
    for number, key in enumerate(different):
        for place, scores in enumerate(outputs_by_id[key]):
            for name, score, percent, higher, reason in scores:
                if not reason:
                    mine = lines.setdefault((name, higher), [])
                    mine.append((number, place, score, percent))
    judges, judge = number_names([one.judge for one in judgements])
    documents, document = number_names([one.document for one in judgements])
    # Outputs, of which some judgements have several.
    shown = [one.systems for one in judgements]
    systems, system = number_names([name for names in shown for name in names])
    sizes = np.array([len(names) for names in shown], np.int64)
    starts = np.cumsum(sizes) - sizes
    contrastive = {
        name: protocol(name).contrastive
        for name in {one.protocol for one in judgements}
    }
    compared = np.array([contrastive[one.protocol] for one in judgements], bool)
    segment = np.array([one.segment for one in judgements], np.int64)
    counts = np.array(
        [one.kind in COUNTED and one.cannot is None for one in judgements], bool
    )
    times = np.array([one.submitted_at for one in judgements], np.float64)
    columns = []
    for (scorer, higher), mine in lines.items():
        columns_of_value = [np.array(column) for column in zip(*mine, strict=True)]
        at, line = _repeat_lines(columns_of_value[0], code, len(different))
        place_on, native, hundred = (column[line] for column in columns_of_value[1:])
        # A choice of the best of several does not say in which order the others are.
        ordered = compared[at] & ((sizes[at] == 2) | (not higher))
        # A penalty is not cut off at 0 of 100, and ranks among two and among ten differ.
        worth = np.where(compared[at], hundred, native if higher else -native)
        columns.append(
            ScorerColumns(
                *(scorer, higher, judges, systems, documents),
                *(judge[at], system[starts[at] + place_on], document[at], segment[at]),
                *(native, hundred, worth, counts[at], times[at]),
                np.where(ordered, at, -1),
            )
        )
    return columns


def _repeat_lines(number: Codes, code: Codes, count: int) -> tuple[Codes, Codes]:
    """Return each judgement's lines: the judgement, and which line of its value.

    Lines are in the order of the `count` values, whose `number` they have; `code` is the
    value of each judgement.
    """
    sizes = np.bincount(number, minlength=count)
    starts = np.cumsum(sizes) - sizes
    return expand_ranges(starts[code], sizes[code])


def drop_judges(scores: ScorerColumns, names: Container[str]) -> ScorerColumns:
    """Return the scores of all judges but some."""
    kept = np.array([name not in names for name in scores.judges], bool)
    return scores.keep_lines(kept[scores.judge])


def set_judges_apart(
    counted: Iterable[ScorerColumns], names: Container[str]
) -> tuple[list[ScorerColumns], list[ScorerColumns]]:
    """Return scores without some judges, and with all where that is not the same.

    A scorer whose judges are all among them has nothing else to go by: it keeps its scores.
    """
    both = [(one, drop_judges(one, names)) for one in counted]
    without = [other if len(other) else one for one, other in both]
    return without, [one for one, other in both if 0 < len(other) < len(one)]


def keep_counting_scores(scores: Iterable[ScorerColumns]) -> list[ScorerColumns]:
    """Return the scores that enter the means of systems."""
    kept = [one.keep_lines(one.counts) for one in scores]
    return [one for one in kept if len(one)]


Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SystemMean:
    """One system by one scorer, on the native scale and between 0 and 100."""

    system: str
    scorer: str
    items: int
    judgements: int
    native: float
    native_interval: Interval | None
    hundred: float
    hundred_interval: Interval | None
    higher_is_better: bool


def average_systems(
    judgements: Iterable[Judgement],
    *,
    by: str = "segment",
    level: float = 0.95,
    trials: int = TRIALS,
    seed: int = SEED,
) -> list[SystemMean]:
    """Return mean and bootstrap interval of each system and scorer, the best first.

    `by` is what is resampled: segments, or whole documents, which do not pretend that
    sentences of one text are independent, or segments and judges crossed (`crossed`), which
    does not pretend that the judgements of one judge are.
    """
    check_settings(
        "A mean", {f"by={by!r}": (by in UNITS, f"one of {', '.join(UNITS)}")}
    )
    counting = keep_counting_scores(group_by_scorer(keep_latest(judgements)))
    return [
        mean
        for one in counting
        for mean in average_scores(one, by=by, level=level, trials=trials, seed=seed)
    ]


def average_scores(
    scores: ScorerColumns,
    *,
    by: str = "segment",
    level: float = 0.95,
    trials: int = TRIALS,
    seed: int = SEED,
) -> list[SystemMean]:
    """The same of one scorer's scores."""
    sums = sum_units(scores, by)
    return average_from_sums(scores, sums, level=level, trials=trials, seed=seed)


def average_from_sums(
    scores: ScorerColumns, sums: "UnitSums", *, level: float, trials: int, seed: int
) -> list[SystemMean]:
    """Return the means of one scorer's systems, the best first."""
    samples = [Sample(rows, compute_mean) for mine in sums.rows for rows in mine[:2]]
    ends = compute_intervals(
        samples, level=level, trials=trials, seed=seed, units=sums.crossed
    )
    means = []
    for at, system in enumerate(sums.systems):
        native, hundred, worth = (
            float(compute_mean(rows.sum(0))) for rows in sums.rows[at]
        )
        interval, hundreds = ends[2 * at : 2 * at + 2]
        name = scores.systems[system]
        mean = SystemMean(
            name,
            scores.scorer,
            sums.items[at],
            sums.judgements[at],
            native,
            interval,
            hundred,
            hundreds,
            scores.higher_is_better,
        )
        means.append((-worth, name, mean))
    return [mean for _, _, mean in sorted(means, key=itemgetter(0, 1))]


@dataclass(frozen=True, slots=True)
class SkippedOutputs:
    """How many answers about a system say that the output is not a translation."""

    system: str
    answers: int
    skipped: int

    @property
    def share(self) -> float:
        """The share of skipped outputs, in per cent."""
        return 100 * self.skipped / self.answers


def count_skipped(judgements: Iterable[Judgement]) -> list[SkippedOutputs]:
    """Count skipped outputs by system, of last revisions; empty where nobody skipped any.

    Outputs that could not be judged for another reason are left out.
    """
    judgements = list(judgements)
    if not any(one.cannot == NOT_TRANSLATION for one in judgements):
        return []
    counts: dict[str, Counter[bool]] = {}
    for one in judgements:
        skipped = one.cannot == NOT_TRANSLATION
        if one.kind in COUNTED and (skipped or one.cannot is None):
            for system in one.systems:
                counts.setdefault(system, Counter())[skipped] += 1
    if not any(count[True] for count in counts.values()):
        return []
    rows = (SkippedOutputs(name, n.total(), n[True]) for name, n in counts.items())
    return sorted(rows, key=lambda row: (-row.share, row.system))


def describe_counts(judgements: Iterable[Judgement]) -> str:
    """Return a sentence on how much there is."""
    kept = keep_latest(judgements)
    judges = len({one.judge for one in kept})
    systems = len({name for one in kept for name in one.systems})
    return (
        f"{format_count(len(kept), 'answer')} from {format_count(judges, 'judge')} "
        f"on {format_count(systems, 'system')}."
    )


#: What is resampled.
UNITS = ("segment", "document", "crossed")


@dataclass(frozen=True, slots=True)
class UnitSums:
    """Sums and counts of item means by what is resampled, for each system."""

    #: The numbers of the systems that have scores.
    systems: list[int]
    #: For each system the sums of native scores, scores to 100 and worths: units × 2.
    rows: list[list[Array]]
    items: list[int]
    judgements: list[int]
    #: The segment and the judge of each unit where both are drawn; else nothing.
    crossed: list[Codes]


def sum_units(scores: ScorerColumns, by: str) -> UnitSums:
    """Return the sums of a scorer's item means, by the unit that is resampled."""
    units, unit_of = _number_units(scores, by)
    crossed = [np.unique(kind, return_inverse=True)[1] for kind in units[1:]]
    sums = UnitSums([], [], [], [], crossed if by == "crossed" else [])
    for system, lines in group_lines(scores.system):
        # Items in the order in which they came, so that sums come to the same digits.
        _, item = number_by_appearance(scores.segment[lines])
        each, unit = np.bincount(item), unit_of[lines]
        rows: list[Array] = []
        for column in (scores.native, scores.hundred, scores.worth):
            values = column[lines]
            if by == "crossed":
                # Each judgement for itself; those of an item count as much as one.
                place, parts, shares = unit, values / each[item], 1 / each[item]
            else:
                place = np.zeros(len(each), np.int64)
                # The first score of an item tells its unit: it is written last.
                place[item[::-1]] = unit[::-1]
                parts = np.bincount(item, values) / each
                shares = np.ones(len(each))
            summed = [np.bincount(place, x, len(units[0])) for x in (parts, shares)]
            rows.append(np.column_stack(summed).astype(np.float64, copy=False))
        sums.systems.append(system)
        sums.rows.append(rows)
        sums.items.append(len(each))
        sums.judgements.append(len(lines))
    return sums


def _number_units(scores: ScorerColumns, by: str) -> tuple[list[Codes], Codes]:
    """Return the units in order, with what they are made of, and the unit of each line."""
    if by == "document":
        units, numbers = np.unique(
            _sort_names(scores.documents)[scores.document], return_inverse=True
        )
        return [units], numbers
    if by == "segment":
        units, numbers = np.unique(scores.segment, return_inverse=True)
        return [units], numbers
    width = len(scores.judges)
    key = scores.segment * width + _sort_names(scores.judges)[scores.judge]
    units, numbers = np.unique(key, return_inverse=True)
    return [units, units // width, units % width], numbers


def _sort_names(names: Sequence[str]) -> Codes:
    """Return the place of each name in their order."""
    places = np.empty(len(names), np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return places


def compute_mean(totals: Array) -> Array:
    """Return sums over counts; NaN where there is nothing."""
    return divide(totals[..., 0], totals[..., 1])


NONE = "n/a"


def write_table(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines with tabs, safe to open; a figure that is undefined is n/a."""
    return format_rows(map(_format_cell, row) for row in rows)


def _format_cell(value: object) -> str:
    if value is None or value != value:
        return NONE
    return repr(value) if isinstance(value, float) else str(value)


_SENTENCES: dict[Counted, str] = {
    "blanks": "Words are separated by spaces and stripped of surrounding punctuation.",
    "letters": (
        "The texts are written without spaces between words, so each letter with "
        "its marks counts as a word. Compare these numbers only within this "
        "language."
    ),
    "both": (
        "Words are separated by spaces. In scripts without spaces, each letter with "
        "its marks counts as a word; compare these numbers only within this "
        "language."
    ),
}


def describe_word_counting(judgements: Iterable[Judgement]) -> str:
    """Return a sentence on how words were counted; empty where none were."""
    ways: set[Counted] = {
        step[KEY]["counted"]
        for one in judgements
        for step in one.value.values()
        if isinstance(step, Mapping) and "counted" in step.get(KEY, {})
    }
    if not ways:
        return ""
    return _SENTENCES[ways.pop() if len(ways) == 1 else "both"]
