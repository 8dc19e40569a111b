"""People beside metrics in a report: means, clusters and segments of one kind of judgement.

The ranking is the question `rank`, so a report and a results page show the same figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.errors import CorpusError, UnknownNameError, format_count, no_such
from metra.meta.judge_options import RankOptions
from metra.meta.rank import RankingAnswer, ask_ranking
from metra.scores.selection import Selection
from metra.scores.table import ITEM_KINDS, ScoredItem, Scores
from metra.scoring.results import HUMAN_SCORE, Results, Score, SystemScores
from metra.stats.arrays import Array, Codes, row_means
from metra.stats.direction import Direction
from metra.stats.resampling import Interval


@dataclass(frozen=True)
class PeopleScores:
    """Judgements of the outputs of a report, in their own unit."""

    scorer: str
    #: The rows that count, in a few words.
    selection: str
    #: One value a judgement, of the scorer `HUMAN_SCORE`; items are numbered segments.
    scores: Scores
    #: The ranking of systems; None if fewer than two were judged.
    answer: RankingAnswer | None
    #: Mean judgement of each segment by system, NaN if there is none.
    segments: Mapping[str, Array]
    means: Mapping[str, float]
    intervals: Mapping[str, Interval | None]
    #: Judged systems without an output.
    left_out: Sequence[str]
    #: Level of the judgements: segment or document.
    level: str

    @property
    def direction(self) -> Direction:
        """Direction of the judgements."""
        return self.scores.scorers[0].direction

    @property
    def judges(self) -> int | None:
        """Number of judges; None if the file does not name them."""
        return len(np.unique(self.scores.judge[self.scores.judge >= 0])) or None


def collect_people(
    scores: Scores,
    selection: Selection,
    question: str | None,
    systems: Sequence[str],
    *,
    segments: int,
    documents: Sequence[str] | None = None,
    seed: int,
) -> PeopleScores:
    """Collect the judgements of one question about the outputs of a report.

    Of several questions, the last counts, because the first ones lead to it. Judgements of
    whole documents need outputs with one document per line.
    """
    name = choose_question(scores, question)
    is_other = np.array([each not in systems for each in scores.systems], bool)
    counted = selection.select(scores)
    others = [
        each
        for each in (
            counted.lines(name).compact().systems if name in counted.names else ()
        )
        if each not in systems
    ]
    # Checks of judges are of no output, but belong to the words of the selection.
    kinds = [ITEM_KINDS.index(kind) for kind in sorted(selection.kinds)]
    is_counted = np.isin(scores.get_kinds(), kinds)
    judged = scores.keep_lines(~(is_other[scores.system] & is_counted))
    if others and len(others) == len(counted.lines(name).compact().systems):
        msg = (
            "None of the judged systems has an output; "
            f"{no_such('system', others[0], systems)}"
        )
        raise UnknownNameError(msg)
    selected = selection.select(judged)
    if name not in selected.names:
        msg = f"No judgement by {name} is left of {selection.describe(judged, name)}."
        raise CorpusError(msg)
    people = _place_judgements(selected, name, segments, documents)
    values = people.matrix(HUMAN_SCORE)
    by_system = {
        system: _fill_segments(people, row, segments)
        for system, row in zip(people.systems, values, strict=True)
    }
    means = dict(zip(people.systems, row_means(values), strict=True))
    answer = None
    intervals: dict[str, Interval | None] = {}
    if len(people.systems):
        answer = ask_ranking(judged, selection, name, RankOptions(seed=seed))
        ranking = answer.ranking
        intervals = dict(zip(ranking.systems, ranking.intervals, strict=True))
    return PeopleScores(
        name,
        selection.describe(judged, name),
        people,
        answer,
        {each: by_system.get(each, np.full(segments, np.nan)) for each in systems},
        {each: float(means.get(each, np.nan)) for each in systems},
        intervals,
        others,
        selected.find_level(name),
    )


def choose_question(
    scores: Scores, wanted: str | None, place: str = "The table"
) -> str:
    """Return the wanted kind of judgement, or the last one.

    `place` is the file of the scores, for messages.
    """
    people = [scorer for scorer in scores.scorers if scorer.human]
    # Values such as standard scores are of a kind, but not named after it.
    named = [scorer.name for scorer in people if scorer.name == scorer.kind]
    names = named or [scorer.name for scorer in people]
    # A table whose only scores have no name has judgements.
    names = names or [name for name in scores.names if name in ("value", "score")]
    if not names:
        listed = ", ".join(scores.names)
        msg = (
            f"{place} has scores of {listed}, but no human judgements; expected human "
            "scores, such as da or mqm."
        )
        raise CorpusError(msg)
    if wanted is not None and wanted not in names:
        raise UnknownNameError(no_such("question", wanted, names))
    return names[-1] if wanted is None else wanted


def _place_judgements(
    selected: Scores, name: str, segments: int, documents: Sequence[str] | None
) -> Scores:
    """Return one scorer's rows, whose items are the segments of the test set."""
    rows = selected.lines(name)
    level = rows.find_level(name)
    if level == "system":
        msg = f"{name} judges whole systems; expected judgements of segments."
        raise CorpusError(msg)
    rows = rows.keep_lines(
        np.array([item.level == level for item in rows.items], bool)[rows.item]
    )
    rows = rows.compact()
    numbers = _number_items(rows, level, segments, documents)
    return replace(
        rows,
        scorers=(rows.scorers[0]._replace(name=HUMAN_SCORE),),
        items=tuple(ScoredItem(str(number + 1)) for number in numbers.tolist()),
    )


