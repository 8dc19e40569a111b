"""A campaign's texts as a corpus, and scores of metrics for them: ours and outside ones."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from metra.campaign.campaign import NUMBERS, Campaign
from metra.campaign.uploads import save_files
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError
from metra.metrics.outside import (
    UnknownDirectionError,
    ValueTable,
    collect_values,
    list_scorers,
    outside,
)
from metra.metrics.record import Metric
from metra.scores.table import ScoredItem, Scorer, Scores, build_score_table
from metra.scoring.scorers import score_systems
from metra.scoring.statistics import count_corpus
from metra.stats.arrays import Array
from metra.stats.direction import Direction
from metra.stats.panel import SegmentStatistics


def score_campaign(
    campaign: Campaign,
    metrics: Mapping[str, Metric],
    names: Mapping[str, str] | None = None,
) -> tuple[Scores, dict[str, SegmentStatistics]]:
    """Score the campaign's outputs by metrics; `names` renames systems."""
    settings = campaign.settings
    lang = f"{settings.source_language}-{settings.target_language}"
    return score_systems(build_corpus(campaign, names), metrics, lang=lang)


def build_corpus(
    campaign: Campaign,
    names: Mapping[str, str] | None = None,
    *,
    references: bool = True,
) -> Outputs:
    """Return the texts as a corpus; a reference that takes part is none for metrics.

    `names` renames systems. Without `references` none are needed.
    """
    new_names = names or {}
    documents = [segment.document for segment in campaign.segments]
    systems = {
        new_names.get(system.name, system.name): list(system.outputs)
        for system in campaign.systems
        if system.kind == "mt"
    }
    evalset = EvalSet(
        documents=documents if all(documents) else None,
        refs_per_segment=_list_references(campaign) if references else None,
    )
    return Outputs(evalset, systems)


def _list_references(campaign: Campaign) -> list[tuple[str, ...]]:
    taking_part = any(system.kind == "reference" for system in campaign.systems)
    references = [
        segment.references[:-1] if taking_part else segment.references
        for segment in campaign.segments
    ]
    if not all(references):
        msg = f"{campaign.settings.name} has no references for the metrics."
        raise CorpusError(msg)
    return references


class OutsideScores(NamedTuple):
    """The scores of one metric for the campaign's systems and segments."""

    metric: str
    #: Name of the file.
    file: str
    scores: Scores


def read_outside_scores(
    files: Sequence[tuple[str, bytes]],
    campaign: Campaign,
    *,
    name: str = "",
    better: Literal["auto", "higher", "lower"] = "auto",
) -> list[OutsideScores]:
    """Read scores of the campaign's systems from a file, or a file for each system.

    All metrics of the file are read, or only the named one. Formats and errors are
    those of `metra.metrics.outside`.
    """
    with save_files(files) as paths:
        place = str(Path(paths[0]).parent) if len(files) > 1 else paths[0]
        title = ", ".join(Path(path).name for path in paths)
        if len({Path(path).name for path in paths}) < len(paths):
            msg = f"Two of the files {title} have the same name; rename one of them."
            raise OptionError(msg)
        wanted = [name] if name else list_scorers(place)
        try:
            metrics = [outside(file=place, name=each, better=better) for each in wanted]
        except UnknownDirectionError as error:
            remedy = "choose which scores are better, and choose the file again."
            msg = f"{error.problem}; {remedy}"
            raise OptionError(msg) from None
        return [_align_scores(metric, campaign, title) for metric in metrics]


def _align_scores(metric: Metric, campaign: Campaign, title: str) -> OutsideScores:
    """Choose the scores of the campaign's systems and segments."""
    if NUMBERS in campaign.material and metric.notes.scored is not None:
        given = collect_values(metric.notes.scored)
        values = dict(_select_segments(given, f"The scores of {title}", campaign))
    else:
        corpus = build_corpus(campaign, references=False)
        counted = count_corpus(corpus, {metric.name: metric}, keep=True)
        values = {
            system: counted.tallies[system, metric.name].rows[:, 0].tolist()
            for system in corpus.systems
        }
    scores = build_outside_scores(campaign, metric.name, metric.direction, values)
    return OutsideScores(metric.name, title, scores)


def build_outside_scores(
    campaign: Campaign,
    metric: str,
    direction: Direction,
    values: Mapping[str, Sequence[float]],
) -> Scores:
    """Build the table of one metric from the scores of each system's segments."""
    settings = campaign.settings
    lang = f"{settings.source_language}-{settings.target_language}"
    items = [
        ScoredItem(str(campaign.number(at)), segment.document, lang=lang)
        for at, segment in enumerate(campaign.segments)
    ]
    return build_score_table(
        [system for system in values for _ in items],
        [item for _ in values for item in items],
        {
            Scorer(metric, "metric", direction, True): [
                score for scores in values.values() for score in scores
            ]
        },
    )


def _select_segments(
    values: Mapping[str, Array], source: str, campaign: Campaign
) -> Iterator[tuple[str, list[float]]]:
    """Choose the segments that an imported campaign judges, by their numbers."""
    systems = [system.name for system in campaign.systems if system.kind == "mt"]
    numbers = [campaign.number(at) for at in range(len(campaign.segments))]
    for system in systems:
        given = ValueTable(values, source).find(system, systems)
        chosen = [given[n - 1] if 0 < n <= len(given) else np.nan for n in numbers]
        missing = [
            n for n, x in zip(numbers, chosen, strict=True) if not np.isfinite(x)
        ]
        if missing:
            msg = (
                f"{source} have no number for segment {missing[0]} of {system!r}, "
                f"which was judged; {len(missing)} of {len(numbers)} are missing."
            )
            raise CorpusError(msg)
        yield system, [float(value) for value in chosen]
