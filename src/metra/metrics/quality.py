"""Quality models: several metrics in one figure, for a stated use of the translations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import OptionError
from metra.formats.annotations.quality_model import (
    QualityModel,
    WeightedMetric,
    read_quality_model,
)
from metra.metrics import record
from metra.metrics.options import format_value
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.metrics.registry import metric as make_metric
from metra.metrics.units import Detail
from metra.scores.scale import scale_to_hundred


@metric_factory(title="Quality", papers="dabbadie2002")
def quality(*, model: str = "") -> Metric:
    """Metrics combined by a quality model for a stated context of use. Higher is better.

    A model is a TOML file that names metrics with weights and, for each metric, the
    scores that map to 0 and 100. Scores in between are mapped linearly, and scores
    outside are clipped. The result is the weighted mean of the mapped scores, 0 to 100.
    Each metric is computed over the same segments, so documents, intervals and
    comparisons work for the combined score. If a metric has nothing to score, the
    others share its weight. The parts contain each metric's score, its mapped score and
    its share of the weight. `metra score --model FILE` shows the metrics next to the
    combined score. Example:

        name = "gisting"
        context = "Somebody reads the output once to learn what a text is about."

        [[measure]]
        spec = "chrf"
        weight = 2
        worst = 20
        best = 70

    For error metrics, worst is the larger number. `{here}` in a spec is the folder of
    the model file.

    Dabbadie et al. 2002, LREC workshop, after the ISLE taxonomy and ISO/IEC 9126: the
    context of use determines which features make up quality.

    Options:
        model: TOML file with name, context and tables [[measure]] that have spec,
            weight, worst and best.
    """
    if not model:
        msg = "quality needs a quality model; give model=FILE.toml."
        raise OptionError(msg)
    described = read_quality_model(model)
    metrics = [make_metric(member.spec) for member in described.members]
    for member, metric in zip(described.members, metrics, strict=True):
        orient, target = metric.direction.orient, metric.direction.target
        if orient(member.best) <= orient(member.worst):
            better = "higher" if metric.higher_is_better else "lower"
            better = better if target is None else f"closer to {format_value(target)}"
            worst, best = map(format_value, (member.worst, member.best))
            msg = (
                f"quality: {member.spec} is better the {better} it is, but the model has "
                f"worst {worst} and best {best}; exchange them."
            )
            raise OptionError(msg)
    return combine_metrics(described, metrics)


def combine_metrics(model: QualityModel, metrics: Sequence[Metric]) -> Metric:
    """Join the metrics of a model: their statistics side by side, one score from all."""
    edges = np.cumsum([0, *(len(metric.columns) for metric in metrics)]).tolist()
    members = [
        _ScoredMember(member, metric, slice(*places))
        for member, metric, places in zip(
            model.members, metrics, pairwise(edges), strict=True
        )
    ]
    joined = Metric(
        name="quality",
        columns=tuple(
            f"{member.spec}: {column}"
            for member, metric in zip(model.members, metrics, strict=True)
            for column in metric.columns
        ),
        rows=partial(rows, metrics=metrics),
        aggregate=partial(aggregate, members=members),
        parts=partial(parts, members=members),
        needs=frozenset().union(*(metric.needs for metric in metrics)),
        settled=_describe_model(model, metrics),
        notes=Notes(
            details=partial(details, metrics=metrics)
            if any(metric.notes.details for metric in metrics)
            else None
        ),
    )
    if any(metric.for_segments for metric in metrics):
        each = [metric.for_segments or metric for metric in metrics]
        alone = combine_metrics(
            model, [replace(metric, for_segments=None) for metric in each]
        )
        joined = replace(joined, for_segments=replace(alone, fit=None))

    if not any(metric.fit for metric in metrics):
        return joined

    def fit_members(batches: Iterable[Batch]) -> list[Metric]:
        # Several metrics look at the same batches, which can be walked through once.
        listed = list(batches)
        return [metric.fit(listed) if metric.fit else metric for metric in metrics]

    # Members are pickled with their own counts.
    fit = record.Fit(count=fit_members, apply=partial(combine_metrics, model))
    return replace(joined, fit=fit)


@dataclass(frozen=True, slots=True)
class _ScoredMember:
    """A metric of the model, and where its statistics stand."""

    member: WeightedMetric
    metric: Metric
    columns: slice

    def score(self, totals: Array) -> Array:
        return self.metric.aggregate(np.ascontiguousarray(totals[..., self.columns]))

    def scale(self, totals: Array) -> Array:
        """Return the score on the model's scale, 0 to 100."""
        orient, member = self.metric.direction.orient, self.member
        ends = orient(member.worst), orient(member.best)
        return scale_to_hundred(orient(self.score(totals)), *ends)


def rows(batch: AnyBatch, *, metrics: Sequence[Metric]) -> Array:
    """The statistics of all metrics of each segment, side by side."""
    return np.concatenate([metric.rows(batch) for metric in metrics], axis=1)


def aggregate(totals: Array, *, members: Sequence[_ScoredMember]) -> Array:
    """Return the weighted mean of the scaled scores of each row of totals."""
    scaled = np.stack([scored.scale(totals) for scored in members], axis=-1)
    weights = np.array([scored.member.weight for scored in members])
    effective = np.where(np.isnan(scaled), 0.0, weights)
    # One by one, so that a row's score does not hang on how many rows there are.
    total = sum(np.moveaxis(effective, -1, 0))
    gained = sum(np.moveaxis(effective * np.nan_to_num(scaled), -1, 0))
    with np.errstate(invalid="ignore"):
        return np.divide(gained, total)


def parts(totals: Array, *, members: Sequence[_ScoredMember]) -> Parts:
    """Return each metric's score, its scaled score and its share of the weight in percent."""
    defined = {}
    for scored in members:
        score = float(scored.score(totals))
        if not np.isnan(score):
            defined[scored.member] = score, float(scored.scale(totals))
    total = sum(member.weight for member in defined)
    return {
        member.spec: [score, scaled, 100 * member.weight / total]
        for member, (score, scaled) in defined.items()
    }


def details(batch: AnyBatch, *, metrics: Sequence[Metric]) -> list[Detail]:
    """Details of the metrics that have any."""
    noting = [metric.notes.details for metric in metrics]
    return [detail for note in noting if note for detail in note(batch)]


def _describe_model(
    model: QualityModel, metrics: Sequence[Metric]
) -> dict[str, object]:
    """Describe the combination; the members' signatures stand in brackets."""
    entries = []
    for member, metric in zip(model.members, metrics, strict=True):
        weight, worst, best = map(
            format_value, (member.weight, member.worst, member.best)
        )
        signature = metric.signature().replace("|", ";")
        entries.append(f"{weight}*[{signature}]@{worst}..{best}")
    return {"model": model.name, "measures": "+".join(entries)}
