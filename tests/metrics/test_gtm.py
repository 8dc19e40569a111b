"""GTM: worked examples, consequences of its rules, options, limits."""

import math

import pytest

import metra

#: The grid of the paper's figure 1 in letters: runs of 4, 2 and 1 words.
FIGURE = "b c x d e f g a", "a b c d e f g"


def row(spec, hyp, *refs):
    return metra.metric(spec).rows(metra.Batch([hyp], [[ref] for ref in refs]))[0]


@pytest.mark.seed("1.2")
@pytest.mark.seed("1.3", prints="the MMS is 7")
@pytest.mark.seed("1.5", prints=r"\sqrt{21}")
def test_the_figure_of_the_paper():
    assert row("gtm", *FIGURE).tolist() == [7, 8, 7]
    for match in ("greedy", "paper", "exact"):
        assert row(f"gtm:e=2,match={match}", *FIGURE)[0] == math.sqrt(21)
    assert metra.metric("gtm:e=2").sentence(FIGURE[0], [FIGURE[1]]) == pytest.approx(
        200 * math.sqrt(21) / 15
    )


# Sizes that follow from the rules; the first group equals GTM 1.4's output.
CASES = [
    pytest.param(
        "gtm:e=2", "a b", ["a", "b"], 1, id="no run passes a barrier, then capped"
    ),
    pytest.param(
        "gtm:e=2", "a b c d", ["a b", "c d e"], (4 + 0.25) ** 0.5, id="half a hit"
    ),
    pytest.param(
        "gtm:e=2,match=paper", "a b c d x", ["a b c", "c d x"], 3, id="shortest deleted"
    ),
]


@pytest.mark.seed("1.6")
@pytest.mark.parametrize(("spec", "hyp", "refs", "size"), CASES)
def test_size(spec, hyp, refs, size):
    assert row(spec, hyp, *refs)[0] == pytest.approx(size, abs=1e-15)


@pytest.mark.seed("1.13")
def test_a_copy_of_one_of_several_references_is_not_perfect():
    refs = ["a b c d e", "a b c", "a b"]
    found = metra.metric("gtm").sentence("a b c d e", refs)
    assert found == pytest.approx(80)


def test_unproved_segments_are_counted():
    hyp = " ".join("abcdefgh"[(at * at) % 7] for at in range(150))
    ref = " ".join("abcdefgh"[(at * at * at) % 8] for at in range(150))
    result = metra.score([hyp, "a b"], [[ref, "a b"]], "gtm:e=2,match=exact,nodes=0")
    assert result.rows[:, 3].tolist() == [1, 0]
    assert result.parts["unproved"] == 1
    assert "unproved" not in metra.score([hyp], [[ref]], "gtm").parts


@pytest.mark.seed("1.4")
@pytest.mark.seed("1.7")
def test_parts():
    result = metra.score(["a b x", "c"], [["a b c d", "c d"]], "gtm")
    assert result.parts == pytest.approx(
        {
            "precision": 75,
            "recall": 50,
            "f": 60,
            "size": 3,
            "hyp_len": 4,
            "mean_ref_len": 6,
        }
    )


def test_white_space_is_that_of_the_program():
    """A no-break space does not separate words for GTM 1.4, nor does a vertical tab."""
    hyp = " 10\u00a0000 euros\u3000only\tnow\f\x0b"
    assert row("gtm", hyp, hyp)[1] == 3
    assert row("gtm", "a\x0bb", "a b").tolist() == [0, 1, 2]
    assert row("gtm:tok=13a", hyp, hyp)[1] == 5
    assert "|tok:none|" in metra.metric("gtm").signature()


@pytest.mark.parametrize(
    ("hyp", "ref", "size"),
    [
        pytest.param(
            [str(at % 97) for at in range(10_000)],
            [str(at % 97) for at in range(5, 10_000)],
            (9995**2 + 5**2) ** 0.5,
            id="shifted",
        ),
        pytest.param(
            [f"x{at}" if at % 2 else "w" for at in range(6000)],
            [f"y{at}" if at % 2 else "w" for at in range(6000)],
            3000**0.5,
            id="millions of runs of one word",
        ),
    ],
)
@pytest.mark.parametrize("match", ["greedy", "exact"])
def test_thousands_of_words(match, hyp, ref, size):
    found = row(f"gtm:e=2,match={match}", " ".join(hyp), " ".join(ref))
    assert found[0] == pytest.approx(size)
    assert found[1:3].tolist() == [len(hyp), len(ref)]
