"""Agreement of judges on the errors or names that they marked."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from metra.scores.error_spans import NEUTRAL
from metra.scores.judgement import Judgement
from metra.stats.arrays import (
    expand_ranges,
    number_by_appearance,
    number_names,
)
from metra.stats.defaults import SEED, TRIALS
from metra.stats.span_agreement import (
    SpanAgreement,
    SpanColumns,
    agree_on_spans,
    sort_marks,
)

#: The figures of spans whose intervals are told.
_SHOWN = (("characters", "F"), ("spans", "F"))


def compute_span_agreement(
    judgements: Iterable[Judgement], *, trials: int = TRIALS, seed: int = SEED
) -> SpanAgreement | None:
    """Compare the errors or names that judges marked; None where no two marked the same.

    The judgements are without checks.
    """
    answered = [one for one in judgements if one.cannot is None]
    # Most protocols ask for no marks, and most answers share their value with others.
    values = {id(one.value): one.value for one in answered}.values()
    steps = (step for value in values for step in value.values())
    list_spans = next(filter(None, map(_choose_spans, steps)), None)
    if list_spans is None:
        return None
    marks = _collect_marks(answered, list_spans)
    agreement = agree_on_spans(marks, trials=trials, seed=seed, keys=_SHOWN)
    return agreement if agreement.overall is not None else None


_SpanLister: TypeAlias = Callable[[Any], list[tuple[int, int, bool]] | None]


def _collect_marks(
    judgements: Iterable[Judgement],
    list_spans: _SpanLister,
) -> SpanColumns:
    """Gather the spans of steps that may have some, by output and judge."""
    values = {id(one.value): one.value for one in judgements}
    spans_by_value: dict[int, list[tuple[int, int, bool]]] = {}
    for key, value in values.items():
        lists = [
            spans for spans in map(list_spans, value.values()) if spans is not None
        ]
        if lists:
            spans_by_value[key] = [span for spans in lists for span in spans]
    answered = [one for one in judgements if id(one.value) in spans_by_value]
    systems, system = number_names([one.systems[0] for one in answered])
    names, judge = number_names([one.judge for one in answered])
    segment = np.array([one.segment for one in answered], np.int64)
    outputs, output = number_by_appearance(segment * len(systems) + system)
    lengths = np.zeros(len(outputs), np.int64)
    lengths[output] = [len(one.outputs[0]) for one in answered]
    # A judge may have marked the same output in several answers.
    pairs, rating = number_by_appearance(output * len(names) + judge)
    rated, rater = np.divmod(pairs, len(names))
    # Raters are numbered as they appear, output by output.
    order, _ = number_by_appearance(rater[np.argsort(rated, kind="stable")])
    places = np.empty(len(names), np.int64)
    places[order] = np.arange(len(order))
    keys, code = number_names([id(one.value) for one in answered])
    sizes = np.array([len(spans_by_value[key]) for key in keys], np.int64)
    flat = chain.from_iterable(chain.from_iterable(spans_by_value[key] for key in keys))
    columns = np.fromiter(flat, np.int64, 3 * int(sizes.sum())).reshape(-1, 3)
    answer, line = expand_ranges((np.cumsum(sizes) - sizes)[code], sizes[code])
    start, end, is_major = columns[line].T
    return sort_marks(
        [names[at] for at in order.tolist()],
        number_by_appearance(outputs // len(systems))[1],
        lengths,
        rated,
        places[rater],
        (rating[answer], start, end, is_major != 0),
    )


def _choose_spans(step: Any) -> _SpanLister | None:
    """Return what lists the spans of a step and of those like it, if it has any."""
    if isinstance(step, dict) and "tags" in step:
        return _list_tags
    if isinstance(step, list) and any(map(_is_error, step)):
        return _list_errors
    return None


def _list_tags(step: Any) -> list[tuple[int, int, bool]] | None:
    """List the names or terms that a judge tagged, whatever their types."""
    if not isinstance(step, dict) or "tags" not in step:
        return None
    return [(tag["start"], tag["end"], True) for tag in step["tags"]]


def _list_errors(step: Any) -> list[tuple[int, int, bool]] | None:
    """List the errors that a judge marked in the output."""
    if not isinstance(step, list):
        return None
    return [
        (mark["start"], mark["end"], severity != "minor")
        for mark in filter(_is_error, step)
        if (severity := mark["severity"].lower()) not in NEUTRAL
        and mark.get("side", "output") == "output"
    ]


def _is_error(mark: Any) -> bool:
    return isinstance(mark, dict) and "severity" in mark
