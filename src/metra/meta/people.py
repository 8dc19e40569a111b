"""People beside metrics in a report: their means and clusters, and how far to trust both.

The ranking is the question `rank`, so a report and a results page show the same figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra import errors
from metra.meta.agree import collect_judgements, draw_judges
from metra.meta.charts import Histogram, JudgePlot
from metra.meta.compare import MetricComparison, compare
from metra.meta.correlate import MetricCorrelations, correlate_metrics, parse_specs
from metra.meta.options import AgreeOptions, RankOptions
from metra.meta.pseudo import gather_judgements
from metra.meta.question import Evidence
from metra.meta.rank import RankingAnswer, ask_ranking
from metra.scores.selection import Selection
from metra.scores.table import ITEM_KINDS, ScoredItem, Scores, concatenate_scores
from metra.scores.views import build_panel
from metra.scoring.results import HUMAN_SCORE, Results, Score, SystemScores
from metra.scoring.scorers import build_scores
from metra.scoring.statistics import CorpusStatistics
from metra.stats.arrays import Array, row_means
from metra.stats.correlation import Options
from metra.stats.direction import Direction
from metra.stats.judge_agreement import agree
from metra.stats.pseudo_documents import DocumentCurves, draw_documents
from metra.stats.resampling import Interval

#: Documents drawn of each length: enough for a curve.
DOCUMENTS = 500
#: Points of a plot of two judges; of more, some are left out.
MOST_POINTS = 2000


@dataclass(frozen=True)
class PeopleScores:
    """Judgements of the outputs of a report, in their own unit."""

    scorer: str
    selection: str
    #: One value a judgement, of the scorer `HUMAN_SCORE`; items are numbered segments.
    scores: Scores
    #: The ranking of systems; None if fewer than two were judged.
    answer: RankingAnswer | None
    #: Mean judgement of each segment by system, NaN if there is none.
    segments: Mapping[str, Array]
    means: Mapping[str, float]
    left_out: Sequence[str]
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
    counted = selection.select(scores)
    every = counted.lines(name).compact().systems if name in counted.names else ()
    others = [each for each in every if each not in systems]
    if others and len(others) == len(every):
        unknown = errors.no_such("system", others[0], systems)
        msg = f"None of the judged systems has an output; {unknown}"
        raise errors.UnknownNameError(msg)
    # Checks of judges are of no output, but belong to the words of the selection.
    is_other = np.array([each not in systems for each in scores.systems], bool)
    kinds = [ITEM_KINDS.index(kind) for kind in sorted(selection.kinds)]
    is_counted = np.isin(scores.get_kinds(), kinds)
    judged = scores.keep_lines(~(is_other[scores.system] & is_counted))
    selected = selection.select(judged)
    words = selection.describe(judged, name)
    if name not in selected.names:
        msg = f"No judgement by {name} is left of {words}."
        raise errors.CorpusError(msg)
    people = _place_judgements(selected, name, segments, documents)
    values = people.matrix(HUMAN_SCORE)
    places = [int(people.items[at].segment) - 1 for at in people.segments.tolist()]
    by_segment = {each: np.full(segments, np.nan) for each in systems}
    for system, row in zip(people.systems, values, strict=True):
        by_segment[system][places] = row
    means = dict(zip(people.systems, row_means(values), strict=True))
    answer = None
    if len(people.systems):
        evidence = Evidence(judged, selection, name)
        answer = ask_ranking(evidence, RankOptions(seed=seed))
    return PeopleScores(
        name,
        words,
        people,
        answer,
        by_segment,
        {each: float(means.get(each, np.nan)) for each in systems},
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
        raise errors.CorpusError(msg)
    if wanted is not None and wanted not in names:
        raise errors.UnknownNameError(errors.no_such("question", wanted, names))
    return names[-1] if wanted is None else wanted


def _place_judgements(
    selected: Scores, name: str, segments: int, documents: Sequence[str] | None
) -> Scores:
    """Return one scorer's rows, whose items are the segments of the test set."""
    rows = selected.lines(name)
    level = rows.find_level(name)
    if level == "system":
        msg = f"{name} judges whole systems; expected judgements of segments."
        raise errors.CorpusError(msg)
    is_own = np.array([item.level == level for item in rows.items], bool)
    rows = rows.keep_lines(is_own[rows.item]).compact()
    if level == "document":
        numbers = _number_documents(rows, documents)
    else:
        numbers = _number_segments(rows, segments, documents)
    return replace(
        rows,
        scorers=(rows.scorers[0]._replace(name=HUMAN_SCORE),),
        items=tuple(ScoredItem(str(number)) for number in numbers),
    )


def _number_segments(
    rows: Scores, segments: int, documents: Sequence[str] | None
) -> list[int]:
    """Return the number of each item in the test set."""
    numbers = []
    lines = rows.line if len(rows.line) else np.arange(1, len(rows) + 1)
    first = dict(zip(rows.item[::-1].tolist(), lines[::-1].tolist(), strict=True))
    for at, item in enumerate(rows.items):
        problem, name, document = "", item.segment, item.document
        number = int(name) if name.isascii() and name.isdecimal() else 0
        if documents and 0 < number <= segments:
            document = documents[number - 1]
        if not number:
            problem = (
                f"calls a segment {name!r}; expected its number, counted from 1 through "
                "the whole test set."
            )
        elif number > segments:
            size = errors.format_count(segments, "segment")
            problem = (
                f"refers to segment {number}, but the test set has {size}; segments are "
                "counted from 1 through the whole test set."
            )
        elif item.document and item.document != document:
            problem = (
                f"puts segment {number} into document {item.document!r}, but it is in "
                f"{document!r}; segments are counted from 1 through the whole test set, "
                "not within documents."
            )
        if problem:
            msg = f"Judgement in line {first[at]} {problem}"
            raise errors.CorpusError(msg)
        numbers.append(number)
    return numbers


