"""Counting corrections: exactly from operations, inferred from two texts."""

from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.text.corrections import (
    CorrectedWord,
    EditCounts,
    count_changes,
    infer_changes,
)
from metra.text.diff import find_increasing

TEXTS = load_cases("corrections: inferred")


@pytest.mark.parametrize(("before", "after", "expected"), TEXTS)
def test_inferred_from_two_texts(before, after, expected):
    assert infer_changes(before.split(), after.split()) == EditCounts(*expected)


def slow_inferred(before: str, after: str) -> tuple[int, int, int, int]:
    """Try every way to keep as many words as possible, and every way to replace others."""
    kept = (Counter(before) & Counter(after)).total()
    best = None
    for places in combinations(range(len(before)), kept):
        for targets in permutations(range(len(after)), kept):
            if any(before[i] != after[j] for i, j in zip(places, targets, strict=True)):
                continue
            unmoved = longest_chain(targets)
            for still in combinations(range(kept), unmoved):
                ends = [targets[at] for at in still]
                if ends != sorted(ends):
                    continue
                swaps = 0
                edges = [(-1, -1), *((places[at], targets[at]) for at in still)]
                edges.append((len(before), len(after)))
                for (i, j), (k, m) in pairwise(edges):
                    gone = sum(
                        i < at < k for at in range(len(before)) if at not in places
                    )
                    come = sum(
                        j < at < m for at in range(len(after)) if at not in targets
                    )
                    swaps += min(gone, come)
                way = (unmoved, swaps)
                best = way if best is None else max(best, way)
    unmoved, swaps = best
    return (
        len(after) - kept - swaps,
        len(before) - kept - swaps,
        swaps,
        kept - unmoved,
    )


def longest_chain(values: tuple[int, ...]) -> int:
    return max(
        len(part)
        for size in range(len(values) + 1)
        for part in combinations(values, size)
        if list(part) == sorted(part)
    )


@given(st.text("abc", max_size=6), st.text("abd", max_size=6))
def test_inferred_is_the_best_of_all_ways(before, after):
    assert infer_changes(before, after) == slow_inferred(before, after)


OPERATIONS = [
    pytest.param(3, [0, 1, 2], (0, 0, 0, 0), id="untouched"),
    pytest.param(2, [], (0, 2, 0, 0), id="all deleted"),
    pytest.param(
        9,
        [4, 5, 6, 7, 8, 0, 2, 3],
        (0, 1, 0, 3),
        id="the workbook's: a phrase of four moved, one of them deleted",
    ),
    pytest.param(2, [0, None, 1], (1, 0, 0, 0), id="one added"),
    pytest.param(
        2,
        [CorrectedWord(1, "substitution"), CorrectedWord(0)],
        (0, 0, 1, 1),
        id="replaced and moved",
    ),
    pytest.param(
        2,
        [CorrectedWord(0, "inflection"), CorrectedWord(1)],
        (0, 0, 0, 0),
        id="inflection is free",
    ),
]


@pytest.mark.parametrize(("words", "corrected", "expected"), OPERATIONS)
def test_exact_from_operations(words, corrected, expected):
    chips = [
        chip if isinstance(chip, CorrectedWord) else CorrectedWord(chip)
        for chip in corrected
    ]
    assert count_changes(words, chips) == EditCounts(*expected)


@given(st.permutations(range(7)))
def test_moves_are_what_no_chain_holds(order):
    moves = count_changes(7, [CorrectedWord(at) for at in order]).moves
    assert moves == 7 - longest_chain(tuple(order)) == 7 - len(find_increasing(order))
