"""Measures of an exercise: scales and kinds, evaluators compared, measures with each other."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from statistics import fmean, variance
from typing import TypeAlias

import numpy as np

from metra.errors import FormatError, MetraError, OptionError
from metra.formats.annotations.quality_model import QualityModel
from metra.meta.texts import average_systems, list_rows
from metra.metrics.registry import BUILT_IN, find_highest_score, list_metrics
from metra.metrics.registry import metric as make_metric
from metra.scores.long_table import guess_scorer_kind
from metra.scores.scale import (
    MeasureKind,
    MeasureScale,
    ScoreScale,
    scale_to_hundred,
)
from metra.scores.table import Scorer, Scores
from metra.stats.agreement import alpha
from metra.stats.arrays import Array, drop_nan
from metra.stats.coefficients import pearson, spearman
from metra.stats.judge_agreement import (
    JudgePair,
    average_figure,
    compare_judges,
    pair_judgements,
)
from metra.stats.ratings import Ratings, sort_ratings

#: The scales of the questions of protocols, by name; None if a question has no scale.
ProtocolScales = Mapping[str, ScoreScale | None]
#: Measures of the ISLE workbook by number: A1 to A6 are automated, H1 to H6 human.
_WORKBOOK = re.compile(r"([AH])[1-6][ab]?\b")
#: Rounding may push a perfect score a little beyond 100.
_SLACK = 1e-9


def read_model_scales(model: QualityModel) -> dict[str, ScoreScale]:
    """Return the scales of a quality model, by measure."""
    origin = f"model {model.name}"
    return {m.spec: ScoreScale(m.worst, m.best, origin) for m in model.members}


def classify_measure(
    metric: str,
    kinds: Collection[MeasureKind] = (),
    *,
    asked: Iterable[str] = (),
    human: Sequence[str] = (),
    automated: Sequence[str] = (),
) -> MeasureKind:
    """Return the kind of a measure: as given, as the files say it, or by its name.

    `asked` are the names of questions that protocols ask people.

    >>> [classify_measure(name) for name in ("H4b clarity", "adequacy", "bleu:n=3", "x")]
    ['human', 'human', 'automated', '']
    """
    name = metric.partition(":")[0]
    if {metric, name} & set(human):
        return "human"
    if {metric, name} & set(automated):
        return "automated"
    stated = {kind for kind in kinds if kind}
    if len(stated) == 1:
        return stated.pop()
    code = _WORKBOOK.match(metric)
    if code:
        return "human" if code[1] == "H" else "automated"
    if name in list_metrics():
        return "automated"
    is_asked = any(name == step or name.startswith(f"{step}-") for step in asked)
    return "human" if is_asked or guess_scorer_kind(name) else ""


def scale_measure(
    scores: Scores,
    places: Sequence[str],
    kind: MeasureKind,
    given: Mapping[str, ScoreScale],
    protocol_scales: ProtocolScales,
) -> tuple[Array, MeasureScale]:
    """Return the rows of one measure from 0 to 100, and their mapping.

    `places` are the files of the rows, for messages.
    """
    [scorer] = scores.scorers
    metric, values = scorer.name, scores.value
    defined = np.isfinite(values)
    scale = _choose_scale(scorer, scores, places, given, protocol_scales)
    cut = 0
    worst: float | None
    best: float | None
    if scale is not None:
        hundreds = scale_to_hundred(values, scale.worst, scale.best)
        low, high = sorted((scale.worst, scale.best))
        cut = int(((values < low) | (values > high)).sum())
        worst, best, origin = scale.worst, scale.best, scale.origin
    else:
        # Rounding may have pushed a mean a little beyond 100.
        hundreds = np.clip(scores.hundred, 0, 100)
        is_same = (values == scores.hundred)[defined].all()
        own = ScoreScale(0.0, 100.0, "as given") if is_same else None
        own = own or protocol_scales.get(metric)
        worst, best = (own.worst, own.best) if own else (None, None)
        origin = own.origin if own else "protocol"
    return hundreds, MeasureScale(
        metric=metric,
        kind=kind,
        worst=worst,
        best=best,
        origin=origin,
        lowest=float(values[defined].min()) if defined.any() else None,
        highest=float(values[defined].max()) if defined.any() else None,
        values=int(defined.sum()),
        cut=cut,
    )


def _choose_scale(
    scorer: Scorer,
    scores: Scores,
    places: Sequence[str],
    given: Mapping[str, ScoreScale],
    protocol_scales: ProtocolScales,
) -> ScoreScale | None:
    """Choose the scale of a measure; None if the files map it to 0 to 100 themselves.

    A scale given for the measure, or for all its options, comes first. Then come
    percentages and rates of errors, and the scales of protocols.
    """
    metric, higher = scorer.name, scorer.higher_is_better
    defined = np.isfinite(scores.value)
    is_mapped = not (defined & np.isnan(scores.hundred)).any()
    scale = given.get(metric) or given.get(metric.partition(":")[0])
    if scale is not None:
        # Files that map their values say nothing about the direction of these.
        is_up = scale.best > scale.worst
        if not is_mapped and higher is not None and is_up != higher:
            better = "Higher" if higher else "Lower"
            msg = (
                f"{better} values of {metric} are better, but the scale is {scale}; swap "
                "its ends."
            )
            raise OptionError(msg)
        return scale
    if is_mapped:
        _check_hundreds(scores, scores.hundred, places)
        return None
    if _is_percentage(metric) and higher is not None:
        if not higher:
            return ScoreScale(100.0, 0.0, "percentage of errors")
        _check_hundreds(scores, scores.value, places)
        return ScoreScale(0.0, 100.0, "percentage")
    own = protocol_scales.get(metric)
    values = scores.value[defined]
    if own and higher and ((own.worst <= values) & (values <= own.best)).all():
        return own
    place = f"{places[0]}: " if places[0] else ""
    msg = (
        f"{place}the unit of {metric} is not known; set which values map to 0 and "
        f"100 with `scales`, such as {metric}=0..10."
    )
    raise OptionError(msg)


def note_scales(
    scales: Iterable[MeasureScale], protocol_scales: ProtocolScales
) -> Iterator[str]:
    """Yield notes on values beyond a scale, and on measures that may be on another one."""
    for scale in scales:
        if scale.cut:
            yield (
                f"{scale.metric}: {scale.cut} of {scale.values} values are outside "
                f"{scale.worst:g}..{scale.best:g} and are clipped to it."
            )
        if scale.origin != "as given":
            continue
        own = protocol_scales.get(scale.metric)
        if own is not None and (scale.highest or 0) <= own.best < 100:
            yield (
                f"{scale.metric}: no value is above {own.best:g}, the best of its "
                f"protocol, but the files declare 0 to 100; if they mean {own}, set "
                "`scales`."
            )
        if is_error_rate(scale.metric):
            yield (
                f"{scale.metric}: this metric usually counts errors, but the files "
                "declare 0 to 100, higher is better; if they mean 100..0, set "
                "`scales`."
            )


def is_error_rate(metric: str) -> bool:
    """Tell whether lower scores of a metric are better, as metra computes it.

    >>> is_error_rate("wer"), is_error_rate("bleu:n=3"), is_error_rate("clarity")
    (True, False, False)
    """
    name = metric.partition(":")[0]
    try:
        return name in BUILT_IN and make_metric(name).higher_is_better is False
    except MetraError:  # it needs files
        return False


def _is_percentage(metric: str) -> bool:
    name, _, options = metric.partition(":")
    counts = name == "transfer" and "mode=counts" in options.split(",")
    return name in BUILT_IN and find_highest_score(name) == 100 and not counts


def _check_hundreds(scores: Scores, hundreds: Array, places: Sequence[str]) -> None:
    wrong = (hundreds < -_SLACK) | (hundreds > 100 + _SLACK)
    for row in np.flatnonzero(wrong)[:1]:
        place = f"{places[row]}: " if places[row] else ""
        msg = (
            f"{place}{scores.names[0]} of {scores.systems[scores.system[row]]} is "
            f"{hundreds[row]:g}; expected a number from 0 to 100, or another scale "
            "with `scales`."
        )
        raise FormatError(msg)


#: A text and a system.
Place: TypeAlias = tuple[str, str]
#: Scores from 0 to 100 by text and system, then by evaluator.
Translations: TypeAlias = dict[Place, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Reliability:
    """The spread of one metric's evaluators; None if nobody shares a translation."""

    metric: str
    evaluators: int
    translations: int
    #: Translations that two evaluators or more scored.
    shared: int
    mean: float | None
    #: Standard deviation over evaluators, pooled over the shared translations.
    deviation: float | None
    #: Krippendorff's alpha on the interval scale.
    agreement: float | None
    reason: str = ""
    #: Results without a score, and their reasons.
    undefined: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """Two metrics on the translations that both scored; None for an undefined figure."""

    one: str
    other: str
    translations: int
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class SystemEvaluation:
    """One system by one metric, over the evaluators; None for an undefined figure."""

    metric: str
    system: str
    evaluators: int
    #: Its texts with scores; 1 if all texts have one score together.
    texts: int
    #: The mean over texts of the mean over evaluators.
    mean: float | None
    #: Standard deviation over evaluators, with n - 1, pooled over the texts.
    deviation: float | None
    #: Each evaluator's mean over the texts that they scored.
    by_evaluator: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class EvaluatorPair:
    """Two evaluators of one metric; None for an undefined figure."""

    first: str
    second: str
    translations: int
    #: The mean of the first's scores minus the second's.
    difference: float
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class EvaluatorAgreement:
    """Agreement of every two evaluators of a metric on translations that both scored."""

    metric: str
    pairs: tuple[EvaluatorPair, ...]
    #: Means over the pairs, weighted by shared translations; None if no pair has a figure.
    pearson: float | None
    spearman: float | None


