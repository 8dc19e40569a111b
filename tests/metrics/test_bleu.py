"""BLEU by hand and by the numbers that others have published."""

import numpy as np
import pytest

import metra

REFS = [
    ["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
    [
        "The dog had bit the man.",
        "No one was surprised.",
        "The man had bitten the dog.",
    ],
]
HYPS = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]

# Scores from sacreBLEU 2.6.0's tests, to the digits that they give.
CORPORA = [
    pytest.param("bleu", HYPS, 48.530827, id="defaults"),
    pytest.param("bleu", ["", "", ""], 0.0, id="empty outputs are not dropped"),
    pytest.param("bleu:tok=none", HYPS, 49.1919566, id="words as they are"),
    pytest.param("bleu:tok=13a", HYPS, 48.530827, id="13a"),
    pytest.param("bleu:tok=intl", HYPS, 43.91623493, id="intl"),
    pytest.param("bleu:smooth=none", HYPS, 48.530827, id="nothing to smooth"),
]


@pytest.mark.parametrize(("spec", "hyps", "expected"), CORPORA)
def test_corpus(spec, hyps, expected):
    assert metra.score(hyps, REFS, spec).score == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, "77.65"),
        (2, "60.50"),
        (3, "53.93"),
        (4, "48.53"),
        (5, "46.14"),
        (6, "43.28"),
    ],
)
def test_longest_ngrams(n, expected):
    # sacreBLEU 2.6.0's tests
    assert f"{metra.score(HYPS, REFS, f'bleu:n={n}').score:.2f}" == expected


# sacreBLEU 2.6.0's tests of its raw scores: white-space words, floor, effective order.
RAW = [
    pytest.param(
        ["this is a test", "another test"], ["ref1", "ref2"], 0.0, id="none match"
    ),
    pytest.param(["this is a test"], ["this is a test"], 100.0, id="copy"),
    pytest.param(
        ["this is a fest"], ["this is a test"], 22.3606797749979, id="one wrong"
    ),
    pytest.param(["test"], ["a test"], 36.78794411714425, id="one word"),
    pytest.param(["a test"], ["a test"], 100.0, id="copy of two words"),
    pytest.param(["a little test"], ["a test"], 3.218297948685433, id="one word more"),
]


@pytest.mark.parametrize(("hyps", "refs", "expected"), RAW)
def test_floor_and_effective_order(hyps, refs, expected):
    spec = "bleu:tok=none,smooth=floor,smooth_value=0.01,eff=yes"
    assert metra.score(hyps, [refs], spec).score == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("0", 0.0, id="nothing"),
        pytest.param("0.1", 15.55722182, id="a tenth"),
    ],
)
def test_what_floor_counts_for(value, expected):
    hyp, ref = "am I am a character sequence", "I am a symbol string sequence a a"
    spec = f"bleu:tok=none,smooth=floor,smooth_value={value},eff=yes"
    result = metra.score([hyp], [[ref]], spec)
    assert result.score == pytest.approx(expected, abs=1e-6)
    assert result.parts["counts"] == [4, 2, 1, 0]
    assert result.parts["totals"] == [6, 5, 4, 3]


# (matches, n-grams, output length, reference length), from sacreBLEU 2.6.0's tests
STATISTICS = [
    pytest.param("none", [9, 7, 5, 3, 10, 8, 6, 4, 11, 11], 83.75922397, id="plain"),
    pytest.param("floor", [0, 0, 0, 0, 4, 4, 2, 1, 0, 1], 0, id="no output length"),
    pytest.param("floor", [0, 0, 0, 0, 10, 11, 12, 0, 14, 10], 0, id="no matches"),
    pytest.param("floor", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0, id="nothing at all"),
    pytest.param("floor", [6, 5, 4, 0, 6, 5, 4, 3, 6, 6], 0, id="floor of zero"),
    pytest.param("floor", [0, 0, 0, 0, 0, 0, 0, 0, 1, 5], 0, id="lengths alone"),
]


@pytest.mark.parametrize(("smooth", "totals", "expected"), STATISTICS)
def test_from_statistics(smooth, totals, expected):
    spec = f"bleu:smooth={smooth}"
    if smooth == "floor":
        spec += ",smooth_value=0"
    score = metra.metric(spec).aggregate(np.array(totals, float))
    assert score == pytest.approx(expected, abs=1e-6)


# sacreBLEU 2.6.0's tests of sentences, to the three digits that they give
ROMANIAN = (
    "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;",
    "producţia de zahăr brut se exprimă în zahăr alb;",
)
SENTENCES = [
    pytest.param("bleu", 8.493, id="exp"),
    pytest.param("bleu:smooth=none", 0.0, id="no smoothing"),
    pytest.param("bleu:smooth=floor", 4.51688, id="floor is a tenth"),
    pytest.param("bleu:smooth=floor,smooth_value=0.1", 4.51688, id="floor of a tenth"),
    pytest.param("bleu:smooth=floor,smooth_value=0.5", 10.10, id="floor of a half"),
    pytest.param("bleu:smooth=add-k", 14.882, id="add-k is one"),
    pytest.param("bleu:smooth=add-k,smooth_value=1", 14.882, id="add one"),
    pytest.param("bleu:smooth=add-k,smooth_value=2", 21.389, id="add two"),
    pytest.param("bleu:tok=none", 7.347, id="words as they are"),
    pytest.param("bleu:tok=intl", 8.493, id="intl"),
    pytest.param("bleu:tok=char", 40.8759, id="characters"),
    pytest.param("bleu:tok=char,case=lower", 42.0267, id="characters in lower case"),
]


