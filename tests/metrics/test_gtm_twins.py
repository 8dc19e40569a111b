"""GTM against slow twins that follow its definition to the letter, and its links."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
REFS = st.lists(WORDS, min_size=1, max_size=3)
EXPONENTS = st.sampled_from([1, 2, 3, 1.5, 4.25])


def sizes(spec, hyp, refs):
    refs = [[" ".join(ref)] for ref in refs]
    return metra.metric(spec).rows(metra.Batch([" ".join(hyp)], refs))[0]


def runs(hyp, refs):
    """Every run of the grid, sub-runs included, in GTM 1.4's order."""
    columns = [word for ref in refs for word in (*ref, None)]
    found = []
    for row in range(len(hyp)):
        for column in range(len(columns)):
            length = 0
            while (
                row + length < len(hyp)
                and hyp[row + length] == columns[column + length]
            ):
                length += 1
                found.append((length, row, column))
    return sorted(found, reverse=True)


def greedy(hyp, refs, e, cap):
    """GTM 1.4's walk through the sorted runs: the lengths that it counts."""
    used_rows, used_columns, counted = set(), set(), []
    for length, row, column in runs(hyp, refs):
        if cap <= 0:
            break
        part = min(length, cap)
        rows = set(range(row, row + math.ceil(part)))
        columns = set(range(column, column + math.ceil(part)))
        if not rows & used_rows and not columns & used_columns:
            used_rows |= rows
            used_columns |= columns
            cap -= part
            counted.append(part)
    return sum(part**e for part in counted) ** (1 / e), counted


def mean_length(refs):
    return sum(map(len, refs)) / len(refs)


@given(WORDS, REFS, EXPONENTS)
def test_greedy_is_the_programs(hyp, refs, e):
    expected, _ = greedy(hyp, refs, e, min(len(hyp), mean_length(refs)))
    found = sizes(f"gtm:e={e}", hyp, refs)
    assert found[0] == pytest.approx(expected, abs=1e-12)
    assert found[1:].tolist() == [len(hyp), mean_length(refs)]


@given(WORDS, REFS, EXPONENTS)
def test_paper_deletes_hits_of_the_shortest_runs(hyp, refs, e):
    _, lengths = greedy(hyp, refs, e, math.inf)
    for _ in range(int(sum(lengths)) - math.floor(mean_length(refs))):
        lengths[-1] -= 1
        lengths = [length for length in lengths if length]
    expected = sum(length**e for length in lengths) ** (1 / e)
    assert sizes(f"gtm:e={e},match=paper", hyp, refs)[0] == pytest.approx(expected)


def largest(hyp, ref, e):
    """The largest sum over all matchings, row by row; None stands for no column."""

    def best(row, column, length, used):
        if row == len(hyp):
            return length**e
        found = length**e + best(row + 1, None, 0, used)
        for at, word in enumerate(ref):
            if word == hyp[row] and at not in used:
                if column is not None and at == column + 1:
                    value = best(row + 1, at, length + 1, used | {at})
                else:
                    value = length**e + best(row + 1, at, 1, used | {at})
                found = max(found, value)
        return found

    return best(0, None, 0, frozenset()) ** (1 / e)


SHORT = st.lists(st.sampled_from("abc"), max_size=7)


@pytest.mark.seed("1.8")
@settings(max_examples=60)
@given(SHORT, SHORT, st.sampled_from([2, 3, 1.5, 1.01]))
def test_exact_is_the_largest(hyp, ref, e):
    found = sizes(f"gtm:e={e},match=exact", hyp, [ref])
    assert found[0] == pytest.approx(largest(hyp, ref, e), abs=1e-9)
    assert found[3] == 0
    assert found[0] >= sizes(f"gtm:e={e}", hyp, [ref])[0] - 1e-12


LONG = st.lists(st.sampled_from("abcdefghij"), max_size=60)


@settings(max_examples=50)
@given(LONG, LONG, st.integers(0, 3000))
def test_exact_is_never_below_greedy_and_shrinks_with_no_node(hyp, ref, nodes):
    least = sizes("gtm:e=2", hyp, [ref])[0]
    few = sizes(f"gtm:e=2,match=exact,nodes={nodes}", hyp, [ref])
    many = sizes("gtm:e=2,match=exact", hyp, [ref])
    assert least <= few[0] + 1e-12
    assert few[0] <= many[0] + 1e-12
    if not few[3]:
        assert few[0] == pytest.approx(many[0])


LINKED_WORDS = st.lists(st.sampled_from("abcd"), max_size=25)
LINKED_REFS = st.lists(LINKED_WORDS, min_size=1, max_size=3)
MATCHES = st.sampled_from(["greedy", "paper", "exact"])


def links(found, kind):
    return [
        (alignment.reference, link)
        for alignment in found
        for link in alignment.links
        if link.kind == kind
    ]


@given(LINKED_WORDS, LINKED_REFS, MATCHES)
def test_links_are_a_matching_of_equal_words(hyp, refs, match):
    found = metra.align(
        " ".join(hyp), [" ".join(ref) for ref in refs], f"gtm:e=2,match={match}"
    )
    rows, columns = [], []
    for alignment in found:
        for link in alignment.links:
            if link.kind in ("run", "capped run"):
                one, other = alignment.words(link)
                assert one == other
                rows.extend(range(*link.hyp))
                columns.extend((alignment.reference, at) for at in range(*link.ref))
    assert len(set(rows)) == len(rows)
    assert len(set(columns)) == len(columns)


@given(LINKED_WORDS, LINKED_REFS, MATCHES)
def test_every_word_stands_in_one_place(hyp, refs, match):
    segment = " ".join(hyp), [" ".join(ref) for ref in refs]
    for alignment in metra.align(*segment, f"gtm:e=2,match={match}"):
        assert [at for link in alignment.links for at in range(*link.hyp)] == list(
            range(len(hyp))
        )
        ref = refs[alignment.reference]
        assert sorted(
            at for link in alignment.links for at in range(*link.ref)
        ) == list(range(len(ref)))
        assert alignment.ref == tuple(ref)
        assert alignment.chosen
        assert alignment.kinds == ("run", "capped run", "insertion", "deletion")


@given(LINKED_WORDS, LINKED_REFS, MATCHES)
def test_what_is_linked_is_what_counts(hyp, refs, match):
    spec = f"gtm:match={match}"
    segment = " ".join(hyp), [" ".join(ref) for ref in refs]
    batch = metra.Batch([segment[0]], [[ref] for ref in segment[1]])
    [[size, *_]] = metra.metric(spec).rows(batch)
    counted = links(metra.align(*segment, spec), "run")
    words = sum(link.hyp.stop - link.hyp.start for _, link in counted)
    assert words == math.ceil(size)


def test_what_the_cap_keeps_out_is_said():
    found = metra.align("a b c d e f", ["a b c x y", "d e f z", "a b d"], "gtm:e=2")
    assert [(at, tuple(link.hyp)) for at, link in links(found, "run")] == [
        (0, (0, 1)),
        (1, (3, 6)),
    ]
    assert [(at, tuple(link.hyp)) for at, link in links(found, "capped run")] == [
        (0, (1, 3))
    ]
