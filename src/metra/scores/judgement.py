"""A judgement: one answer of one judge about one screen, and its scores as a table.

Protocols, which turn an answer into scores, are in `metra.campaign`; files carry the scores
beside the answers, so that they can be read without them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import nan
from operator import attrgetter
from typing import Any, Literal, TypeAlias

import numpy as np

from metra.errors import FormatError
from metra.formats.stream import DAMAGE, describe_damage
from metra.scores.table import (
    COUNTED,
    ITEM_KINDS,
    ScoredItem,
    Scorer,
    ScoreRow,
    Scores,
    number_named,
    number_texts,
)
from metra.stats.arrays import Codes, expand_ranges, number_names
from metra.stats.direction import LOWER, find_direction
from metra.text.scripts import is_language_code
from metra.text.words import count_words_to_read

#: Why a judge was given an output. A baseline measures how a judge reads any text; a
#: control measures what is found without the translation.
JudgementKind: TypeAlias = Literal[
    "judged", "reference", "control", "calibration", "repeat", "degraded", "baseline"
]
#: Severities of marks that do not count as errors.
NEUTRAL = ("neutral", "trivial")
#: The side of a mark for what the output leaves out; it has no place of its own.
OMISSION = "missing"
#: Why an output was skipped, where it is so bad that judging it is a waste of time.
NOT_TRANSLATION = "not a translation"


# Not frozen: to make a frozen record of thirty fields takes eight times as long, and stores
# read a hundred thousand of them at once. Nothing changes one.
@dataclass(slots=True)
class Judgement:
    """Everything that an analysis or an export needs; places in code points, ends open.

    `systems` and `outputs` hold more than one entry where outputs were compared. Equal
    answers may share one `value`.
    """

    id: str
    campaign: str
    protocol: str
    protocol_version: str
    source_language: str
    target_language: str
    judge: str
    task: str
    kind: JudgementKind
    systems: tuple[str, ...]
    document: str
    #: Counted from 1 through the whole corpus.
    segment: int
    source: str | None
    outputs: tuple[str, ...]
    value: dict[str, Any]
    #: A later revision replaces an earlier one; all of them are kept.
    revision: int = 1
    #: The task that this one repeats or degrades.
    original: str | None = None
    shown_at: float | None = None
    first_action_at: float | None = None
    submitted_at: float | None = None
    wall_ms: int | None = None
    active_ms: int | None = None
    hidden_ms: int | None = None
    idle_ms: int | None = None
    paused_ms: int | None = None
    comment: str = ""
    #: Why the judge could not judge this; then there is no value.
    cannot: str | None = None
    #: The language in which the judge read the questions, and a hash of all its words;
    #: empty where that is not known.
    wording: str = ""
    wording_version: str = ""
    #: Start and end of the part of the output that was judged; None is all of it.
    portion: tuple[int, int] | None = None

    @property
    def counts(self) -> bool:
        """True if it may count for systems."""
        return self.kind in COUNTED and self.cannot is None


def build_imported_judgement(
    name: str, languages: tuple[str, str], *, system: str, output: str, **fields: Any
) -> Judgement:
    """Build a judgement of one output that another program asked for."""
    for code in languages:
        if not is_language_code(code):
            msg = f"The language is {code!r}; expected a code such as fr."
            raise FormatError(msg)
    return Judgement(
        id=name,
        task=name,
        protocol_version="",
        source_language=languages[0],
        target_language=languages[1],
        systems=(system,),
        outputs=(output,),
        **fields,
    )


#: Check a judgement's answer against its protocol and return it tidied, with the protocol's
#: version, or raise a ValueError that says what is wrong. Readers take such a function.
JudgementCheck: TypeAlias = Callable[[Judgement], Judgement]


@contextmanager
def refuse_line(place: str) -> Iterator[None]:
    """Turn whatever goes wrong in reading a line into an error that names its place."""
    try:
        yield
    except DAMAGE as error:
        msg = f"{place} cannot be read: {describe_damage(error)}."
        raise FormatError(msg) from None


#: Return the rows of each output of an answer; none if it rates nothing.
AnswerScorer: TypeAlias = Callable[[Judgement], Sequence[Sequence[ScoreRow]]]
#: The place of the last revision of each answer, by judge, task and segment.
Latest: TypeAlias = dict[tuple[str, str, int], int]
#: Reason of an answer that rates nothing, such as tagged names.
UNSCORED = "the protocol gives no score"


def explain_skipped(cannot: str) -> str:
    """Return the reason for the missing score of an output that could not be judged."""
    return f"could not be judged: {cannot}"


def has_scores(reason: str) -> bool:
    """Return False for the reason of an answer that rates nothing or was skipped."""
    return reason != UNSCORED and not reason.startswith(explain_skipped(""))


def build_scores(
    judgements: Sequence[Judgement],
    score_answer: AnswerScorer,
    *,
    whole: Collection[str] = (),
    flags: Mapping[str, Sequence[str]] | None = None,
) -> Scores:
    """Build the table of all answers, every revision, with the scores of their outputs.

    Each answer has at least one row. `whole` are the protocols that judge documents as a
    whole, and `flags` the reasons to look at a judge.
    """
    rows = _AnswerRows(judgements, score_answer)
    at, line = rows.expand()
    latest = find_latest(judgements)
    judges, judge = number_named([one.judge for one in judgements])
    shown = [one.systems for one in judgements]
    systems, system = number_names([name for names in shown for name in names])
    sizes = np.array([*map(len, shown)], np.int64)
    starts = np.cumsum(sizes) - sizes
    items, item = _number_items(judgements, whole)
    texts = [text for one in judgements for text in one.outputs]
    outputs = np.array([len(one.outputs) for one in judgements], np.int64)
    answer_of_text = np.repeat(np.arange(len(judgements)), outputs)
    to_read = count_words_to_read(texts)
    words = np.bincount(answer_of_text, to_read, len(judgements)).astype(np.float64)
    times, active = (
        np.array([getattr(one, name) for one in judgements], np.float64)
        for name in ("submitted_at", "active_ms")
    )
    scores = Scores(
        systems,
        items,
        tuple(
            Scorer(name, name, find_direction(higher), True)
            for name, higher in rows.scorers
        ),
        judges,
        system[starts[at] + rows.place[line]],
        item[at],
        rows.scorer[line],
        judge[at],
        rows.value[line],
        kind=_code_kinds(judgements, latest)[at],
        hundred=rows.hundred[line],
        answer=at,
        original=_find_originals(judgements, latest)[at],
        submitted_at=times[at],
        seconds=active[at] / 1000,
        words=words[at],
        reason=rows.reason[line],
        reasons=tuple(rows.reasons),
        measured=rows.measured[line]
        if np.isfinite(rows.measured).any()
        else np.empty(0),
        errors=rows.errors[line] if np.isfinite(rows.errors).any() else np.empty(0),
        flags={name: tuple(why) for name, why in (flags or {}).items() if why},
    )
    return mark_compared(scores)


def mark_compared(scores: Scores) -> Scores:
    """Mark the scorers whose values put the outputs of each answer in order.

    A choice of the best of more than two does not say in which order the others are.
    """
    width = len(scores.scorers)
    keys, sizes = np.unique(scores.answer * width + scores.scorer, return_counts=True)
    scorers = []
    for at, scorer in enumerate(scores.scorers):
        seen = sizes[keys % width == at]
        is_order = scorer.direction == LOWER or bool((seen == 2).all())
        compares = len(seen) > 0 and bool((seen > 1).all()) and is_order
        scorers.append(scorer._replace(compares=compares))
    return replace(scores, scorers=tuple(scorers))


class _AnswerRows:
    """The rows of different answers, made once for all that share a value."""

    def __init__(
        self, judgements: Sequence[Judgement], score_answer: AnswerScorer
    ) -> None:
        numbers: dict[tuple[object, ...], int] = {}
        scorers: dict[tuple[str, bool], int] = {}
        reasons: dict[str, int] = {}
        rows: list[tuple[int, int, int, float, float, int, float]] = []
        code = []
        for one in judgements:
            key: tuple[object, ...] = one.protocol, id(one.value)
            if one.cannot is not None:
                key = one.protocol, one.cannot, len(one.outputs)
            if (number := numbers.get(key)) is None:
                number = numbers[key] = len(numbers)
                is_scored = one.cannot is None
                outputs = score_answer(one) if is_scored else [()] * len(one.outputs)
                errors = count_errors(one.value) if is_scored else nan
                for place, given in enumerate(outputs):
                    for row in given or [_explain_unscored(one)]:
                        name, value, hundred, higher, reason = row
                        scorer = scorers.setdefault((name, higher), len(scorers))
                        why = reasons.setdefault(reason, len(reasons)) if reason else -1
                        about = number, place, scorer, value, hundred
                        rows.append((*about, why, errors))
            code.append(number)
        self.code = np.array(code, np.int64)
        self.scorers, self.reasons = list(scorers), list(reasons)
        columns = np.array(rows, np.float64).reshape(-1, 7)
        of_value, self.place, self.scorer, self.reason = (
            columns[:, at].astype(np.int64) for at in (0, 1, 2, 5)
        )
        self.errors = columns[:, 6]
        lacks_value = self.reason >= 0
        self.measured = np.where(lacks_value, columns[:, 3], nan)
        columns[lacks_value, 3:5] = nan
        self.value, self.hundred = columns[:, 3:5].T
        self.sizes = np.bincount(of_value, minlength=len(numbers))

    def expand(self) -> tuple[Codes, Codes]:
        """Return the answer of each row of the table, and the row of its value."""
        starts = np.cumsum(self.sizes) - self.sizes
        return expand_ranges(starts[self.code], self.sizes[self.code])


def count_errors(value: Mapping[str, Any]) -> float:
    """Count the errors that an answer marks; NaN if it was asked for none.

    >>> count_errors({"errors": [{"severity": "minor"}], "esa": 80})
    1.0
    """
    lists = [step for step in value.values() if isinstance(step, list)]
    marks = [mark for step in lists for mark in step]
    if not lists or not all(isinstance(m, dict) and "severity" in m for m in marks):
        return nan
    return float(sum(str(m["severity"]).lower() not in NEUTRAL for m in marks))


def _explain_unscored(judgement: Judgement) -> ScoreRow:
    cannot = judgement.cannot
    reason = UNSCORED if cannot is None else explain_skipped(cannot)
    return ScoreRow(judgement.protocol, nan, nan, True, reason)


def _number_items(
    judgements: Sequence[Judgement], whole: Collection[str]
) -> tuple[tuple[ScoredItem, ...], Codes]:
    places, place = number_names([*map(_GET_PLACE, judgements)])
    named = []
    for protocol, segment, document, source, target in places:
        is_whole = protocol in whole
        name = document or (str(segment) if is_whole else "")
        lang = f"{source}-{target}"
        named.append(ScoredItem("" if is_whole else str(segment), name, lang=lang))
    items, item = number_names(named)
    return items, item[place]


_GET_PLACE = attrgetter(
    *("protocol", "segment", "document", "source_language", "target_language")
)
_GET_TASK = attrgetter("judge", "task", "segment")


def _code_kinds(judgements: Sequence[Judgement], latest: Latest) -> Codes:
    """Return the kind of each answer's item; a revision that was replaced is `earlier`."""
    codes = {kind: at for at, kind in enumerate(ITEM_KINDS)}
    kinds = np.full(len(judgements), codes["earlier"])
    for at in latest.values():
        kinds[at] = codes[judgements[at].kind]
    return kinds


