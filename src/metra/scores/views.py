"""Tables of scores as the arrays that statistics work on: panels, ratings, comparisons.

A panel holds a gold scorer's values beside those of metrics. Only cells that the gold and
every metric have are compared; missing ones are counted in a note, and nothing is dropped
without one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from metra.errors import CorpusError
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
    list_parts,
)
from metra.stats.arrays import (
    Array,
    Codes,
    Mask,
    divide,
    number_names,
    pair_equal,
    row_means,
    subtract_values,
)
from metra.stats.direction import HIGHER, Direction
from metra.stats.panel import ScorePanel, SegmentStatistics
from metra.stats.ranking import PairwiseCounts, mid_ranks
from metra.stats.ratings import Ratings, sort_ratings


class OrientedScores(NamedTuple):
    """A scorer's values, oriented so that higher is better; NaN for missing values."""

    #: Systems × segments.
    segments: Array
    #: The scores that were given to whole systems.
    whole: Array
    #: Systems × segments as they were given, and their direction.
    given: Array
    direction: Direction

    @property
    def has_values(self) -> Mask:
        """Which systems have any value."""
        return np.isfinite(self.segments).any(1) | np.isfinite(self.whole)

    @property
    def is_whole(self) -> bool:
        """True if all systems have a score of their own."""
        return bool(np.isfinite(self.whole).all())

    def of_systems(self, keep: Mask) -> "OrientedScores":
        """Keep some systems."""
        whole, given = self.whole[keep], self.given[keep]
        return OrientedScores(self.segments[keep], whole, given, self.direction)

    def average(self, cells: Mask | None = None) -> Array:
        """Return each system's mean over cells, oriented so that higher is better."""
        given = self.given if cells is None else np.where(cells, self.given, np.nan)
        return self.direction.orient(row_means(given))


def build_panel(
    scores: Scores,
    gold: str,
    metrics: Sequence[str] | None = None,
    *,
    statistics: Mapping[str, SegmentStatistics] | None = None,
) -> ScorePanel:
    """Line up a gold scorer with metrics: those named, else all scorers but people.

    With an empty list of metrics, the panel has the gold alone.
    """
    scores.find(gold)  # an unknown gold is told before anything else
    statistics = statistics or {}
    if metrics is None:
        metrics = list_metrics(scores, gold)
        if not metrics:
            msg = f"No metric to compare {gold!r} with; give scores of a metric too."
            raise CorpusError(msg)
    notes = _note_repeats(scores, [gold, *metrics])
    people = _orient_scorer(scores, gold)
    by_metric = {name: _orient_scorer(scores, name) for name in metrics}
    for name, values in list(by_metric.items()):
        if not values.has_values[people.has_values].any():
            notes.append(f"{name} has no score for any system in {gold}: excluded.")
            del by_metric[name]
    if metrics and not by_metric:
        own, others = (
            ", ".join(list(compress(scores.systems, has))[:6])
            for has in (people.has_values.tolist(), (~people.has_values).tolist())
        )
        msg = (
            f"No metric shares a system with {gold!r} ({own}); metrics are of {others}; "
            "give systems the same names."
        )
        raise CorpusError(msg)
    keep = _find_shared_systems(scores.systems, gold, people, by_metric, notes)
    people = people.of_systems(keep)
    by_metric = {name: values.of_systems(keep) for name, values in by_metric.items()}
    systems = list(compress(scores.systems, keep))
    items = [scores.items[index] for index in scores.segments]
    shared = _find_shared_cells(gold, people, by_metric, notes)
    segments = [item.segment for item in items]
    # Where the gold is of whole systems, there are no cells to pool over.
    by_segment = np.isfinite(people.segments).any()
    with_statistics = [name for name in by_metric if name in statistics and by_segment]
    pooled = {
        name: statistics[name].align_segments(systems, segments, shared)
        for name in with_statistics
    }
    system_metrics = {
        name: pooled[name].score_weightings(np.ones((1, len(segments))))[0]
        if name in pooled
        else _score_systems(values, shared)
        for name, values in by_metric.items()
    }
    given = {name for name, values in by_metric.items() if values.is_whole}
    return ScorePanel(
        tuple(systems),
        tuple(items),
        gold,
        np.where(shared, people.segments, np.nan),
        {name: values.segments for name, values in by_metric.items()},
        _score_systems(people, shared),
        system_metrics,
        frozenset({*given, *pooled, *([gold] if people.is_whole else [])}),
        pooled,
        tuple(notes),
        next(iter(scores.languages), ""),
    )


