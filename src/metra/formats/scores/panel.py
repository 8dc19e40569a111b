"""Scores lined up for comparison, and turned so that higher is better.

Only cells that the gold and every metric have are compared; what is missing is counted
and said, and nothing is dropped without a note.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from metra.errors import CorpusError
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.stats.arrays import Array, Codes, Mask, row_means
from metra.stats.panel import ScorePanel, SegmentStatistics
from metra.stats.trueskill import PairwiseCounts, add_counts, count_wins


def average_documents(scores: Scores, gold: str | None = None) -> Scores:
    """Make a table of documents, which then are compared as segments are.

    A document's own score counts where there is one. Else it is the mean of its segments;
    where the gold has judged only some of them, of these segments for every scorer.
    """
    names: dict[tuple[str, str], int] = {}
    items: list[ScoredItem] = []
    for item in scores.items:
        key = (item.lang, item.document)
        if item.document and key not in names:
            names[key] = len(items)
            items.append(
                ScoredItem(item.document, item.document, item.domain, item.lang)
            )
    if not items:
        msg = (
            "No score names a document; comparing documents takes a column that says "
            "which document a segment is of."
        )
        raise CorpusError(msg)

    def place(level: str) -> list[int]:
        wanted = [item for item in scores.items if item.level == level]
        return [names.get((item.lang, item.document), -1) for item in wanted]

    of_segment, of_document = np.array(place("segment"), np.int64), place("document")
    judged = np.isfinite(scores.matrix(gold)) if gold is not None else None
    tables = []
    for scorer in scores.scorers:
        values = _average_segments(
            scores.matrix(scorer.name), of_segment, len(items), judged
        )
        given = scores.matrix(scorer.name, level="document")
        for at, column in zip(of_document, given.T, strict=True):
            values[:, at] = np.where(np.isfinite(column), column, values[:, at])
        systems = [system for system in scores.systems for _ in items]
        tables.append(
            build_score_table(
                systems, items * len(scores.systems), {scorer: values.ravel()}
            )
        )
    return concatenate_scores(tables)


def _average_segments(
    values: Array, of_segment: Codes, count: int, judged: Mask | None
) -> Array:
    """Mean over each document's segments: systems × segments to systems × documents."""
    known = of_segment >= 0
    values, places = values[:, known], of_segment[known]
    found = np.full((len(values), count), np.nan)
    for system, row in enumerate(values):
        there = np.isfinite(row)
        if judged is not None:
            mine = judged[system, known]
            some = np.bincount(places, mine, count) > 0
            there &= mine | ~some[places]
        size = np.bincount(places[there], minlength=count)
        total = np.bincount(places[there], row[there], count)
        found[system] = np.where(size > 0, total / np.maximum(size, 1), np.nan)
    return found


def build_panel(
    scores: Scores,
    gold: str,
    metrics: Sequence[str] | None = None,
    *,
    statistics: Mapping[str, SegmentStatistics] | None = None,
) -> ScorePanel:
    """Line up a gold scorer with metrics: those named, else all scorers but people."""
    scores.find(gold)  # an unknown gold is told before anything else
    if metrics is None:
        metrics = [s.name for s in scores.scorers if s.name != gold and not s.human]
    if not metrics:
        msg = f"There is nothing to compare {gold!r} with; give scores of a metric too."
        raise CorpusError(msg)
    notes = _describe_repeats(scores, [gold, *metrics])
    human = orient_scores(scores, gold)
    given_gold = orient_system_scores(scores, gold)
    judged = np.isfinite(human).any(1) | np.isfinite(given_gold)
    dense, whole = {}, {}
    for name in metrics:
        values = orient_scores(scores, name)
        given = orient_system_scores(scores, name)
        if not (np.isfinite(values).any(1) | np.isfinite(given))[judged].any():
            notes.append(
                f"{name} has no score of any system that {gold} has judged: left out."
            )
            continue
        dense[name], whole[name] = values, given
    if not dense:
        msg = f"No metric shares a system with {gold!r}; check the systems' names."
        raise CorpusError(msg)
    keep = _find_shared_systems(scores, gold, judged, dense, whole, notes)
    return _align_scores(
        scores,
        gold,
        keep,
        human,
        given_gold,
        dense,
        whole,
        notes,
        statistics or {},
    )


def orient_scores(scores: Scores, name: str) -> Array:
    """Return a scorer's systems × segments, turned so that higher is better."""
    return scores.matrix(name) * _get_sign(scores, name)


def orient_system_scores(scores: Scores, name: str) -> Array:
    """Return the scores given to whole systems, turned so that higher is better."""
    return scores.system_scores(name) * _get_sign(scores, name)


def average_systems(scores: Scores, name: str) -> Array:
    """Return a score for each system: the one given, else the mean of its segments."""
    given = orient_system_scores(scores, name)
    return np.where(np.isfinite(given), given, row_means(orient_scores(scores, name)))


