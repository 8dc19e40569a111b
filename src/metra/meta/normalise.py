"""The question `normalise`: judges' values on one scale, and who was left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.formats.scores.record import Scorer, Scores
from metra.meta.findings import MetaReport, build_signature, drop_nan
from metra.scoring.table import Cell, make_table
from metra.stats.arrays import Array
from metra.stats.distributions import student_tail
from metra.stats.moments import ranks

Method: TypeAlias = Literal["none", "z", "min-max", "rank"]
METHODS = ("none", "z", "min-max", "rank")


@dataclass(frozen=True)
class JudgeReport:
    """One judge's values as they were given, and why they were left out, if they were."""

    judge: str
    n: int
    mean: float
    sd: float
    low: float
    high: float
    left_out: str = ""


def normalise(
    scores: Scores,
    name: str,
    method: Method = "z",
    *,
    left_out: Sequence[str] = (),
) -> tuple[Scores, list[JudgeReport]]:
    """Put each judge's values of a scorer on one scale; the new scorer is NAME-METHOD.

    z: mean 0 and standard deviation 1, with n - 1; min-max: from 0 to 1; rank: middle
    ranks, from 0 to 1. Means and ranks are over all that a judge judged. Judges who always
    gave the same value, and so say nothing, are left out, and so are those named.
    """
    for judge in left_out:
        if judge not in scores.judges:
            raise UnknownNameError(no_such("judge", judge, scores.judges))
    lines = scores.lines(name)
    scorer = scores.scorers[scores.find(name)]
    nameless = int((lines.judge < 0).sum())
    if nameless or not len(lines):
        msg = (
            f"{nameless:,} of {len(lines):,} values of {name!r} name no judge; each "
            "judge's scale is found from a column that says who judged."
        )
        raise CorpusError(msg)
    value = lines.value.copy()
    keep = np.ones(len(value), bool)
    reports = []
    order = np.argsort(lines.judge, kind="stable")
    found, starts = np.unique(lines.judge[order], return_index=True)
    for judge, at in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
        given = lines.value[at]
        who = scores.judges[judge]
        why = (
            "by quality control" if who in left_out else _explain_useless(given, method)
        )
        reports.append(_build_report(who, given, why))
        if why:
            keep[at] = False
        else:
            value[at] = _scale_values(given, method)
    if not keep.any():
        msg = f"No judge of {name!r} is left: {reports[0].judge} {reports[0].left_out}."
        raise CorpusError(msg)
    new = Scorer(f"{name}-{method}", scorer.kind or "human", scorer.higher_is_better)
    made = replace(
        lines,
        scorers=(new,),
        scorer=np.zeros(int(keep.sum()), np.int64),
        system=lines.system[keep],
        item=lines.item[keep],
        judge=lines.judge[keep],
        value=value[keep],
    )
    return made, sorted(reports, key=lambda report: report.judge)


def report_normalisation(
    scores: Scores, name: str, method: Method, *, left_out: Sequence[str] = ()
) -> tuple[Scores, MetaReport]:
    """Normalise, and lay out a report of the judges."""
    made, reports = normalise(scores, name, method, left_out=left_out)
    rows = [
        (
            report.judge,
            [
                Cell(report.n, digits=0),
                Cell(report.mean),
                Cell(drop_nan(report.sd)),
                Cell(report.low),
                Cell(report.high),
                Cell(report.left_out or "kept"),
            ],
        )
        for report in reports
    ]
    heads = ["n", "mean", "sd", "lowest", "highest", "kept"]
    title = f"Judges of {name} before normalising by {method}"
    gone = [report for report in reports if report.left_out]
    notes = [
        f"{len(made):,} values of {len(reports) - len(gone)} judges are normalised."
    ]
    if gone:
        lost = sum(report.n for report in gone)
        names = ", ".join(f"{r.judge} ({r.left_out})" for r in gone)
        notes.append(f"Left out with {lost:,} values: {names}.")
    line = build_signature(
        scorer=name, method=method, ddof=1 if method == "z" else None
    )
    table = make_table("judge", heads, rows, caption=title, name="judges")
    return made, MetaReport([table], line, notes)


def find_failing_judges(
    scores: Scores, name: str, bad: str, *, alpha: float = 0.05
) -> dict[str, str]:
    """Find judges who do not tell degraded outputs from the outputs they were made of.

    `bad` is the system of degraded outputs. For each judge, the mean of the other systems'
    values of a segment is paired with the degraded one's; a judge passes if the one-sided
    paired t-test says that the others are better (Graham et al. 2017).
    """
    if bad not in scores.systems:
        raise UnknownNameError(no_such("system", bad, scores.systems))
    lines = scores.lines(name)
    sign = 1.0 if scores.scorers[scores.find(name)].higher_is_better else -1.0
    worse = lines.system == scores.systems.index(bad)
    found = {}
    for judge in np.unique(lines.judge[lines.judge >= 0]).tolist():
        mine = lines.judge == judge
        gaps = _compute_gaps(
            lines.item[mine & ~worse],
            lines.value[mine & ~worse] * sign,
            lines.item[mine & worse],
            lines.value[mine & worse] * sign,
        )
        if len(gaps) < 2:
            found[scores.judges[judge]] = f"only {len(gaps)} degraded outputs judged"
            continue
        spread = float(gaps.std(ddof=1))
        mean = float(gaps.mean())
        if spread == 0:
            p = 0.0 if mean > 0 else 1.0
        else:
            p = student_tail(mean / spread * np.sqrt(len(gaps)), len(gaps) - 1)
        if p >= alpha:
            found[scores.judges[judge]] = f"p = {p:.3f}"
    return found


def _compute_gaps(good_item: Array, good: Array, bad_item: Array, bad: Array) -> Array:
    size = int(max(good_item.max(initial=-1), bad_item.max(initial=-1))) + 1
    n_good = np.bincount(good_item, minlength=size)
    n_bad = np.bincount(bad_item, minlength=size)
    both = (n_good > 0) & (n_bad > 0)
    means = [
        np.bincount(item, value, size)[both] / n[both]
        for item, value, n in ((good_item, good, n_good), (bad_item, bad, n_bad))
    ]
    return np.asarray(means[0] - means[1])


def _explain_useless(given: Array, method: Method) -> str:
    if method == "none":
        return ""
    if len(given) == 1:
        return "one value only"
    return "always the same value" if given.min() == given.max() else ""


def _scale_values(given: Array, method: Method) -> Array:
    if method == "z":
        return np.asarray((given - given.mean()) / given.std(ddof=1))
    if method == "min-max":
        return np.asarray((given - given.min()) / (given.max() - given.min()))
    if method == "rank":
        return np.asarray((ranks(given) - 1) / (len(given) - 1))
    return given


def _build_report(judge: str, given: Array, left_out: str) -> JudgeReport:
    sd = float(given.std(ddof=1)) if len(given) > 1 else float("nan")
    low, high = float(given.min()), float(given.max())
    return JudgeReport(judge, len(given), float(given.mean()), sd, low, high, left_out)
