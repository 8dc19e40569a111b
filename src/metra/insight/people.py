"""People's judgements beside the metrics' scores of the same outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.insight.distributions import segments
from metra.insight.relations import Point, Relation, relation
from metra.insight.texts import Texts
from metra.io.judgements import Judgement
from metra.measure import Array
from metra.results import Results

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class People:
    """What people said about the outputs, and how the metrics agree with it."""

    judgements: int
    #: How many people, where the file names them.
    judges: int | None
    #: By system, each segment's mean judgement; NaN where there is none.
    segments: Mapping[str, Array]
    #: By system, the mean over its judged segments; NaN where there are none.
    means: Mapping[str, float]
    #: One for each metric: people across, the metric up.
    relations: Sequence[Relation]


def people(judgements: Sequence[Judgement], texts: Texts, results: Results) -> People:
    """Join judgements with the outputs that they are about.

    Several judgements of one output are averaged as they are, without a correction for
    strict and mild judges.
    """
    for judgement in judgements:
        _check(judgement, texts, results.segments)
    found = {name: _means(judgements, name, results.segments) for name in texts.outputs}
    means = {name: _mean(values) for name, values in found.items()}
    judged = [name for name, mean in means.items() if np.isfinite(mean)]
    pooled = np.concatenate([found[name] for name in found])
    relations = [
        relation(
            PEOPLE,
            spec,
            [Point(name, means[name], results[name][spec].score) for name in judged],
            pooled,
            np.concatenate([segments(results, name, spec) for name in found]),
        )
        for spec in results.specs
    ]
    judges = {judgement.judge for judgement in judgements} - {None}
    return People(len(judgements), len(judges) or None, found, means, relations)


def _means(judgements: Sequence[Judgement], system: str, count: int) -> Array:
    own = [entry for entry in judgements if entry.system == system]
    places = np.array([entry.segment - 1 for entry in own], np.intp)
    totals = np.bincount(places, [entry.score for entry in own], count)
    times = np.bincount(places, minlength=count)
    return np.where(times > 0, totals / np.maximum(times, 1), np.nan)


def _mean(values: Array) -> float:
    judged = values[np.isfinite(values)]
    return float(judged.mean()) if len(judged) else np.nan


def _check(judgement: Judgement, texts: Texts, count: int) -> None:
    place = f"Judgement in line {judgement.line}"
    if judgement.system not in texts.outputs:
        msg = f"{place}: {no_such('system', judgement.system, texts.outputs)}"
        raise UnknownNameError(msg)
    if judgement.segment > count:
        msg = (
            f"{place} is about segment {judgement.segment}, but the last one is {count}; "
            "segments are counted from 1 through the whole test set."
        )
        raise CorpusError(msg)
    if judgement.document is None or texts.documents is None:
        return
    document = texts.documents[judgement.segment - 1]
    if document != judgement.document:
        msg = (
            f"{place} puts segment {judgement.segment} into document "
            f"{judgement.document!r}, but it is in {document!r}; segments are counted from "
            "1 through the whole test set, not within documents."
        )
        raise CorpusError(msg)
