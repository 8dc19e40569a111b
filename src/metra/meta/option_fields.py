"""Fields of options: shared ones, and parsers of their texts; needs no numpy."""

import math
from dataclasses import field
from typing import Any, Literal, TypeAlias

from metra.stats.defaults import SEED, TRIALS

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
Sides: TypeAlias = Literal["two-sided", "one-sided"]
#: By which p-values a difference counts.
Correction: TypeAlias = Literal["holm", "bh", "none"]
Rule: TypeAlias = Literal["greedy", "wmt"]


#: The range of a probability, both ends excluded.
PROBABILITY = {"low": 0, "high": 1, "open": True}


def build_option(default: Any, /, **metadata: Any) -> Any:
    """Declare an option whose help is in the docstring of its record."""
    return field(default=default, metadata=metadata)


def build_names(flags: str, **metadata: Any) -> Any:
    """Declare an option that takes several names."""
    return build_option((), **{"flags": flags, "split": True} | metadata)


#: Options of several questions: default, help, and other metadata.
_SHARED: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "level": ("sys", "Level of the scores: systems, segments or documents.", {}),
    "coef": ("pearson", "The coefficient.", {"metavar": "NAME"}),
    "eps": (
        None,
        "Tie threshold for metric scores, for acc_eq, acc*_eq, accuracy and all taus "
        "except kendall-c.",
        {"rare": True},
    ),
    "eps_from": (
        (),
        "Calibrate the tie thresholds of acc*_eq on these scores instead, for each "
        "metric separately.",
        {"metavar": "SCORES", "rare": True},
    ),
    "folds": (
        None,
        "Calibrate acc*_eq by cross-fitting with this number of folds: each fold of "
        "segments uses the threshold of the others.",
        {"flags": "--cross-fit", "low": 2, "rare": True},
    ),
    "wmt": (False, "Compute soft pairwise accuracy as WMT's scorer does.", {}),
    "scaling": (
        "none",
        "Normalise each judge's values first.",
        {"flags": "--normalise"},
    ),
    "sides": (
        "two-sided",
        "Two-sided test, or one-sided test that the better metric is better.",
        {"rare": True},
    ),
    "correction": (
        "holm",
        "Correction of the p-values that determine clusters: Holm, "
        "Benjamini-Hochberg or none. The table shows all of them.",
        {"rare": True},
    ),
    "draws": (
        None,
        "Number of trials; by default 10,000, or more if the number of tests needs it.",
        {"low": 1},
    ),
    "alpha": (0.05, "Significance level.", {"rare": True, **PROBABILITY}),
    "trials": (
        TRIALS,
        "Number of resamples or permutations; 0 omits intervals.",
        {"low": 0, "sign": False},
    ),
    "seed": (SEED, "Random seed.", {"low": 0, "rare": True}),
}


def find_option(name: str, **more: Any) -> Any:
    """Declare an option that several questions have."""
    default, help_text, metadata = _SHARED[name]
    return build_option(default, help=help_text, **metadata | more)


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


#: Variance components that may be assumed before there are any judgements.
DEVIATIONS = (
    *("system", "system × document", "system × segment", "system × rater"),
    *("rater", "rater × segment", "rating"),
)