def _number_documents(rows: Scores, documents: Sequence[str] | None) -> list[int]:
    listed = list(documents or ())
    if not listed or len({*listed}) < len(listed):
        msg = (
            "The judgements are of whole documents; give outputs and references with one "
            "document per line, and their names with `documents`."
        )
        raise errors.CorpusError(msg)
    for item in rows.items:
        if item.document not in listed:
            raise errors.UnknownNameError(
                errors.no_such("document", item.document, listed)
            )
    return [listed.index(item.document) + 1 for item in rows.items]


def build_people_results(people: PeopleScores, segments: int) -> Results | None:
    """Return the judged systems with intervals and clusters, as results of a metric."""
    judged = {name: mean for name, mean in people.means.items() if np.isfinite(mean)}
    if not judged:
        return None
    clusters: dict[int, list[str]] = {}
    intervals: dict[str, Interval | None] = {}
    if people.answer is not None:
        ranking = people.answer.ranking
        intervals = dict(zip(ranking.systems, ranking.intervals, strict=True))
        for system, cluster in zip(ranking.systems, ranking.clusters, strict=True):
            clusters.setdefault(cluster, []).append(system)
    signature = f"people|scorer:{people.scorer}"
    systems = []
    for name, mean in judged.items():
        score = Score(
            *(mean, signature, people.direction, intervals.get(name)), basis="people"
        )
        systems.append(SystemScores(name, {HUMAN_SCORE: score}))
    parts = {HUMAN_SCORE: [clusters[at] for at in sorted(clusters)]}
    return Results(systems, segments, 0, clusters=parts if clusters else None)


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """Agreement of judges with each other."""

    plot: JudgePlot
    gaps: Histogram
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustReport:
    """Agreement of metrics and judges; notes explain missing figures."""

    #: Pearson's r of systems and of segments.
    agreement: MetricCorrelations
    comparison: MetricComparison | None
    curve: DocumentCurves | None
    judges: JudgeSummary | None
    notes: Sequence[str]


def assess_trust(
    judgements: Scores, sheets: CorpusStatistics, *, seed: int, pooled: bool = True
) -> TrustReport:
    """Compare metrics with people, people with people, and both by length of document.

    The only scorer of judgements is people. If scores are not `pooled` over the judged
    segments, systems have their corpus scores.
    """
    scores, statistics = build_scores(sheets)
    statistics = statistics if pooled else {}
    scorer = judgements.names[0]
    everything = concatenate_scores([scores, judgements])
    notes: list[str] = []
    names = list(sheets.metrics)
    panel = build_panel(everything, scorer, names, statistics=statistics)
    options = Options(seed=seed)
    systems, segments = (
        parse_specs(["pearson"], level, options)[0] for level in ("sys", "seg")
    )
    comparison = curve = None
    try:
        comparison = compare(panel, segments)
        notes += comparison.notes
    except errors.OptionError as reason:
        notes.append(f"No comparison of metrics: {reason}")
    try:
        cells = gather_judgements(everything, panel)
        curve = draw_documents(panel, cells, documents=DOCUMENTS, seed=seed)
        if not np.isfinite([curve.mean(name) for name in curve.by_name]).any():
            curve, why = None, "The judgements, or the metric's scores, are constant"
            notes.append(f"No curve by length of document: {why} on every document.")
    except errors.CorpusError as reason:
        notes.append(f"No curve by length of document: {reason}")
    return TrustReport(
        agreement=correlate_metrics(panel, [systems, segments], options.trials),
        comparison=comparison,
        curve=curve,
        judges=_summarise_judges(judgements, scorer, seed, notes),
        notes=notes,
    )


def _summarise_judges(
    judgements: Scores, scorer: str, seed: int, notes: list[str]
) -> JudgeSummary | None:
    nameless = int((judgements.judge < 0).sum())
    if nameless:
        notes.append(
            f"{nameless:,} of {len(judgements):,} judgements have no judge, so "
            "agreement cannot be measured."
        )
        return None
    try:
        ratings = collect_judgements(judgements, scorer, AgreeOptions())
        agreement = agree(ratings, trials=0)
    except errors.CorpusError as reason:
        notes.append(f"No agreement of judges: {reason}")
        return None
    plot, gaps = draw_judges(agreement, scorer, seed)
    # Every n-th point where there are more than anybody could see.
    step = -(-len(plot.given) // MOST_POINTS)
    if step > 1:
        caption = f"{plot.caption}, one point in {step} drawn"
        given, moved = plot.given[::step], plot.moved[::step]
        plot = replace(plot, caption=caption, given=given, moved=moved)
    return JudgeSummary(plot, gaps, agreement.values)
