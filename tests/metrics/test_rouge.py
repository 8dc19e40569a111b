"""ROUGE-L: the paper's examples, the slow plain definition, and rouge-score."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.textbook import count_common

import metra

POLICE = "police killed the gunman"

CASES = [  # Lin 2004, section 3.1; the rest by hand
    pytest.param("police kill the gunman", [POLICE], 75, id="paper: S2"),
    pytest.param("the gunman kill police", [POLICE], 50, id="paper: S3"),
    pytest.param("the gunman police killed", [POLICE], 50, id="paper: S4"),
    pytest.param("a x b", ["a b"], 100 * 2 * 2 / 5, id="words between do not matter"),
    pytest.param("The CAT, 2.5!", ["the cat 2 5"], 100, id="case and punctuation"),
]


@pytest.mark.parametrize(("hyp", "refs", "expected"), CASES)
def test_segment(hyp, refs, expected):
    score = metra.metric("rougel").sentence(hyp, refs)
    assert score == pytest.approx(expected, abs=1e-9)


def test_other_letters_need_another_tokeniser():
    assert metra.metric("rougel").sentence("кот спит", ["кот спит"]) == 0
    metric = metra.metric("rougel:tok=13a")
    assert metric.sentence("кот спит", ["кот спит"]) == 100
    assert metric.sentence("Кот", ["кот"]) == 0
    assert metra.metric("rougel:tok=none,case=lower").sentence("Кот", ["кот"]) == 100


def test_corpus_is_the_mean_of_segments():
    result = metra.score(["a b", "x"], [["a c d e", "x"]], "rougel")
    assert result.score == pytest.approx(100 * (1 / 3 + 1) / 2)
    assert result.parts == pytest.approx({"precision": 75, "recall": 62.5})


WORDS = st.lists(st.sampled_from("abcd"), max_size=90)


@settings(deadline=None)
@given(WORDS, st.lists(WORDS, min_size=1, max_size=2))
def test_equals_the_plain_definition(hyp, refs):
    scores = [
        200 * count_common(hyp, ref) / (len(hyp) + len(ref)) if hyp or ref else 0
        for ref in refs
    ]
    score = metra.metric("rougel").sentence(" ".join(hyp), list(map(" ".join, refs)))
    assert score == pytest.approx(max(scores), abs=1e-9)


NAMES = [
    "Running",
    "runs",
    "organization's",
    "flies",
    "skies",
    "dying",
    "proceed",
    "news",
    "12.5",
    "été",
    "a",
    "the",
]
LINES = st.lists(
    st.lists(st.sampled_from(NAMES), max_size=8).map(" ".join), max_size=4
).map("\n".join)
TEXTS = st.one_of(LINES, st.text(max_size=30))


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=3))
def test_equals_rouge_score(segments):
    pytest.importorskip("rouge_score", reason="rouge-score is not installed")
    from rouge_score.rouge_scorer import RougeScorer

    hyps = [hyp for hyp, *_ in segments]
    refs = [texts for _, *texts in segments]
    for stem in ("no", "rouge"):
        scorer = RougeScorer(["rougeL"], use_stemmer=stem != "no")
        theirs = [scorer.score_multi(texts, hyp)["rougeL"] for hyp, *texts in segments]
        ours = metra.score(hyps, metric=f"rougel:stem={stem}", refs_per_segment=refs)
        assert ours.segments.tolist() == pytest.approx(
            [100 * score.fmeasure for score in theirs], abs=1e-9
        )
        mean = sum(score.fmeasure for score in theirs) / len(theirs)
        assert ours.score == pytest.approx(100 * mean, abs=1e-9)


def test_without_nltk(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk", None)
    from metra.text.lemmas import find_stemmer

    find_stemmer.cache_clear()
    with pytest.raises(metra.MetraError) as caught:
        find_stemmer("rouge")
    assert str(caught.value) == (
        "Stemmer 'rouge' needs the package 'nltk', which is not installed; install it "
        "with: pip install nltk, or use stem=porter, which differs in a few words."
    )


def test_a_batch_without_references_is_refused():
    with pytest.raises(metra.MetraError, match="The batch has no references"):
        metra.metric("rougel").rows(metra.Batch(["a"]))
