"""The options of questions about uses of metrics, which need no numpy either."""

from dataclasses import dataclass
from typing import Literal

from metra.meta.option_values import parse_values
from metra.meta.options import _find_option, _names, _option


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions:
    """Are errors marked where people mark them?"""

    gold: tuple[str, ...] = _names(
        "Raters to compare with; all people where none is named.", "--gold"
    )
    combine: Literal["each", "any", "most"] = _option(
        "each",
        "Several raters of an output: compare with each in turn, with what any of them "
        "marked, or with what more than half of them marked.",
    )
    credit: float = _option(
        0.5,
        "Credit for an error that is found, but with the other severity; 1 ignores "
        "severities.",
        low=0.0,
        high=1.0,
    )
    most_pairs: int = _option(
        15, "Pairs of raters to show; 0 for all.", flags="--pairs", low=0
    )
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOptions:
    """Does a metric prefer good translations to bad ones?"""

    coef: Literal["accuracy", "tau"] = _option(
        "accuracy",
        "accuracy: share of pairs in the right order; tau: that less the share in the "
        "wrong order. A tie is a mistake.",
    )
    by: Literal["phenomenon", "lang"] = _option(
        "phenomenon", "A row for each phenomenon, or for each language pair."
    )
    most: int = _option(
        40, "Rows to show, those with most pairs first; 0 for all.", low=0
    )
    lower: tuple[str, ...] = _names(
        "Metrics in columns of the file whose lower values are the better ones.",
        "--lower-is-better",
    )
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """Does a metric keep good outputs, and take the best of several?"""

    good: float | None = _option(
        None,
        "People's score from which on an output is good; their median where not given. "
        "Perrella et al. take -1 and -4 of MQM.",
    )
    folds: int = _option(
        5,
        "Folds of segments: each is filtered by the threshold of the others; 0 fits it to "
        "all, which is a little too good.",
        low=0,
    )
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaOptions:
    """Which differences of a metric do people notice?"""

    at: tuple[float, ...] = _option(
        (),
        "Differences to give the share of agreement for: numbers with commas, or "
        "FROM:TO:STEP.",
        parse=lambda given: parse_values(given) if given else (),
        default="",
    )
    sure: float | None = _option(
        None,
        "Only pairs of systems that people tell apart with a p-value below this.",
        low=0.0,
        high=1.0,
    )
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelOptions:
    """What do scores reach that cannot tell how good an output is?"""

    coefficients: tuple[str, ...] = _names(
        "Coefficients of segments, as NAME or NAME:GROUP; pearson, pearson:sys, "
        "pearson:item and acc*_eq:item by default.",
        "--coef",
    )
    folds: int = _option(
        5, "Folds of segments: each is predicted from the others.", low=2
    )
    no_ci: bool = _find_option("no_ci")
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """What does meta-evaluation say about one metric?"""

    good: float | None = _option(
        None,
        "People's score from which on an output is good; their median where not given.",
    )
    folds: int = _option(5, "Folds of segments for thresholds and sentinels.", low=2)
    trials: int = _find_option("trials")
    seed: int = _find_option("seed")
