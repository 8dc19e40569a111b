"""WER, PER, SER and CER: golden values, slow plain definitions, and jiwer."""

import random
from collections import Counter

import jiwer
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.textbook import fill_edit_table

import metra

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

CASES = [
    pytest.param("wer", "a b", [""], 200.0, id="empty reference counts as one word"),
    pytest.param("wer", " \t\n", ["  "], 0.0, id="white space only"),
    pytest.param("wer", "A b", ["a b"], 50.0, id="case counts"),
    pytest.param("wer", "a\tb\u00a0c\u3000d", ["a b c d"], 0.0, id="any white space"),
    pytest.param("wer", "The dogs", ["the dog"], 100.0, id="words as they are"),
    pytest.param("wer:case=lower", "The dogs", ["the dog"], 50.0, id="lower case"),
    pytest.param(
        "wer:case=lower,stem=english", "The dogs", ["the dog"], 0.0, id="stems"
    ),
    pytest.param("wer:tok=char", "a b", ["ab"], 0.0, id="the way to ignore blanks"),
    pytest.param("per:refs=best", "a b", ["a", "d b a c e f g"], 100.0, id="fewest"),
    pytest.param(
        "per:refs=average-length", "a b", ["a", "d b a c e f g"], 25.0, id="mean length"
    ),
    pytest.param("ser", "a b", ["a b"], 0.0, id="equal"),
    pytest.param("ser", "a b", ["x", "a b"], 0.0, id="any reference will do"),
    pytest.param("ser", "", ["a", ""], 0.0, id="empty output, empty reference"),
    pytest.param("ser", "a b", ["b a"], 100.0, id="other order"),
    pytest.param("ser", "a b", ["a b c"], 100.0, id="beginning of the reference"),
    pytest.param("ser:tok=13a", "a.", ["a ."], 0.0, id="after tokenisation"),
    pytest.param("cer:case=lower", "AB", ["ab"], 0.0, id="cer: lower case"),
    pytest.param("cer:norm=output", "abcd", ["ab"], 50.0, id="per output character"),
    pytest.param(
        "cer:unit=grapheme", "e\u0301a", ["ea"], 50.0, id="letter with accent"
    ),
    pytest.param("cer:unit=grapheme", FAMILY, ["x"], 100.0, id="one grapheme"),
    pytest.param("cer:unit=grapheme", " a\n", ["a"], 0.0, id="no blanks at the ends"),
    pytest.param("cer:unit=grapheme", "a\r\nb", ["ab"], 50.0, id="CR LF is a grapheme"),
    pytest.param(
        "cer:unit=grapheme", "\u1100\u1161\u11a8", ["\uac01"], 100.0, id="Hangul"
    ),
]


@pytest.mark.seed("3.11")
@pytest.mark.parametrize(("spec", "hyp", "refs", "expected"), CASES)
def test_segment(spec, hyp, refs, expected):
    assert metra.metric(spec).sentence(hyp, refs) == pytest.approx(expected, abs=1e-9)


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


def test_edits_against_output_words():
    metric = metra.metric("wer:norm=output")
    assert metric.sentence("a b c d", ["a x"]) == pytest.approx(75.0)
    assert metric.sentence("", ["a b"]) == 200.0


LECTURE = (  # Federico 2008: the output, its first reference, and how the slide aligns them
    "it is a guide to action which ensures that the military always obeys the commands of the "
    "party",
    "it is a guide to action that ensures that the military will forever heed party commands",
    (
        "it is a guide to action which ensures that the military always obeys the - commands "
        "of the party",
        "it is a guide to action that ensures that the military will forever heed party "
        "commands - - -",
    ),
)


