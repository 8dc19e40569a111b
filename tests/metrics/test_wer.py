"""Word error rate: golden values, the slow plain definition, and jiwer."""

import subprocess
import sys

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra

CASES = [
    pytest.param("a b c", ["a b c"], 0.0, id="identical"),
    pytest.param("a x c", ["a b c"], 100 / 3, id="one substitution"),
    pytest.param("a c", ["a b c"], 100 / 3, id="one deletion"),
    pytest.param("a b b c", ["a b c"], 100 / 3, id="one insertion"),
    pytest.param("b c d e", ["a"], 400.0, id="more than a hundred"),
    pytest.param("", ["a b"], 100.0, id="empty output"),
    pytest.param("a b", [""], 200.0, id="empty reference counts as one word"),
    pytest.param("", [""], 0.0, id="both empty"),
    pytest.param(" \t\n", ["  "], 0.0, id="white space only"),
    pytest.param(". ! ?", [". ?"], 50.0, id="punctuation only"),
    pytest.param("A b", ["a b"], 50.0, id="case counts"),
    pytest.param("a\tb\u00a0c\u3000d", ["a b c d"], 0.0, id="any white space splits"),
    pytest.param("שלום עולם", ["עולם שלום"], 100.0, id="right to left"),
    pytest.param("👍 👍🏽 x", ["👍 👍🏽 y"], 100 / 3, id="emoji"),
]


@pytest.mark.parametrize(("hyp", "refs", "expected"), CASES)
def test_segment(hyp, refs, expected):
    assert metra.metric("wer").sentence(hyp, refs) == pytest.approx(expected, abs=1e-9)


# How references are chosen, the output, its references; the length and the rate expected.
CHOICES = [
    pytest.param("best", "a b", ["a", "a b c d"], (1, 100.0), id="fewest edits"),
    pytest.param("best", "a b", ["x b", "a b c", "a"], (3, 100 / 3), id="tie: longest"),
    pytest.param("best-rate", "a b", ["a", "a b c d"], (4, 50.0), id="lowest rate"),
    pytest.param("best-rate", "a b", ["a c", "a b c d"], (2, 50.0), id="tie: first"),
    pytest.param("best-rate", "a b", ["a b c d", "a c"], (4, 50.0), id="tie: order"),
    pytest.param("best-rate", "a b", ["", "c d e"], (3, 100.0), id="empty: one word"),
    pytest.param("average-length", "a b", ["a b", "a b c d e"], (3.5, 0.0), id="mean"),
    pytest.param("average-length", "a", ["", "a b"], (1.0, 100.0), id="mean of empty"),
    pytest.param("average-length", "a", ["", "b"], (0.5, 200.0), id="mean below one"),
]


@pytest.mark.parametrize(("refs", "hyp", "references", "expected"), CHOICES)
def test_choice_of_reference(refs, hyp, references, expected):
    metric = metra.metric(f"wer:refs={refs}")
    row = metric.rows(metra.Batch([hyp], refs_per_segment=[references]))[0]
    assert (row[4], float(metric.aggregate(row))) == pytest.approx(expected)


def test_missing_references_are_skipped():
    batch = metra.Batch(["a b"], refs_per_segment=[["x", None, "a b c"]])
    assert metra.metric("wer").rows(batch).tolist() == [[0, 0, 1, 2, 3]]
    mean = metra.metric("wer:refs=average-length").rows(batch)
    assert mean[0, 4] == 2


def test_corpus_divides_sums():
    result = metra.score(["a b c", "x"], [["a b d", "y"]], "wer")
    assert result.score == pytest.approx(100 * 2 / 4)
    assert result.segments.tolist() == pytest.approx([100 / 3, 100.0])
    assert result.parts == {
        "substitutions": 2,
        "insertions": 0,
        "deletions": 0,
        "hits": 2,
        "ref_len": 4,
        "hyp_len": 4,
    }
    assert not result.metric.higher_is_better


def test_edits_against_output_words():
    metric = metra.metric("wer:norm=output")
    assert metric.sentence("a b c d", ["a x"]) == pytest.approx(75.0)
    assert metric.sentence("", ["a b"]) == 200.0


def test_lengths_are_not_averaged_in_vain():
    with pytest.raises(metra.MetraError) as caught:
        metra.metric("wer:norm=output,refs=average-length")
    assert str(caught.value) == (
        "wer: refs=average-length is not possible with norm=output, which has no use for "
        "reference lengths; expected refs=best or refs=best-rate."
    )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [("wer", 100.0), ("wer:case=lower", 50.0), ("wer:case=lower,stem=english", 0.0)],
)
def test_preparation(spec, expected):
    assert metra.metric(spec).sentence("The dogs", ["the dog"]) == expected


def test_signature():
    assert metra.metric("wer").signature(nrefs=2) == (
        "wer|norm:reference|refs:best|tok:none|case:mixed|stem:no|nrefs:2"
        f"|version:{metra.__version__}"
    )


