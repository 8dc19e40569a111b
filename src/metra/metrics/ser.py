"""Sentence error rate: the share of segments that are not exactly a reference."""

from functools import partial
from typing import Literal

import numpy as np

from metra import _core
from metra.corpus.batch import Batch, Sentence
from metra.metrics.record import Array, Metric, Parts, metric_factory
from metra.text.preparation import Preparation, make_preparation


@metric_factory
def ser(
    *,
    tok: str = "none",
    case: Literal["mixed", "lower"] = "mixed",
    stem: str = "no",
) -> Metric:
    """Percentage of segments whose output equals none of the references. Lower is better.

    Output and reference are equal if they have the same words in the same order after
    preparation, so how much white space is between them does not matter.

    Federico 2008, lecture on MT evaluation; an old companion of the word error rate.

    Options:
        tok: how text is cut into words; none cuts at white space.
        case: whether letter case counts.
        stem: compare stems: no, porter, or a Snowball language such as english.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="ser",
        columns=("wrong", "segments"),
        rows=partial(rows, text=text),
        aggregate=aggregate,
        higher_is_better=False,
        parts=parts,
        settled=text.versions(),
    )


def rows(batch: Batch | Sentence, *, text: Preparation) -> Array:
    """1 for each segment that equals no reference, and 1 for each segment: (segments, 2)."""
    return _core.unequal_rows(batch.hits(text))


def aggregate(totals: Array) -> Array:
    """The share of wrong segments of each row of totals, in percent."""
    return 100 * totals[..., 0] / np.maximum(totals[..., 1], 1)


def parts(totals: Array) -> Parts:
    """The numbers of segments behind one corpus score."""
    return {"wrong": float(totals[0]), "segments": float(totals[1])}
