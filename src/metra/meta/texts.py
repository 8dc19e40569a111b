"""Scores of texts: each judge's mean over the segments of a text, and the mean of judges."""

from collections.abc import Iterator
from dataclasses import replace
from math import isnan, nan
from statistics import fmean
from typing import TypeAlias

import numpy as np

from metra.errors import CorpusError
from metra.scores.judgement import has_scores
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import ScoredItem, Scores, concatenate_scores
from metra.stats.arrays import Codes, number_names

#: The columns of `tabulate_texts`.
TEXT_COLUMNS = (
    *("text", "translation", "metric", "evaluator", "items", "score", "native"),
    "reason",
)
TextRow: TypeAlias = tuple[str, str, str, str, int, float, float, str]


def select_texts(scores: Scores, selection: Selection = DEFAULT) -> Scores:
    """Return the rows that count, and those without a value that would count.

    Answers that could not be judged at all, or rate nothing, are left out.
    """
    answers = selection.select_answers(scores)
    missing = answers.keep_lines(~np.isfinite(answers.value))
    if len(missing.answer):
        is_open = [*map(has_scores, missing.reasons)]
        missing = missing.keep_lines(np.array([*is_open, False])[missing.reason])
    counted = selection.select(scores)
    return concatenate_scores([counted, missing.compact()]) if len(missing) else counted


def average_texts(scores: Scores) -> tuple[Scores, Codes]:
    """Return each judge's mean of each text, by scorer and system, and its number of items.

    It is the mean over the items of a text of the mean of an item's values. Segments count
    only if a scorer has scored nothing larger, because most metrics are no means. A text
    without any value has the reasons instead.
    """
    texts, text = number_names([item.document for item in scores.items])
    items = tuple(ScoredItem(document=name) for name in texts)
    return _average_units(scores.keep_lines(_find_largest(scores)), items, text)


def average_judges(scores: Scores) -> tuple[Scores, Codes]:
    """Return the mean over judges of each text, and its number of items.

    It is the mean over the items of a text of the mean over an item's judges, each of whom
    counts once, however often they judged it.
    """
    items = np.arange(len(scores.items))
    by_judge, _ = _average_units(scores, scores.items, items)
    return average_texts(replace(by_judge, judge=np.full(len(by_judge), -1)))


def average_systems(texts: Scores) -> Scores:
    """Return each judge's score for all texts together: the one given, else the mean."""
    is_whole = np.array([not item.document for item in texts.items], bool)[texts.item]
    key = (texts.scorer * (len(texts.judges) + 1) + texts.judge) * len(texts.systems)
    key += texts.system
    rows = texts.keep_lines(is_whole | ~np.isin(key, key[is_whole]))
    averaged, _ = _average_units(
        rows, (ScoredItem(),), np.zeros(len(rows.items), np.int64)
    )
    return averaged


def _average_units(
    rows: Scores, units: tuple[ScoredItem, ...], unit: Codes
) -> tuple[Scores, Codes]:
    """Average the items of each unit, whose numbers are in `unit`, and count them."""
    columns = (rows.scorer, rows.judge, unit[rows.item], rows.system)
    groups: dict[tuple[int, ...], list[int]] = {}
    keys = zip(*(column.tolist() for column in columns), strict=True)
    for line, key in enumerate(keys):
        groups.setdefault(key, []).append(line)
    order = list(groups)
    if len(rows.answer):  # answers come in the order of the judges' tasks
        names = *rows.judges, ""
        order.sort(key=lambda k: (k[0], units[k[2]], rows.systems[k[3]], names[k[1]]))
    item, value = rows.item.tolist(), rows.value.tolist()
    hundred = rows.hundred.tolist()
    reasons: dict[str, int] = {}
    means: list[tuple[float, float, int, int]] = []
    for key in order:
        lines = groups[key]
        defined = [line for line in lines if not isnan(value[line])]
        by_item: dict[int, list[int]] = {}
        for line in defined or lines:
            by_item.setdefault(item[line], []).append(line)
        why = -1
        if not defined:
            stated = {rows.reasons[at] for at in rows.reason[lines].tolist()}
            why = reasons.setdefault("; ".join(sorted(stated)), len(reasons))
        native, percent = (
            fmean(fmean([column[line] for line in each]) for each in by_item.values())
            if column
            else nan
            for column in (value, hundred)
        )
        means.append((native, percent, why, len(by_item)))
    scorer, judge, place, system = np.array(order, np.int64).reshape(-1, 4).T
    figures = np.array(means, np.float64).reshape(-1, 4).T
    averaged = Scores(
        *(rows.systems, units, rows.scorers, rows.judges),
        *(system, place, scorer, judge),
        figures[0],
        hundred=figures[1],
        reason=figures[2].astype(np.int64),
        reasons=tuple(reasons),
    )
    return averaged, figures[3].astype(np.int64)


def _find_largest(scores: Scores) -> np.ndarray:
    """Find the rows of larger units than segments, and all rows of scorers without any."""
    is_segment = np.array([bool(item.segment) for item in scores.items], bool)
    by_segment = is_segment[scores.item]
    larger = np.bincount(scores.scorer[~by_segment], minlength=len(scores.scorers)) > 0
    return ~(by_segment & larger[scores.scorer])


def refuse_repeats(scores: Scores) -> None:
    """Refuse two scores of the same thing in a table of results from 0 to 100."""
    if not len(scores.hundred) or len(scores.answer):
        return
    places = set()
    for key in zip(
        *(
            c.tolist()
            for c in (scores.item, scores.scorer, scores.judge, scores.system)
        ),
        strict=True,
    ):
        item, scorer, judge, system = key
        if key in places and not scores.items[item].segment:
            what = scores.systems[system], scores.items[item].document
            msg = (
                f"{[*scores.judges, 'One evaluator'][judge]} gives {scores.names[scorer]} "
                f"of {' of '.join(filter(None, what))} twice; remove one."
            )
            raise CorpusError(msg)
        places.add(key)


def list_rows(
    scores: Scores,
) -> Iterator[tuple[str, str, str, str, float, float, str]]:
    """Yield metric, evaluator, text, system, value, value from 0 to 100, and reason.

    The table is one of texts or systems, as `average_texts` and `average_systems` make it.
    """
    names, judges, reasons = scores.names, [*scores.judges, ""], [*scores.reasons, ""]
    codes = scores.scorer, scores.judge, scores.item, scores.system
    columns = (*codes, scores.value, scores.hundred, scores.reason)
    rows = (column.tolist() for column in columns)
    for scorer, judge, item, system, value, percent, why in zip(*rows, strict=True):
        place = scores.items[item].document, scores.systems[system]
        yield names[scorer], judges[judge], *place, value, percent, reasons[why]


def tabulate_texts(scores: Scores, selection: Selection = DEFAULT) -> list[TextRow]:
    """Tabulate texts by judge and over all judges, who have an empty name: `TEXT_COLUMNS`.

    See `average_texts` and `average_judges` for the means.
    """
    chosen = select_texts(scores, selection)
    rows = []
    for is_all, average in enumerate((average_texts, average_judges)):
        averaged, items = average(chosen)
        for row, count, scorer in zip(
            list_rows(averaged), items.tolist(), averaged.scorer.tolist(), strict=True
        ):
            metric, evaluator, text, system, native, score, why = row
            if not (is_all and why):
                cells = text, system, metric, evaluator, count, score, native, why
                place = bool(why), scorer, text, system, is_all, evaluator
                rows.append((place, cells))
    return [cells for _, cells in sorted(rows, key=lambda row: row[0])]
