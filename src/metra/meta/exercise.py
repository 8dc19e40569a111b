"""The collective exercise: evaluators and measures compared on one scale, from 0 to 100.

Dabbadie et al. 2002, LREC workshop, ask of each measure how reliable it is (the standard
deviation over evaluators and their agreement) and how far measures agree with each other.
Scores are mapped to 0 to 100, put on one level (texts or systems) and compared: evaluators
with each other, people with automated metrics, metrics with metrics, and by a quality model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import nan
from typing import Any, Literal, TypeAlias

import numpy as np

from metra import errors
from metra.formats.annotations.quality_model import QualityModel
from metra.meta import measures
from metra.meta.findings import name_some
from metra.meta.measures import (
    average_systems,
    average_texts,
    list_rows,
    refuse_repeats,
    select_texts,
)
from metra.scores.scale import MeasureKind, MeasureScale, ScoreScale
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import Scores, concatenate_scores
from metra.stats.arrays import Array, drop_nan
from metra.stats.bootstrap import fisher_interval
from metra.stats.coefficients import pearson, pearson_of_sums
from metra.stats.defaults import LEAST_UNITS
from metra.stats.direction import HIGHER
from metra.stats.resampling import Interval, Sample, compute_intervals

#: The unit of comparison: translations of single texts, or systems over all texts.
ExerciseLevel: TypeAlias = Literal["text", "system"]
#: The units that the interval of a correlation draws: texts with all of their translations,
#: or systems with theirs; or Fisher's formula.
IntervalMethod: TypeAlias = Literal["texts", "systems", "Fisher", ""]


@dataclass(frozen=True, slots=True)
class HumanCorrelation:
    """An automated metric against a human one, with their points."""

    automated: str
    human: str
    names: tuple[str, ...]
    #: The human scores and the automated ones, means over evaluators.
    x: tuple[float, ...]
    y: tuple[float, ...]
    pearson: float | None
    #: 95 %; None if there are too few texts and systems.
    interval: Interval | None
    method: IntervalMethod
    spearman: float | None


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

    #: Each evaluator's results on the level of comparison, with their values from 0 to 100.
    scores: Scores
    level: ExerciseLevel
    scales: tuple[MeasureScale, ...]
    reliability: tuple[measures.Reliability, ...]
    correlations: tuple[measures.MetricCorrelation, ...]
    evaluations: tuple[measures.SystemEvaluation, ...]
    agreement: tuple[measures.EvaluatorAgreement, ...]
    human: tuple[HumanCorrelation, ...]
    #: Systems by the quality model, the best first; empty without a model.
    model: tuple[ModelScore, ...]
    model_name: str
    selection: str
    #: Notes on missing, skipped and clipped values, a sentence each.
    notes: tuple[str, ...]

    @property
    def metrics(self) -> list[str]:
        """The measures' names, in the order of the files."""
        return [scale.metric for scale in self.scales]

    @property
    def systems(self) -> list[str]:
        """The systems' names, in the order of the results."""
        return list(dict.fromkeys(row[3] for row in list_rows(self.scores)))

    @property
    def evaluators(self) -> list[str]:
        """The evaluators' names, sorted."""
        return sorted({row[1] for row in list_rows(self.scores)})


