"""All pairs of candidates and references: each as the measure scores it alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError, LengthError, MetraError, OptionError
from metra.scoring import pairwise

CANDIDATES = [
    "the cat sat on the mat",
    "a cat was sitting on the mat .",
    "",
    "the the the the",
    "the cat sat on the mat",
]
REFERENCES = ["the cat sat on the mat", "there's a cat on the mat!", "the the", ""]

# Texts that share much (few words and letters), and any Unicode at all.
ALIKE = st.lists(st.sampled_from(["a", "b", "ab", "ba", ".", "é", "猫"]), max_size=12)
TEXT = st.one_of(
    ALIKE.map(" ".join),
    st.text(alphabet="ab 猫😀\u0130\u00a0", max_size=20),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
TEXTS = st.lists(TEXT, min_size=1, max_size=6)

SPECS = [
    pytest.param("chrf", id="letters"),
    pytest.param("chrf:word_order=2", id="letters and words"),
    pytest.param("chrf:n=0,word_order=3", id="words alone"),
    pytest.param("chrf:n=40", id="more orders than a word has room for"),
    pytest.param("chrf:eps=yes,beta=1,whitespace=yes", id="other mean, blanks count"),
    pytest.param("chrf:case=lower,word_order=1", id="case folded"),
    pytest.param("chrf:stem=porter,word_order=2,case=lower", id="stems"),
    pytest.param("bleu", id="sentence BLEU"),
    pytest.param("bleu:n=120", id="longer n-grams than can be packed"),
    pytest.param("bleu:smooth=floor,eff=no,case=lower", id="floor, all orders"),
    pytest.param("bleu:smooth=add-k,tok=intl,n=2", id="add-k, two orders"),
    pytest.param("bleu:smooth=none,average=arithmetic,stem=porter", id="no smoothing"),
    pytest.param("bleu:style=mteval,ref_len=average", id="mteval"),
    pytest.param("bleu:tok=char", id="words of one character"),
    pytest.param("ter", id="counted one by one, lower is better"),
    pytest.param("gtm", id="counted one by one"),
]


def one_by_one(candidates, references, spec):
    score = metra.metric(spec).sentence
    return [[score(text, [ref]) for ref in references] for text in candidates]


@pytest.mark.parametrize("spec", SPECS)
@given(candidates=TEXTS, references=TEXTS)
@settings(max_examples=60, deadline=None)
def test_every_pair_is_scored_as_alone(spec, candidates, references):
    found = metra.pairwise(candidates, references, spec)
    assert found.dtype == np.float64
    expected = np.array(one_by_one(candidates, references, spec))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("spec", ["chrf", "bleu", "wer"])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_many_sentences_give_a_matrix_each(spec, threads, monkeypatch):
    monkeypatch.setenv("METRA_THREADS", threads)
    candidates = [CANDIDATES[at % 3 :] for at in range(12)]
    references = [REFERENCES[at % 2 :] for at in range(12)]
    found = metra.pairwise(candidates, references, spec)
    assert len(found) == 12
    for matrix, left, right in zip(found, candidates, references, strict=True):
        np.testing.assert_array_equal(matrix, metra.pairwise(left, right, spec))


def test_any_column_and_any_metric_will_do():
    expected = metra.pairwise(CANDIDATES, REFERENCES, "chrf:beta=1")
    metric = metra.metric("chrf:beta=1")
    found = metra.pairwise(np.array(CANDIDATES), tuple(REFERENCES), metric)
    np.testing.assert_array_equal(found, expected)


def test_pairs_one_by_one_do_not_depend_on_how_many_at_once(monkeypatch):
    expected = metra.pairwise(CANDIDATES, REFERENCES, "wer")
    monkeypatch.setattr(pairwise, "PAIRS_AT_ONCE", 9)
    np.testing.assert_array_equal(
        metra.pairwise(CANDIDATES, REFERENCES, "wer"), expected
    )


def test_a_fitted_measure_is_as_good_as_any():
    batch = metra.Batch(["the cat sat"], [["a cat sat on the mat"]])
    fitted = metra.metric("nist").fit([batch])
    found = metra.pairwise(["the cat", "a mat"], ["a cat sat"], fitted)
    expected = [[fitted.sentence(text, ["a cat sat"])] for text in ("the cat", "a mat")]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("candidates", "references", "metric", "error", "says"),
    [
        pytest.param("a", ["a"], "chrf", CorpusError, "one str", id="lone string"),
        pytest.param([], ["a"], "chrf", CorpusError, "candidates is empty", id="none"),
        pytest.param(
            [["a"], ["b"]], [["a"], []], "chrf", CorpusError, r"references\[1\]",
            id="a sentence without references",
        ),
        pytest.param(
            ["a", None], ["a"], "bleu", CorpusError, "Segment 2 of candidates is missing",
            id="missing candidate",
        ),
        pytest.param(
            [["a"]], [["\ud800"]], "bleu", CorpusError, r"1 of references\[0\] is a lone",
            id="half a character",
        ),
        pytest.param(["a", ["b"]], ["a"], "chrf", CorpusError, "mixes", id="mixed"),
        pytest.param(["a"], [["b"]], "chrf", CorpusError, "both", id="list and lists"),
        pytest.param(
            [["a"], ["b"]], [["a"]], "chrf", LengthError, "2 sentences", id="lengths"
        ),
        pytest.param(["a"], ["a"], "nist", OptionError, "fit", id="not fitted"),
        pytest.param(["a"], ["a"], "ltv", OptionError, "document", id="documents"),
        pytest.param(
            ["a"], ["a"], "untranslated", OptionError, "source", id="source"
        ),
        pytest.param(
            ["a"], ["a"], metra.import_scores("comet", {"s": [0.5]}), OptionError,
            "comet has scores from another program for each segment of a system, and none "
"for pairs", id="scores made elsewhere",
        ),
        pytest.param(["a"], ["a"], "blue", MetraError, "bleu", id="misspelt measure"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused(candidates, references, metric, error, says):
    with pytest.raises(error, match=says):
        metra.pairwise(candidates, references, metric)
