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
    "level": ("sys", "Level of the scores: systems, segments or documents.", {}),
    "coef": ("pearson", "The coefficient.", {"metavar": "NAME"}),
    "eps": (
        None,
        "Tie threshold for metric scores, for acc_eq, acc*_eq, accuracy and all taus "
        "except kendall-c.",
        {},
    ),
    "eps_from": (
        (),
        "Calibrate the tie thresholds of acc*_eq on these scores instead, for each "
        "metric separately.",
        {"metavar": "SCORES"},
    ),
    "folds": (
        None,
        "Calibrate acc*_eq by cross-fitting: each fold of segments uses the "
        "threshold of the other folds.",
        {"flags": "--cross-fit", "metavar": "FOLDS", "low": 2},
    ),
    "wmt": (False, "Compute soft pairwise accuracy as WMT's scorer does.", {}),
    "no_ci": (False, "Omit the bootstrap intervals.", {}),
    "scaling": (
        "none",
        "Normalise each judge's values first.",
        {"flags": "--normalise"},
    ),
    "sides": (
        "two-sided",
        "Two-sided test, or one-sided test that the better metric is better.",
        {},
    ),
    "correction": (
        "holm",
        "Correction of the p-values that determine clusters: Holm, "
        "Benjamini-Hochberg or none. The table shows all of them.",
        {},
    ),
    "draws": (
        None,
        "Number of trials; by default 10,000, or more if the number of tests needs it.",
        {"low": 1},
    ),
    "alpha": (0.05, "Significance level.", {}),
    "trials": (TRIALS, "Number of resamples or permutations.", {"low": 1}),
    "seed": (SEED, "Random seed.", {"low": 0}),
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
        msg = (
            f"{given!r} is not a list of lengths; expected numbers and `all`, such "
            "as 1,10,all."
        )
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
            f"{given!r} is not a list of values; expected numbers such as 0.5,0.9, or "
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
        msg = (
            f"{given!r} is not a list of numbers; expected whole numbers from 1, "
            "such as 1,2,3."
        )
        raise ValueError(msg)
    return tuple(dict.fromkeys(map(int, counts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions:
    """How well do metrics agree with people?"""

    level: Level = find_option("level")
    coefficients: tuple[str, ...] = build_names(
        "Coefficients, as NAME or NAME:GROUP (none, item, sys). Default for systems: "
        "pearson, spearman, accuracy, spa; for segments: acc*_eq:item, "
        "kendall-b:item, pearson.",
        "--coef",
    )
    average: Literal["macro", "micro"] = build_option(
        "macro", "Weight all groups equally, or by their number of values."
    )
    nan: Literal["drop", "zero"] = build_option(
        "drop", "Skip groups without a coefficient, or count them as zero."
    )
    eps: float | None = find_option("eps")
    eps_from: tuple[str, ...] = find_option("eps_from")
    folds: int | None = find_option("folds")
    spa_p: SoftP = build_option(
        "permutation", "Source of the p-values of soft pairwise accuracy."
    )
    wmt: bool = find_option("wmt")
    no_ci: bool = build_option(False, "Omit the intervals.")
    interval: Literal["bootstrap", "fisher"] = build_option(
        "bootstrap",
        "Bootstrap, or Fisher's formula (pearson, spearman and kendall-b of systems "
        "only).",
    )
    resample: Literal["both", "sys", "item"] = build_option(
        "both", "Bootstrap over systems, segments or both."
    )
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Do differences between systems agree?"""

    orient: Literal["gold", "both"] = build_option(
        "gold",
        "Order of the systems in a pair: the one with the better gold score first, "
        "or both orders.",
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
        "Coefficient; by default pearson for systems and acc*_eq:item for segments.",
        flags="--coef",
        metavar="NAME[:GROUP]",
    )
    test: Test = build_option(
        "auto",
        "Permutation test that swaps whole systems (perm-sys), documents, segments "
        "(perm-input) or single outputs (perm-both) between two metrics, a bootstrap "
        "of systems and segments (boot-both), or a formula. auto: williams for "
        "pearson of systems, perm-sys for other coefficients of systems, perm-input "
        "for segments. The output names the population that the result holds for.",
    )
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    absolute: bool = build_option(
        False, "Apply Williams' test to absolute correlations."
    )
    eps: float | None = find_option("eps")
    eps_from: tuple[str, ...] = find_option("eps_from")
    folds: int | None = find_option("folds")
    alpha: float = find_option("alpha")
    rule: Rule = build_option(
        "greedy",
        "greedy: a new cluster starts at a metric that loses to one of the current "
        "cluster; wmt: every metric above beats every metric below.",
        flags="--clusters",
    )
    wmt: bool = build_option(
        False,
        "Test as WMT's scorer does: the pairs test for segment accuracies; swaps of "
        "single outputs for spa and other segment coefficients; swaps of systems "
        "otherwise; one-sided, no correction, 1,000 trials, p = b/k.",
    )
    spa_p: Literal["normal", "permutation"] = build_option(
        "normal",
        "P-values of soft pairwise accuracy after a swap: from the normal "
        "approximation, or by permutation each time, which takes about ten seconds "
        "per pair of metrics.",
    )
    most_pairs: int = build_option(
        28,
        "List pairs of metrics up to this number, and show a matrix for more; 0 "
        "lists all.",
        flags="--pairs",
        low=0,
    )
    trials: int | None = find_option("draws")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossOptions:
    """How do scorers agree with each other?"""

    scorers: tuple[str, ...] = build_names(
        "Scorers to compare, human ones included; all by default.", "--scorer"
    )
    level: Level = find_option("level")
    coef: str = build_option(
        "pearson",
        "Coefficient; for segments with its grouping.",
        metavar="NAME[:GROUP]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoOptions:
    """How long must a document be?"""

    lengths: tuple[int, ...] = build_option(
        LENGTHS,
        "Numbers of segments in a document.",
        parse=parse_lengths,
        default="1,2,5,10,20,50,100,200,all",
    )
    documents: int = build_option(
        DOCUMENTS, "Number of documents to draw for each length.", low=2
    )
    coef: str = build_option(
        "spearman",
        "Coefficient between the systems' scores on a document.",
        metavar="NAME",
    )
    scaling: Scaling = find_option("scaling")
    judges_by: Literal["auto", "cell", "segment", "document"] = build_option(
        "auto",
        "Draw judges for each cell, for each segment (the same judge for all its "
        "systems) or for each document. auto: segment if the same two judges judged "
        "at least half of the system pairs of a segment, else cell.",
    )
    test: bool = build_option(
        False, "Test every pair of metrics at each length (Wilcoxon)."
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsOptions:
    """What do more references buy?"""

    level: Literal["sys", "seg"] = build_option(
        "sys", "Level of the scores: systems or segments."
    )
    coef: str | None = build_option(
        None,
        "Coefficient; pearson by default.",
        metavar="NAME[:GROUP]",
    )
    counts: tuple[int, ...] = build_option(
        (),
        "Number of references; may be given several times. By default all numbers, "
        "or 1 to 8 and then doubling.",
        flags="--count",
        low=1,
    )
    most: int = build_option(
        12,
        "Largest number of subsets to try for each number of references.",
        flags="--subsets",
        low=1,
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Which value of a metric's option agrees best with people?"""

    parameter: str = build_option(
        "alpha", "Option whose values to try.", metavar="NAME"
    )
    values: tuple[float, ...] = build_option(
        parse_values("0:1:0.05"),
        "Values to try: numbers separated by commas, or FROM:TO:STEP.",
        parse=parse_values,
        default="0:1:0.05",
    )
    level: Literal["sys", "seg"] = build_option(
        "sys", "Level of the scores: systems or segments."
    )
    coef: str = build_option("pearson", "The coefficient.", metavar="NAME[:GROUP]")
    folds: int = build_option(
        5, "Number of folds for cross-validation; 0 for none.", low=0
    )
    by: Literal["segment", "document"] = build_option(
        "segment", "Unit of the folds.", flags="--folds-by"
    )
    no_ci: bool = find_option("no_ci")
    resample: Literal["both", "sys", "item"] = build_option(
        "both", "Bootstrap over systems, segments or both."
    )
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustOptions:
    """Does the agreement depend on a few systems?"""

    coef: str = find_option("coef")
    choice: Literal["top", "window", "leave-one-out", "subsets"] = build_option(
        "top",
        "Subsets of systems: the best, neighbours in the ranking, all but one, or "
        "random subsets (200 draws; mean and 95% range).",
    )
    window: int = build_option(4, "Number of neighbouring systems in a window.", low=4)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterOptions:
    """How do systems lie by people and metric?"""

    coef: str = find_option("coef")
    outliers: str = build_option(
        "mad",
        "Outliers by 2.5 robust deviations of the gold scores, or a file with one "
        "system per line.",
        metavar="mad|FILE",
    )
    classes: str | None = build_option(
        None,
        "Class of each system: its name, a tab and the class on each line.",
        metavar="FILE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """What does the protocol of a WMT metrics task say?"""

    wmt: bool = find_option("wmt")
    test: bool = build_option(
        False,
        "Test every pair of metrics, for each column and for the average, and form "
        "clusters.",
    )
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    alpha: float = find_option("alpha")
    ci: bool = build_option(
        False,
        "Add bootstrap intervals over systems and segments; --plot adds them too.",
    )
    trials: int | None = build_option(
        None,
        "Number of trials; by default 1,000 for intervals and 10,000 for tests, or "
        "more if their number needs it.",
        low=1,
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions:
    """Are errors marked where people mark them?"""

    gold: tuple[str, ...] = build_names(
        "Raters to compare with; by default all human raters.", "--gold"
    )
    combine: Literal["each", "any", "most"] = build_option(
        "each",
        "With several raters per output: compare with each in turn, with spans that "
        "any of them marked, or with spans that more than half of them marked.",
    )
    credit: float = build_option(
        0.5,
        "Credit for an error that is found with the wrong severity; 1 ignores "
        "severities.",
        low=0.0,
        high=1.0,
    )
    most_pairs: int = build_option(
        15, "Number of pairs of raters to show; 0 for all.", flags="--pairs", low=0
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOptions:
    """Does a metric prefer good translations to bad ones?"""

    coef: Literal["accuracy", "tau"] = build_option(
        "accuracy",
        "accuracy: share of correctly ordered pairs; tau: that minus the share of "
        "wrongly ordered pairs. A tie counts as an error.",
    )
    by: Literal["phenomenon", "lang"] = build_option(
        "phenomenon", "Show one row per phenomenon or per language pair."
    )
    most: int = build_option(
        40, "Number of rows to show, those with most pairs first; 0 for all.", low=0
    )
    lower: tuple[str, ...] = build_names(
        "Metrics in columns of the file for which lower values are better.",
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
        "Lowest human score of a good output; by default the median. Perrella et al. "
        "use MQM -1 and -4.",
    )
    folds: int = build_option(
        5,
        "Number of folds: each fold is filtered with the threshold of the others; 0 "
        "fits the threshold to all segments, which is optimistic.",
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
        "Differences to compute the agreement for: numbers separated by commas, or "
        "FROM:TO:STEP.",
        parse=lambda given: parse_values(given) if given else (),
        default="",
    )
    sure: float | None = build_option(
        None,
        "Use only pairs of systems whose human scores differ with a p-value below "
        "this.",
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
        "Coefficients of segments, as NAME or NAME:GROUP; by default pearson, "
        "pearson:sys, pearson:item and acc*_eq:item.",
        "--coef",
    )
    folds: int = build_option(
        5, "Number of folds: each fold is predicted from the others.", low=2
    )
    no_ci: bool = find_option("no_ci")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """What does meta-evaluation say about one metric?"""

    good: float | None = build_option(
        None,
        "Lowest human score of a good output; by default the median.",
    )
    folds: int = build_option(5, "Number of folds for thresholds and sentinels.", low=2)
    trials: int = find_option("trials")
    seed: int = find_option("seed")
