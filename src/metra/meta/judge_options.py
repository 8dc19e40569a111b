"""The options of questions about judges and judgements; see `metra.meta.options`."""
# ruff: noqa: RUF009 -- the functions called for defaults return fields

import math
from dataclasses import dataclass
from typing import Literal

from metra.meta.options import (
    Correction,
    Scaling,
    build_names,
    build_option,
    find_option,
    parse_counts,
    parse_values,
)


def parse_deviations(given: str) -> tuple[tuple[str, float], ...]:
    """Read standard deviations by what judgements vary with.

    >>> parse_deviations("system=2, system×segment=9.5")
    (('system', 2.0), ('system × segment', 9.5))
    """
    found = {}
    for part in filter(None, given.split(",")):
        name, _, number = part.partition("=")
        term = " × ".join(word.strip() for word in name.replace("*", "×").split("×"))
        try:
            deviation = float(number)
        except ValueError:
            deviation = -1.0
        if term not in DEVIATIONS or not 0 <= deviation < math.inf:
            msg = (
                f"{part.strip()!r} is not a standard deviation; expected NAME=NUMBER "
                "with one of "
                f"{', '.join(name.replace(' ', '') for name in DEVIATIONS)}."
            )
            raise ValueError(msg)
        found[term] = deviation
    return tuple(found.items())


