"""Options of questions: the command line derives its flags from them.

`questions.txt` has the help of commands and options. Nothing here loads numpy, so that
`--help` is quick. `metra.cli.derive` explains the metadata of fields; `sign` is a field's
place in signatures: True or a name if it is always shown, False if never. Other fields are
shown if they differ from their default.
"""
# ruff: noqa: RUF009 -- the functions called for defaults return fields

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from metra.stats.defaults import DOCUMENTS, LENGTHS, SEED, TRIALS

Level: TypeAlias = Literal["sys", "seg", "doc"]
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
#: How two systems are tested.
SystemTest: TypeAlias = Literal[
    "auto", "permutation", "welch", "signed-rank", "rank-sum", "bootstrap"
]
Sides: TypeAlias = Literal["two-sided", "one-sided"]
#: By which p-values a difference counts.
Correction: TypeAlias = Literal["holm", "bh", "none"]
Rule: TypeAlias = Literal["greedy", "wmt"]
#: The range of a probability, both ends excluded.
PROBABILITY = {"low": 0, "high": 1, "open": True}
#: Variance components that may be assumed before there are any judgements.
DEVIATIONS = (
    *("system", "system × document", "system × segment", "system × rater"),
    *("rater", "rater × segment", "rating"),
)
#: Faster than anybody reads.
WORDS_PER_MINUTE = 600.0
#: Options of several questions: default and metadata.
_SHARED: dict[str, tuple[Any, dict[str, Any]]] = {
    "level": ("sys", {}),
    "eps": (None, {"rare": True}),
    "folds": (None, {"flags": "--cross-fit", "low": 2, "rare": True}),
    "wmt": (False, {}),
    "scaling": ("none", {"flags": "--normalise"}),
    "sides": ("two-sided", {"rare": True}),
    "correction": ("holm", {"rare": True}),
    "alpha": (0.05, {"rare": True, **PROBABILITY}),
    "most_pairs": (15, {"flags": "--pairs", "low": 0, "rare": True, "sign": False}),
    "most_judges": (20, {"flags": "--judges", "low": 0, "rare": True, "sign": False}),
    "trials": (TRIALS, {"low": 0, "sign": False}),
    "seed": (SEED, {"low": 0, "rare": True}),
}


def build_option(default: Any, /, **metadata: Any) -> Any:
    """Declare an option."""
    return field(default=default, metadata=metadata)


def build_names(flags: str, **metadata: Any) -> Any:
    """Declare an option that takes several names."""
    return build_option((), **{"flags": flags, "split": True} | metadata)


def find_option(name: str, **more: Any) -> Any:
    """Declare an option that several questions have."""
    default, metadata = _SHARED[name]
    return build_option(default, **metadata | more)


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


def parse_counts(given: str, *, every: str = "") -> tuple[int, ...]:
    """Read whole numbers from 1 on, with commas between them; the word for all is 0.

    >>> parse_counts("1,2,3"), parse_counts("1,10,all", every="all")
    ((1, 2, 3), (1, 10, 0))
    """
    counts = [part.strip() for part in given.split(",")]
    if not all(c and (c == every or (c.isdecimal() and int(c))) for c in counts):
        more = f" and `{every}`" if every else ""
        msg = (
            f"{given!r} is not a list of numbers; expected whole numbers from 1{more}, "
            "such as 1,2,3."
        )
        raise ValueError(msg)
    return tuple(dict.fromkeys(0 if c == every else int(c) for c in counts))


