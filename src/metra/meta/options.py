"""The options of every question: the command line derives its flags from these records.

Nothing here loads numpy, so that `--help` is quick. `metra.cli.derive` says what the
metadata of a field means.
"""
# ruff: noqa: RUF009 -- the functions called for defaults return fields

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from metra.meta.option_values import (
    parse_counts,
    parse_deviations,
    parse_lengths,
    parse_values,
)
from metra.stats.defaults import DOCUMENTS, LENGTHS, SEED, TRIALS

Level: TypeAlias = Literal["sys", "seg", "doc"]
#: Where the p-values of soft pairwise accuracy come from.
SoftP: TypeAlias = Literal["permutation", "normal"]
#: How judges' values are put on one scale.
Scaling: TypeAlias = Literal["none", "z", "min-max", "rank"]
#: How two metrics are tested against each other, and parted into clusters.
Test: TypeAlias = Literal[
    "auto",
    "perm-sys",
    "perm-doc",
    "perm-input",
    "perm-both",
    "boot-both",
    "pairs",
    "williams",
    "wilcoxon",
]
#: By which p-values a difference counts.
Correction: TypeAlias = Literal["holm", "bh", "none"]
Rule: TypeAlias = Literal["greedy", "wmt"]


def _option(default: Any, help_text: str, /, **metadata: Any) -> Any:
    return field(default=default, metadata={"help": help_text, **metadata})


def _names(help_text: str, flags: str) -> Any:
    return _option((), help_text, flags=flags, split=True)


#: Options of several questions: default, help, and what else is known of them.
_SHARED: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "level": ("sys", "Compare systems' scores, or segments', or documents'.", {}),
    "coef": ("pearson", "The coefficient.", {"metavar": "NAME"}),
    "eps": (
        None,
        "Threshold of the metric's ties, for acc_eq, acc*_eq, accuracy and the taus but "
        "kendall-c.",
        {},
    ),
    "eps_from": (
        (),
        "Calibrate acc*_eq on these scores instead, each metric by itself.",
        {"metavar": "SCORES"},
    ),
    "folds": (
        None,
        "Calibrate acc*_eq without optimism: each fold of segments with the threshold "
        "of the others.",
        {"flags": "--cross-fit", "metavar": "FOLDS", "low": 2},
    ),
    "wmt": (False, "Soft pairwise accuracy as WMT's scorer has it.", {}),
    "no_ci": (False, "Leave out the bootstrap intervals.", {}),
    "scaling": (
        "none",
        "Put each judge's values on one scale first.",
        {"flags": "--normalise"},
    ),
    "alpha": (0.05, "What counts as significant.", {}),
    "trials": (TRIALS, "Number of resamples or permutations.", {"low": 1}),
    "seed": (SEED, "Seed of the random draws.", {"low": 0}),
}


