"""Alignments in the terminal: three lines that stay in step, whatever is in the text."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra
from metra.corpus.outputs import Outputs
from metra.report.table import Style
from metra.report.terminal import measure_width
from metra.report.writers.alignments import render_alignments
from metra.report.writers.results import render
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics


def aligned(hyp, refs, spec="wer", options=EvaluationOptions(alignments=True)):  # noqa: B008
    corpus = Outputs(metra.EvalSet(refs_per_segment=[refs]), {"sys": [hyp]})
    return evaluate_corpus(corpus, make_metrics([spec]), options)


def blocks(hyp, refs, spec="wer", **style):
    return list(render_alignments(aligned(hyp, refs, spec), Style(**style)))


CASES = {
    "words that change places": (
        ("b c x d", "a d b c", "gtm:e=2"),
        "2 runs, 0 capped runs, 1 insertion, 1 deletion; reference words in the output's "
        "order\nREF  a b c * d\nHYP  * b c x d\n     D     I",
    ),
    "all kinds": (
        ("a big cat on mat", "the cat on the mat", "wer"),
        "1 substitution, 1 insertion, 1 deletion, 3 hits\n"
        "REF  * the cat on the mat\nHYP  a big cat on *** mat\n     I S          D",
    ),
    "no letters where nothing is wrong": (
        ("a b", "a b", "wer"),
        "0 substitutions, 0 insertions, 0 deletions, 2 hits\nREF  a b\nHYP  a b",
    ),
    "wide characters": (
        ("我 喜欢 x", "我 爱 北京", "wer"),
        "2 substitutions, 0 insertions, 0 deletions, 1 hit\n"
        "REF  我 爱   北京\nHYP  我 喜欢 x\n        S    S",
    ),
    "characters stand close": (
        ("the coat", "the ct", "cer"),
        "0 substitutions, 2 insertions, 0 deletions, 6 hits\n"
        "REF  the c**t\nHYP  the coat\n          II",
    ),
    "nothing to align": (
        ("", "", "wer"),
        "0 substitutions, 0 insertions, 0 deletions, 0 hits\nboth sides are empty",
    ),
    "empty output": (
        ("", "a bc", "wer"),
        "0 substitutions, 0 insertions, 2 deletions, 0 hits\n"
        "REF  a bc\nHYP  * **\n     D D",
    ),
}


@pytest.mark.parametrize(("texts", "expected"), CASES.values(), ids=CASES)
def test_block(texts, expected):
    hyp, ref, spec = texts
    assert blocks(hyp, [ref], spec) == [f"sys, segment 1, {spec}\n{expected}"]


def test_every_reference_with_its_counts():
    first, second = blocks("a b c", ["a", "a x c"])
    assert first.split("\n")[:2] == [
        "sys, segment 1, wer",
        "reference 1 of 2: 0 substitutions, 2 insertions, 0 deletions, 1 hit",
    ]
    assert second.split("\n")[0] == (
        "reference 2 of 2, chosen: 1 substitution, 0 insertions, 0 deletions, 2 hits"
    )


@pytest.mark.parametrize(
    ("hyp", "ref", "expected"),
    [
        pytest.param(
            "aa bb cc dd ee f",
            "aa bb cc xx ee f",
            "REF  aa bb cc xx ee|HYP  aa bb cc dd ee|              S||REF  f|HYP  f",
            id="long lines are wrapped",
        ),
        pytest.param(
            "a",
            "x" * 20,
            f"REF  {15 * 'x'}|HYP  a|     S||REF  {5 * 'x'}|HYP",
            id="long words go on in the next line",
        ),
    ],
)
def test_what_does_not_fit_goes_on_below(hyp, ref, expected):
    (block,) = blocks(hyp, [ref], width=20)
    assert block.split("\n")[2:] == expected.split("|")


def test_colour_never_stands_alone():
    (plain,) = blocks("a b c d", ["x b d e"])
    (colored,) = blocks("a b c d", ["x b d e"], color=True)
    assert "\x1b[33mS\x1b[0m" in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == plain
    assert "\x1b" not in plain


def test_table_shows_alignments_last():
    text = render(aligned("a", ["b"]), "table", Style())
    assert text.endswith("\n\n" + "\n".join(blocks("a", ["b"])))


ANY = st.characters(codec="utf-8")
ODD = st.text(ANY | st.sampled_from("a \u05d0\u0301\u200d\U0001f468\x1b"))


@settings(deadline=None)
@given(ODD, ODD, st.sampled_from(["wer", "cer"]), st.integers(20, 60))
def test_any_text_stays_in_step(hyp, ref, spec, columns):
    (block,) = blocks(hyp, [ref], spec, width=columns)
    lines = block.split("\n")[2:]
    assert all(measure_width(line) <= columns for line in lines)
    for upper, lower in pairwise(lines):
        if upper.startswith("REF"):
            assert lower.startswith("HYP")
    spoken = set("\u200c\u200d\u200e\u200f\u061c\u2068\u2069")
    assert all(c.isprintable() or c in spoken for line in lines for c in line)


def test_letters_stand_under_their_words():
    (block,) = blocks("我 爱 b שלום d", ["x 爱 c עולם e"])
    ref, hyp, letters = block.split("\n")[2:]
    places = [at for at, letter in enumerate(letters) if letter == "S"]
    starts = []
    column = 0
    for c in hyp.replace("\u2068", "").replace("\u2069", ""):
        if column in places:
            starts.append(c)
        column += measure_width(c)
    assert starts == ["我", "b", "ש", "d"]
    assert measure_width(ref) == measure_width(hyp)