@pytest.mark.seed("3.8", prints="4 substitutions + 1 deletion + 3 insertions = 8")
@pytest.mark.seed("3.9", prints=r"\frac{8}{18} = 0.44")
def test_the_example_of_the_lecture():
    hyp, ref, (above, below) = LECTURE
    result = metra.score([hyp], [[ref]], "wer:norm=output,tok=none")
    ours = [result.parts[name] for name in ("substitutions", "insertions", "deletions")]
    assert len(hyp.split()) == 18
    assert sum(ours) == 8
    assert round(result.score / 100, 2) == 0.44
    assert result.score == pytest.approx(100 * 8 / 18)
    # The slide's alignment costs as much: 4 substitutions, 1 deletion and 3 insertions. Ours
    # has the fewest insertions and deletions that the lengths allow.
    pairs = [*zip(above.split(), below.split(), strict=True)]
    assert [one for one, _ in pairs if one != "-"] == hyp.split()
    assert [other for _, other in pairs if other != "-"] == ref.split()
    slide = (
        sum(one != other and "-" not in (one, other) for one, other in pairs),
        sum(one == "-" for one, _ in pairs),
        sum(other == "-" for _, other in pairs),
    )
    assert slide == (4, 1, 3)
    assert ours == [6, 2, 0]


def count_ours(hyp, ref):
    """Substitutions, insertions, deletions, hits of our alignment."""
    grid = np.array(fill_edit_table(hyp, ref))
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
    counted = [count_ours(hyp, ref) for ref in refs]
    keys = {
        "best": lambda at: (sum(counted[at][:3]), -len(refs[at])),
        "best-rate": lambda at: sum(counted[at][:3]) / max(len(refs[at]), 1),
    }
    best = min(range(len(refs)), key=keys.get(choice, keys["best"]))
    average = sum(map(len, refs)) / len(refs)
    return [*counted[best], average if choice == "average-length" else len(refs[best])]


WORDS = st.lists(st.sampled_from("abcde"), max_size=80)
SENTENCES = st.one_of(st.text(), WORDS.map(" ".join))


@pytest.mark.seed("2.1")
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


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_per_equals_the_plain_definition(hyp, refs):
    def rate(ref):
        matches = (Counter(hyp) & Counter(ref)).total()
        return 100 * (max(len(hyp), len(ref)) - matches) / max(len(ref), 1)

    segment = " ".join(hyp), [" ".join(ref) for ref in refs]
    per = metra.metric("per").sentence(*segment)
    assert per == pytest.approx(min(map(rate, refs)))
    assert per <= metra.metric("wer").sentence(*segment) + 1e-9


@pytest.mark.seed("2.2")
@settings(deadline=None)
@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4))
@example([("a b", "b a")])
def test_equals_jiwer_on_any_text_with_plain_blanks(pairs):
    hyps, refs = (
        [" ".join(text.split()) for text in side] for side in zip(*pairs, strict=True)
    )
    score = metra.score(hyps, [refs], "wer").score
    assert score / 100 == pytest.approx(jiwer.wer(refs, hyps), abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_cer_equals_jiwer_on_any_text(pairs):
    hyps, refs = (list(side) for side in zip(*pairs, strict=True))
    expected = jiwer.process_characters(refs, hyps)
    result = metra.score(hyps, [refs], "cer")
    assert result.score == pytest.approx(100 * expected.cer, rel=1e-12)
    edits = expected.substitutions + expected.insertions + expected.deletions
    assert result.total[:3].sum() == edits


@pytest.mark.parametrize("words", [1500, 2600, 4100])
def test_long_texts_equal_jiwer(words):
    rng = random.Random(words)
    ref = [str(rng.randrange(40)) for _ in range(words)]
    hyp = [w if rng.random() > 0.3 else "x" for w in ref if rng.random() > 0.2]
    for at in range(0, len(hyp) - 1, 5):
        hyp[at : at + 2] = hyp[at + 1], hyp[at]
    theirs = jiwer.process_words(" ".join(ref), " ".join(hyp))
    row = metra.metric("wer").rows(metra.Batch([" ".join(hyp)], [[" ".join(ref)]]))[0]
    kinds = ("substitutions", "insertions", "deletions")
    assert row[:3].sum() == sum(getattr(theirs, kind) for kind in kinds)


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