def _find_option(name: str) -> Any:
    default, help_text, metadata = _SHARED[name]
    return _option(default, help_text, **metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions:
    """How well do metrics agree with people?"""

    level: Level = _find_option("level")
    coefficients: tuple[str, ...] = _names(
        "Coefficients, as NAME or NAME:GROUP (none, item, sys). Systems: pearson, "
        "spearman, accuracy, spa by default; segments: acc*_eq:item, kendall-b:item, "
        "pearson.",
        "--coef",
    )
    average: Literal["macro", "micro"] = _option(
        "macro", "All groups weigh the same, or as much as they have values."
    )
    nan: Literal["drop", "zero"] = _option(
        "drop", "What groups without a coefficient count: nothing, or zero."
    )
    eps: float | None = _find_option("eps")
    eps_from: tuple[str, ...] = _find_option("eps_from")
    folds: int | None = _find_option("folds")
    spa_p: SoftP = _option(
        "permutation", "Where the p-values of soft pairwise accuracy come from."
    )
    wmt: bool = _find_option("wmt")
    no_ci: bool = _option(False, "Leave out the intervals.")
    interval: Literal["bootstrap", "fisher"] = _option(
        "bootstrap",
        "Resample, or take Fisher's formula: for pearson, spearman and kendall-b of systems.",
    )
    resample: Literal["both", "sys", "item"] = _option(
        "both", "What the bootstrap draws: systems, segments, or both."
    )
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Do differences between systems agree?"""

    orient: Literal["gold", "both"] = _option(
        "gold",
        "Which system stands first: the one people like better, or each in turn.",
    )
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Which metrics are better than which?"""

    level: Level = _find_option("level")
    coefficient: str | None = _option(
        None,
        "The coefficient; pearson for systems, acc*_eq:item for segments by default.",
        flags="--coef",
        metavar="NAME[:GROUP]",
    )
    test: Test = _option(
        "auto",
        "What changes sides between two metrics: whole systems (perm-sys), documents, "
        "segments (perm-input) or single outputs (perm-both); or resamples of systems and "
        "segments (boot-both), or a formula. auto: for systems williams for pearson, else "
        "perm-sys; for segments perm-input. The output says for whom the answer holds.",
    )
    sides: Literal["two-sided", "one-sided"] = _option(
        "two-sided",
        "Ask whether two metrics differ, or whether the one that came out better is better.",
    )
    correction: Correction = _option(
        "holm",
        "p-values that decide on clusters: corrected by Holm, or by Benjamini and Hochberg, "
        "or not. The table shows all.",
    )
    absolute: bool = _option(False, "Williams test of absolute correlations.")
    eps: float | None = _find_option("eps")
    eps_from: tuple[str, ...] = _find_option("eps_from")
    folds: int | None = _find_option("folds")
    alpha: float = _find_option("alpha")
    rule: Rule = _option(
        "greedy",
        "greedy: beaten by one of the cluster; wmt: all above beat all below.",
        flags="--clusters",
    )
    wmt: bool = _option(
        False,
        "As WMT's scorer: pairs test for accuracies of segments, single outputs exchanged "
        "for spa and for other coefficients of segments, else systems; one-sided, without "
        "correction, 1,000 draws, p = b/k.",
    )
    spa_p: Literal["normal", "permutation"] = _option(
        "normal",
        "p-values of soft pairwise accuracy after an exchange: by the normal limit, or "
        "drawn anew each time, which takes some ten seconds for each two metrics.",
    )
    most_pairs: int = _option(
        28,
        "List each two metrics up to so many pairs, of more a matrix; 0 for all.",
        flags="--pairs",
        low=0,
    )
    trials: int | None = _option(
        None,
        "Number of draws; 10,000, or as many as the number of tests needs, if not given.",
        low=1,
    )
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossOptions:
    """How do scorers agree with each other?"""

    scorers: tuple[str, ...] = _names(
        "Scorers to compare, people's too; all by default.", "--scorer"
    )
    level: Level = _find_option("level")
    coef: str = _option(
        "pearson",
        "The coefficient, for segments with its grouping.",
        metavar="NAME[:GROUP]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoOptions:
    """How long must a document be?"""

    lengths: tuple[int, ...] = _option(
        LENGTHS,
        "Segments in a document.",
        parse=parse_lengths,
        default="1,2,5,10,20,50,100,200,all",
    )
    documents: int = _option(DOCUMENTS, "Documents to draw of each length.", low=2)
    coef: str = _option(
        "spearman", "The coefficient of systems on a document.", metavar="NAME"
    )
    scaling: Scaling = _find_option("scaling")
    judges_by: Literal["auto", "cell", "segment", "document"] = _option(
        "auto",
        "Draw judges for each cell, for each segment (all its systems have the same "
        "judge) or for each document. auto: segment where the same two judges judged at "
        "least half of the pairs of systems of a segment, else cell.",
    )
    test: bool = _option(False, "Wilcoxon's test of each two metrics at each length.")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsOptions:
    """What do more references buy?"""

    level: Literal["sys", "seg"] = _option(
        "sys", "Compare systems' scores, or segments'."
    )
    coef: str | None = _option(
        None,
        "The coefficient; pearson for systems and for segments by default.",
        metavar="NAME[:GROUP]",
    )
    counts: tuple[int, ...] = _option(
        (),
        "A number of references; may be repeated. By default all, or 1 to 8 and doubling.",
        flags="--count",
        low=1,
    )
    most: int = _option(
        12, "Try at most so many subsets of each number.", flags="--subsets", low=1
    )
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Which value of a metric's option agrees best with people?"""

    parameter: str = _option(
        "alpha", "The option whose values are tried.", metavar="NAME"
    )
    values: tuple[float, ...] = _option(
        parse_values("0:1:0.05"),
        "Its values: numbers with commas, or FROM:TO:STEP.",
        parse=parse_values,
        default="0:1:0.05",
    )
    level: Literal["sys", "seg"] = _option(
        "sys", "Compare systems' scores, or segments'."
    )
    coef: str = _option("pearson", "The coefficient.", metavar="NAME[:GROUP]")
    folds: int = _option(
        5, "Parts of the segments for cross-validation; 0 for none.", low=0
    )
    by: Literal["segment", "document"] = _option(
        "segment", "What is parted into folds.", flags="--folds-by"
    )
    no_ci: bool = _find_option("no_ci")
    resample: Literal["both", "sys", "item"] = _option(
        "both", "What the bootstrap draws: systems, segments, or both."
    )
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustOptions:
    """Does the agreement depend on a few systems?"""

    coef: str = _find_option("coef")
    choice: Literal["top", "window", "leave-one-out", "subsets"] = _option(
        "top",
        "The best systems only, neighbours by quality, all but one, or so many drawn at "
        "random (200 times; the mean, and what holds 95 % of them).",
    )
    window: int = _option(4, "Systems in a window.", low=4)
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterOptions:
    """How do systems lie by people and metric?"""

    coef: str = _find_option("coef")
    outliers: str = _option(
        "mad",
        "By 2.5 robust deviations of the gold, or the systems a file names, one a line.",
        metavar="mad|FILE",
    )
    classes: str | None = _option(
        None,
        "A class for each system: its name, a tab, the class, one system a line.",
        metavar="FILE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """What does the protocol of a WMT metrics task say?"""

    wmt: bool = _find_option("wmt")
    test: bool = _option(
        False, "Test the averages of all pairs of metrics; gives clusters."
    )
    ci: bool = _option(
        False, "Add bootstrap intervals, of other systems and segments; --plot does so."
    )
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """Which systems are better than which?"""

    by: Literal["mean", "z", "arr", "wins", "trueskill"] = _option(
        "mean",
        "mean of segments; z: of judges' z-scores; arr: average rank over documents; "
        "wins: expected wins; trueskill: skills learned from comparisons, as WMT did to "
        "2016.",
    )
    macro: Literal["none", "document", "domain"] = _option(
        "none",
        "Let each document or domain count the same, in the mean and in the test.",
    )
    rule: Literal["wmt", "greedy", "range"] = _option(
        "wmt",
        "wmt: all above beat all below; greedy: beaten by one of the cluster; range: no "
        "rank range reaches across (always so for trueskill).",
        flags="--clusters",
    )
    ranks: bool = _option(
        False,
        "The values are ranks, 1 being the best, that a judge gave to the systems of a "
        "segment, or to some of them; the mean is of the share of the others that a "
        "system beats, a tie being half a win.",
    )
    test: Literal["auto", "signed-rank", "rank-sum", "sign"] = _option(
        "auto",
        "The one-sided test of what systems are ranked by. auto: the sign test for wins, "
        "else Wilcoxon's signed ranks where systems share segments, else Mann-Whitney.",
    )
    correction: Correction = _option(
        "none",
        "p-values that decide on clusters and ranges: as they are, as at WMT, or corrected "
        "by Holm, or by Benjamini and Hochberg.",
    )
    alpha: float = _find_option("alpha")
    wmt: bool = _option(
        False,
        "As WMT's scripts for direct assessments: every judgement of an output counts the "
        "same, whoever gave it; means have 15 digits; the test is Mann-Whitney's.",
    )
    against: tuple[str, ...] = _names(
        "Scorers whose rankings are held against this one.", "--against"
    )
    auto: tuple[str, ...] = _names(
        "Metrics that AutoRank (WMT 2025) averages.", "--auto"
    )
    runs: int = _option(
        100,
        "Times that trueskill learns from other draws; 95 % of the runs make a rank "
        "range.",
        low=1,
    )
    matches: int | None = _option(
        None,
        "Comparisons in one run of trueskill; as many as there are, at most 10,000, "
        "where not given.",
        low=1,
    )
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """How far do judges agree?"""

    within: float = _option(1.0, "Judgements this far apart still count as near.")
    scaling: Scaling = _find_option("scaling")
    ranks: bool = _option(
        False,
        "The values are ranks, 1 being the best, that a judge gave to the systems of a "
        "segment, or to some of them: judges agree on which of two outputs is better, as "
        "at WMT, and intervals draw segments.",
    )
    runs: tuple[str, ...] = _names(
        "Scorers that are runs of one judge, such as a language model that was asked several "
        "times; they are taken for judges.",
        "--runs",
    )
    most_pairs: int = _option(
        15, "Pairs of judges to show; 0 for all.", flags="--pairs", low=0
    )
    most_judges: int = _option(
        20,
        "Judges to show, those first who agree least with the others; 0 for all.",
        flags="--judges",
        low=0,
    )
    worst: int = _option(5, "Units to list that judges disagree about most.", low=0)
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormaliseOptions:
    """How are judges' values put on one scale?"""

    method: Literal["z", "min-max", "rank", "none"] = _option(
        "z",
        "z: mean 0, deviation 1; min-max and rank: 0 to 1; none: only quality control.",
    )
    left_out: tuple[str, ...] = _names("Judges to leave out.", "--without-judge")
    most_judges: int = _option(
        20,
        "Judges to show, those first who are left out; 0 for all.",
        flags="--judges",
        low=0,
    )
    bad: str | None = _option(
        None,
        "The system of degraded outputs, their scorer (da-bad-ref, esa-bad), or their type "
        "of line in files of WMT (BAD_REF) and Appraise (BAD): judges who do not see that "
        "they are worse, by a paired t-test with p below .05, are left out, and such "
        "outputs too.",
        metavar="NAME",
    )
    to: str | None = _option(
        None,
        "Write the new scorer here, as a long table.",
        flags="--scores",
        metavar="FILE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceOptions:
    """What do judgements vary with?"""

    scaling: Scaling = _find_option("scaling")
    raters: tuple[int, ...] = _option(
        (1, 2, 3),
        "Raters in the panels that are compared.",
        parse=parse_counts,
        default="1,2,3",
    )
    no_ci: bool = _option(False, "Leave out the intervals.")
    studies: int = _option(
        200, "Studies of the same design to simulate for intervals.", low=2
    )
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerOptions:
    """How many segments and raters are enough?"""

    segments: tuple[int, ...] = _option(
        (100, 200, 400, 800, 1600),
        "Numbers of segments to plan with.",
        parse=parse_counts,
        default="100,200,400,800,1600",
    )
    raters: tuple[int, ...] = _option(
        (1, 2, 3),
        "Numbers of judgements of each output.",
        parse=parse_counts,
        default="1,2,3",
    )
    pool: int | None = _option(
        None,
        "Raters who share the work; those of the pilot study by default, or as many as "
        "judge an output.",
        low=1,
    )
    segments_per_document: float | None = _option(
        None, "Segments in a document; as in the pilot study by default.", low=1
    )
    separate: bool = _option(
        False,
        "The systems of a segment are judged by different raters, not by the same.",
    )
    these_raters: bool = _option(
        False, "Answer for the raters of the study only, not for others like them."
    )
    power: float = _option(
        0.8, "How likely a difference shall be found.", low=0.06, high=0.999
    )
    alpha: float = _find_option("alpha")
    corrected: bool = _option(
        False, "Divide alpha by the number of pairs of systems (Bonferroni)."
    )
    most_pairs: int = _option(
        15,
        "Pairs of systems to show, those nearest to the power; 0 for all.",
        flags="--pairs",
        low=0,
    )
    scaling: Scaling = _find_option("scaling")
    like: Literal["esa", "mqm"] | None = _option(
        None, "Without scores: plan with the variances of a published study."
    )
    assumed: tuple[tuple[str, float], ...] = _option(
        (),
        "Without scores: plan with these standard deviations, such as "
        "system=2,system×segment=9,rating=12.",
        flags="--sd",
        parse=parse_deviations,
        default="",
        metavar="NAME=NUMBER,…",
    )
    systems: int = _option(2, "Without scores: how many systems there are.", low=2)
    differences: tuple[float, ...] = _option(
        (1.0, 2.0, 5.0),
        "Without scores: differences to give the power for.",
        flags="--difference",
        parse=parse_values,
        default="1,2,5",
    )
