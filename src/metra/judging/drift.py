"""Whether a judge became stricter or milder on the way."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from metra.human.judgement import Judgement
from metra.judging.figures import Figure, Figures, by_system, figures_by_scorer
from metra.meta.rank_tests import rank_sum_p

#: Fewer answers than these in either half say nothing.
LEAST = 4


@dataclass(frozen=True, slots=True)
class Drift:
    """The second half of a judge's work against the first, between 0 and 100."""

    #: Above zero: milder towards the end.
    change: float
    #: Two-sided, of the rank sums of both halves.
    p_value: float


def drifts(judgements: Iterable[Judgement]) -> dict[tuple[str, str], Drift]:
    """Compare the halves, by judge and scorer; what has no times or is too little is left out.

    Each score counts as its distance from its system's mean, so that a judge who met the
    better systems later has not drifted.
    """
    return drifts_of(figures_by_scorer(judgements))


def drifts_of(every: Figures) -> dict[tuple[str, str], Drift]:
    """The same from scores that have been read out."""
    found: dict[tuple[str, str], Drift] = {}
    for (scorer, _), figures in every.items():
        timed = [one for one in figures if one.submitted_at is not None]
        timed.sort(key=lambda one: one.submitted_at or 0.0)
        for judge, offs in _distances(timed).items():
            half = len(offs) // 2
            if half >= LEAST:
                early = np.array(offs[:half])
                late = np.array(offs[len(offs) - half :])
                up, down = rank_sum_p(late, early), rank_sum_p(early, late)
                change = float(late.mean() - early.mean())
                found[judge, scorer] = Drift(change, min(1.0, 2 * min(up, down)))
    return found


def _distances(figures: list[Figure]) -> dict[str, list[float]]:
    means = {
        system: fmean(one.hundred for one in mine)
        for system, mine in by_system(figures).items()
    }
    found: dict[str, list[float]] = {}
    for one in figures:
        found.setdefault(one.judge, []).append(one.hundred - means[one.system])
    return found
