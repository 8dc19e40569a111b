"""NIST: worked examples, weights and where they come from, options and their errors."""

import math

import pytest

import metra
from metra.errors import UnfittedError
from metra.formats.annotations.weights import write_information
from metra.metrics.nist import fit_information

ALPHABET = "a b c d e f g h i j k l m n o p q r s"
GUIDE = (
    "it is a guide to action which ensures that the military always obeys the commands "
    "of the party"
)
GUIDE_REFS = [
    "it is a guide to action that ensures that the military will forever heed party "
    "commands",
    "it is the guiding principle which guarantees the military forces always being "
    "under the command of the party",
    "it is the practical guide for the army always to heed the directions of the party",
]
EXAMPLES = [  # Federico 2008; four digits, printed by mteval v11b and v13a
    pytest.param(
        "a b c d f e g i h j l k m o n p r q s", [ALPHABET], 4.2479, id="all words"
    ),
    pytest.param(
        "a b c d e f g x x x x x x x x x x x x", [ALPHABET], 1.5650, id="some words"
    ),
    pytest.param(GUIDE, GUIDE_REFS, 4.8285, id="three references"),
    pytest.param(GUIDE, GUIDE_REFS[:1], 2.6699, id="one reference"),
]


@pytest.mark.seed("3.19")
@pytest.mark.seed("3.21", prints="| NIST Score | 4.2479 | 1.5650 |")
@pytest.mark.parametrize("style", ["plain", "mteval"])
@pytest.mark.parametrize(("hyp", "refs", "expected"), EXAMPLES)
def test_worked_examples(hyp, refs, expected, style):
    score = metra.score([hyp], [[ref] for ref in refs], f"nist:style={style}").score
    assert score == pytest.approx(expected, abs=5e-5)


UNWEIGHTED = [  # matches of each order: Federico 2008 prints the first four
    pytest.param(
        "a b c d f e g i h j l k m o n p r q s",
        [ALPHABET],
        19 / 19 + 3 / 18 + 2 / 17 + 1 / 16 + 0 / 15,
        id="all words",
    ),
    pytest.param(
        GUIDE,
        GUIDE_REFS,
        17 / 18 + 10 / 17 + 7 / 16 + 4 / 15 + 2 / 14,
        id="three references",
    ),
    pytest.param("a b", ["a b c"], 0.5 * 2, id="brevity is penalised as in nist"),
]


@pytest.mark.seed("1.30")
@pytest.mark.parametrize(("hyp", "refs", "expected"), UNWEIGHTED)
def test_unweighted(hyp, refs, expected):
    metric = metra.metric("nist:info=equal")
    assert metric.fit is None
    assert metric.sentence(hyp, refs) == pytest.approx(expected, abs=1e-12)
    score = metra.score([hyp], [[ref] for ref in refs], "nist:info=equal")
    assert score.score == pytest.approx(expected, abs=1e-12)
    assert "|info:equal|" in score.signature


def test_a_fitted_metric_keeps_its_weights():
    big = metra.Batch(["x", "y"], [["the cat sat", "the dog sat"]])
    fitted = metra.metric("nist:n=3").fit([big])
    assert fitted.fit is None
    assert fitted.options["n"] == 3
    own = metra.metric("nist:n=3").signature()
    assert fitted.signature() == own.replace("|version:", "|fitted:2|version:")
    hyps, refs = ["the dog"], [["the dog sat"]]
    kept = metra.score(hyps, refs, fitted).score
    penalty = math.exp(math.log(0.5) * (math.log(2 / 3) / math.log(1.5)) ** 2)
    assert kept == pytest.approx(penalty * ((math.log2(3) + math.log2(6)) / 2 + 1))
    assert kept != metra.score(hyps, refs, "nist:n=3").score
    assert fitted.sentence("the dog", ["the dog sat"]) == kept


def test_an_unfitted_metric_refuses():
    expected = (
        "nist needs weights from the references of the whole test set; use the "
        "metric that metric.fit([metra.Batch(hyps, refs)]) returns."
    )
    metric = metra.metric("nist")
    with pytest.raises(UnfittedError) as error:
        metric.sentence("a", ["a"])
    assert str(error.value) == expected
    with pytest.raises(UnfittedError, match="needs weights from the references"):
        metric.rows(metra.Batch(["a"], [["a"]]))


def test_weights_from_a_file(tmp_path):
    hyps = ["The cat, sat &amp; 0 left", "0 left 0"]
    refs = [["the cat sat & 0 left", "The cat sat"], ["0 left", "0 0 left , left"]]
    batch = metra.Batch(hyps, refs_per_segment=refs)
    path = tmp_path / "weights.tsv"
    for options in ("", ",style=mteval", ",tok=intl,stem=porter,n=3", ",case=lower"):
        chosen = dict(pair.split("=") for pair in options.split(",") if pair)
        chosen = {"n": int(chosen.pop("n", 5)), **chosen}
        write_information(fit_information([batch], **chosen), path)
        given = metra.metric(f"nist:info={path}{options}")
        fitted = metra.metric(f"nist:n=5{options.replace(',n=3', '')}")
        assert given.fit is None
        rows = given.rows(batch)
        n = chosen["n"]
        assert rows[:, :n].tolist() == fitted.fit([batch]).rows(batch)[:, :n].tolist()
        assert rows[:, 0].min() > 0
        assert f"|info:{path}[sha256:" in given.signature()


def test_ngrams_without_weight_weigh_nothing(tmp_path):
    path = tmp_path / "weights.tsv"
    path.write_text("the cat\t2.5\nthe\t1\nlong n-gram of many words , six\t9\n")
    rows = metra.metric(f"nist:n=3,info={path}").rows(
        metra.Batch(["the cat sat", "the dog"], [["the cat sat", "the dog"]])
    )
    assert rows[:, :3].tolist() == [[1, 2.5, 0], [1, 0, 0]]