def plain_counts(hyp, ref):
    """Substitutions, insertions, deletions, hits of the alignment, cell by cell."""
    grid = np.add.outer(np.arange(len(hyp) + 1), np.arange(len(ref) + 1))
    for i, word in enumerate(hyp, 1):
        for j, other in enumerate(ref, 1):
            sideways = min(grid[i - 1, j], grid[i, j - 1]) + 1
            grid[i, j] = min(sideways, grid[i - 1, j - 1] + (word != other))
    i, j = len(hyp), len(ref)
    counts = [0, 0, 0, 0]
    while i or j:
        differ = bool(i and j and hyp[i - 1] != ref[j - 1])
        if i and j and grid[i, j] == grid[i - 1, j - 1] + differ:
            counts[0 if differ else 3] += 1
            i, j = i - 1, j - 1
        elif j and grid[i, j] == grid[i, j - 1] + 1:
            counts[2] += 1
            j -= 1
        else:
            counts[1] += 1
            i -= 1
    return counts


def plain_row(hyp, refs, choice):
    counted = [plain_counts(hyp, ref) for ref in refs]
    keys = {
        "best": lambda at: (sum(counted[at][:3]), -len(refs[at])),
        "best-rate": lambda at: sum(counted[at][:3]) / max(len(refs[at]), 1),
    }
    best = min(range(len(refs)), key=keys.get(choice, keys["best"]))
    average = sum(map(len, refs)) / len(refs)
    return [*counted[best], average if choice == "average-length" else len(refs[best])]


WORDS = st.lists(st.sampled_from("abcde"), max_size=80)


@settings(deadline=None)
@given(
    st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=3),
    st.sampled_from(["best", "best-rate", "average-length"]),
)
def test_equals_the_plain_definition(segments, choice):
    batch = metra.Batch(
        [" ".join(hyp) for hyp, *_ in segments],
        refs_per_segment=[[" ".join(ref) for ref in refs] for _, *refs in segments],
    )
    rows = metra.metric(f"wer:refs={choice}").rows(batch)
    expected = [plain_row(hyp, refs, choice) for hyp, *refs in segments]
    np.testing.assert_array_equal(rows, expected)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_equals_jiwer_on_any_text_with_plain_blanks(pairs):
    hyps, refs = (
        [" ".join(text.split()) for text in side] for side in zip(*pairs, strict=True)
    )
    score = metra.score(hyps, [refs], "wer").score
    assert score == pytest.approx(100 * jiwer.wer(refs, hyps), rel=1e-12)


def test_where_jiwer_differs():
    # A lone tab or no-break space is part of a word to jiwer; ours splits as Python does.
    for white in ("\t", "\u00a0", "\u3000"):
        assert jiwer.wer(f"a{white}b", "a b") == 2.0
        assert metra.metric("wer").sentence("a b", [f"a{white}b"]) == 0.0
    # Two words that changed places are two substitutions to us.
    swapped = jiwer.process_words("b a", "a b")
    assert (swapped.substitutions, swapped.insertions, swapped.deletions) == (0, 1, 1)
    ours = metra.metric("wer").rows(metra.Batch(["a b"], [["b a"]]))
    assert ours.tolist() == [[2, 0, 0, 0, 2]]
    # Without a reference word, both count the output's words: 1 word stands for 100 %.
    assert jiwer.wer("", "a b") == 2
    assert metra.metric("wer").sentence("a b", [""]) == 200.0
    assert jiwer.wer(["", "a"], ["x", "a"]) == 1.0
    assert metra.score(["x", "a"], [["", "a"]], "wer").score == 100.0


@pytest.mark.parametrize(
    ("hyp", "ref", "edits"),
    [
        pytest.param(["w"] * 10_000, ["w"] * 9_000, 1_000, id="equal words"),
        pytest.param(
            [f"x{at}" for at in range(10_000)],
            [f"y{at}" for at in range(10_000)],
            10_000,
            id="nothing in common",
        ),
        pytest.param([], ["w"] * 10_000, 10_000, id="empty output"),
        pytest.param(["w"] * 10_000, [], 10_000, id="empty reference"),
        pytest.param(
            [str(at % 97) for at in range(10_000)],
            [str(at % 97) for at in range(5, 10_000)],
            5,
            id="shifted",
        ),
    ],
)
def test_ten_thousand_words(hyp, ref, edits):
    batch = metra.Batch([" ".join(hyp)], [[" ".join(ref)]])
    row = metra.metric("wer").rows(batch)[0]
    assert row[:3].sum() == edits
    assert row[4] == len(ref)


def test_memory_stays_small():
    """A number for each cell of this grid would take gigabytes."""
    pytest.importorskip("resource")
    program = """
import resource, metra
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
metric = metra.metric("wer")
metric.sentence("a", ["b"])
hyp, ref = ([str(at * at % prime) for at in range(30_000)] for prime in (997, 1009))
before = peak()
row = metric.rows(metra.Batch([" ".join(hyp)], [[" ".join(ref)]]))[0]
print(int(row[4]), peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    words, grown = map(int, done.stdout.split())
    assert words == 30_000
    unit = 1 if sys.platform == "darwin" else 1024
    assert grown * unit < 50 * 2**20
