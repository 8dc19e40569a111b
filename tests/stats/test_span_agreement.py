"""Agreement on error spans against plain counting, character by character and by force."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.scores.spans import Mark, arrange_spans, build_spans
from metra.scores.table import ScoredItem
from metra.stats.agreement import alpha
from metra.stats.ratings import convert_matrix
from metra.stats.span_agreement import (
    FIGURES,
    KINDS,
    aggregate_matches,
    agree_on_spans,
    count_matches,
    score_raters,
)

LENGTH = 12


def build_columns(outputs, segments=None, lengths=None):
    """Build the arrays of spans by rater of each output; each is a segment by default."""
    ratings, texts = {}, []
    for at, by_rater in enumerate(outputs):
        item = ScoredItem(str(segments[at] if segments else at))
        for name, marked in by_rater.items():
            ratings[f"system {at}", item, name] = [
                Mark("major" if is_major else "minor", start, end)
                for start, end, is_major in marked
            ]
            texts.append("x" * lengths[at] if lengths else None)
    return arrange_spans(build_spans("", ratings, texts))[0]


def spans(*places):
    """Build spans of (start, end, severity) with the severity as a letter."""
    return [(start, end, letter == "M") for start, end, letter in places]


@st.composite
def any_spans(draw, most=4):
    place = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 6), st.booleans())
    places = draw(st.lists(place, max_size=most))
    return [(a, min(a + size, LENGTH), m) for a, size, m in places]


def count_by_character(predicted, gold, credit):
    """Count as the evaluation program of WMT 2025 does: arrays of characters."""
    counts = np.zeros((2, 2, LENGTH))
    for side, marked in enumerate((predicted, gold)):
        for start, end, is_major in marked:
            counts[side, int(is_major), start:end] += 1
    (pred_minor, pred_major), (gold_minor, gold_major) = counts
    hits = np.minimum(pred_minor, gold_minor) + np.minimum(pred_major, gold_major)
    left_gold = np.maximum(0, gold_minor - pred_minor)
    left_gold += np.maximum(0, gold_major - pred_major)
    left_pred = np.maximum(0, pred_minor - gold_minor)
    left_pred += np.maximum(0, pred_major - gold_major)
    hits += credit * np.minimum(left_gold, left_pred)
    return hits.sum(), counts[0].sum(), counts[1].sum()


def match_by_force(predicted, gold, credit, worth):
    """Try every one-to-one matching: the most worth, then the most that is covered."""
    best = (0.0, 0.0, 0.0, 0.0)
    padded = [*gold, *[None] * len(predicted)]
    for order in set(permutations(range(len(padded)), len(predicted))):
        total = shares = for_precision = for_recall = 0.0
        for a, at in zip(predicted, order, strict=True):
            b = padded[at]
            common = b and max(0, min(a[1], b[1]) - max(a[0], b[0]))
            if not common:
                continue
            factor = 1.0 if a[2] == b[2] else credit
            total += factor * worth(a, b, common)
            for_precision += factor * common / (a[1] - a[0])
            for_recall += factor * common / (b[1] - b[0])
            shares = for_precision + for_recall
        best = max(best, (round(total, 9), round(shares, 9), for_precision, for_recall))
    return best


@settings(max_examples=60, deadline=None)
@given(any_spans(3), any_spans(3), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_counts_equal_plain_counting(predicted, gold, credit):
    counts = count_matches(predicted, gold, credit)
    assert counts[:3] == pytest.approx(count_by_character(predicted, gold, credit))
    given = predicted, gold, credit
    dice = match_by_force(*given, lambda a, b, n: 2 * n / (a[1] - a[0] + b[1] - b[0]))
    assert sum(counts[3:5]) == pytest.approx(dice[1], abs=1e-8)
    exact = match_by_force(*given, lambda a, b, _: float(a[:2] == b[:2]))
    assert counts[7] == pytest.approx(exact[0], abs=1e-8)
    assert counts[5:7] == [len(predicted), len(gold)]
    assert counts[8] == count_by_character(predicted, gold, 0.0)[0]
    assert counts[9] == count_by_character(predicted, gold, 1.0)[0]


@given(any_spans(), any_spans())
def test_exchanging_raters_exchanges_precision_and_recall(a, b):
    there, back = (np.array(count_matches(*both)) for both in ((a, b), (b, a)))
    for kind in KINDS:
        precision = aggregate_matches(there, kind, "precision")
        assert precision == pytest.approx(aggregate_matches(back, kind, "recall"))
        f = [aggregate_matches(each, kind, "F") for each in (there, back)]
        assert f[0] == pytest.approx(f[1])


@given(any_spans())
def test_a_copy_is_perfect(marked):
    counts = np.array(count_matches(marked, marked))
    for kind in KINDS:
        for figure in FIGURES:
            assert aggregate_matches(counts, kind, figure) == pytest.approx(1)


CASES = [
    # The first three are the cases of the authors' own tests of matched spans.
    pytest.param(spans((0, 10, "M"), (10, 20, "M")), spans((0, 10, "M"), (5, 20, "M")),
                 (20, 2, 1 + 10 / 15, 1), id="overlapping gold"),
    pytest.param(spans((8, 13, "m")), spans((8, 13, "M")), (2.5, 0.5, 0.5, 0.5), id="severity"),
    pytest.param(spans((0, 3, "M")), spans((4, 9, "M")), (0, 0, 0, 0), id="apart"),
    pytest.param(spans((0, 4, "m"), (0, 4, "m")), spans((0, 4, "m")), (4, 1, 1, 1), id="twice"),
    pytest.param(spans((0, 4, "m"), (0, 4, "M")), spans((0, 4, "M")), (4, 1, 1, 1), id="both"),
    # The greatest sum matches the long span with the second, not the nearest with it.
    pytest.param(spans((0, 6, "M"), (4, 12, "M")), spans((4, 6, "M"), (4, 8, "M")),
                 (6, 2 / 6 + 4 / 8, 2, 0), id="crossing"),
]  # fmt: skip


@pytest.mark.parametrize(("predicted", "gold", "expected"), CASES)
def test_counts(predicted, gold, expected):
    counts = count_matches(predicted, gold)
    assert [counts[at] for at in (0, 3, 4, 7)] == pytest.approx(list(expected))


def test_nothing_marked_is_no_mistake():
    empty = np.array(count_matches([], []))
    missed = np.array(count_matches([], spans((0, 2, "M"))))
    for kind in KINDS:
        assert aggregate_matches(empty, kind, "F") == 1
        with pytest.raises(KeyError):
            aggregate_matches(empty, kind, "f")
        found = [float(aggregate_matches(missed, kind, figure)) for figure in FIGURES]
        assert found == [1, 0, 0]
    assert np.isnan(aggregate_matches(missed, "characters", "severity"))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(any_spans(), min_size=3, max_size=3), min_size=6, max_size=6))
def test_alpha_equals_that_of_characters(marked):
    by_rater = [dict(zip("xyz", raters, strict=True)) for raters in marked]
    marks = build_columns(by_rater, [0, 0, 1, 1, 2, 2], [LENGTH] * 6)
    matrix = np.zeros((3, 6 * LENGTH))
    for at, raters in enumerate(marked):
        for rater, each in enumerate(raters):
            for start, end, is_major in each:
                row = matrix[rater, at * LENGTH + start : at * LENGTH + end]
                np.maximum(row, 1 + is_major, out=row)
    found = agree_on_spans(marks, trials=0)
    expected = alpha(convert_matrix(matrix), "nominal")
    assert found.alpha == pytest.approx(expected, nan_ok=True)
    assert (found.outputs, found.with_text) == (6, 6)


def test_agreement_pools_both_ways_round_and_skips_what_one_rater_has():
    both = {"x": spans((0, 4, "M")), "y": spans((0, 2, "M"))}
    others = {"x": spans((0, 9, "M"))}, {"y": [], "z": spans((0, 6, "m"))}
    marks = build_columns([both, *others], [0, 0, 1], [12, 0, 0])
    found = agree_on_spans(marks, trials=50)
    assert [each.name for each in found.pairs] == ["x – y", "y – z"]
    assert found.overall.values["characters", "F"] == pytest.approx(2 * 2 / (4 + 2 + 6))
    both = [found.overall.values["characters", name] for name in FIGURES]
    assert both == pytest.approx([both[0]] * 3)
    assert (found.overall.outputs, found.outputs, found.with_text) == (2, 2, 1)
    first = found.pairs[0]
    assert first.values["characters", "precision"] == pytest.approx(0.5)
    assert first.values["characters", "recall"] == 1
    assert (first.predicted, first.gold) == (1, 1)
    left = marks.keep_raters(["z"])
    assert (left.raters, left.segment.tolist()) == (("z",), [0])
    assert left.output.tolist() == [0]
    assert left.spans[0] == spans((0, 6, "m"))


def test_intervals_draw_whole_segments():
    """Copies of a segment under other systems' names add nothing that is known."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 9, (20, 10)).astype(float)
    rows[:, 1:3] = rows[:, :1] + rng.integers(0, 5, (20, 2))
    # Forty outputs, two of each segment.
    segments, outputs = np.tile(np.arange(20), 2), np.arange(40)

    def score(outputs, counts):
        return score_raters({"r": (outputs, counts)}, segments, trials=200)[0]

    one, two = score(outputs[:20], rows), score(outputs, np.tile(rows, (2, 1)))
    assert one.intervals == two.intervals
    low, high = one.intervals["characters", "F"]
    assert low < one.values["characters", "F"] < high
    assert (one.outputs, two.outputs) == (20, 40)
    apart = score(outputs, np.concatenate([rows, rows[::-1]]))
    joined = score(outputs[:20], rows + rows[::-1])
    assert apart.intervals == joined.intervals
    assert apart.values == pytest.approx(joined.values)


