"""Scores that other programs made of a campaign's outputs, beside the judgements."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np

from metra.campaign.campaign import NUMBERS, Campaign, System
from metra.campaign.metric_scores import (
    JudgeCorrelation,
    build_corpus,
    correlate_people,
)
from metra.campaign.ranking import HumanRanking
from metra.campaign.uploads import make_safe_name
from metra.errors import CorpusError, MetraError
from metra.metrics.outside import collect_values, get_values, list_scorers, outside
from metra.metrics.record import Metric
from metra.scores.judgement import Judgement
from metra.scores.table import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.scoring.statistics import count_corpus
from metra.stats.arrays import Array
from metra.stats.direction import find_direction


@dataclass(frozen=True, slots=True)
class OutsideScores:
    """The scores of one metric: for each system, one for each segment of the campaign."""

    metric: str
    #: What the file was called.
    file: str
    higher_is_better: bool
    values: Mapping[str, Sequence[float]]
    #: Digits that they are shown with beyond those of other scores.
    more_digits: int = 0


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
    if NUMBERS in campaign.material and metric.scored is not None:
        given = collect_values(metric.scored)
        values = dict(_select_segments(given, f"The scores of {title}", campaign))
    else:
        corpus = build_corpus(campaign, references=False)
        counted = count_corpus(corpus, {metric.name: metric}, keep=True)
        values = {
            system: counted.tallies[system, metric.name].rows[:, 0].tolist()
            for system in corpus.systems
        }
    return OutsideScores(
        metric.name, title, metric.higher_is_better, values, metric.more_digits
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


def correlate_outside(
    campaign: Campaign,
    judgements: Iterable[Judgement],
    scores: Sequence[OutsideScores],
    *,
    names: Mapping[str, str] | None = None,
) -> list[JudgeCorrelation]:
    """Correlate scores made elsewhere with each scorer, on the outputs that were judged.

    `names` says what the systems are called in the judgements, where these are blinded.
    """
    known = names or {}
    items = [
        ScoredItem(str(campaign.number(at)), segment.document)
        for at, segment in enumerate(campaign.segments)
    ]
    tables = [
        build_score_table(
            [known.get(system, system) for system in each.values for _ in items],
            [item for _ in each.values for item in items],
            {
                Scorer(
                    each.metric, "metric", find_direction(each.higher_is_better)
                ): np.concatenate(
                    [np.asarray(values) for values in each.values.values()]
                )
            },
        )
        for each in scores
    ]
    if not tables:
        return []
    return correlate_people(
        judgements, concatenate_scores(tables), [each.metric for each in scores]
    )


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system's means: by each question that people answered, then by each metric."""

    system: str
    people: Sequence[float | None]
    outside: Sequence[float]


def tabulate_means(
    scores: Sequence[OutsideScores], rankings: Sequence[HumanRanking]
) -> list[SystemRow]:
    """Put people's means beside those of scores made elsewhere, people's best first."""
    means = [
        {one.mean.system: one.mean.native for one in ranking.systems}
        for ranking in rankings
    ]
    systems = dict.fromkeys(system for of_people in means for system in of_people)
    systems |= dict.fromkeys(system for each in scores for system in each.values)
    return [
        SystemRow(
            system,
            [of_people.get(system) for of_people in means],
            [float(np.mean(each.values.get(system, np.nan))) for each in scores],
        )
        for system in systems
    ]