def run_exercise(
    tables: Mapping[str, Scores],
    selection: Selection = DEFAULT,
    *,
    scales: Mapping[str, ScoreScale] | None = None,
    protocol_scales: measures.ProtocolScales | None = None,
    model: QualityModel | None = None,
    level: Literal["auto", "text", "system"] = "auto",
    human: Sequence[str] = (),
    automated: Sequence[str] = (),
) -> ExerciseStudy:
    """Map scores to 0 to 100 and compare evaluators, people with metrics, and metrics.

    `tables` are scores by the name of their file or campaign, with an evaluator as the judge
    of each row; rows are selected in each of them. `scales` overrule those of the `model`,
    and both the scales that files state and those of `protocol_scales`. The level is that of
    texts if all measures share texts. `human` and `automated` name measures of unknown kind.
    """
    texts = {place: _average_table(table, selection) for place, table in tables.items()}
    _check_tables(texts)
    scores = concatenate_scores(list(texts.values())) if texts else None
    if scores is None or not len(scores):
        msg = "There are no scores to compare; give scores from at least one evaluator."
        raise errors.CorpusError(msg)
    order = np.argsort(scores.scorer, kind="stable")
    scores = scores.keep_lines(order)
    every = [place for place, table in texts.items() for _ in range(len(table))]
    places = [every[line] for line in order]
    given, of_protocols = dict(scales or {}), dict(protocol_scales or {})
    metrics = list(dict.fromkeys(scores.names[at] for at in scores.scorer.tolist()))
    _check_names(metrics, given, "scale")
    _check_names(metrics, [*human, *automated], "metric")
    named: dict[str, Any] = {"human": human, "automated": automated}
    kinds: dict[str, MeasureKind] = {
        metric: measures.classify_measure(
            metric, _list_kinds(tables, metric), asked=of_protocols, **named
        )
        for metric in metrics
    }
    given = (measures.read_model_scales(model) if model is not None else {}) | given
    hundred, mapped = np.full(len(scores), nan), []
    for metric in metrics:
        lines = np.flatnonzero(scores.scorer == scores.find(metric))
        hundred[lines], scale = measures.scale_measure(
            scores.keep_lines(lines).only(scorers=[metric]),
            [places[line] for line in lines],
            *(kinds[metric], given, of_protocols),
        )
        mapped.append(scale)
    scores = replace(scores, hundred=hundred)
    notes = [*measures.note_scales(mapped, of_protocols), *_note_missing(scores)]
    scores, chosen = _select_level(scores, level, notes)
    unclear = [metric for metric, kind in kinds.items() if not kind]
    if unclear:
        notes.append(
            f"Metrics of unknown kind: {name_some(unclear)}; list each in `human` "
            "or `automated`."
        )
    results = measures.index_results(scores)
    means = {name: measures.average_evaluators(each) for name, each in results.items()}
    people = [name for name in means if kinds[name] == "human"]
    programs = [name for name in means if kinds[name] == "automated"]
    return ExerciseStudy(
        scores,
        chosen,
        tuple(mapped),
        tuple(measures.compute_reliability(*each, scores) for each in results.items()),
        tuple(
            measures.correlate_metrics(one, other, means[one], means[other])
            for one, other in combinations(means, 2)
        ),
        tuple(measures.evaluate_systems(results, scores)),
        tuple(measures.compare_pairs(*each) for each in results.items()),
        tuple(_correlate_pair(*pair, means) for pair in product(programs, people)),
        tuple(_apply_model(scores, model, notes)) if model is not None else (),
        model.name if model is not None else "",
        describe_tables(tables, selection),
        tuple(notes),
    )


def name_by_campaign(tables: Mapping[str, Scores]) -> dict[str, Scores]:
    """Name scorers that several campaigns share `scorer:campaign`, so that none is lost."""
    shared = Counter(name for table in tables.values() for name in table.names)
    return {
        campaign: replace(
            table,
            scorers=tuple(
                each._replace(name=f"{each.name}:{campaign}")
                if shared[each.name] > 1
                else each
                for each in table.scorers
            ),
        )
        for campaign, table in tables.items()
    }


def choose_metrics(
    tables: Mapping[str, Scores], names: Sequence[str]
) -> dict[str, Scores]:
    """Keep the scores of some metrics, named with or without their options; all by default."""
    every = {name for table in tables.values() for name in table.names}
    _check_names(sorted(every), names, "metric")
    wanted = {n for n in every if {n, n.partition(":")[0]}.intersection(names)}
    shown = {p: wanted.intersection(t.names) for p, t in tables.items()}
    kept = {p: tables[p].only(scorers=own) for p, own in shown.items() if own}
    return kept if names else {**tables}


