"""GTM's links: a matching, whole runs, and exactly what the size counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra

WORDS = st.lists(st.sampled_from("abcd"), max_size=25)
REFS = st.lists(WORDS, min_size=1, max_size=3)
MATCHES = st.sampled_from(["greedy", "paper", "exact"])


def links(found, kind):
    return [
        (alignment.reference, link)
        for alignment in found
        for link in alignment.links
        if link.kind == kind
    ]


@given(WORDS, REFS, MATCHES)
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


@given(WORDS, REFS, MATCHES)
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


@given(WORDS, REFS, MATCHES)
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


@pytest.mark.parametrize(
    "spec", ["gtm", "gtm:e=2,match=exact", "gtm:tok=13a,case=lower"]
)
def test_words_are_those_that_were_compared(spec):
    [found] = metra.align("The cat.", ["the CAT."], spec)
    lower = "case=lower" in spec
    assert found.hyp == (("the", "cat", ".") if lower else ("The", "cat."))
    assert found.counts["run"] == (1 if lower else 0)