def _note_repeats(scores: Scores, names: Sequence[str]) -> list[str]:
    """Note values that a judge repeats, or two files that were mixed up."""
    repeated = {name: scores.lines(name).count_repeats() for name in names}
    return [
        f"{name} has {count:,} values that repeat the same judge, system and segment; "
        "they are averaged (if they are another language pair, write LANG=FILE)."
        for name, count in repeated.items()
        if count
    ]


def list_metrics(scores: Scores, gold: str) -> list[str]:
    """List the automatic scorers: neither the gold nor parts of its total."""
    by_people = {gold, *list_parts(gold, ())}
    by_people |= {scorer.name for scorer in scores.scorers if scorer.human}
    return [name for name in scores.names if name not in by_people]


def _find_shared_systems(
    systems: Sequence[str],
    gold: str,
    people: OrientedScores,
    by_metric: Mapping[str, OrientedScores],
    notes: list[str],
) -> Mask:
    """Find the systems that all have scored, and say which have not."""
    keep = np.ones(len(systems), bool)
    for reason, values in [
        (f"Without {gold}", people),
        *((f"Not scored by {name}", values) for name, values in by_metric.items()),
    ]:
        lost = list(compress(systems, keep & ~values.has_values))
        if lost:
            more = f" and {len(lost) - 6} more" if len(lost) > 6 else ""
            notes.append(f"{reason}, excluded: {', '.join(lost[:6])}{more}.")
        keep = keep & values.has_values
    if not keep.any():
        problem = f"No system has scores of {gold!r} and of every metric"
        msg = f"{problem}; name fewer metrics."
        raise CorpusError(msg)
    return keep


def _find_shared_cells(
    gold: str,
    people: OrientedScores,
    by_metric: Mapping[str, OrientedScores],
    notes: list[str],
) -> Mask:
    """Find the cells that the gold and all metrics with segments have scored."""
    judged = np.isfinite(people.segments)
    shared = judged.copy()
    cells = int(judged.sum())
    if cells and cells < judged.size:
        lacking = judged.size - cells
        share = f"{cells:,} of {judged.size:,} cells"
        notes.append(f"{gold} has {share} ({lacking:,} missing).")
    for name, values in by_metric.items():
        scored = np.isfinite(values.segments)
        missing = int((judged & ~scored).sum()) if scored.any() else 0
        if missing:
            share = f"{missing:,} of the {cells:,} judged cells"
            notes.append(f"{name} has no score for {share}.")
        if scored.any():
            shared &= scored
    return shared


def _score_systems(values: OrientedScores, shared: Mask) -> Array:
    """Return the scores given to whole systems, else means over the shared cells."""
    return values.whole if values.is_whole else values.average(shared)


def orient_scores(scores: Scores, name: str) -> Array:
    """Return a scorer's systems × segments, oriented so that higher is better."""
    return scores.scorers[scores.find(name)].direction.orient(scores.matrix(name))


def _orient_scorer(scores: Scores, name: str) -> OrientedScores:
    given = scores.matrix(name)
    direction = scores.scorers[scores.find(name)].direction
    whole = direction.orient(scores.system_scores(name))
    return OrientedScores(direction.orient(given), whole, given, direction)


def average_systems(scores: Scores, name: str) -> Array:
    """Return a score for each system: the one given, else the mean of its segments."""
    values = _orient_scorer(scores, name)
    return np.where(np.isfinite(values.whole), values.whole, values.average())


class UnitSums(NamedTuple):
    """Sums and counts of each system's item means, by the resampled unit."""

    #: Systems × units × (sum, count).
    rows: Array
    #: The item and the judge of each unit if both are drawn; else nothing.
    crossed: list[Codes]

    @property
    def means(self) -> Array:
        """Systems × units, NaN for units without scores."""
        return divide(self.rows[..., 0], self.rows[..., 1])


def sum_units(
    scores: Scores, name: str, unit: str = "segment", *, column: str = "value"
) -> UnitSums:
    """Sum a scorer's item means by segment, by document, or by segment and judge (crossed).

    Crossed units hold one judge's value of one item; those of an item count as much as one
    item together.
    """
    if unit == "crossed":
        return _sum_crossed(scores, name, column)
    values = scores.matrix(name, column=column)
    present = np.isfinite(values)
    rows = np.stack([np.where(present, values, 0.0), present.astype(float)], axis=-1)
    if unit == "document":
        documents = [scores.items[at].document for at in scores.segments.tolist()]
        names, place = number_names(documents)
        by_document = np.zeros((len(rows), len(names), 2))
        for document in range(len(names)):
            by_document[:, document] = rows[:, place == document].sum(1)
        rows = by_document
    return UnitSums(rows, [])