def find_latest(judgements: Sequence[Judgement]) -> Latest:
    """Find the last revision of each answer."""
    latest: Latest = {}
    for at, key in enumerate(map(_GET_TASK, judgements)):
        if judgements[at].revision >= judgements[latest.setdefault(key, at)].revision:
            latest[key] = at
    return latest


def _find_originals(judgements: Sequence[Judgement], latest: Latest) -> Codes:
    """Return the number of the answer that each repeats or degrades, or -1."""
    originals = np.full(len(judgements), -1, np.int64)
    for at, one in enumerate(judgements):
        if one.original is not None:
            originals[at] = latest.get((one.judge, one.original, one.segment), -1)
    return originals


def find_outputs(judgements: Sequence[Judgement], scores: Scores) -> list[int]:
    """Return the place of each row's output in its answer.

    `scores` is the table of these answers. All outputs of an answer have as many rows.
    """
    rows = np.bincount(scores.answer, minlength=len(judgements))
    outputs = np.array([len(one.outputs) for one in judgements], np.int64)
    place = np.arange(len(scores)) - (np.cumsum(rows) - rows)[scores.answer]
    each = rows // np.maximum(outputs, 1)
    return (place // each[scores.answer]).tolist()


def attach_outputs(scores: Scores, judgements: Sequence[Judgement]) -> Scores:
    """Attach the judged outputs to the table of these answers; damaged ones do not count."""
    counted = np.isin(scores.get_kinds(), [ITEM_KINDS.index(kind) for kind in COUNTED])
    columns = scores.answer.tolist(), find_outputs(judgements, scores), counted.tolist()
    texts = [
        judgements[at].outputs[place] if is_counted and judgements[at].outputs else ""
        for at, place, is_counted in zip(*columns, strict=True)
    ]
    return replace(scores, **number_texts(texts))


def get_marks(judgement: Judgement) -> list[dict[str, Any]]:
    """Return its error marks, whatever their step is called; none if it marks nothing."""
    lists = [value for value in judgement.value.values() if isinstance(value, list)]
    return [mark for marks in lists for mark in marks if isinstance(mark, dict)]
