"""BLEU by hand and by worked examples that others have published."""

import pytest

import metra

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


@pytest.mark.seed("3.12", prints="17/18")
@pytest.mark.seed("3.13")
@pytest.mark.seed("3.18", prints="| BLEU Score | 0.1871 | 0.3083 |")
@pytest.mark.parametrize(("hyp", "refs", "counts", "totals", "expected"), WORKED)
def test_worked_example(hyp, refs, counts, totals, expected):
    result = metra.score([hyp], [[ref] for ref in refs], "bleu:tok=none")
    assert result.parts["counts"] == counts
    assert result.parts["totals"] == totals
    assert result.parts["bp"] == 1
    assert f"{result.score:.2f}" == f"{expected:.2f}"


def test_segments_are_scored_with_effective_order_and_say_so():
    result = metra.score(["a b", "a b c d e"], [["a b", "a b c d e"]])
    assert result.segments == pytest.approx([100, 100])
    assert "|eff:no|" in result.signature
    assert "|eff:yes|" in result.metric.for_segments.signature()


@pytest.mark.seed("2.8")
@pytest.mark.seed("3.17")
def test_no_common_4_gram_is_a_score_of_zero():
    hyp, ref = "a b c x d e f", "a b c y d e f"
    result = metra.score([hyp], [[ref]], "bleu:smooth=none,tok=none")
    assert result.parts["counts"] == [6, 4, 2, 0]
    assert result.score == 0
    assert metra.metric("bleu:smooth=none,eff=no").sentence(hyp, [ref]) == 0