def replace_values(lines: Scores, value: Array, scorer: Scorer | None = None) -> Scores:
    """Replace the values of one scorer's lines; lines whose new value is NaN are dropped."""
    keep = np.isfinite(value)
    return replace(
        lines,
        scorers=lines.scorers if scorer is None else (scorer,),
        scorer=lines.scorer[keep] if scorer is None else np.zeros(keep.sum(), np.int64),
        system=lines.system[keep],
        item=lines.item[keep],
        judge=lines.judge[keep],
        value=value[keep],
    )


def count_comparisons(scores: Scores, name: str) -> PairwiseCounts:
    """Compare systems on every segment, each judge's values with the same judge's.

    Where no judge has judged two systems of a segment, the means of judges are compared.
    """
    lines = scores.lines(name)
    if (lines.judge >= 0).any():
        by_judge = [
            count_wins(orient_scores(lines.of_judge(judge), name))
            for judge in np.unique(lines.judge).tolist()
        ]
        if any(part.met.any() for part in by_judge):
            return add_counts(by_judge)
    return count_wins(orient_scores(lines, name))


def _get_sign(scores: Scores, name: str) -> float:
    return 1.0 if scores.scorers[scores.find(name)].higher_is_better else -1.0


def _describe_repeats(scores: Scores, names: Sequence[str]) -> list[str]:
    """Say where a value was given twice: by a judge, or by two files that were mixed up."""
    repeated = {name: scores.lines(name).repeated() for name in names}
    return [
        f"{name} has {count:,} values that repeat a system and segment of the same judge; "
        "they are averaged (another language pair? write LANG=FILE)."
        for name, count in repeated.items()
        if count
    ]


def _find_shared_systems(
    scores: Scores,
    gold: str,
    judged: Mask,
    dense: Mapping[str, Array],
    whole: Mapping[str, Array],
    notes: list[str],
) -> Mask:
    """Find the systems that all have scored, and say which have not."""
    keep = np.ones(len(scores.systems), bool)
    unjudged = [
        system
        for system, there in zip(scores.systems, judged, strict=True)
        if not there
    ]
    if unjudged:
        notes.append(f"Without {gold} and so left out: {_format_names(unjudged)}.")
    keep &= judged
    for name, values in dense.items():
        scored = np.isfinite(values).any(1) | np.isfinite(whole[name])
        lost = [scores.systems[at] for at in np.flatnonzero(keep & ~scored)]
        if lost:
            notes.append(
                f"Not scored by {name} and so left out: {_format_names(lost)}."
            )
        keep &= scored
    if not keep.any():
        msg = (
            f"No system has scores of {gold!r} and of every metric; name fewer metrics."
        )
        raise CorpusError(msg)
    return keep


def _align_scores(
    scores: Scores,
    gold: str,
    keep: Mask,
    human: Array,
    given_gold: Array,
    dense: Mapping[str, Array],
    whole: Mapping[str, Array],
    notes: list[str],
    statistics: Mapping[str, SegmentStatistics],
) -> ScorePanel:
    human = human[keep]
    dense = {name: values[keep] for name, values in dense.items()}
    with_segments = {
        name: values for name, values in dense.items() if np.isfinite(values).any()
    }
    shared = np.isfinite(human)
    cells = int(shared.sum())
    if cells and cells < shared.size:
        lacking = shared.size - cells
        notes.append(
            f"{gold} has {cells:,} of {shared.size:,} cells ({lacking:,} missing)."
        )
    for name, values in with_segments.items():
        missing = int((shared & ~np.isfinite(values)).sum())
        if missing:
            notes.append(f"{name} lacks {missing:,} of the {cells:,} judged cells.")
    for values in with_segments.values():
        shared &= np.isfinite(values)
    compared = np.where(shared, human, np.nan)
    given = set()
    system_gold = row_means(compared)
    if np.isfinite(given_gold[keep]).all():
        system_gold = given_gold[keep]
        given.add(gold)
    system_metrics = {}
    systems = [scores.systems[at] for at in np.flatnonzero(keep)]
    segments = [scores.items[at].segment for at in scores.segments]
    pooled = {
        name: statistics[name].align_segments(systems, segments, shared)
        for name in dense
        if name in statistics
    }
    for name, values in dense.items():
        if name in pooled:
            everything = np.ones((1, len(segments)))
            system_metrics[name] = pooled[name].score_weightings(everything)[0]
            given.add(name)
        elif np.isfinite(whole[name][keep]).all():
            system_metrics[name] = whole[name][keep]
            given.add(name)
        else:
            system_metrics[name] = row_means(np.where(shared, values, np.nan))
    return ScorePanel(
        tuple(systems),
        tuple(scores.items[at] for at in scores.segments),
        gold,
        compared,
        dense,
        system_gold,
        system_metrics,
        frozenset(given),
        pooled,
        tuple(notes),
        next(iter(scores.languages), ""),
    )


def _format_names(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
