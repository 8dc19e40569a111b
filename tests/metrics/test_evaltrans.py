"""Scores carried over from judged outputs: worked by hand, and against a plain twin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.textbook import compute_distance

import metra
from metra.corpus.batch import Batch, BatchPosition
from metra.errors import CorpusError
from metra.formats.annotations.judged_outputs import JudgedOutput, add_judged_outputs
from metra.metrics.evaltrans import SentenceIndex, index_sentences

HEADER = "source\toutput\tscore\tjudge"
JUDGED = [
    HEADER,
    "1\ta b c d\t10\tanna",
    "1\ta b c x\t4\tanna",
    "1\ta b c x\t6\tben",
    "1\tq r\t0\tanna",
    "2\te f\t10\tanna",
    "2\te g\t8\tanna",
]
OUTPUTS = [
    "a b c x",  # judged 4 and 6: 5
    "e h",  # as near to both: 9, 1 edit of 2 words
    "i",  # nothing is judged
]


@pytest.fixture
def judged(write):
    return str(write("judged.tsv", JUDGED))


@pytest.mark.seed("5.14")
@pytest.mark.seed("5.15")
@pytest.mark.seed("5.17")
@pytest.mark.seed("5.18")
def test_by_hand(judged):
    result = metra.score(OUTPUTS, metric=f"evaltrans:db={judged}")
    assert result.segments[:2].tolist() == [50, 90]
    assert math.isnan(result.segments[2])
    assert result.score == 70
    assert result.parts == {
        "exact": 1,
        "extrapolated": 1,
        "unjudged": 1,
        "mean_score": 7,
        "standard_deviation": 2,
        "sser": pytest.approx(30),
        # (5 · 4 + 9 · 2) / 6 words
        "weighted_sser": pytest.approx(100 * (1 - 38 / 60)),
        # 1 edit to a b c d, 1 to e f: 2 edits of 6 words; the third has nothing perfect
        "mwer": pytest.approx(100 / 3),
        "perfect_per_segment": pytest.approx(2 / 3),
        "exact_share": pytest.approx(100 / 3),
        "extrapolated_share": pytest.approx(100 / 3),
        "unjudged_share": pytest.approx(100 / 3),
        "extrapolation_distance": 0.5,
    }


CASES = [  # output of sentence 1, k, score and edits worked by hand
    # 10 at 1/5, 5 at 2/5: (0.8 · 10 + 0.6 · 5) / 1.4
    pytest.param("a b c d e", 2, 11 / 1.4, 1, id="two neighbours"),
    # the third, 0 at 5/5, weighs nothing
    pytest.param("a b c d e", 3, 11 / 1.4, 1, id="three neighbours"),
    pytest.param("a b c d e", 9, 11 / 1.4, 1, id="more than there are"),
    # all three are at distance 1: (10 + 5 + 0) / 3
    pytest.param("", 2, 5, 2, id="no words: all at distance 1, unweighted"),
]


@pytest.mark.seed("5.12")
@pytest.mark.parametrize(("output", "k", "score", "edits"), CASES)
def test_extrapolation(judged, output, k, score, edits):
    rows = metra.metric(f"evaltrans:db={judged},k={k}").rows(Batch([output]))
    named = dict(
        zip(metra.metric(f"evaltrans:db={judged}").columns, rows[0], strict=True)
    )
    assert named["score"] == pytest.approx(score)
    assert named["distance"] == edits


def test_references_start_as_perfect(judged):
    spec = f"evaltrans:db={judged}"
    refs = [["a b c x", "e h j", "i k"]]
    result = metra.score(OUTPUTS, refs, spec)
    assert result.segments[:2].tolist() == [50, 90]
    # 1: the reference was judged 5, and keeps it. 2: e h j is nearer than e f and e g, but
    # extends its 10 to no other output. 3: so does a reference alone.
    assert result.parts["unjudged"] == 1
    # Perfect: a b c d; e f and e h j, the latter longer; i k.
    assert result.parts["perfect_per_segment"] == pytest.approx(4 / 3)
    assert result.parts["mwer"] == pytest.approx(100 * 3 / 9)
    # One that equals its reference has its 10, judged or not.
    third = metra.metric(spec).rows(
        Batch(["i k"], [["i k"]], place=BatchPosition("s", 2))
    )
    assert third[0, :4].tolist() == [1, 0, 0, 10]


def test_nothing_judged_is_no_score(write):
    other = write("other.tsv", [HEADER, "99\tx\t5\t"])
    result = metra.score(OUTPUTS, [["l m", "n", "o"]], f"evaltrans:db={other}")
    assert math.isnan(result.score)
    assert result.parts["unjudged"] == 3
    assert "mean_score" not in result.parts
    assert result.interval() is None


@pytest.mark.seed("5.19")
def test_the_index_of_each_sentence(judged):
    metric = metra.metric(f"evaltrans:db={judged}")
    assert index_sentences(metric.rows(Batch(OUTPUTS))) == [
        # a b c d is perfect: 1 edit of 4 words
        SentenceIndex(1, "exact", 5.0, 25.0, 1, 0, 0.0),
        # e f is perfect: 1 edit of 2 words; as near to e f as to e g
        SentenceIndex(2, "extrapolated", 9.0, 50.0, 1, 1, 0.5),
        SentenceIndex(3, "unjudged", None, None, 0, None, None),
    ]
    (empty,) = index_sentences(metric.rows(Batch([""])))
    assert (empty.kind, empty.distance, empty.relative) == ("extrapolated", 2, None)


def test_by_source_sentence(write):
    path = write("j.tsv", [HEADER, "Un chat\tA cat\t10\t", "Un chien\tA dog\t2\t"])
    spec = f"evaltrans:db={path},key=source"
    result = metra.score(
        ["A dog", "A cat"], metric=spec, source=["Un chien", " Un chat"]
    )
    assert result.segments.tolist() == [20, 100]
    with pytest.raises(CorpusError, match="needs the source"):
        metra.score(["A dog"], metric=spec)


@pytest.mark.seed("5.13")
def test_what_is_judged_meanwhile_counts(tmp_path):
    path = str(tmp_path / "j.db")
    add_judged_outputs(path, [JudgedOutput("1", "a", 2.0)])
    spec = f"evaltrans:db={path}"
    first = metra.score(["b"], metric=spec)
    add_judged_outputs(path, [JudgedOutput("1", "b", 7.0)])
    second = metra.score(["b"], metric=spec)
    assert (first.score, second.score) == (20, 70)
    assert first.signature != second.signature


def twin(output, judged, refs):
    """Score and mWER's edits of one output, plainly."""
    scores = {}
    for text, score in judged:
        scores.setdefault(text, []).append(score)
    known = dict.fromkeys(refs, 10.0)
    known |= {text: sum(all_) / len(all_) for text, all_ in scores.items()}
    perfect = [text for text, score in known.items() if score == 10]
    words = output.split()
    near = [
        (compute_distance(words, text.split()), -len(text.split())) for text in perfect
    ]
    mwer = (min(near)[0], -min(near)[1]) if near else (0, 0)
    if output in known:
        return known[output], mwer
    if not judged:
        return None, mwer
    far = {
        text: compute_distance(words, text.split()) / max(len(words), len(text.split()))
        for text in scores
    }
    least = min(far.values())
    nearest = [known[text] for text in far if far[text] == least]
    return sum(nearest) / len(nearest), mwer


