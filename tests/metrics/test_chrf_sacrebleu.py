"""chrF equals sacreBLEU 2.6.0 in every count of every segment, whatever the text."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

import metra

# Python and the kernel may know different versions of Unicode; what Python does not know
# yet is left out, because new letters come with new lower case.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cn"))
WHITE = "".join(chr(c) for c in range(0x3001) if chr(c).isspace())
SEGMENTS = st.one_of(
    st.text(CHARACTERS, max_size=40),
    st.text("ab .,(" + WHITE, max_size=60),
    st.text("abAΣςσ İß", max_size=40),
)
OPTIONS = st.fixed_dictionaries(
    {
        "char_order": st.integers(0, 10),
        "word_order": st.integers(0, 4),
        "beta": st.sampled_from([1, 2, 3]),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    }
).filter(lambda options: options["char_order"] + options["word_order"] > 0)


def ours(options):
    return metra.metric(
        "chrf:n={char_order},word_order={word_order},beta={beta},".format(**options)
        + f"case={'lower' if options['lowercase'] else 'mixed'},"
        f"whitespace={'yes' if options['whitespace'] else 'no'},"
        f"eps={'yes' if options['eps_smoothing'] else 'no'}"
    )


def assert_equal(hyps, refs, **options):
    options = {"char_order": 6, "word_order": 0, "beta": 2} | options
    options = {
        "lowercase": False,
        "whitespace": False,
        "eps_smoothing": False,
    } | options
    peer, metric = CHRF(**options), ours(options)
    by_segment = list(zip(*refs, strict=True))
    rows = metric.rows(metra.Batch(hyps, refs_per_segment=by_segment))
    expected = np.array(peer._extract_corpus_statistics(hyps, refs), float)
    assert rows.tolist() == expected.tolist()
    score = float(metric.aggregate(rows.sum(0)))
    assert score == pytest.approx(peer.corpus_score(hyps, refs).score, abs=1e-9)
    scores = [peer._compute_f_score([int(x) for x in row]) for row in expected]
    assert metric.aggregate(rows).tolist() == pytest.approx(scores, abs=1e-9)


@given(SEGMENTS, st.lists(SEGMENTS, min_size=1, max_size=3), OPTIONS)
def test_any_text(hyp, refs, options):
    assert_equal([hyp], [[ref] for ref in refs], **options)


@given(st.data(), st.integers(1, 4), OPTIONS)
@settings(max_examples=40)
def test_missing_references(data, width, options):
    hyps = data.draw(st.lists(SEGMENTS, min_size=1, max_size=5))
    refs = [
        [data.draw(SEGMENTS) for _ in range(width)]
        if at == 0  # sacreBLEU takes the first reference's type for all
        else data.draw(
            st.lists(st.none() | SEGMENTS, min_size=width, max_size=width).filter(any)
        )
        for at in range(len(hyps))
    ]
    streams = [list(stream) for stream in zip(*refs, strict=True)]
    assert_equal(hyps, streams, **options)


def long_text(letters, length, seed):
    return "".join(random.Random(seed).choices(letters, k=length))


IDEOGRAPHS = [chr(0x4E00 + at) for at in range(3000)]
LONG = [
    pytest.param("a" * 10_000, "a" * 9_000, id="10,000 equal characters"),
    pytest.param("ab" * 5_000, "ba" * 6_000, id="a period of two"),
    pytest.param(
        long_text("abcde  ,", 10_000, 1), long_text("abcde  .", 10_000, 2), id="letters"
    ),
    pytest.param(
        long_text(IDEOGRAPHS, 10_000, 3),
        long_text(IDEOGRAPHS[:2000], 9_000, 4),
        id="more characters than fit into a word",
    ),
    pytest.param(
        long_text("ab", 40_000, 5), long_text("ab", 35_000, 6), id="more than 32,767"
    ),
    pytest.param("word " * 10_000, "word " * 9_999, id="10,000 equal words"),
]


@pytest.mark.parametrize(("hyp", "ref"), LONG)
def test_long_segments(hyp, ref):
    assert_equal([hyp, ref], [[ref, hyp]], word_order=2)


@pytest.mark.parametrize(("name", "refs"), [("edge", "1"), ("wmt21ruen", "A")])
def test_nltk(name, refs, shared, read_lines, read_table):
    """NLTK's sentence_chrf, which has beta 3; it was given the tokenised texts."""
    texts = shared / "gold" / "data" / name
    reference = read_lines(texts / f"ref.{refs}.tok")
    expected = {}
    for entry in read_table(shared / "gold" / "pycross" / f"{name}.ref{refs}.seg.tsv"):
        expected.setdefault(entry["system"], []).append(float(entry["nltk_chrf3"]))
    for system, scores in expected.items():
        hyps = read_lines(texts / f"hyp.{system}.tok")
        found = metra.score(hyps, [reference], "chrf:beta=3,eps=yes").segments / 100
        assert found.tolist() == pytest.approx(scores, abs=1e-9)