def _number_items(
    rows: Scores, level: str, segments: int, documents: Sequence[str] | None
) -> Codes:
    """Return the place of each item among the segments of the test set."""
    if level == "document":
        return _number_documents(rows, documents)
    numbers = []
    lines = rows.line if len(rows.line) else np.arange(1, len(rows) + 1)
    first = dict(zip(rows.item[::-1].tolist(), lines[::-1].tolist(), strict=True))
    for at, item in enumerate(rows.items):
        place = f"Judgement in line {first[at]}"
        if not (item.segment.isascii() and item.segment.isdecimal()) or not int(
            item.segment
        ):
            msg = (
                f"{place} calls a segment {item.segment!r}; expected its number, counted "
                "from 1 through the whole test set."
            )
            raise CorpusError(msg)
        number = int(item.segment)
        if number > segments:
            msg = (
                f"{place} refers to segment {number}, but the test set has "
                f"{format_count(segments, 'segment')}; segments are "
                "counted from 1 through the whole test set."
            )
            raise CorpusError(msg)
        document = documents[number - 1] if documents is not None else item.document
        if item.document and item.document != document:
            msg = (
                f"{place} puts segment {number} into document {item.document!r}, but it "
                f"is in {document!r}; segments are counted from 1 through the whole test "
                "set, not within documents."
            )
            raise CorpusError(msg)
        numbers.append(number - 1)
    return np.array(numbers, np.int64)


def _number_documents(rows: Scores, documents: Sequence[str] | None) -> Codes:
    listed = list(documents or ())
    if not listed or len({*listed}) < len(listed):
        msg = (
            "The judgements are of whole documents; give outputs and references with one "
            "document per line, and their names with `documents`."
        )
        raise CorpusError(msg)
    for item in rows.items:
        if item.document not in listed:
            raise UnknownNameError(no_such("document", item.document, listed))
    return np.array([listed.index(item.document) for item in rows.items], np.int64)


def _fill_segments(people: Scores, row: Array, segments: int) -> Array:
    values = np.full(segments, np.nan)
    places = [int(people.items[at].segment) - 1 for at in people.segments.tolist()]
    values[places] = row
    return values


def build_people_results(people: PeopleScores, segments: int) -> Results | None:
    """Return the judged systems with intervals and clusters, as results of a metric."""
    judged = {name: mean for name, mean in people.means.items() if np.isfinite(mean)}
    if not judged:
        return None
    clusters: dict[int, list[str]] = {}
    if people.answer is not None:
        ranking = people.answer.ranking
        for system, cluster in zip(ranking.systems, ranking.clusters, strict=True):
            clusters.setdefault(cluster, []).append(system)
    systems = [
        SystemScores(
            name,
            {
                HUMAN_SCORE: Score(
                    mean,
                    f"people|scorer:{people.scorer}",
                    people.direction.higher_is_better,
                    people.intervals.get(name),
                    basis="people",
                    target=people.direction.target,
                )
            },
        )
        for name, mean in judged.items()
    ]
    parts = {HUMAN_SCORE: [clusters[at] for at in sorted(clusters)]}
    return Results(systems, segments, 0, clusters=parts if clusters else None)