texts = st.lists(st.sampled_from("abc"), max_size=4).map(" ".join)
pairs = st.lists(st.tuples(texts, st.sampled_from([0.0, 5.0, 10.0])), max_size=4)


@given(texts, pairs, st.lists(texts, max_size=2))
def test_twin(tmp_path_factory, output, judged, refs):
    path = tmp_path_factory.mktemp("j") / "j.tsv"
    lines = [HEADER, "9\tx\t1\t", *(f"1\t{text}\t{score}\t" for text, score in judged)]
    path.write_text("\n".join(lines))
    batch = Batch([output], [[ref] for ref in refs] or None)
    row = metra.metric(f"evaltrans:db={path}").rows(batch)[0]
    score, (fewest, length) = twin(output, judged, refs)
    assert row[2] == (score is None)
    assert row[3] == pytest.approx(score or 0)
    assert row[10:].tolist() == [fewest, length]
    nearest = metra.metric(f"mwer:db={path}").rows(batch)[0]
    assert (nearest[:3].sum(), nearest[4]) == (fewest, length)


@pytest.mark.seed("5.11")
def test_without_judgements_mwer_is_wer():
    hyps = ["the cat sat", "", "a b c d"]
    refs = [["a cat sat", "x", ""], ["the cat sat down", None, "a c d b"]]
    ours, plain = metra.score(hyps, refs, "mwer"), metra.score(hyps, refs, "wer")
    assert np.array_equal(ours.rows, plain.rows)


@pytest.mark.seed("5.20")
def test_mwer_takes_what_was_judged_perfect(judged):
    spec = f"mwer:db={judged}"
    # a b c d and e f are perfect; for the third sentence nothing is.
    result = metra.score(OUTPUTS, metric=spec)
    assert result.score == pytest.approx(100 * 2 / 6)
    # A reference that was judged 5 is not perfect, one that nobody judged is.
    result = metra.score(OUTPUTS, [["a b c x", "e h", "i"]], spec)
    assert result.parts["substitutions"] == 1
    assert result.parts["ref_len"] == 4 + 2 + 1
    with pytest.raises(CorpusError, match="mwer needs a reference; give"):
        metra.score(OUTPUTS, metric="mwer")