def parse_deviations(given: str) -> tuple[tuple[str, float], ...]:
    """Read standard deviations by what judgements vary with.

    >>> parse_deviations("system=2, system×segment=9.5")
    (('system', 2.0), ('system × segment', 9.5))
    """
    deviations = {}
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
        deviations[term] = deviation
    return tuple(deviations.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions:
    """Options of `correlate`."""

    level: Level = find_option("level")
    show: Literal["coefficients", "systems", "pairs"] = "coefficients"
    coefficients: tuple[str, ...] = build_names("--coef")
    average: Literal["macro", "micro"] = build_option("macro", rare=True)
    eps: float | None = find_option("eps")
    folds: int | None = find_option("folds")
    wmt: bool = find_option("wmt")
    resample: Literal["both", "sys", "item"] = build_option("both", rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Options of `compare`."""

    level: Level = find_option("level")
    coefficient: str | None = build_option(None, flags="--coef", metavar="NAME[:GROUP]")
    test: Test = "auto"
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    eps: float | None = find_option("eps")
    folds: int | None = find_option("folds")
    alpha: float = find_option("alpha")
    rule: Rule = build_option("greedy", flags="--clusters", rare=True, sign="clusters")
    wmt: bool = False
    most_pairs: int = build_option(28, flags="--pairs", low=0, rare=True, sign=False)
    trials: int | None = build_option(None, low=1)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoOptions:
    """Options of `pseudo`."""

    lengths: tuple[int, ...] = build_option(
        LENGTHS,
        parse=partial(parse_counts, every="all"),
        default="1,2,5,10,20,50,100,200,all",
    )
    documents: int = build_option(DOCUMENTS, low=2, sign=True)
    coef: str = build_option("spearman", metavar="NAME", sign=True)
    scaling: Scaling = find_option("scaling", rare=True)
    judges_by: Literal["auto", "cell", "segment", "document"] = build_option(
        "auto", rare=True
    )
    test: bool = build_option(False, rare=True)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsOptions:
    """Options of `refs`."""

    level: Literal["sys", "seg"] = "sys"
    coef: str = build_option("pearson", metavar="NAME[:GROUP]")
    counts: tuple[int, ...] = build_option((), flags="--count", low=1, sign=False)
    most: int = build_option(12, flags="--subsets", low=1, rare=True, sign="subsets")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Options of `tune`."""

    parameter: str = build_option("alpha", flags="--over", metavar="NAME", sign="tune")
    values: tuple[float, ...] = build_option(
        parse_values("0:1:0.05"), parse=parse_values, default="0:1:0.05"
    )
    level: Literal["sys", "seg"] = "sys"
    coef: str = build_option("pearson", metavar="NAME[:GROUP]")
    folds: int = build_option(5, low=0, rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """Options of `task`."""

    wmt: bool = find_option("wmt")
    test: bool = False
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    alpha: float = find_option("alpha")
    good: float = build_option(85.0, rare=True)
    folds: int = build_option(5, low=0, rare=True)
    trials: int | None = build_option(None, low=0, sign=False)
    seed: int = find_option("seed")

    @property
    def resamples(self) -> int:
        """Number of resamples for intervals."""
        return TRIALS if self.trials is None else self.trials


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions:
    """Options of `spans`."""

    gold: tuple[str, ...] = build_names("--gold")
    credit: float = build_option(0.5, low=0.0, high=1.0, rare=True, sign=True)
    most_pairs: int = find_option("most_pairs")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOptions:
    """Options of `challenge`."""

    lower: tuple[str, ...] = build_names("--lower", rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """Options of `select`."""

    good: float | None = None
    folds: int = build_option(5, low=0, rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaOptions:
    """Options of `deltas`."""

    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelOptions:
    """Options of `sentinel`."""

    coefficients: tuple[str, ...] = build_names("--coef")
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """Options of `card`."""

    challenge: str | None = build_option(None, metavar="PAIRS", sign=False)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """Options of `rank`."""

    by: Literal["mean", "mixed", "z", "arr", "wins", "autorank"] = build_option(
        "mean", sign=True
    )
    macro: Literal["none", "document", "domain"] = build_option("none", rare=True)
    rule: Literal["wmt", "neighbours", "greedy", "range"] = build_option(
        "wmt", flags="--clusters", rare=True
    )
    ranks: bool = False
    unit: Literal["auto", "segment", "document", "crossed"] = build_option(
        "auto", flags="--over", rare=True
    )
    test: SystemTest = "auto"
    correction: Correction = find_option("correction", sign=False)
    alpha: float = find_option("alpha", sign=True)
    wmt: bool = False
    like: Literal["wmt22", "wmt24", "wmt25", "wmt26"] | None = None
    against: tuple[str, ...] = build_names("--against")
    expected: str | None = build_option(None, metavar="FILE", sign=False)
    trials: int = build_option(TRIALS, low=1, sign=False)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceOptions:
    """Options of `preferences`."""

    ranks: bool = False
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """Options of `agree`."""

    within: float = build_option(1.0, rare=True, sign=True)
    scaling: Scaling = find_option("scaling")
    ranks: bool = False
    most_pairs: int = find_option("most_pairs")
    most_judges: int = find_option("most_judges")
    worst: int = build_option(5, low=0, rare=True, sign=False)
    brief: bool = build_option(False, flag=False, sign=False)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormaliseOptions:
    """Options of `normalise`."""

    method: Scaling = build_option("z", flags="--normalise", sign="method")
    most_judges: int = find_option("most_judges")
    bad: str | None = build_option(None, metavar="NAME", sign=False)
    to: str | None = build_option(None, flags="--scores", metavar="FILE", sign=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """Options of `plan`."""

    segments: tuple[int, ...] = build_option(
        (100, 200, 400, 800, 1600), parse=parse_counts, default="100,200,400,800,1600"
    )
    raters: tuple[int, ...] = build_option(
        (1, 2, 3), parse=parse_counts, default="1,2,3"
    )
    pool: int | None = build_option(None, low=1, rare=True)
    segments_per_document: float | None = build_option(None, low=1, rare=True)
    these_raters: bool = build_option(False, rare=True)
    power: float = build_option(0.8, low=0.06, high=0.999, rare=True, sign=True)
    alpha: float = find_option("alpha", sign=True)
    most_pairs: int = find_option("most_pairs")
    scaling: Scaling = find_option("scaling")
    studies: int = build_option(200, flags="--trials", low=0, sign=False)
    seed: int = find_option("seed")
    like: Literal["esa", "mqm", "da"] | None = None
    assumed: tuple[tuple[str, float], ...] = build_option(
        (),
        flags="--sd",
        sign=False,
        parse=parse_deviations,
        default="",
        metavar="NAME=NUMBER,…",
    )
    systems: int = build_option(2, low=2, rare=True)
    differences: tuple[float, ...] = build_option(
        (1.0, 2.0, 5.0),
        flags="--difference",
        parse=parse_values,
        default="1,2,5",
        rare=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRules:
    """Options of `judges`."""

    words_per_minute: float = build_option(
        WORDS_PER_MINUTE, low=1, rare=True, sign=True
    )
    too_fast: float = build_option(0.1, low=0, high=1, rare=True)
    degraded: int = build_option(5, low=1, rare=True)
    alpha: float = find_option("alpha")
    repeats: int = build_option(5, low=1, rare=True)
    distance: float = build_option(25.0, low=0, rare=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOptions:
    """Options of questions that have none."""
