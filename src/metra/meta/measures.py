"""Measures of texts: means of judges, scales and kinds, evaluators and measures compared."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from statistics import fmean, variance
from typing import TypeAlias

import numpy as np

from metra.errors import CorpusError, FormatError, MetraError, OptionError
from metra.formats.annotations.quality_model import QualityModel
from metra.metrics.registry import BUILT_IN, find_highest_score, list_metrics
from metra.metrics.registry import metric as make_metric
from metra.scores.judgement import has_scores
from metra.scores.long_table import guess_scorer_kind
from metra.scores.scale import MeasureKind, MeasureScale, ScoreScale, scale_to_hundred
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import ScoredItem, Scorer, Scores, concatenate_scores
from metra.stats.agreement import alpha
from metra.stats.arrays import Array, Codes, drop_nan, number_names
from metra.stats.coefficients import pearson, spearman
from metra.stats.judge_agreement import average_figure, compare_judges, pair_judgements
from metra.stats.ratings import Ratings, sort_ratings

TEXT_COLUMNS = (
    *("text", "translation", "metric", "evaluator", "items", "score", "native"),
    "reason",
)
TextRow: TypeAlias = tuple[str, str, str, str, int, float, float, str]


def select_texts(scores: Scores, selection: Selection = DEFAULT) -> Scores:
    """Return the rows that count, and those without a value that would count.

    Answers that could not be judged at all, or rate nothing, are left out.
    """
    answers = selection.select_answers(scores)
    missing = answers.keep_lines(~np.isfinite(answers.value))
    if len(missing.answer):
        is_open = [*map(has_scores, missing.reasons)]
        missing = missing.keep_lines(np.array([*is_open, False])[missing.reason])
    counted = selection.select(scores)
    return concatenate_scores([counted, missing.compact()]) if len(missing) else counted


def average_texts(scores: Scores) -> tuple[Scores, Codes]:
    """Return each judge's mean of each text, by scorer and system, and its number of items.

    It is the mean over the items of a text of the mean of an item's values. Segments count
    only if a scorer has scored nothing larger, because most metrics are no means. A text
    without any value has the reasons instead.
    """
    texts, text = number_names([item.document for item in scores.items])
    items = tuple(ScoredItem(document=name) for name in texts)
    is_segment = np.array([bool(item.segment) for item in scores.items], bool)
    by_segment = is_segment[scores.item]
    larger = np.bincount(scores.scorer[~by_segment], minlength=len(scores.scorers)) > 0
    largest = scores.keep_lines(~(by_segment & larger[scores.scorer]))
    return _average_units(largest, items, text)


def average_judges(scores: Scores) -> tuple[Scores, Codes]:
    """Return the mean over judges of each text, and its number of items.

    It is the mean over the items of a text of the mean over an item's judges, each of whom
    counts once, however often they judged it.
    """
    items = np.arange(len(scores.items))
    by_judge, _ = _average_units(scores, scores.items, items)
    return average_texts(replace(by_judge, judge=np.full(len(by_judge), -1)))


def average_systems(texts: Scores) -> Scores:
    """Return each judge's score for all texts together: the one given, else the mean."""
    is_whole = np.array([not item.document for item in texts.items], bool)[texts.item]
    key = (texts.scorer * (len(texts.judges) + 1) + texts.judge) * len(texts.systems)
    key += texts.system
    rows = texts.keep_lines(is_whole | ~np.isin(key, key[is_whole]))
    averaged, _ = _average_units(
        rows, (ScoredItem(),), np.zeros(len(rows.items), np.int64)
    )
    return averaged


def _average_units(
    rows: Scores, units: tuple[ScoredItem, ...], unit: Codes
) -> tuple[Scores, Codes]:
    """Average the items of each unit, whose numbers are in `unit`, and count them."""
    columns = (rows.scorer, rows.judge, unit[rows.item], rows.system)
    groups: dict[tuple[int, ...], list[int]] = {}
    keys = zip(*(column.tolist() for column in columns), strict=True)
    for line, key in enumerate(keys):
        groups.setdefault(key, []).append(line)
    order = list(groups)
    if len(rows.answer):  # answers come in the order of the judges' tasks
        names = *rows.judges, ""
        order.sort(key=lambda k: (k[0], units[k[2]], rows.systems[k[3]], names[k[1]]))
    item, value = rows.item.tolist(), rows.value.tolist()
    hundred = rows.hundred.tolist()
    reasons: dict[str, int] = {}
    means: list[tuple[float, float, int, int]] = []
    for key in order:
        lines = groups[key]
        defined = [line for line in lines if not isnan(value[line])]
        by_item: dict[int, list[int]] = {}
        for line in defined or lines:
            by_item.setdefault(item[line], []).append(line)
        why = -1
        if not defined:
            stated = {rows.reasons[at] for at in rows.reason[lines].tolist()}
            why = reasons.setdefault("; ".join(sorted(stated)), len(reasons))
        native, percent = (
            fmean(fmean([column[line] for line in each]) for each in by_item.values())
            if column
            else nan
            for column in (value, hundred)
        )
        means.append((native, percent, why, len(by_item)))
    scorer, judge, place, system = np.array(order, np.int64).reshape(-1, 4).T
    figures = np.array(means, np.float64).reshape(-1, 4).T
    averaged = Scores(
        *(rows.systems, units, rows.scorers, rows.judges),
        *(system, place, scorer, judge),
        figures[0],
        hundred=figures[1],
        reason=figures[2].astype(np.int64),
        reasons=tuple(reasons),
    )
    return averaged, figures[3].astype(np.int64)


