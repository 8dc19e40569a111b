"""The collective exercise from end to end: scores of any unit, and all that follows of them.

Scores are mapped to 0 to 100, put on one level (texts or systems) and compared: evaluators
with each other, people with automated metrics, metrics with metrics, and by a quality model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, TypeAlias

import numpy as np

from metra.campaign.campaign import group_by
from metra.campaign.exercise import (
    EvaluatorScore,
    Exercise,
    Place,
    average_evaluators,
    average_texts,
    compare_evaluators,
)
from metra.campaign.score_scales import (
    MeasureKind,
    MeasureScale,
    NativeScore,
    ScoreScale,
    choose_scale,
    classify_measure,
    find_protocol_scale,
    is_error_rate,
    read_model_scales,
)
from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.formats.annotations.quality_model import QualityModel
from metra.stats.arrays import Array, drop_nan, scale_to_hundred
from metra.stats.bootstrap import fisher_interval
from metra.stats.defaults import LEAST_UNITS
from metra.stats.line_fit import LineFit, fit_line
from metra.stats.moments import pearson, pearson_of_sums, spearman
from metra.stats.resampling import Interval, Sample, compute_intervals

#: What is compared: translations of single texts, or systems over all texts.
ExerciseLevel: TypeAlias = Literal["text", "system"]
#: How an interval of a correlation comes about: by drawing texts with all of their
#: translations, or systems with theirs, or by Fisher's formula.
IntervalMethod: TypeAlias = Literal["texts", "systems", "Fisher", ""]
#: So many names are listed in a note.
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class HumanCorrelation:
    """An automated metric against a human one, with the points that a picture shows."""

    automated: str
    human: str
    names: tuple[str, ...]
    #: The human scores and the automated ones, means over evaluators.
    x: tuple[float, ...]
    y: tuple[float, ...]
    pearson: float | None
    #: 95 %; None where there are too few texts and systems.
    interval: Interval | None
    #: What the interval draws; where each system has one score, it is Fisher's.
    method: IntervalMethod
    spearman: float | None
    fit: LineFit | None


@dataclass(frozen=True, slots=True)
class ModelScore:
    """A system by a quality model: the weighted mean of its measures, which stand beside it."""

    system: str
    score: float | None
    #: Each measure's mean over evaluators and its share of the weight in per cent.
    parts: tuple[tuple[str, float | None, float], ...]


@dataclass(frozen=True, slots=True)
class ExerciseStudy:
    """Everything that the organisers of an exercise tell its participants."""

    exercise: Exercise
    level: ExerciseLevel
    scales: tuple[MeasureScale, ...]
    human: tuple[HumanCorrelation, ...]
    #: Systems by the quality model, the best first; empty where there is no model.
    model: tuple[ModelScore, ...]
    model_name: str
    #: What is missing, left out or cut off, a sentence each.
    notes: tuple[str, ...]

    @property
    def metrics(self) -> list[str]:
        """The measures' names, in the order of the files."""
        return [scale.metric for scale in self.scales]

    @property
    def systems(self) -> list[str]:
        """The systems' names, in the order of the files."""
        results = self.exercise.results
        return list(dict.fromkeys(one.translation for one in results))

    @property
    def evaluators(self) -> list[str]:
        """The evaluators' names, sorted."""
        return sorted({one.evaluator for one in self.exercise.results})