@given(
    st.lists(st.lists(any_spans(), min_size=3, max_size=3), min_size=1, max_size=4),
    st.sampled_from([0.5, 0.0, 1.0, 0.3]),
)
@settings(max_examples=100, deadline=None)
def test_pairs_are_counted_as_one_by_one(outputs, credit):
    names = ("a", "b", "c")
    marks = build_columns([dict(zip(names, each, strict=True)) for each in outputs])
    found = agree_on_spans(marks, credit=credit, trials=0)
    comparisons = {
        f"{names[i]} – {names[j]}": (
            np.arange(len(outputs)),
            np.array([count_matches(each[i], each[j], credit) for each in outputs]),
        )
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    expected = score_raters(comparisons, marks.segment, trials=0)
    # Not compared as they are: a share of nothing is not even equal to itself.
    assert sorted(map(repr, found.pairs)) == sorted(map(repr, expected))


def test_intervals_are_those_of_each_figure_by_itself():
    rng = np.random.default_rng(3)
    outputs = [
        {
            name: spans((at, at + 3, "M"), (9, 11, "m"))
            for name, at in (("a", a), ("b", b))
        }
        for a, b in rng.integers(0, 5, (40, 2)).tolist()
    ]
    marks = build_columns(outputs)
    keys = (("spans", "F"),)
    every = agree_on_spans(marks, trials=50).pairs[0]
    some = agree_on_spans(marks, trials=50, keys=keys).pairs[0]
    assert some.values == every.values
    assert some.intervals[keys[0]] == every.intervals[keys[0]] is not None
    assert some.intervals["spans", "recall"] is None


def test_a_figure_of_another_name_is_not_recall():
    counts = np.array([1.0, 1, 4, 2, 1, 1, 4, 2, 1, 1])
    assert aggregate_matches(counts, "exact", "recall") == 0.5
    with pytest.raises(KeyError):
        aggregate_matches(counts, "exact", "f")