def refuse_repeats(scores: Scores) -> None:
    """Refuse two scores of the same thing in a table of results from 0 to 100."""
    if not len(scores.hundred) or len(scores.answer):
        return
    places = set()
    columns = scores.item, scores.scorer, scores.judge, scores.system
    for key in zip(*(column.tolist() for column in columns), strict=True):
        item, scorer, judge, system = key
        if key in places and not scores.items[item].segment:
            what = scores.systems[system], scores.items[item].document
            msg = (
                f"{[*scores.judges, 'One evaluator'][judge]} gives {scores.names[scorer]} "
                f"of {' of '.join(filter(None, what))} twice; remove one."
            )
            raise CorpusError(msg)
        places.add(key)


def list_rows(scores: Scores) -> Iterator[tuple[str, str, str, str, float, float, str]]:
    """Yield metric, evaluator, text, system, value, value from 0 to 100, and reason.

    The table is one of texts or systems, as `average_texts` and `average_systems` make it.
    """
    names, judges, reasons = scores.names, [*scores.judges, ""], [*scores.reasons, ""]
    codes = scores.scorer, scores.judge, scores.item, scores.system
    columns = (*codes, scores.value, scores.hundred, scores.reason)
    rows = (column.tolist() for column in columns)
    for scorer, judge, item, system, value, percent, why in zip(*rows, strict=True):
        place = scores.items[item].document, scores.systems[system]
        yield names[scorer], judges[judge], *place, value, percent, reasons[why]


def tabulate_texts(scores: Scores, selection: Selection = DEFAULT) -> list[TextRow]:
    """Tabulate texts by judge and over all judges, who have an empty name: `TEXT_COLUMNS`.

    See `average_texts` and `average_judges` for the means.
    """
    chosen = select_texts(scores, selection)
    rows = []
    for is_all, average in enumerate((average_texts, average_judges)):
        averaged, items = average(chosen)
        for row, count, scorer in zip(
            list_rows(averaged), items.tolist(), averaged.scorer.tolist(), strict=True
        ):
            metric, evaluator, text, system, native, score, why = row
            if not (is_all and why):
                cells = text, system, metric, evaluator, count, score, native, why
                place = bool(why), scorer, text, system, is_all, evaluator
                rows.append((place, cells))
    return [cells for _, cells in sorted(rows, key=lambda row: row[0])]


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
    values, defined = scores.value, scores.value[np.isfinite(scores.value)]
    scale = _choose_scale(scorer, scores, places, given, protocol_scales)
    cut = 0
    if scale is not None:
        hundreds = scale_to_hundred(values, scale.worst, scale.best)
        low, high = sorted((scale.worst, scale.best))
        cut = int(((values < low) | (values > high)).sum())
    else:
        # Rounding may have pushed a mean a little beyond 100.
        hundreds = np.clip(scores.hundred, 0, 100)
        scale = protocol_scales.get(scorer.name.partition(":")[0])
        if (values == scores.hundred)[np.isfinite(values)].all():
            scale = ScoreScale(0.0, 100.0, "as given")
    return hundreds, MeasureScale(
        metric=scorer.name,
        kind=kind,
        worst=scale.worst if scale else None,
        best=scale.best if scale else None,
        origin=scale.origin if scale else "protocol",
        lowest=float(defined.min()) if len(defined) else None,
        highest=float(defined.max()) if len(defined) else None,
        values=len(defined),
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
    own = protocol_scales.get(metric.partition(":")[0])
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
        own = protocol_scales.get(scale.metric.partition(":")[0])
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
    undefined = [row[-1] for row in rows if row[-1]]
    mean = fmean(average_evaluators(results).values()) if results else None
    deviation = _pool_deviation(results.values())
    agreement, reason = None, "no translation has two evaluators"
    if not results:
        reason = "no scores"
    elif deviation is not None:
        agreement = drop_nan(alpha(_build_ratings(results)))
        reason = "" if agreement is not None else "all scores are equal"
    evaluators = len({row[1] for row in rows})
    shared = sum(len(given) > 1 for given in results.values())
    counts = evaluators, len(results), shared
    rest = reason, len(undefined), "; ".join(sorted(set(undefined)))
    return Reliability(metric, *counts, mean, deviation, agreement, *rest)


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
    compared = []
    for pair in pairs:
        difference = float((pair.a - pair.b).mean())
        figures = (pair.pearson, pair.spearman) if pair.n > 2 else (nan, nan)
        about = pair.first, pair.second, pair.n, difference
        compared.append(EvaluatorPair(*about, *map(drop_nan, figures)))
    means = (average_figure(several, name) for name in ("pearson", "spearman"))
    return EvaluatorAgreement(metric, tuple(compared), *map(drop_nan, means))


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