def _list_kinds(tables: Mapping[str, Scores], metric: str) -> list[MeasureKind]:
    """List the kinds of a measure that tables state."""
    having = [table for table in tables.values() if metric in table.names]
    scorers = [table.scorers[table.find(metric)] for table in having]
    return ["human" if s.human else "automated" for s in scorers if s.kind]


def describe_tables(tables: Mapping[str, Scores], selection: Selection) -> str:
    """Say which rows count: of campaigns one by one, of other tables together."""
    if len(tables) == 1:
        [table] = tables.values()
        return selection.describe(table)
    words, count, judges = [], 0, set[str]()
    for place, table in tables.items():
        if len(table.answer) or table.flags or len(table.kind):
            words.append(f"{place}: {selection.describe(table)}")
        else:
            counted = selection.select(table)
            count += len(counted)
            judges |= {*counted.judges}
    if count:
        scores = errors.format_count(count, "score")
        words.append(f"{scores} of {errors.format_count(len(judges), 'judge')}")
    return " / ".join(words)


def _average_table(table: Scores, selection: Selection) -> Scores:
    """Return the means of texts; values mapped to 0 to 100 have no direction."""
    chosen = select_texts(table, selection)
    refuse_repeats(chosen)
    texts, _ = average_texts(chosen)
    is_bare = np.isnan(texts.hundred) & np.isfinite(texts.value)
    bare = set(texts.scorer[is_bare].tolist())
    scorers = [
        scorer if at in bare else scorer._replace(direction=HIGHER)
        for at, scorer in enumerate(texts.scorers)
    ]
    return replace(texts, scorers=tuple(scorers)).compact()


def _check_tables(tables: Mapping[str, Scores]) -> None:
    """Refuse two scores of the same thing by one evaluator, and systems that nobody shares."""
    first_places: dict[tuple[str, ...], str] = {}
    systems: dict[str, set[str]] = {}
    for place, table in tables.items():
        for metric, evaluator, text, system, *_ in list_rows(table):
            systems.setdefault(place, set()).add(system)
            key = metric, evaluator, text, system
            first = first_places.setdefault(key, place)
            if first != place:
                what = " of ".join(filter(None, (system, text)))
                msg = (
                    f"{evaluator} gives {metric} of {what} twice, in {first} and "
                    f"{place}; remove one, or name the evaluators with NAME=FILE."
                )
                raise errors.CorpusError(msg)
    for place, own in systems.items():
        others = [each for other, each in systems.items() if other != place]
        rest = set[str]().union(*others)
        if others and not own & rest:
            msg = (
                f"No other evaluator scored the systems of {place} "
                f"({name_some(sorted(own))}); others scored {name_some(sorted(rest))}. "
                "System names must be the same everywhere."
            )
            raise errors.CorpusError(msg)


def _check_names(metrics: Sequence[str], names: Iterable[str], what: str) -> None:
    """Refuse names of measures that nobody has scored."""
    scored = {*metrics, *(metric.partition(":")[0] for metric in metrics)}
    for name in names:
        if name not in scored:
            problem = f"There is a {what} for {name!r}, which has no scores"
            msg = f"{problem}; metrics: {', '.join(metrics)}."
            raise errors.OptionError(msg)


def _note_missing(scores: Scores) -> Iterator[str]:
    """Say which systems have no score by a metric, or only those of some evaluators."""
    evaluators: dict[str, dict[str, set[str]]] = {}
    for metric, evaluator, _, system, *_ in list_rows(scores):
        evaluators.setdefault(metric, {}).setdefault(system, set()).add(evaluator)
    every = list(dict.fromkeys(row[3] for row in list_rows(scores)))
    lacks: dict[tuple[str, ...], list[str]] = {}
    for metric, by_system in evaluators.items():
        for evaluator in sorted(set().union(*by_system.values())):
            missing = [s for s, own in by_system.items() if evaluator not in own]
            if missing:
                yield f"{evaluator} has no {metric} of {name_some(missing)}."
        absent = tuple(system for system in every if system not in by_system)
        lacks.setdefault(absent, []).append(metric)
    for absent, metrics in lacks.items():
        if absent:
            yield f"Nobody has a score of {name_some(absent)} by {name_some(metrics)}."