def run_exercise(
    scores: Sequence[NativeScore],
    *,
    scales: Mapping[str, ScoreScale] | None = None,
    model: QualityModel | None = None,
    level: Literal["auto", "text", "system"] = "auto",
    human: Sequence[str] = (),
    automated: Sequence[str] = (),
) -> ExerciseStudy:
    """Map scores to 0 to 100 and compare evaluators, people with metrics, and metrics.

    `scales` overrule those of the `model`, and both what is known of a measure's unit. The
    level is that of texts where all measures share texts, unless it is said. `human` and
    `automated` name measures whose kind cannot be told.
    """
    if not scores:
        msg = "There are no scores to compare; give scores from at least one evaluator."
        raise CorpusError(msg)
    _check_repeats(scores)
    known = dict(scales or {})
    _check_names(scores, known, "scale")
    _check_names(scores, [*human, *automated], "metric")
    from_model = read_model_scales(model) if model is not None else {}
    by_metric = group_by(scores, lambda one: one.metric)
    kinds = {
        metric: classify_measure(metric, mine, human=human, automated=automated)
        for metric, mine in by_metric.items()
    }
    used = [
        scale_measure(metric, mine, {**from_model, **known}, kinds[metric])
        for metric, mine in by_metric.items()
    ]
    results = [result for mine, _ in used for result in mine]
    mapped = tuple(scale for _, scale in used)
    notes = [*_note_scales(mapped), *_note_missing(results)]
    chosen = _choose_level(results) if level == "auto" else level
    kept = _select_level(results, chosen, notes)
    unknown = [metric for metric, kind in kinds.items() if not kind]
    if unknown:
        notes.append(
            f"Metrics of unknown kind: {_list_names(unknown)}; list each in `human` "
            "or `automated`."
        )
    return ExerciseStudy(
        compare_evaluators(kept),
        chosen,
        mapped,
        tuple(_correlate_people(kept, kinds)),
        tuple(_apply_model(kept, model, notes)) if model is not None else (),
        model.name if model is not None else "",
        tuple(notes),
    )


def scale_measure(
    metric: str,
    scores: Sequence[NativeScore],
    scales: Mapping[str, ScoreScale],
    kind: MeasureKind,
) -> tuple[list[EvaluatorScore], MeasureScale]:
    """Return the scores of one measure from 0 to 100, and how they were mapped."""
    directions = {one.higher_is_better for one in scores}
    if len(directions) > 1:
        msg = (
            f"One file declares that higher values of {metric} are better, another "
            "that lower values are; rename one of them."
        )
        raise CorpusError(msg)
    scale = choose_scale(metric, scores, scales)
    values = np.array([one.value for one in scores])
    given = values[np.isfinite(values)]
    cut = 0
    about: tuple[float | None, float | None, str]
    if scale is None:
        # Rounding may have pushed a mean a little beyond 100.
        hundreds = np.clip([one.hundred or 0.0 for one in scores], 0, 100)
        about = _describe_file_scale(metric, scores)
    else:
        hundreds = scale_to_hundred(values, scale.worst, scale.best)
        low, high = sorted((scale.worst, scale.best))
        cut = int(((given < low) | (given > high)).sum())
        about = scale.worst, scale.best, scale.origin
    results = [
        EvaluatorScore(
            *(one.metric, one.evaluator, one.text, one.translation),
            *(nan if one.reason else float(hundred), one.reason),
        )
        for one, hundred in zip(scores, hundreds.tolist(), strict=True)
    ]
    worst, best, origin = about
    return results, MeasureScale(
        metric=metric,
        kind=kind,
        worst=worst,
        best=best,
        origin=origin,
        lowest=float(given.min()) if len(given) else None,
        highest=float(given.max()) if len(given) else None,
        values=len(given),
        cut=cut,
    )


def _describe_file_scale(
    metric: str, scores: Sequence[NativeScore]
) -> tuple[float | None, float | None, str]:
    """Say how files mapped their own values to 0 to 100."""
    if all(one.value == one.hundred for one in scores if not one.reason):
        return 0.0, 100.0, "as given"
    protocol = find_protocol_scale(metric)
    if protocol is not None:
        return protocol.worst, protocol.best, "protocol"
    return None, None, "protocol"


