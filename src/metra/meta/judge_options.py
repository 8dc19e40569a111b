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
                f"{part.strip()!r} is no standard deviation; expected NAME=NUMBER with one of "
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
        "mean of segments; z: of judges' z-scores; arr: average rank over documents; "
        "wins: expected wins; trueskill: skills learned from comparisons, as WMT did to "
        "2016.",
    )
    macro: Literal["none", "document", "domain"] = build_option(
        "none",
        "Let each document or domain count the same, in the mean and in the test.",
    )
    rule: Literal["wmt", "greedy", "range"] = build_option(
        "wmt",
        "wmt: all above beat all below; greedy: beaten by one of the cluster; range: no "
        "rank range reaches across (always so for trueskill).",
        flags="--clusters",
    )
    ranks: bool = build_option(
        False,
        "The values are ranks, 1 being the best, that a judge gave to the systems of a "
        "segment, or to some of them; the mean is of the share of the others that a "
        "system beats, a tie being half a win.",
    )
    test: Literal["auto", "signed-rank", "rank-sum", "sign"] = build_option(
        "auto",
        "The one-sided test of what systems are ranked by. auto: the sign test for wins, "
        "else Wilcoxon's signed ranks where systems share segments, else Mann-Whitney.",
    )
    correction: Correction = build_option(
        "none",
        "p-values that decide on clusters and ranges: as they are, as at WMT, or corrected "
        "by Holm, or by Benjamini and Hochberg.",
    )
    alpha: float = find_option("alpha")
    wmt: bool = build_option(
        False,
        "As WMT's scripts for direct assessments: every judgement of an output counts the "
        "same, whoever gave it; means have 15 digits; the test is Mann-Whitney's.",
    )
    like: Literal["da"] | None = build_option(
        None,
        "As WMT ranks by direct assessments, from the first judgement on: workers who do "
        "not see degraded copies are left out, each worker's scores are standardised by all "
        "that they judged, and the rest is --wmt. Scores that are standardised, some being "
        "below zero, are taken as they are.",
    )
    against: tuple[str, ...] = build_names(
        "Scorers whose rankings are held against this one.", "--against"
    )
    auto: tuple[str, ...] = build_names(
        "Metrics that AutoRank (WMT 2025) averages.", "--auto"
    )
    runs: int = build_option(
        100,
        "Times that trueskill learns from other draws; 95 % of the runs make a rank "
        "range.",
        low=1,
    )
    matches: int | None = build_option(
        None,
        "Comparisons in one run of trueskill; as many as there are, at most 10,000, "
        "where not given.",
        low=1,
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """How far do judges agree?"""

    within: float = build_option(1.0, "Judgements this far apart still count as near.")
    scaling: Scaling = find_option("scaling")
    ranks: bool = build_option(
        False,
        "The values are ranks, 1 being the best, that a judge gave to the systems of a "
        "segment, or to some of them: judges agree on which of two outputs is better, as "
        "at WMT, and intervals draw segments.",
    )
    runs: tuple[str, ...] = build_names(
        "Scorers that are runs of one judge, such as a language model that was asked several "
        "times; they are taken for judges.",
        "--runs",
    )
    most_pairs: int = build_option(
        15, "Pairs of judges to show; 0 for all.", flags="--pairs", low=0
    )
    most_judges: int = build_option(
        20,
        "Judges to show, those first who agree least with the others; 0 for all.",
        flags="--judges",
        low=0,
    )
    worst: int = build_option(
        5, "Units to list that judges disagree about most.", low=0
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormaliseOptions:
    """How are judges' values put on one scale?"""

    method: Literal["z", "min-max", "rank", "none"] = build_option(
        "z",
        "z: mean 0, deviation 1; min-max and rank: 0 to 1; none: only quality control.",
    )
    left_out: tuple[str, ...] = build_names("Judges to leave out.", "--without-judge")
    most_judges: int = build_option(
        20,
        "Judges to show, those first who are left out; 0 for all.",
        flags="--judges",
        low=0,
    )
    bad: str | None = build_option(
        None,
        "The system of degraded outputs, their scorer (da-bad-ref, esa-bad), or their type "
        "of line in files of WMT (BAD_REF) and Appraise (BAD): judges who do not see that "
        "they are worse, by a paired t-test with p below .05, are left out, and such "
        "outputs too.",
        metavar="NAME",
    )
    to: str | None = build_option(
        None,
        "Write the new scorer here, as a long table.",
        flags="--scores",
        metavar="FILE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceOptions:
    """What do judgements vary with?"""

    scaling: Scaling = find_option("scaling")
    raters: tuple[int, ...] = build_option(
        (1, 2, 3),
        "Raters in the panels that are compared.",
        parse=parse_counts,
        default="1,2,3",
    )
    no_ci: bool = build_option(False, "Leave out the intervals.")
    studies: int = build_option(
        200, "Studies of the same design to simulate for intervals.", low=2
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerOptions:
    """How many segments and raters are enough?"""

    segments: tuple[int, ...] = build_option(
        (100, 200, 400, 800, 1600),
        "Numbers of segments to plan with.",
        parse=parse_counts,
        default="100,200,400,800,1600",
    )
    raters: tuple[int, ...] = build_option(
        (1, 2, 3),
        "Numbers of judgements of each output.",
        parse=parse_counts,
        default="1,2,3",
    )
    pool: int | None = build_option(
        None,
        "Raters who share the work; those of the pilot study by default, or as many as "
        "judge an output.",
        low=1,
    )
    segments_per_document: float | None = build_option(
        None, "Segments in a document; as in the pilot study by default.", low=1
    )
    separate: bool = build_option(
        False,
        "The systems of a segment are judged by different raters, not by the same.",
    )
    these_raters: bool = build_option(
        False, "Answer for the raters of the study only, not for others like them."
    )
    power: float = build_option(
        0.8, "How likely a difference shall be found.", low=0.06, high=0.999
    )
    alpha: float = find_option("alpha")
    corrected: bool = build_option(
        False, "Divide alpha by the number of pairs of systems (Bonferroni)."
    )
    most_pairs: int = build_option(
        15,
        "Pairs of systems to show, those nearest to the power; 0 for all.",
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
    systems: int = build_option(2, "Without scores: how many systems there are.", low=2)
    differences: tuple[float, ...] = build_option(
        (1.0, 2.0, 5.0),
        "Without scores: differences to give the power for.",
        flags="--difference",
        parse=parse_values,
        default="1,2,5",
    )