def index_results(scores: Scores) -> dict[str, Translations]:
    """Return scores from 0 to 100 by metric, text and system, and evaluator."""
    results: dict[str, Translations] = {}
    for metric, evaluator, *place, _, score, reason in list_rows(scores):
        of_metric = results.setdefault(metric, {})
        if not reason:
            text, system = place
            of_metric.setdefault((text, system), {})[evaluator] = score
    return results


def average_evaluators(results: Translations) -> dict[Place, float]:
    """Return the mean over evaluators of each text and system."""
    return {place: fmean(scores.values()) for place, scores in results.items()}


def compute_reliability(
    metric: str, results: Translations, scores: Scores
) -> Reliability:
    """Compute the spread and the agreement of a metric's evaluators."""
    rows = [row for row in list_rows(scores) if row[0] == metric]
    reasons = [row[-1] for row in rows if row[-1]]
    counts = (
        *(len({row[1] for row in rows}), len(results)),
        sum(len(given) > 1 for given in results.values()),
    )
    rest = len(reasons), "; ".join(sorted(set(reasons)))
    if not results:
        return Reliability(metric, *counts, None, None, None, "no scores", *rest)
    mean = fmean(average_evaluators(results).values())
    deviation = _pool_deviation(results.values())
    if deviation is None:
        reason = "no translation has two evaluators"
        return Reliability(metric, *counts, mean, None, None, reason, *rest)
    agreement = drop_nan(alpha(_build_ratings(results)))
    reason = "" if agreement is not None else "all scores are equal"
    return Reliability(metric, *counts, mean, deviation, agreement, reason, *rest)