def _select_level(
    scores: Scores, level: Literal["auto", "text", "system"], notes: list[str]
) -> tuple[Scores, ExerciseLevel]:
    """Select texts, or average systems; by itself, texts if all metrics share some."""
    texts: dict[str, set[str]] = {}
    for metric, _, text, *_ in measures.list_rows(scores):
        texts.setdefault(metric, set()).update({text} - {""})
    shares_texts = bool(set.intersection(*texts.values()))
    if level == "system" or (level == "auto" and not shares_texts):
        return measures.average_systems(scores), "system"
    is_text = np.array([bool(item.document) for item in scores.items], bool)
    selected = scores.keep_lines(is_text[scores.item])
    if not len(selected):
        msg = (
            "There are no scores for single texts; compare systems with `level` system."
        )
        raise errors.OptionError(msg)
    left = {scores.names[at] for at in np.unique(selected.scorer)}
    lost = sorted(texts.keys() - left)
    if lost:
        notes.append(f"Skipped, because no text has a score: {name_some(lost)}.")
    return selected, "text"


def _correlate_pair(
    metric: str, human: str, means: Mapping[str, Mapping[measures.Place, float]]
) -> HumanCorrelation:
    """Correlate an automated metric with a human one."""
    both = [place for place in means[human] if place in means[metric]]
    x, y = (np.array([means[of][place] for place in both]) for of in (human, metric))
    r, rho = measures.correlate_means(x, y)
    interval, method = _find_interval(both, x, y) if r is not None else (None, "")
    names = tuple(" ".join(filter(None, place[::-1])) for place in both)
    points = tuple(x.tolist()), tuple(y.tolist())
    return HumanCorrelation(metric, human, names, *points, r, interval, method, rho)


def _find_interval(
    places: Sequence[measures.Place], x: Array, y: Array
) -> tuple[Interval | None, IntervalMethod]:
    """Return the interval of Pearson's r, and its method.

    Translations of one text depend on each other, and so do those of one system: whole
    texts are drawn or, if these are few, whole systems.
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
    scores: Scores, model: QualityModel, notes: list[str]
) -> list[ModelScore]:
    """Combine the means over evaluators by the weights of a model, the best system first."""
    averaged = average_systems(scores)
    means = {
        (metric, system): drop_nan(mean)
        for metric, results in measures.index_results(averaged).items()
        for (_, system), mean in measures.average_evaluators(results).items()
    }
    systems = dict.fromkeys(row[3] for row in list_rows(averaged))
    metrics = {metric for metric, *_ in list_rows(averaged)}
    absent = [m.spec for m in model.members if m.spec not in metrics]
    if len(absent) == len(model.members):
        msg = (
            f"No metric of the model {model.name} has scores: {', '.join(absent)}; "
            f"metrics with scores: {', '.join(sorted(metrics))}."
        )
        raise errors.OptionError(msg)
    if absent:
        notes.append(
            f"Metrics of the model {model.name} without scores, whose weight the "
            f"other metrics share: {name_some(absent)}."
        )
    ranked = []
    for system in systems:
        parts = [(m.spec, means.get((m.spec, system)), m.weight) for m in model.members]
        total = sum(weight for _, mean, weight in parts if mean is not None)
        gained = sum(weight * mean for _, mean, weight in parts if mean is not None)
        shares = tuple(
            (spec, mean, 100 * weight / total if mean is not None else 0.0)
            for spec, mean, weight in parts
        )
        ranked.append(ModelScore(system, gained / total if total else None, shares))
    return sorted(ranked, key=lambda one: (one.score is None, -(one.score or 0.0)))
