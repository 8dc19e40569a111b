"""Precision, recall and their means: golden values, the plain definition, choices."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra

# Worked out by hand: output, references, then P, R, F1 and Fmean in percent.
CASES = [
    pytest.param(
        "a b x", ["a b c d"], 200 / 3, 50, 400 / 7, 2000 / 39, id="10PR/(9P+R)"
    ),
    pytest.param(
        "the the the", ["the cat"], 100 / 3, 50, 40, 2000 / 42, id="one to one"
    ),
    pytest.param(
        "a b c d",
        ["a b c", "a b c d e f"],
        100,
        100,
        600 / 7,
        3000 / 31,
        id="each measure has its own best reference",
    ),
]


@pytest.mark.seed("2.10")
@pytest.mark.seed("2.12")
@pytest.mark.seed("2.14")
@pytest.mark.seed("2.16")
@pytest.mark.parametrize(("hyp", "refs", "p", "r", "f1", "fmean"), CASES)
def test_segment(hyp, refs, p, r, f1, fmean):
    names = ("precision", "recall", "f1", "fmean")
    found = [metra.metric(name).sentence(hyp, refs) for name in names]
    assert found == pytest.approx([p, r, f1, fmean], abs=1e-12)


def test_the_first_of_equal_references_counts():
    # 2/(0.9·3 + 0.9) = 1/(0.9·1 + 0.9): equal, though not in floating point.
    batch = metra.Batch(["a b " + "x " * 7], [["a"], ["a b c"]])
    assert metra.metric("fmean").rows(batch).tolist() == [[1, 9, 1]]


@pytest.mark.seed("2.11")
@pytest.mark.seed("2.13")
def test_stems():
    hyp, refs = "the dogs were running", ["the dog was run"]
    assert metra.metric("precision").sentence(hyp, refs) == 25
    assert metra.metric("precision:stem=porter").sentence(hyp, refs) == 75


WORDS = st.lists(st.sampled_from("abcdef"), max_size=70)
SEGMENTS = st.lists(
    st.tuples(WORDS, st.lists(WORDS, min_size=2, max_size=2)), min_size=1, max_size=4
)
WEIGHTS = {"precision": 0.0, "recall": 1.0, "f1": 0.5, "fmean": 0.9}


@pytest.mark.seed("1.1")
@pytest.mark.seed("2.3")
@given(SEGMENTS, st.sampled_from(sorted(WEIGHTS)))
def test_equals_the_plain_definition(segments, name):
    """Pick each segment's best reference, add up, and divide once."""
    weight = WEIGHTS[name]

    def counts(hyp, ref):
        return (Counter(hyp) & Counter(ref)).total(), len(hyp), len(ref)

    def score(matches, hyp_len, ref_len):
        if not matches:
            return 0.0
        precision, recall = matches / hyp_len, matches / ref_len
        return precision * recall / (weight * precision + (1 - weight) * recall)

    best = [
        max((counts(hyp, ref) for ref in refs), key=lambda row: round(score(*row), 12))
        for hyp, refs in segments
    ]
    hyps = [" ".join(hyp) for hyp, _ in segments]
    refs = [[" ".join(refs[at]) for _, refs in segments] for at in (0, 1)]
    by_segment = list(zip(*refs, strict=True))
    result = metra.score(hyps, metric=f"{name}:tok=none", refs_per_segment=by_segment)
    assert result.rows.tolist() == [list(row) for row in best]
    totals = [sum(column) for column in zip(*best, strict=True)]
    assert result.score == pytest.approx(100 * score(*totals))
    assert result.segments == pytest.approx([100 * score(*row) for row in best])


@pytest.mark.seed("1.9")
@given(WORDS, WORDS)
def test_one_reference_makes_f1_what_gtm_is(hyp, ref):
    segment = " ".join(hyp), [" ".join(ref)]
    f1 = metra.metric("f1:tok=none").sentence(*segment)
    assert f1 == pytest.approx(metra.metric("gtm").sentence(*segment))


@pytest.mark.seed("1.14")
def test_a_short_text_buys_precision_and_a_long_one_recall():
    refs = ["a b c d e f"]

    def score(hyp):
        return [
            metra.metric(name).sentence(hyp, refs) for name in ("precision", "recall")
        ]

    short, long = score("a b"), score("a b c d e f x y z w v u")
    assert short == pytest.approx([100, 100 / 3])
    assert long == pytest.approx([50, 100])
    for hyp in ("a b", "a b c d e f x y z w v u"):
        assert metra.metric("gtm").sentence(hyp, refs) < 70


STEMMED = ("Their market opening early", "their market open earli")


@pytest.mark.seed("2.7")
@pytest.mark.seed("2.15")
@pytest.mark.seed("2.17")
@pytest.mark.parametrize("name", ["bleu:n=2", "nist:n=2", "fmean", "f1"])
def test_scores_on_stems_are_scores_of_stemmed_texts(name):
    join = "," if ":" in name else ":"
    refs = ["A market opens late", "Markets were opened again"]
    stems = ["a market open late", "market were open again"]
    on_stems = metra.score(
        [STEMMED[0]], [[ref] for ref in refs], f"{name}{join}stem=porter,case=lower"
    )
    of_stems = metra.score([STEMMED[1]], [[stem] for stem in stems], name)
    plain = metra.score([STEMMED[0].lower()], [[ref.lower()] for ref in refs], name)
    assert on_stems.score == pytest.approx(of_stems.score)
    assert on_stems.score > plain.score