#: What a study before any judgements may be assumed to vary with.
DEVIATIONS = (
    *("system", "system × document", "system × segment", "system × rater"),
    *("rater", "rater × segment", "rating"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """Which systems are better than which?"""

    by: Literal["mean", "z", "arr", "wins", "trueskill"] = build_option(
        "mean",
        "mean over segments; z: mean of judges' z-scores; arr: average rank over "
        "documents; wins: expected wins; trueskill: skills learned from comparisons, "
        "as at WMT until 2016.",
    )
    macro: Literal["none", "document", "domain"] = build_option(
        "none",
        "Weight each document or domain equally, in the mean and in the test.",
    )
    rule: Literal["wmt", "neighbours", "greedy", "range"] = build_option(
        "wmt",
        "wmt: every system above beats every system below; neighbours: a system beats "
        "the next one; greedy: a new cluster "
        "starts at a system that loses to one of the current cluster; range: no rank "
        "range crosses the boundary (always used for trueskill).",
        flags="--clusters",
    )
    ranks: bool = build_option(
        False,
        "The values are ranks (1 is best) that a judge gave to some or all systems "
        "of a segment. The mean is the mean share of other systems that a system "
        "beats; a tie counts as half a win.",
    )
    unit: Literal["segment", "document", "crossed"] = build_option(
        "segment",
        "Unit of intervals and tests: segments, documents, or segments and judges "
        "(crossed, by bootstrap only).",
        flags="--over",
    )
    test: Literal["auto", "signed-rank", "rank-sum", "sign", "bootstrap"] = (
        build_option(
            "auto",
            "One-sided test of the values that systems are ranked by. auto: the sign "
            "test for wins; otherwise Wilcoxon's signed-rank test if systems share "
            "segments, else Mann-Whitney.",
        )
    )
    correction: Correction = build_option(
        "none",
        "Correction of the p-values that determine clusters and ranges: none (as at "
        "WMT), Holm or Benjamini-Hochberg.",
    )
    alpha: float = find_option("alpha")
    wmt: bool = build_option(
        False,
        "Rank as WMT's scripts for direct assessment do: all judgements of an output "
        "count equally; means have 15 digits; the test is Mann-Whitney's.",
    )
    like: Literal["da"] | None = build_option(
        None,
        "Rank as WMT does, starting from raw direct assessments: workers who do not "
        "detect degraded items are excluded, each worker's scores are standardised "
        "over everything that they judged, and the rest follows --wmt. Scores that "
        "are already standardised (some below zero) are used unchanged.",
    )
    against: tuple[str, ...] = build_names(
        "Scorers whose rankings to compare with this one.", "--against"
    )
    auto: tuple[str, ...] = build_names(
        "Metrics that AutoRank (WMT 2025) averages.", "--auto"
    )
    runs: int = build_option(
        100,
        "Number of trueskill runs on different samples; the rank range covers 95% of "
        "them.",
        low=1,
    )
    matches: int | None = build_option(
        None,
        "Comparisons per trueskill run; by default all, at most 10,000.",
        low=1,
    )
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """Options of the question about agreement between judges."""

    within: float = build_option(
        1.0, "Judgements that differ by at most this count as close."
    )
    scaling: Scaling = find_option("scaling")
    ranks: bool = build_option(
        False,
        "The values are ranks (1 is best) that a judge gave to some or all systems "
        "of a segment. Agreement is then on which of two outputs is better, as at "
        "WMT, and intervals resample segments.",
    )
    runs: tuple[str, ...] = build_names(
        "Scorers that are repeated runs of one judge, such as a language model; each "
        "run counts as a judge.",
        "--runs",
    )
    most_pairs: int = build_option(
        15, "Number of pairs of judges to show; 0 for all.", flags="--pairs", low=0
    )
    most_judges: int = build_option(
        20,
        "Number of judges to show, lowest agreement first; 0 for all.",
        flags="--judges",
        low=0,
    )
    worst: int = build_option(
        5, "Number of units with the largest disagreement to list.", low=0
    )
    brief: bool = build_option(
        False, "Only the coefficients of a results page, which take less time."
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormaliseOptions:
    """Options of the question about normalised judgements."""

    method: Literal["z", "min-max", "rank", "none"] = build_option(
        "z",
        "z: mean 0, standard deviation 1; min-max and rank: 0 to 1; none: quality "
        "control only.",
    )
    left_out: tuple[str, ...] = build_names("Judges to exclude.", "--without-judge")
    most_judges: int = build_option(
        20,
        "Number of judges to show, excluded ones first; 0 for all.",
        flags="--judges",
        low=0,
    )
    bad: str | None = build_option(
        None,
        "Degraded items: their system, or `degraded` for items of this kind, also "
        "called BAD_REF in WMT files and BAD in Appraise files. Judges who do "
        "not score them lower (paired t-test, p below .05) are excluded, and so are "
        "the degraded items.",
        metavar="NAME",
    )
    to: str | None = build_option(
        None,
        "Write the new scorer to this file, as a long table.",
        flags="--scores",
        metavar="FILE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceOptions:
    """Options of the question about variance components."""

    scaling: Scaling = find_option("scaling")
    raters: tuple[int, ...] = build_option(
        (1, 2, 3),
        "Sizes of the rater panels to compare.",
        parse=parse_counts,
        default="1,2,3",
    )
    no_ci: bool = build_option(False, "Omit the intervals.")
    studies: int = build_option(
        200, "Number of simulated studies of the same design, for intervals.", low=2
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerOptions:
    """Options of the question about the size of a study."""

    segments: tuple[int, ...] = build_option(
        (100, 200, 400, 800, 1600),
        "Numbers of segments to plan for.",
        parse=parse_counts,
        default="100,200,400,800,1600",
    )
    raters: tuple[int, ...] = build_option(
        (1, 2, 3),
        "Numbers of judgements per output to plan for.",
        parse=parse_counts,
        default="1,2,3",
    )
    pool: int | None = build_option(
        None,
        "Number of raters; by default as in the pilot study, or as many as judge an "
        "output.",
        low=1,
    )
    segments_per_document: float | None = build_option(
        None, "Segments per document; by default as in the pilot study.", low=1
    )
    separate: bool = build_option(
        False,
        "Different raters judge the systems of a segment.",
    )
    these_raters: bool = build_option(
        False, "Treat the raters as fixed, not as a sample of raters."
    )
    power: float = build_option(
        0.8, "Power: the probability of detecting a difference.", low=0.06, high=0.999
    )
    alpha: float = find_option("alpha")
    corrected: bool = build_option(
        False, "Divide alpha by the number of system pairs (Bonferroni)."
    )
    most_pairs: int = build_option(
        15,
        "Number of system pairs to show, those closest to the power first; 0 for all.",
        flags="--pairs",
        low=0,
    )
    scaling: Scaling = find_option("scaling")
    like: Literal["esa", "mqm", "da"] | None = build_option(
        None, "Without scores: plan with the variances of a published study."
    )
    assumed: tuple[tuple[str, float], ...] = build_option(
        (),
        "Without scores: plan with these standard deviations, such as "
        "system=2,system×segment=9,rating=12.",
        flags="--sd",
        parse=parse_deviations,
        default="",
        metavar="NAME=NUMBER,…",
    )
    systems: int = build_option(2, "Without scores: number of systems.", low=2)
    differences: tuple[float, ...] = build_option(
        (1.0, 2.0, 5.0),
        "Without scores: differences to compute the power for.",
        flags="--difference",
        parse=parse_values,
        default="1,2,5",
    )


#: Faster than anybody reads.
WORDS_PER_MINUTE = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRules:
    """The limits from which a judge is flagged."""

    words_per_minute: float = build_option(
        WORDS_PER_MINUTE, "Faster reading counts as too fast.", low=1
    )
    too_fast: float = build_option(
        0.1, "Share of answers that may be too fast.", low=0, high=1
    )
    degraded: int = build_option(
        5, "Degraded items that are needed before they are tested.", low=1
    )
    alpha: float = build_option(
        0.05, "A judge must score degraded items lower with a p-value below this."
    )
    repeats: int = build_option(
        5, "Repeats that are needed before they are compared.", low=1
    )
    distance: float = build_option(
        25.0, "Mean difference between repeats that is still allowed, of 100."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceOptions:
    """Options of the question about times: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingOptions:
    """Options of the question about missing scores: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionOptions:
    """Options of the question about distributions: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceOptions:
    """Options of the question about preferences: none."""
