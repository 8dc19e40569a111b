"""The options of questions about metrics: the command line derives its flags from them.

Nothing here loads numpy, so that `--help` is quick. `metra.cli.derive` says what the
metadata of a field means.
"""
# ruff: noqa: RUF009 -- the functions called for defaults return fields

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

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
Sides: TypeAlias = Literal["two-sided", "one-sided"]
#: By which p-values a difference counts.
Correction: TypeAlias = Literal["holm", "bh", "none"]
Rule: TypeAlias = Literal["greedy", "wmt"]


def build_option(default: Any, help_text: str, /, **metadata: Any) -> Any:
    """Declare an option: its default, its help, and what else is known of it."""
    return field(default=default, metadata={"help": help_text, **metadata})


def build_names(help_text: str, flags: str) -> Any:
    """Declare an option that takes several names."""
    return build_option((), help_text, flags=flags, split=True)


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
    "sides": (
        "two-sided",
        "Ask whether two metrics differ, or whether the one that came out better is better.",
        {},
    ),
    "correction": (
        "holm",
        "p-values that decide on clusters: corrected by Holm, or by Benjamini and Hochberg, "
        "or not. The table shows all.",
        {},
    ),
    "draws": (
        None,
        "Number of draws; 10,000, or as many as the number of tests needs, if not given.",
        {"low": 1},
    ),
    "alpha": (0.05, "What counts as significant.", {}),
    "trials": (TRIALS, "Number of resamples or permutations.", {"low": 1}),
    "seed": (SEED, "Seed of the random draws.", {"low": 0}),
}


def find_option(name: str) -> Any:
    """Declare an option that several questions have."""
    default, help_text, metadata = _SHARED[name]
    return build_option(default, help_text, **metadata)


def parse_lengths(given: str) -> tuple[int, ...]:
    """Read lengths of documents, with 0 for all segments.

    >>> parse_lengths("1,10,all")
    (1, 10, 0)
    """
    try:
        lengths = [0 if n.strip() == "all" else int(n) for n in given.split(",")]
    except ValueError:
        lengths = [-1]
    if min(lengths) < 0:
        msg = f"{given!r} is no list of lengths; expected numbers and `all`, as in 1,10,all."
        raise ValueError(msg)
    return tuple(lengths)


def parse_values(given: str) -> tuple[float, ...]:
    """Read numbers with commas between them, or as FROM:TO:STEP.

    >>> parse_values("0:1:0.25"), parse_values("0.5,0.9")
    ((0.0, 0.25, 0.5, 0.75, 1.0), (0.5, 0.9))
    """
    try:
        if ":" not in given:
            values = [float(value) for value in given.split(",")]
        else:
            first, last, step = (float(value) for value in given.split(":"))
            count = math.floor((last - first) / step + 1e-9) + 1 if step > 0 else 0
            # Rounded, so that 3 · 0.1 is 0.3.
            values = [round(first + at * step, 12) for at in range(count)]
    except (ValueError, OverflowError):
        values = []
    if not values or not all(map(math.isfinite, values)):
        msg = (
            f"{given!r} is no list of values; expected numbers such as 0.5,0.9, or "
            "FROM:TO:STEP such as 0:1:0.1."
        )
        raise ValueError(msg)
    return tuple(values)