def _sum_crossed(scores: Scores, name: str, column: str) -> UnitSums:
    place = np.full(len(scores.items), -1, np.int64)
    place[scores.segments] = np.arange(len(scores.segments))
    lines = scores.lines(name)
    lines = lines.keep_lines((place[lines.item] >= 0) & np.isfinite(lines.value))
    width, judges = len(scores.segments), len(scores.judges) + 1
    key = (lines.system * width + place[lines.item]) * judges + lines.judge + 1
    each, row = np.unique(key, return_inverse=True)
    values = np.bincount(row, getattr(lines, column)) / np.bincount(row)
    cell, judge = np.divmod(each, judges)
    system, item = np.divmod(cell, width)
    share = 1 / np.bincount(cell)[cell]
    units, unit = np.unique(item * judges + judge, return_inverse=True)
    rows = np.zeros((len(scores.systems), len(units), 2))
    rows[system, unit] = np.stack([values * share, share], axis=-1)
    return UnitSums(
        rows,
        [np.unique(kind, return_inverse=True)[1] for kind in np.divmod(units, judges)],
    )


def promote_documents(scores: Scores, name: str) -> Scores:
    """Take documents for segments if a scorer has scores of whole documents only.

    Judges and other columns of scorers of documents stay; other scorers are averaged over
    the segments of each document.
    """
    if scores.find_level(name) != "document":
        return scores
    levels = np.array([item.level for item in scores.items], dtype=object)
    is_document = (levels == "document")[scores.item]
    of_documents = np.isin(scores.scorer, np.unique(scores.scorer[is_document]))
    items = tuple(
        item._replace(segment=item.document) if item.level == "document" else item
        for item in scores.items
    )
    whole = (levels == "system")[scores.item]
    documents = replace(scores, items=items).keep_lines(is_document | whole).compact()
    others = scores.keep_lines(~of_documents & ~whole).compact()
    if not any(item.document for item in others.items):
        return documents
    return concatenate_scores([documents, average_documents(others)])


def replace_values(lines: Scores, value: Array, scorer: Scorer | None = None) -> Scores:
    """Replace the values of one scorer's lines; lines whose new value is NaN are dropped."""
    if scorer is not None:
        numbers = np.zeros(len(lines), np.int64)
        lines = replace(lines, scorers=(scorer,), scorer=numbers)
    return replace(lines, value=value).keep_lines(np.isfinite(value))


class Outcomes(NamedTuple):
    """Comparisons of two systems on an item: 1 if the first is better, 0 for a tie, or -1."""

    item: Codes
    first: Codes
    second: Codes
    sign: Array


def collect_outcomes(scores: Scores, name: str) -> Outcomes:
    """Compare systems on every segment, each judge's values with the same judge's.

    Where no judge has judged two systems of a segment, the means of judges are compared.
    Outputs that were put in order are compared if one answer is about both.
    """
    lines = scores.lines(name)
    scorer, size = scores.scorers[scores.find(name)], len(scores.systems)
    if scorer.compares and len(lines.answer):
        values = scorer.direction.orient(lines.value)
        return _compare_within(lines.answer, lines.item, lines.system, values)
    if (lines.judge >= 0).any():
        is_segment = np.isin(lines.item, scores.segments) & np.isfinite(lines.value)
        judged = lines.keep_lines(is_segment)
        cell = judged.item * (len(scores.judges) + 1) + judged.judge + 1
        cells, row = np.unique(cell * size + judged.system, return_inverse=True)
        means = scorer.direction.orient(
            np.bincount(row, judged.value) / np.bincount(row)
        )
        group, system = np.divmod(cells, size)
        item = group // (len(scores.judges) + 1)
        outcomes = _compare_within(group, item, system, means)
        if len(outcomes.item):
            return outcomes
    values = orient_scores(lines, name)
    at, system = np.nonzero(np.isfinite(values.T))
    return _compare_within(at, lines.segments[at], system, values[system, at])