@pytest.mark.parametrize(("spec", "expected"), SENTENCES)
def test_sentence(spec, expected):
    hyp, ref = ROMANIAN
    assert metra.metric(spec).sentence(hyp, [ref]) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("smooth", ["exp", "none", "floor", "add-k"])
def test_a_sentence_without_a_match_has_no_score_to_smooth(smooth):
    metric = metra.metric(f"bleu:smooth={smooth}")
    assert metric.sentence("this is a cat", ["okay thanks"]) == 0


# Federico 2008's worked examples, which mteval and multi-bleu print as well.
GUIDE = (
    "it is a guide to action which ensures that the military always obeys the "
    "commands of the party"
)
GUIDE_REFS = [
    "it is a guide to action that ensures that the military will forever heed party commands",
    "it is the guiding principle which guarantees the military forces always being under "
    "the command of the party",
    "it is the practical guide for the army always to heed the directions of the party",
]
LETTERS = "a b c d e f g h i j k l m n o p q r s"
WORKED = [
    pytest.param(
        GUIDE, GUIDE_REFS, [17, 10, 7, 4], [18, 17, 16, 15], 50.46, id="guide"
    ),
    pytest.param(
        "a b c d f e g i h j l k m o n p r q s",
        [LETTERS],
        [19, 3, 2, 1],
        [19, 18, 17, 16],
        18.71,
        id="all words in disorder",
    ),
    pytest.param(
        "a b c d e f g x x x x x x x x x x x x",
        [LETTERS],
        [7, 6, 5, 4],
        [19, 18, 17, 16],
        30.83,
        id="few words in order",
    ),
]


@pytest.mark.parametrize(("hyp", "refs", "counts", "totals", "expected"), WORKED)
def test_worked_example(hyp, refs, counts, totals, expected):
    result = metra.score([hyp], [[ref] for ref in refs], "bleu:tok=none")
    assert result.parts["counts"] == counts
    assert result.parts["totals"] == totals
    assert result.parts["bp"] == 1
    assert f"{result.score:.2f}" == f"{expected:.2f}"


def test_parts_are_the_pieces_of_the_score():
    result = metra.score(["a b c d e f"], [["a b c d x y z"]], "bleu:tok=none")
    assert result.parts == {
        "counts": [4, 3, 2, 1],
        "totals": [6, 5, 4, 3],
        "precisions": pytest.approx([400 / 6, 60, 50, 100 / 3]),
        "bp": pytest.approx(np.exp(1 - 7 / 6)),
        "hyp_len": 6,
        "ref_len": 7,
        "ratio": pytest.approx(6 / 7),
    }
    mean = np.prod(result.parts["precisions"]) ** 0.25
    assert result.score == pytest.approx(result.parts["bp"] * mean, abs=1e-12)


def test_precisions_are_smoothed_as_the_score_is():
    result = metra.score(["a b x"], [["a c d"]], "bleu:tok=none")
    assert result.parts["precisions"] == pytest.approx([100 / 3, 25, 25, 0])


@pytest.mark.parametrize(
    ("ref_len", "expected"), [("closest", 5), ("shortest", 3), ("average", 5)]
)
def test_which_reference_is_the_length(ref_len, expected):
    # Lengths 5 and 7 are as near to 6: the shorter counts.
    refs = [["a b c"], ["a b c d e"], ["a b c d e f g"]]
    result = metra.score(["a b c d e f"], refs, f"bleu:tok=none,ref_len={ref_len}")
    assert result.parts["ref_len"] == expected


def test_arithmetic_mean_of_the_precisions():
    # Lavie et al. 2004 average precisions instead of their logarithms.
    result = metra.score(["a b c x"], [["a b c d"]], "bleu:tok=none,average=arithmetic")
    precisions = [3 / 4, 2 / 3, 1 / 2, 1 / 2]
    assert result.score == pytest.approx(100 * sum(precisions) / 4, abs=1e-12)


def test_segments_are_scored_with_effective_order_and_say_so():
    result = metra.score(["a b", "a b c d e"], [["a b", "a b c d e"]])
    assert result.segments == pytest.approx([100, 100])
    assert "|eff:no|" in result.signature
    assert "|eff:yes|" in result.metric.for_segments.signature()


def test_mteval_has_two_tokenisers():
    with pytest.raises(metra.MetraError) as caught:
        metra.metric("bleu:style=mteval,tok=char")
    assert str(caught.value) == (
        "bleu: tok=char is not possible with style=mteval; expected 13a or intl."
    )


def test_the_signature_keeps_every_digit():
    signature = metra.metric("bleu:smooth=floor,smooth_value=0.123456789").signature()
    assert "|smooth_value:0.123456789|" in signature


def test_the_signature_in_full():
    assert metra.score(["a"], [["a"]]).signature == (
        "bleu|n:4|tok:13a|case:mixed|stem:no|smooth:exp|smooth_value:none|eff:no"
        f"|ref_len:closest|average:geometric|style:sacrebleu|nrefs:1"
        f"|version:{metra.__version__}"
    )
