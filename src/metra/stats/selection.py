"""Decisions by a metric: which outputs to keep, and which of several to take.

After Perrella, Proietti, Huguet Cabot, Barba and Navigli 2024, EMNLP: filtering keeps the
outputs that a metric scores at least as high as a threshold, re-ranking takes the one that
it scores highest.
"""

from dataclasses import dataclass

import numpy as np

from metra.stats.arrays import Array, Mask, divide, row_means
from metra.stats.tie_calibration import deal_folds

#: What precision weighs beside recall, as a square: F with beta = 1/√2 counts it twice.
BETA_SQUARED = 0.5


@dataclass(frozen=True)
class FilteredOutputs:
    """Outputs kept by a threshold, segment by segment."""

    #: The threshold that is best for all outputs.
    threshold: float
    #: Good outputs that are kept, outputs that are kept, good outputs: (segments, 3).
    rows: Array


def filter_outputs(
    is_good: Array, metric: Array, *, folds: int, seed: int
) -> FilteredOutputs:
    """Keep outputs by a threshold: systems × segments, NaN where nothing is known.

    Each fold of segments is filtered by the best threshold for the others; with
    `folds` of 0, all by the best one for all, which is a little too good.
    """
    present = np.isfinite(is_good) & np.isfinite(metric)
    whole = choose_threshold(metric[present], is_good[present] > 0)
    limits = np.full(metric.shape[1], whole)
    if folds:
        fold = deal_folds(np.flatnonzero(present.any(0)), metric.shape[1], folds, seed)
        for each in range(folds):
            rest = present & (fold != each)
            limits[fold == each] = choose_threshold(metric[rest], is_good[rest] > 0)
    kept = present & (np.where(present, metric, -np.inf) >= limits)
    good = present & (np.where(present, is_good, 0) > 0)
    rows = np.stack([(kept & good).sum(0), kept.sum(0), good.sum(0)], axis=1)
    return FilteredOutputs(whole, rows.astype(np.float64))


def choose_threshold(metric: Array, is_good: Mask) -> float:
    """Return the score from which on to keep outputs for the best F; the highest of several.

    >>> choose_threshold(np.array([1.0, 2, 3, 4]), np.array([False, True, False, True]))
    4.0
    """
    if not is_good.any():
        return float("inf")
    order = np.argsort(-metric, kind="stable")
    values = metric[order]
    right = np.cumsum(is_good[order])
    last = np.append(values[1:] != values[:-1], True)
    kept = np.flatnonzero(last) + 1
    rows = np.stack([right[last], kept, np.full(len(kept), right[-1])], axis=1)
    return float(values[last][np.argmax(aggregate_filter(rows, "F"))])


def aggregate_filter(totals: Array, figure: str) -> Array:
    """Return precision, recall or F of the kept outputs: (..., 3) to (...).

    NaN where nothing is kept or nothing is good.
    """
    precision = divide(totals[..., 0], totals[..., 1])
    recall = divide(totals[..., 0], totals[..., 2])
    if figure == "precision":
        return precision
    if figure == "recall":
        return recall
    below = BETA_SQUARED * precision + recall
    some = divide((1 + BETA_SQUARED) * precision * recall, below, fill=0.0)
    return np.where(np.isnan(below), np.nan, some)


#: The columns of `rerank_outputs` after the number of segments.
RERANKED = ("precision", "recall", "chosen", "best", "mean")


def rerank_outputs(gold: Array, metric: Array) -> Array:
    """Take the output that a metric likes best of each segment: (segments, 6).

    The columns: 1 where two systems or more have both scores; the share of those that the
    metric likes best which people like best, and the reverse; people's score of the chosen
    (mean of ties), of the best, and of all.
    """
    present = np.isfinite(gold) & np.isfinite(metric)
    chosen, best = (_find_highest(values, present) for values in (metric, gold))
    both = (chosen & best).sum(0)
    rows = np.stack(
        [
            (present.sum(0) > 1).astype(np.float64),
            divide(both, chosen.sum(0), fill=0.0),
            divide(both, best.sum(0), fill=0.0),
            *(
                row_means(np.where(mask, gold, np.nan).T)
                for mask in (chosen, best, present)
            ),
        ],
        axis=1,
    )
    return np.where(rows[:, :1] > 0, rows, 0.0)


def _find_highest(values: Array, present: Mask) -> Mask:
    """Mark the highest value of each column, all of them where several are equal."""
    filled = np.where(present, values, -np.inf)
    return present & (filled == filled.max(0))