def parse_counts(given: str) -> tuple[int, ...]:
    """Read whole numbers from 1 on, with commas between them.

    >>> parse_counts("1,2,3")
    (1, 2, 3)
    """
    counts = [part.strip() for part in given.split(",")]
    if not all(part.isdecimal() and int(part) for part in counts):
        msg = f"{given!r} is no list of numbers; expected whole ones from 1 on, as in 1,2,3."
        raise ValueError(msg)
    return tuple(dict.fromkeys(map(int, counts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions:
    """How well do metrics agree with people?"""

    level: Level = find_option("level")
    coefficients: tuple[str, ...] = build_names(
        "Coefficients, as NAME or NAME:GROUP (none, item, sys). Systems: pearson, "
        "spearman, accuracy, spa by default; segments: acc*_eq:item, kendall-b:item, "
        "pearson.",
        "--coef",
    )
    average: Literal["macro", "micro"] = build_option(
        "macro", "All groups weigh the same, or as much as they have values."
    )
    nan: Literal["drop", "zero"] = build_option(
        "drop", "What groups without a coefficient count: nothing, or zero."
    )
    eps: float | None = find_option("eps")
    eps_from: tuple[str, ...] = find_option("eps_from")
    folds: int | None = find_option("folds")
    spa_p: SoftP = build_option(
        "permutation", "Where the p-values of soft pairwise accuracy come from."
    )
    wmt: bool = find_option("wmt")
    no_ci: bool = build_option(False, "Leave out the intervals.")
    interval: Literal["bootstrap", "fisher"] = build_option(
        "bootstrap",
        "Resample, or take Fisher's formula: for pearson, spearman and kendall-b of systems.",
    )
    resample: Literal["both", "sys", "item"] = build_option(
        "both", "What the bootstrap draws: systems, segments, or both."
    )
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Do differences between systems agree?"""

    orient: Literal["gold", "both"] = build_option(
        "gold",
        "Which system stands first: the one people like better, or each in turn.",
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Which metrics are better than which?"""

    level: Level = find_option("level")
    coefficient: str | None = build_option(
        None,
        "The coefficient; pearson for systems, acc*_eq:item for segments by default.",
        flags="--coef",
        metavar="NAME[:GROUP]",
    )
    test: Test = build_option(
        "auto",
        "What changes sides between two metrics: whole systems (perm-sys), documents, "
        "segments (perm-input) or single outputs (perm-both); or resamples of systems and "
        "segments (boot-both), or a formula. auto: for systems williams for pearson, else "
        "perm-sys; for segments perm-input. The output says for whom the answer holds.",
    )
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    absolute: bool = build_option(False, "Williams test of absolute correlations.")
    eps: float | None = find_option("eps")
    eps_from: tuple[str, ...] = find_option("eps_from")
    folds: int | None = find_option("folds")
    alpha: float = find_option("alpha")
    rule: Rule = build_option(
        "greedy",
        "greedy: beaten by one of the cluster; wmt: all above beat all below.",
        flags="--clusters",
    )
    wmt: bool = build_option(
        False,
        "As WMT's scorer: pairs test for accuracies of segments, single outputs exchanged "
        "for spa and for other coefficients of segments, else systems; one-sided, without "
        "correction, 1,000 draws, p = b/k.",
    )
    spa_p: Literal["normal", "permutation"] = build_option(
        "normal",
        "p-values of soft pairwise accuracy after an exchange: by the normal limit, or "
        "drawn anew each time, which takes some ten seconds for each two metrics.",
    )
    most_pairs: int = build_option(
        28,
        "List each two metrics up to so many pairs, of more a matrix; 0 for all.",
        flags="--pairs",
        low=0,
    )
    trials: int | None = find_option("draws")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossOptions:
    """How do scorers agree with each other?"""

    scorers: tuple[str, ...] = build_names(
        "Scorers to compare, people's too; all by default.", "--scorer"
    )
    level: Level = find_option("level")
    coef: str = build_option(
        "pearson",
        "The coefficient, for segments with its grouping.",
        metavar="NAME[:GROUP]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoOptions:
    """How long must a document be?"""

    lengths: tuple[int, ...] = build_option(
        LENGTHS,
        "Segments in a document.",
        parse=parse_lengths,
        default="1,2,5,10,20,50,100,200,all",
    )
    documents: int = build_option(DOCUMENTS, "Documents to draw of each length.", low=2)
    coef: str = build_option(
        "spearman", "The coefficient of systems on a document.", metavar="NAME"
    )
    scaling: Scaling = find_option("scaling")
    judges_by: Literal["auto", "cell", "segment", "document"] = build_option(
        "auto",
        "Draw judges for each cell, for each segment (all its systems have the same "
        "judge) or for each document. auto: segment where the same two judges judged at "
        "least half of the pairs of systems of a segment, else cell.",
    )
    test: bool = build_option(
        False, "Wilcoxon's test of each two metrics at each length."
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsOptions:
    """What do more references buy?"""

    level: Literal["sys", "seg"] = build_option(
        "sys", "Compare systems' scores, or segments'."
    )
    coef: str | None = build_option(
        None,
        "The coefficient; pearson for systems and for segments by default.",
        metavar="NAME[:GROUP]",
    )
    counts: tuple[int, ...] = build_option(
        (),
        "A number of references; may be repeated. By default all, or 1 to 8 and doubling.",
        flags="--count",
        low=1,
    )
    most: int = build_option(
        12, "Try at most so many subsets of each number.", flags="--subsets", low=1
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Which value of a metric's option agrees best with people?"""

    parameter: str = build_option(
        "alpha", "The option whose values are tried.", metavar="NAME"
    )
    values: tuple[float, ...] = build_option(
        parse_values("0:1:0.05"),
        "Its values: numbers with commas, or FROM:TO:STEP.",
        parse=parse_values,
        default="0:1:0.05",
    )
    level: Literal["sys", "seg"] = build_option(
        "sys", "Compare systems' scores, or segments'."
    )
    coef: str = build_option("pearson", "The coefficient.", metavar="NAME[:GROUP]")
    folds: int = build_option(
        5, "Parts of the segments for cross-validation; 0 for none.", low=0
    )
    by: Literal["segment", "document"] = build_option(
        "segment", "What is parted into folds.", flags="--folds-by"
    )
    no_ci: bool = find_option("no_ci")
    resample: Literal["both", "sys", "item"] = build_option(
        "both", "What the bootstrap draws: systems, segments, or both."
    )
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustOptions:
    """Does the agreement depend on a few systems?"""

    coef: str = find_option("coef")
    choice: Literal["top", "window", "leave-one-out", "subsets"] = build_option(
        "top",
        "The best systems only, neighbours by quality, all but one, or so many drawn at "
        "random (200 times; the mean, and what holds 95 % of them).",
    )
    window: int = build_option(4, "Systems in a window.", low=4)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterOptions:
    """How do systems lie by people and metric?"""

    coef: str = find_option("coef")
    outliers: str = build_option(
        "mad",
        "By 2.5 robust deviations of the gold, or the systems a file names, one a line.",
        metavar="mad|FILE",
    )
    classes: str | None = build_option(
        None,
        "A class for each system: its name, a tab, the class, one system a line.",
        metavar="FILE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """What does the protocol of a WMT metrics task say?"""

    wmt: bool = find_option("wmt")
    test: bool = build_option(
        False,
        "Test each two metrics, by each column and by the average; gives clusters.",
    )
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    alpha: float = find_option("alpha")
    ci: bool = build_option(
        False, "Add bootstrap intervals, of other systems and segments; --plot does so."
    )
    trials: int | None = build_option(
        None,
        "Number of draws; 1,000 for intervals, and for tests 10,000 or as many as their "
        "number needs, if not given.",
        low=1,
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions:
    """Are errors marked where people mark them?"""

    gold: tuple[str, ...] = build_names(
        "Raters to compare with; all people where none is named.", "--gold"
    )
    combine: Literal["each", "any", "most"] = build_option(
        "each",
        "Several raters of an output: compare with each in turn, with what any of them "
        "marked, or with what more than half of them marked.",
    )
    credit: float = build_option(
        0.5,
        "Credit for an error that is found, but with the other severity; 1 ignores "
        "severities.",
        low=0.0,
        high=1.0,
    )
    most_pairs: int = build_option(
        15, "Pairs of raters to show; 0 for all.", flags="--pairs", low=0
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOptions:
    """Does a metric prefer good translations to bad ones?"""

    coef: Literal["accuracy", "tau"] = build_option(
        "accuracy",
        "accuracy: share of pairs in the right order; tau: that less the share in the "
        "wrong order. A tie is a mistake.",
    )
    by: Literal["phenomenon", "lang"] = build_option(
        "phenomenon", "A row for each phenomenon, or for each language pair."
    )
    most: int = build_option(
        40, "Rows to show, those with most pairs first; 0 for all.", low=0
    )
    lower: tuple[str, ...] = build_names(
        "Metrics in columns of the file whose lower values are the better ones.",
        "--lower-is-better",
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """Does a metric keep good outputs, and take the best of several?"""

    good: float | None = build_option(
        None,
        "People's score from which on an output is good; their median where not given. "
        "Perrella et al. take -1 and -4 of MQM.",
    )
    folds: int = build_option(
        5,
        "Folds of segments: each is filtered by the threshold of the others; 0 fits it to "
        "all, which is a little too good.",
        low=0,
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaOptions:
    """Which differences of a metric do people notice?"""

    at: tuple[float, ...] = build_option(
        (),
        "Differences to give the share of agreement for: numbers with commas, or "
        "FROM:TO:STEP.",
        parse=lambda given: parse_values(given) if given else (),
        default="",
    )
    sure: float | None = build_option(
        None,
        "Only pairs of systems that people tell apart with a p-value below this.",
        low=0.0,
        high=1.0,
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelOptions:
    """What do scores reach that cannot tell how good an output is?"""

    coefficients: tuple[str, ...] = build_names(
        "Coefficients of segments, as NAME or NAME:GROUP; pearson, pearson:sys, "
        "pearson:item and acc*_eq:item by default.",
        "--coef",
    )
    folds: int = build_option(
        5, "Folds of segments: each is predicted from the others.", low=2
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """What does meta-evaluation say about one metric?"""

    good: float | None = build_option(
        None,
        "People's score from which on an output is good; their median where not given.",
    )
    folds: int = build_option(
        5, "Folds of segments for thresholds and sentinels.", low=2
    )
    trials: int = find_option("trials")
    seed: int = find_option("seed")