def _pool_deviation(translations: Iterable[Mapping[str, float]]) -> float | None:
    """Return the deviation over evaluators, pooled; None if nobody shares anything."""
    shared = [given for given in translations if len(given) > 1]
    if not shared:
        return None
    return sqrt(fmean(variance(given.values()) for given in shared))


def _build_ratings(results: Translations) -> Ratings:
    """Return evaluators as judges, and translations as units."""
    evaluators = sorted({name for given in results.values() for name in given})
    number = {name: at for at, name in enumerate(evaluators)}
    cells = [
        (number[name], unit, score)
        for unit, given in enumerate(results.values())
        for name, score in given.items()
    ]
    judge, unit, value = (np.array(column) for column in zip(*cells, strict=True))
    units = [" ".join(filter(None, place)) for place in results]
    return sort_ratings(evaluators, units, judge, unit, value.astype(np.float64))


def evaluate_systems(
    results: Mapping[str, Translations], scores: Scores
) -> Iterator[SystemEvaluation]:
    """Evaluate every system by every metric, also those without any score."""
    by_evaluator: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for metric, evaluator, _, system, _, score, _ in list_rows(average_systems(scores)):
        own = by_evaluator.setdefault((metric, system), [])
        own += [(evaluator, score)] if score == score else []
    places = dict.fromkeys((row[0], row[3]) for row in list_rows(scores))
    for metric, system in places:
        texts = [s for place, s in results[metric].items() if place[1] == system]
        own = by_evaluator[metric, system]
        yield SystemEvaluation(
            *(metric, system, len(own), len(texts)),
            fmean(fmean(given.values()) for given in texts) if texts else None,
            _pool_deviation(texts),
            tuple(own),
        )


def compare_pairs(metric: str, results: Translations) -> EvaluatorAgreement:
    """Compare every two evaluators of a metric."""
    shared = {place: given for place, given in results.items() if len(given) > 1}
    if not shared:
        return EvaluatorAgreement(metric, (), None, None)
    paired = _build_ratings(shared)
    pairs = compare_judges(paired, pair_judgements(paired))
    # Two translations always lie on a line.
    several = [pair for pair in pairs if pair.n > 2]
    return EvaluatorAgreement(
        metric,
        tuple(map(_convert_pair, pairs)),
        *(drop_nan(average_figure(several, name)) for name in ("pearson", "spearman")),
    )


def _convert_pair(pair: JudgePair) -> EvaluatorPair:
    figures = (pair.pearson, pair.spearman) if pair.n > 2 else (nan, nan)
    return EvaluatorPair(
        *(pair.first, pair.second, pair.n, float((pair.a - pair.b).mean())),
        *map(drop_nan, figures),
    )


def correlate_metrics(
    one: str, other: str, means: Mapping[Place, float], others: Mapping[Place, float]
) -> MetricCorrelation:
    """Correlate two metrics over the means of their evaluators."""
    both = sorted(set(means) & set(others))
    x, y = (np.array([scores[place] for place in both]) for scores in (means, others))
    return MetricCorrelation(one, other, len(both), *correlate_means(x, y))


def correlate_means(x: Array, y: Array) -> tuple[float | None, float | None]:
    """Return Pearson's r and Spearman's rho; two translations always lie on a line."""
    if len(x) < 3:
        return None, None
    return drop_nan(float(pearson(x, y))), drop_nan(float(spearman(x, y)))
