"""NIST against a slow, plain implementation of its definition, on random text."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.textbook import count_ngrams

import metra


def twin_rows(hyps, refs_per_segment, n, zero_is_no_word, equal=False):
    """Information matched and n-grams of each order, then the two lengths."""
    counts = Counter()
    for refs in refs_per_segment:
        for ref in refs:
            for order in range(1, n + 1):
                counts.update(count_ngrams(ref, order))
    total = sum(count for gram, count in counts.items() if len(gram) == 1)

    def info(gram):
        if equal:
            return 1
        first = gram[:-1]
        before = total
        if first and not (zero_is_no_word and first == ("0",)):
            before = counts[first]
        return math.log2(before / counts[gram])

    rows = []
    for hyp, refs in zip(hyps, refs_per_segment, strict=True):
        sums, totals = [], []
        for order in range(1, n + 1):
            grams = count_ngrams(hyp, order)
            clip = Counter()
            for ref in refs:
                clip |= count_ngrams(ref, order)
            matched = grams & clip
            sums.append(
                math.fsum(count * info(gram) for gram, count in matched.items())
            )
            totals.append(grams.total())
        length = sum(map(len, refs)) / len(refs)
        rows.append([*sums, *totals, len(hyp), length])
    return rows


def twin_score(rows, n):
    row = [math.fsum(column) for column in zip(*rows, strict=True)]
    hyp_len, ref_len = row[-2:]
    if hyp_len == 0:
        return 0.0
    ratio = min(1, hyp_len / ref_len) if ref_len else 1
    beta = math.log(0.5) / math.log(1.5) ** 2
    score = sum(row[at] / max(row[n + at], 1) for at in range(n))
    return math.exp(beta * math.log(ratio) ** 2) * score


def assert_equal(hyps, refs_per_segment, n, style, equal=False):
    batch = metra.Batch(
        [" ".join(hyp) for hyp in hyps],
        refs_per_segment=[[" ".join(ref) for ref in refs] for refs in refs_per_segment],
    )
    if equal:
        metric = metra.metric(f"nist:n={n},style={style},info=equal")
    else:
        metric = metra.metric(f"nist:n={n},style={style}").fit([batch])
    rows = metric.rows(batch)
    expected = twin_rows(hyps, refs_per_segment, n, style == "mteval", equal)
    for found, row in zip(rows.tolist(), expected, strict=True):
        assert found == pytest.approx(row, abs=1e-9, rel=1e-12)
    score = float(metric.aggregate(rows.sum(0)))
    assert score == pytest.approx(twin_score(expected, n), abs=1e-9)


WORDS = st.sampled_from(["a", "b", "0", "c1", "word", "sixteen-letters-", "Ä"])
SENTENCES = st.lists(WORDS, max_size=12)
SEGMENTS = st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=3))


@given(
    st.lists(SEGMENTS, min_size=1, max_size=5),
    st.integers(1, 7),
    st.sampled_from(["plain", "mteval"]),
    st.booleans(),
)
def test_any_text(segments, n, style, equal):
    hyps, refs = zip(*segments, strict=True)
    assert_equal(hyps, refs, n, style, equal)


@pytest.mark.parametrize("style", ["plain", "mteval"])
@pytest.mark.parametrize("most", [64, 65, 200, 1500])
def test_long_segments(most, style):
    """Each way of counting matches: in a register, in bitsets, in a table."""
    rng = random.Random(most)
    words = [str(at) for at in range(20)]

    def sentence():
        return rng.choices(words, k=rng.randint(most // 2, most))

    hyps = [sentence() for _ in range(3)]
    refs = [[sentence()], [sentence(), sentence()], [sentence()]]
    assert_equal(hyps, refs, 5, style)


def test_many_types():
    """Tables that have to grow several times."""
    rng = random.Random(5)
    words = [f"w{at}" for at in range(4000)] + ["0"]
    refs = [[rng.choices(words, k=20)] for _ in range(600)]
    hyps = [
        [word if rng.random() < 0.7 else rng.choice(words) for word in ref[0]]
        for ref in refs
    ]
    assert_equal(hyps, refs, 5, "mteval")
