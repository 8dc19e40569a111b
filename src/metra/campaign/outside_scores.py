"""Scores that other programs made of a campaign's outputs, beside the judgements."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import numpy as np

from metra.campaign.campaign import NUMBERS, Campaign, System
from metra.campaign.metric_scores import build_corpus
from metra.campaign.uploads import make_safe_name
from metra.errors import CorpusError, MetraError
from metra.metrics.outside import collect_values, get_values, list_scorers, outside
from metra.metrics.record import Metric
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
)
from metra.scoring.statistics import count_corpus
from metra.stats.arrays import Array
from metra.stats.direction import Direction


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

    All metrics of the file are read, or only the one that is named. Formats and errors are
    those of `metra.metrics.outside`.
    """
    with TemporaryDirectory(prefix="metra-") as folder:
        paths = [Path(folder) / make_safe_name(each) for each, _ in files]
        for path, (_, content) in zip(paths, files, strict=True):
            path.write_bytes(content)
        place = folder if len(files) > 1 else str(paths[0])
        title = ", ".join(path.name for path in paths)
        try:
            wanted = [name] if name else list_scorers(place)
            metrics = [outside(file=place, name=each, better=better) for each in wanted]
            return [_align_scores(metric, campaign, title) for metric in metrics]
        except MetraError as error:
            message = str(error).replace(f"{folder}/", "").replace(folder, "the files")
            # On a page, a file has no options.
            remedy = "choose which scores are better, and choose the file again."
            message = re.sub(r"add better=higher or better=.*", remedy, message)
            raise type(error)(message.replace("`", "")) from None


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
    systems = [system.name for system in _list_systems(campaign)]
    numbers = [campaign.number(at) for at in range(len(campaign.segments))]
    for system in systems:
        given = get_values(values, source, system, systems)
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


def _list_systems(campaign: Campaign) -> list[System]:
    return [system for system in campaign.systems if system.kind == "mt"]
