"""Judges' values on one scale, and judges who fail quality control."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.meta.findings import name_some
from metra.meta.options import Scaling
from metra.scores.table import COUNTED, ITEM_KINDS, Scorer, Scores
from metra.scores.views import replace_values
from metra.stats.arrays import divide
from metra.stats.exact_tests import paired_t_p
from metra.stats.ratings import JudgeSpread, scale_judges

_DEGRADED = "degraded"
#: The level at which a judge has to tell degraded outputs from others.
_ALPHA = 0.05
#: Names of that kind, with those of WMT's and Appraise's lines.
_DEGRADED_NAMES = (_DEGRADED, "BAD", "BAD_REF")


@dataclass(frozen=True)
class NormalisedScores:
    """A scorer's values on one scale, and the judges' values as they were given."""

    scores: Scores
    judges: dict[str, JudgeSpread]

    @property
    def left_out(self) -> dict[str, JudgeSpread]:
        """The judges whose values are not among the scores."""
        return {name: each for name, each in self.judges.items() if each.left_out}


def normalise(
    scores: Scores, name: str, method: Scaling = "z", *, left_out: Sequence[str] = ()
) -> NormalisedScores:
    """Put each judge's values of a scorer on one scale; the new scorer is NAME-METHOD.

    z: mean 0 and standard deviation 1, with n - 1; min-max: from 0 to 1; rank: middle
    ranks, from 0 to 1. Judges who always gave the same value, and so say nothing, are left
    out, and so are those named.
    """
    for judge in left_out:
        if judge not in scores.judges:
            raise UnknownNameError(no_such("judge", judge, scores.judges))
    lines = scores.lines(name)
    scorer = scores.scorers[scores.find(name)]
    nameless = int((lines.judge < 0).sum())
    if nameless or not len(lines):
        msg = (
            f"{nameless:,} of {len(lines):,} values of {name!r} have no judge; "
            "normalisation needs a column with the judge."
        )
        raise CorpusError(msg)
    value, spreads = scale_judges(
        lines.judge,
        lines.value,
        method,
        left_out=[scores.judges.index(judge) for judge in left_out],
    )
    judges = {scores.judges[spread.judge]: spread for spread in spreads}
    if not np.isfinite(value).any():
        judge, spread = next(iter(judges.items()))
        msg = f"No judge of {name!r} remains: {judge} {spread.left_out}."
        raise CorpusError(msg)
    new = Scorer(f"{name}-{method}", scorer.kind or "human", scorer.direction)
    return NormalisedScores(
        replace_values(lines, value, new), dict(sorted(judges.items()))
    )


def describe_excluded(normalised: NormalisedScores) -> list[str]:
    """Return a note on the judges whose values are not among the normalised ones."""
    gone = [f"{judge} ({s.left_out})" for judge, s in normalised.left_out.items()]
    return [f"Excluded judges: {name_some(gone)}."] if gone else []


def standardise_workers(scores: Scores, name: str) -> tuple[Scores, str]:
    """Standardise judgements as WMT does with direct assessments, and say what was done.

    A worker's mean and standard deviation are those of all that they judged: outputs,
    repeats, references (checks) and degraded copies, cut to whole points. Workers who do
    not tell degraded copies are left out. Scores below zero are standardised already, as in
    the files that WMT publishes, and are not touched.
    """
    counted = scores.keep_kinds(*COUNTED)
    if (counted.lines(name).value < 0).any():
        note = f"{name} has values below zero and is treated as standardised."
        return counted, note
    judged = scores.lines(name).keep_kinds(*COUNTED, "check", _DEGRADED)
    has_degraded = bool(len(judged.keep_kinds(_DEGRADED)))
    failed = find_failing_judges(scores, name, _DEGRADED) if has_degraded else {}
    value, spreads = scale_judges(
        judged.judge,
        np.trunc(judged.value),
        "z",
        left_out=[scores.judges.index(judge) for judge in failed],
    )
    own = np.isin(judged.get_kinds(), [ITEM_KINDS.index(kind) for kind in COUNTED])
    scorer = scores.scorers[scores.find(name)]
    made = replace_values(judged.keep_lines(own), value[own], scorer)
    reasons = {scores.judges[s.judge]: s.left_out for s in spreads if s.left_out}
    gone = [f"{judge} ({why})" for judge, why in (reasons | failed).items()]
    excluded = f"; excluded workers: {name_some(gone)}" if gone else ""
    return made, f"{name} is standardised by worker{excluded}."


def find_failing_judges(scores: Scores, name: str, bad: str) -> dict[str, str]:
    """Find judges who do not tell degraded outputs from the outputs they were made of.

    `bad` is the system of degraded outputs: for each judge, the mean of the other systems'
    values of a segment is paired with the degraded one's. Or it is `degraded`, or the type
    of line that the files of WMT and Appraise call such copies, `BAD_REF` or `BAD`: then
    an item of the kind degraded is paired with the same system's output. A judge passes if
    the one-sided paired t-test says that the others are better (Graham et al. 2017).
    """
    direction = scores.scorers[scores.find(name)].direction
    lines = scores.lines(name)
    sound = lines.keep_kinds(*COUNTED)
    if bad in scores.systems:
        is_bad = sound.system == scores.systems.index(bad)
        sound, worse = sound.keep_lines(~is_bad), sound.keep_lines(is_bad)
        units = [each.item for each in (sound, worse)]
    else:
        worse = lines.keep_kinds(_DEGRADED)
        if bad not in _DEGRADED_NAMES or not len(worse):
            kinds = [*scores.systems, *(_DEGRADED_NAMES if len(worse) else ())]
            raise UnknownNameError(no_such("system or kind of item", bad, kinds))
        units = [each.system * len(scores.items) + each.item for each in (sound, worse)]
    size = len(scores.items) * len(scores.systems)
    failed = {}
    for judge in np.union1d(sound.judge, worse.judge).tolist():
        if judge < 0:
            continue
        means = []
        for lines, unit in zip((sound, worse), units, strict=True):
            own = lines.judge == judge
            count = np.bincount(unit[own], minlength=size)
            total = np.bincount(unit[own], direction.orient(lines.value[own]), size)
            means.append(divide(total, count))
        gaps = means[0] - means[1]
        gaps = gaps[np.isfinite(gaps)]
        if len(gaps) < 2:
            failed[scores.judges[judge]] = f"only {len(gaps)} degraded outputs judged"
            continue
        p = paired_t_p(gaps)
        if p >= _ALPHA:
            failed[scores.judges[judge]] = f"p = {p:.3f}"
    return failed
