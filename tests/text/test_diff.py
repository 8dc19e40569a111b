"""Differences between two texts: the kernel's equal those of the plain table."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from metra.text.diff import (
    compute_difference,
    compute_edit_distance,
    count_edits,
    find_increasing,
)

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)


def distances(one, other):
    """The table of edit distances, as in any textbook."""
    rows = [list(range(len(other) + 1))]
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            kept = rows[-1][j - 1] + (left != right)
            row.append(min(kept, rows[-1][j] + 1, row[j - 1] + 1))
        rows.append(row)
    return rows


def slow_difference(one, other):
    """Backwards through the table: keep or substitute where possible, else delete."""
    rows = distances(one, other)
    i, j = len(one), len(other)
    steps = []
    while i or j:
        same = i and j and one[i - 1] == other[j - 1]
        if i and j and rows[i - 1][j - 1] + (not same) == rows[i][j]:
            i, j = i - 1, j - 1
            if same:
                steps.append(("same", one[i]))
            else:
                steps += [("new", other[j]), ("gone", one[i])]
        elif i and rows[i - 1][j] + 1 == rows[i][j]:
            i -= 1
            steps.append(("gone", one[i]))
        else:
            j -= 1
            steps.append(("new", other[j]))
    blocks = [[]]
    for sort, word in reversed(steps):
        if blocks[-1] and (blocks[-1][-1][0] == "same") != (sort == "same"):
            blocks.append([])
        blocks[-1].append((sort, word))
    return [
        (sort, " ".join(words))
        for block in blocks
        for sort in ("same", "gone", "new")
        if (words := [word for kind, word in block if kind == sort])
    ]


@given(WORDS, WORDS)
def test_the_kernel_takes_the_way_of_the_table(one, other):
    assert compute_edit_distance(one, other) == distances(one, other)[-1][-1]
    assert compute_difference(one, other) == slow_difference(one, other)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_many_pairs_at_once(pairs):
    assert count_edits(pairs).tolist() == [compute_edit_distance(*p) for p in pairs]


@given(st.lists(st.integers(0, 6), max_size=7))
def test_increasing(values):
    places = find_increasing(values)
    chain = [values[place] for place in places]
    assert places == sorted(places)
    assert chain == sorted(set(chain))
    longest = max(
        size
        for size in range(len(values) + 1)
        for part in combinations(values, size)
        if list(part) == sorted(set(part))
    )
    assert len(places) == longest
    assert not Counter(chain) - Counter(values)