def _compare_within(group: Codes, item: Codes, system: Codes, value: Array) -> Outcomes:
    """Compare values of the same group, which are of one item; higher is better."""
    order = np.lexsort((system, group))
    item, system, value = item[order], system[order], value[order]
    first, second = pair_equal(group[order])
    sign = np.sign(subtract_values(value[first], value[second]))
    return Outcomes(item[first], system[first], system[second], sign)


def count_comparisons(scores: Scores, name: str) -> PairwiseCounts:
    """Count the outcomes of each two systems."""
    _, first, second, sign = collect_outcomes(scores, name)
    wins, draws = np.zeros((2, len(scores.systems), len(scores.systems)), np.int64)
    winner, loser = np.where(sign > 0, (first, second), (second, first))
    np.add.at(wins, (winner[sign != 0], loser[sign != 0]), 1)
    np.add.at(draws, (first[sign == 0], second[sign == 0]), 1)
    return PairwiseCounts(wins, draws + draws.T)


def collect_rankings(
    scores: Scores, name: str
) -> tuple[Scores, Array, list[ScoredItem]]:
    """Turn ranks into shares of systems beaten, and gather them ranking by ranking.

    A ranking orders systems of a segment by one judge: 1 is the best, or the values of a
    scorer that compares outputs. A system's share is that of the other systems of the ranking
    that it beats, a tie counting half. The array is rankings × systems, higher is better,
    the list their items; a ranking of one system is left out.
    """
    lines, number = scores.lines(name), scores.find(name)
    lines = lines.keep_lines(np.isin(lines.item, scores.segments))
    scorer = scores.scorers[number]
    compares = scorer.compares
    if not len(lines) or (lines.value.min() < 1 and not compares):
        problem = f"a rank of {lines.value.min():g}" if len(lines) else "no values"
        msg = f"{name!r} has {problem}; ranks of systems start at 1, the best."
        raise CorpusError(msg)
    # A judge may have compared several pairs of outputs of one segment.
    answer, answers = lines.answer, int(lines.answer.max(initial=0)) + 1
    if not compares or not len(answer):
        answer, answers = np.zeros(len(lines), np.int64), 1
    code = lines.item * (len(scores.judges) + 1) + lines.judge + 1
    code = code * answers + answer
    rankings, row = np.unique(code, return_inverse=True)
    shape = (len(rankings), len(scores.systems))
    cell = row * shape[1] + lines.system
    count = np.bincount(cell, minlength=len(rankings) * shape[1]).reshape(shape)
    oriented = scorer.direction.orient(lines.value) if compares else -lines.value
    total = np.bincount(cell, oriented, len(rankings) * shape[1]).reshape(shape)
    values = divide(total, count)
    sizes = (count > 0).sum(1)
    share = divide(sizes[:, None] - mid_ranks(values), sizes[:, None] - 1)
    kept = (sizes > 1)[:, None] & (count > 0)
    row, system = np.nonzero(kept)
    item, judge = np.divmod(rankings[row] // answers, len(scores.judges) + 1)
    scorers = list(scores.scorers)
    scorers[number] = scorer._replace(direction=HIGHER)
    names = scores.systems, scores.items, tuple(scorers), scores.judges
    codes = system.astype(np.int64), item, np.full(len(row), number), judge - 1
    shares = Scores(*names, *codes, share[row, system])
    if compares and len(lines.answer):
        shares = replace(shares, answer=rankings[row] % answers)
    others = replace(scores, scorers=tuple(scorers))
    others = others.keep_lines(scores.scorer != number)
    both = concatenate_scores([shares, others]) if len(others) else shares
    ranked = rankings[sizes > 1] // answers // (len(scores.judges) + 1)
    return both, values[sizes > 1], [scores.items[at] for at in ranked.tolist()]


def collect_ratings(
    scores: Scores, name: str, repeats: Scores | None = None
) -> Ratings:
    """Gather a scorer's judgements, which must name their judges.

    `repeats` are rows of items that judges were given again; they count only as a judge's
    later value of the same output.
    """
    lines = scores.lines(name)
    _require_judges(lines, name)
    if repeats is not None and len(repeats) and name in repeats.names:
        lines = _append_repeats(lines, repeats.lines(name))
    count = len(lines.systems)
    cells, unit = np.unique(lines.item * count + lines.system, return_inverse=True)
    units = []
    for cell in cells.tolist():
        item, system = lines.items[cell // count], lines.systems[cell % count]
        names = (item.lang, system, item.segment or item.document)
        units.append(" ".join(filter(None, names)))
    ratings = sort_ratings(lines.judges, units, lines.judge, unit, lines.value)
    # Scores of whole systems are of no segment.
    is_whole = np.array([item.level == "system" for item in lines.items], bool)
    item = cells // count
    return replace(ratings, segment=np.where(is_whole[item], -1 - cells, item))


def collect_comparisons(scores: Scores, name: str) -> Ratings:
    """Gather what judges' ranks say of each two systems of a segment (`collect_rankings`).

    The value is 1 where the first system is better, -1 where the other is, 0 for a tie.
    """
    _require_judges(scores.lines(name), name)
    lines = collect_rankings(scores, name)[0].lines(name)
    answer = lines.answer if len(lines.answer) else np.zeros(len(lines), np.int64)
    order = np.lexsort((lines.system, answer, lines.judge, lines.item))
    columns = (lines.item, lines.judge, lines.system)
    item, judge, system = (column[order] for column in columns)
    share = lines.value[order]
    ranking = (item * len(lines.judges) + judge) * (answer.max() + 1) + answer[order]
    first, second = pair_equal(ranking)
    count = len(lines.systems)
    code = (item[first] * count + system[first]) * count + system[second]
    codes, unit = np.unique(code, return_inverse=True)
    segment, pair = np.divmod(codes, count**2)
    units = []
    for at, two in zip(segment.tolist(), pair.tolist(), strict=True):
        about, (one, other) = lines.items[at], divmod(two, count)
        names = about.lang, f"{lines.systems[one]} – {lines.systems[other]}"
        units.append(" ".join(filter(None, (*names, about.segment))))
    value = np.sign(share[first] - share[second])
    ratings = sort_ratings(lines.judges, units, judge[first], unit, value)
    return replace(ratings, segment=segment, compares=True)


def _require_judges(lines: Scores, name: str) -> None:
    if not len(lines):
        msg = f"No values of {name!r} found."
        raise CorpusError(msg)
    nameless = int((lines.judge < 0).sum())
    if nameless:
        problem = f"{nameless:,} of {len(lines):,} values of {name!r} have no judge"
        msg = f"{problem}; agreement needs a column with the judge."
        raise CorpusError(msg)


def _append_repeats(first: Scores, repeats: Scores) -> Scores:
    """Append the rows of repeats whose judges judged the same output before."""
    both = concatenate_scores([first, repeats])
    key = (both.system * len(both.items) + both.item) * (len(both.judges) + 1)
    key += both.judge
    is_first = np.arange(len(both)) < len(first)
    again = np.isin(key, key[is_first]) & (both.judge >= 0)
    return both.keep_lines(is_first | again)


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
            items.append(item._replace(segment=item.document))
    if not items:
        msg = (
            "No score has a document; document scores need a column with the document."
        )
        raise CorpusError(msg)

    def place(level: str) -> list[int]:
        wanted = [item for item in scores.items if item.level == level]
        return [names.get((item.lang, item.document), -1) for item in wanted]

    of_segment, of_document = np.array(place("segment"), np.int64), place("document")
    judged = np.isfinite(scores.matrix(gold)) if gold is not None else None
    tables = []
    for scorer in scores.scorers:
        segments = scores.matrix(scorer.name)
        values = _average_segments(segments, of_segment, len(items), judged)
        given = scores.matrix(scorer.name, level="document")
        for document, column in zip(of_document, given.T, strict=True):
            means = values[:, document]
            values[:, document] = np.where(np.isfinite(column), column, means)
        systems = [system for system in scores.systems for _ in items]
        scored = items * len(scores.systems)
        cells = {scorer: values.ravel()}
        tables.append(build_score_table(systems, scored, cells))
    return concatenate_scores(tables)


def _average_segments(
    values: Array, of_segment: Codes, count: int, judged: Mask | None
) -> Array:
    """Mean over each document's segments: systems × segments to systems × documents."""
    has_document = of_segment >= 0
    values, places = values[:, has_document], of_segment[has_document]
    means = np.full((len(values), count), np.nan)
    for system, row in enumerate(values):
        counted = np.isfinite(row)
        if judged is not None:
            in_gold = judged[system, has_document]
            has_gold = np.bincount(places, in_gold, count) > 0
            counted &= in_gold | ~has_gold[places]
        size = np.bincount(places[counted], minlength=count)
        total = np.bincount(places[counted], row[counted], count)
        means[system] = np.where(size > 0, total / np.maximum(size, 1), np.nan)
    return means