def rename_systems(
    scores: Iterable[NativeScore], names: Mapping[str, str]
) -> list[NativeScore]:
    """Return the scores with other names for some systems; unknown ones are refused."""
    scores = list(scores)
    known = {one.translation for one in scores}
    for name in names:
        if name not in known:
            raise UnknownNameError(no_such("system", name, known))
    return [
        replace(one, translation=names.get(one.translation, one.translation))
        for one in scores
    ]


def _check_repeats(scores: Iterable[NativeScore]) -> None:
    """Refuse two scores of the same thing by the same evaluator."""
    known: dict[tuple[str, ...], NativeScore] = {}
    for one in scores:
        key = one.metric, one.evaluator, one.text, one.translation
        if key in known:
            first = known[key]
            what = " of ".join(filter(None, (one.translation, one.text)))
            msg = (
                f"{one.evaluator} gives {one.metric} of {what} twice, in {first.place} and "
                f"{one.place}; remove one, or name the evaluators with NAME=FILE."
            )
            raise CorpusError(msg)
        known[key] = one


def _check_names(
    scores: Iterable[NativeScore], names: Iterable[str], what: str
) -> None:
    """Refuse names of measures that nobody has scored."""
    metrics = dict.fromkeys(one.metric for one in scores)
    known = {*metrics, *(metric.partition(":")[0] for metric in metrics)}
    for name in names:
        if name not in known:
            problem = f"There is a {what} for {name!r}, which has no scores"
            msg = f"{problem}; metrics: {', '.join(metrics)}."
            raise OptionError(msg)


def _choose_level(results: Iterable[EvaluatorScore]) -> ExerciseLevel:
    """Choose texts where every metric has a text that all others have too."""
    texts = [
        {one.text for one in mine if one.text}
        for mine in group_by(results, lambda one: one.metric).values()
    ]
    return "text" if set.intersection(*texts) else "system"


def _select_level(
    results: Sequence[EvaluatorScore], level: ExerciseLevel, notes: list[str]
) -> list[EvaluatorScore]:
    if level == "system":
        return average_texts(results)
    kept = [one for one in results if one.text]
    if not kept:
        msg = (
            "There are no scores for single texts; compare systems with `level` system."
        )
        raise OptionError(msg)
    lost = {one.metric for one in results} - {one.metric for one in kept}
    if lost:
        notes.append(f"Skipped, because no text has a score: {_list_names(lost)}.")
    return kept


def _correlate_people(
    results: Sequence[EvaluatorScore], kinds: Mapping[str, MeasureKind]
) -> Iterable[HumanCorrelation]:
    """Correlate each automated metric with each human one."""
    means = average_evaluators(results)
    people = [name for name in means if kinds[name] == "human"]
    for metric in (name for name in means if kinds[name] == "automated"):
        for human in people:
            yield _correlate_pair(metric, human, means[metric], means[human])


def _correlate_pair(
    metric: str, human: str, scores: Mapping[Place, float], gold: Mapping[Place, float]
) -> HumanCorrelation:
    both = [place for place in gold if place in scores]
    x, y = (np.array([of[place] for place in both]) for of in (gold, scores))
    # Two translations always lie on a line.
    several = len(both) > 2
    r, rho = (
        drop_nan(float(of(x, y))) if several else None for of in (pearson, spearman)
    )
    interval, method = _find_interval(both, x, y) if r is not None else (None, "")
    return HumanCorrelation(
        automated=metric,
        human=human,
        names=tuple(" ".join(filter(None, place[::-1])) for place in both),
        x=tuple(x.tolist()),
        y=tuple(y.tolist()),
        pearson=r,
        interval=interval,
        method=method,
        spearman=rho,
        fit=fit_line(x, y) if several else None,
    )


def _find_interval(
    places: Sequence[Place], x: Array, y: Array
) -> tuple[Interval | None, IntervalMethod]:
    """Return the interval of Pearson's r, and how it came about.

    Translations of one text depend on each other, and so do those of one system: whole
    texts are drawn, or where these are few, whole systems.
    """
    texts, systems = ([place[at] for place in places] for at in (0, 1))
    if not any(texts):
        return fisher_interval(float(pearson(x, y)), len(places)), "Fisher"
    clusters: dict[IntervalMethod, list[str]] = {"texts": texts, "systems": systems}
    for method, names in clusters.items():
        if len(set(names)) >= LEAST_UNITS:
            g, m = x - x.mean(), y - y.mean()
            rows = np.column_stack([np.ones(len(g)), g, m, g * g, m * m, g * m])
            codes = np.unique(names, return_inverse=True)[1]
            sample = Sample(rows, pearson_of_sums)
            return compute_intervals([sample], units=[codes])[0], method
    return None, ""


def _apply_model(
    results: Sequence[EvaluatorScore], model: QualityModel, notes: list[str]
) -> list[ModelScore]:
    """Combine the means over evaluators by the weights of a model, the best system first."""
    means = {
        (one.metric, one.system): one.mean
        for one in compare_evaluators(average_texts(results)).systems
    }
    metrics = {metric for metric, _ in means}
    absent = [m.spec for m in model.members if m.spec not in metrics]
    if len(absent) == len(model.members):
        msg = (
            f"No metric of the model {model.name} has scores: {', '.join(absent)}; "
            f"metrics with scores: {', '.join(sorted(metrics))}."
        )
        raise OptionError(msg)
    if absent:
        notes.append(
            f"Metrics of the model {model.name} without scores, whose weight the "
            f"other metrics share: {_list_names(absent)}."
        )
    scores = []
    for system in dict.fromkeys(system for _, system in means):
        worths = [
            (m.spec, means.get((m.spec, system)), m.weight) for m in model.members
        ]
        total = sum(weight for _, worth, weight in worths if worth is not None)
        gained = sum(weight * worth for _, worth, weight in worths if worth is not None)
        parts = tuple(
            (
                spec,
                worth,
                100 * weight / total if worth is not None else 0.0,
            )
            for spec, worth, weight in worths
        )
        scores.append(ModelScore(system, gained / total if total else None, parts))
    return sorted(scores, key=lambda one: (one.score is None, -(one.score or 0.0)))


def _note_scales(scales: Iterable[MeasureScale]) -> Iterable[str]:
    """Say what was cut off at the end of a scale, and what may be on another one."""
    for scale in scales:
        if scale.cut:
            yield (
                f"{scale.metric}: {scale.cut} of {scale.values} values are outside "
                f"{scale.worst:g}..{scale.best:g} and are clipped to it."
            )
        if scale.origin != "as given":
            continue
        own = find_protocol_scale(scale.metric)
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


def _note_missing(results: Sequence[EvaluatorScore]) -> Iterable[str]:
    """Say which systems an evaluator has not scored; refuse systems that nobody shares."""
    systems = list(dict.fromkeys(one.translation for one in results))
    groups = {
        key: {one.translation for one in mine}
        for key, mine in group_by(
            results, lambda one: (one.metric, one.evaluator)
        ).items()
    }
    for (metric, evaluator), own in groups.items():
        others = [
            theirs for key, theirs in groups.items() if key != (metric, evaluator)
        ]
        if others and not own & set[str]().union(*others):
            rest = [name for name in systems if name not in own]
            msg = (
                f"No other evaluator scored the systems of {metric} by {evaluator} "
                f"({_list_names(own)}); others scored {_list_names(rest)}. System "
                "names must be the same everywhere; map them with `names`."
            )
            raise CorpusError(msg)
        missing = [name for name in systems if name not in own]
        if missing:
            yield f"{evaluator} has no {metric} of {_list_names(missing)}."


def _list_names(names: Iterable[str]) -> str:
    """List names, as many as a note has room for."""
    listed = list(names) if isinstance(names, list) else sorted(names)
    rest = len(listed) - _MOST_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    return f"{', '.join(listed[:_MOST_NAMES])}{more}"
