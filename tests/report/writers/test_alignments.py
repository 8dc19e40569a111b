"""Alignments in the terminal: three lines that stay in step, whatever is in the text."""

import json
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


def aligned(hyp, refs, spec="wer"):
    corpus = Outputs(metra.EvalSet(refs_per_segment=[refs]), {"sys": [hyp]})
    return evaluate_corpus(
        corpus, make_metrics([spec]), EvaluationOptions(alignments=True)
    )


def blocks(hyp, refs, spec="wer", **style):
    return list(render_alignments(aligned(hyp, refs, spec), Style(**style)))


CASES = [
    pytest.param(
        "gtm:e=2",
        "b c x d",
        "a d b c",
        "sys, segment 1, gtm:e=2\n2 runs, 0 capped runs, 1 insertion, 1 deletion; "
        "reference words in the output's order\n"
        "REF  a b c * d\nHYP  * b c x d\n     D     I",
        id="words that change places",
    ),
    pytest.param(
        "wer",
        "a big cat on mat",
        "the cat on the mat",
        "sys, segment 1, wer\n1 substitution, 1 insertion, 1 deletion, 3 hits\n"
        "REF  * the cat on the mat\nHYP  a big cat on *** mat\n     I S          D",
        id="all kinds",
    ),
    pytest.param(
        "wer",
        "a b",
        "a b",
        "sys, segment 1, wer\n0 substitutions, 0 insertions, 0 deletions, 2 hits\n"
        "REF  a b\nHYP  a b",
        id="no letters where nothing is wrong",
    ),
    pytest.param(
        "wer",
        "我 喜欢 x",
        "我 爱 北京",
        "sys, segment 1, wer\n2 substitutions, 0 insertions, 0 deletions, 1 hit\n"
        "REF  我 爱   北京\nHYP  我 喜欢 x\n        S    S",
        id="wide characters",
    ),
    pytest.param(
        "cer",
        "the coat",
        "the ct",
        "sys, segment 1, cer\n0 substitutions, 2 insertions, 0 deletions, 6 hits\n"
        "REF  the c**t\nHYP  the coat\n          II",
        id="characters stand close",
    ),
    pytest.param(
        "wer",
        "",
        "",
        "sys, segment 1, wer\n0 substitutions, 0 insertions, 0 deletions, 0 hits\n"
        "both sides are empty",
        id="nothing to align",
    ),
    pytest.param(
        "wer",
        "",
        "a bc",
        "sys, segment 1, wer\n0 substitutions, 0 insertions, 2 deletions, 0 hits\n"
        "REF  a bc\nHYP  * **\n     D D",
        id="empty output",
    ),
]


@pytest.mark.parametrize(("spec", "hyp", "ref", "expected"), CASES)
def test_block(spec, hyp, ref, expected):
    assert blocks(hyp, [ref], spec) == [expected]


def test_every_reference_with_its_counts():
    first, second = blocks("a b c", ["a", "a x c"])
    assert first.split("\n")[:2] == [
        "sys, segment 1, wer",
        "reference 1 of 2: 0 substitutions, 2 insertions, 0 deletions, 1 hit",
    ]
    assert second.split("\n")[0] == (
        "reference 2 of 2, chosen: 1 substitution, 0 insertions, 0 deletions, 2 hits"
    )


def test_long_lines_are_wrapped():
    (block,) = blocks("aa bb cc dd ee f", ["aa bb cc xx ee f"], width=20)
    assert block.split("\n")[2:] == [
        "REF  aa bb cc xx ee",
        "HYP  aa bb cc dd ee",
        "              S",
        "",
        "REF  f",
        "HYP  f",
    ]


def test_long_words_go_on_in_the_next_line():
    (block,) = blocks("a", ["x" * 20], width=20)
    assert block.split("\n")[2:] == [
        "REF  " + 15 * "x",
        "HYP  a",
        "     S",
        "",
        "REF  " + 5 * "x",
        "HYP",
    ]


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


def test_json():
    results = aligned("a b", ["a x", "c"])
    (system,) = json.loads(render(results, "json", Style()))["systems"]
    assert system["alignments"] == {
        "wer": [
            {
                "segment": 1,
                "references": [
                    {
                        "reference": 1,
                        "chosen": True,
                        "unit": "word",
                        "counts": {
                            "substitution": 1,
                            "insertion": 0,
                            "deletion": 0,
                            "hit": 1,
                        },
                        "hyp": ["a", "b"],
                        "ref": ["a", "x"],
                        "links": [
                            {"kind": "hit", "hyp": [0, 1], "ref": [0, 1]},
                            {"kind": "substitution", "hyp": [1, 2], "ref": [1, 2]},
                        ],
                    },
                    {
                        "reference": 2,
                        "chosen": False,
                        "unit": "word",
                        "counts": {
                            "substitution": 1,
                            "insertion": 1,
                            "deletion": 0,
                            "hit": 0,
                        },
                        "hyp": ["a", "b"],
                        "ref": ["c"],
                        "links": [
                            {"kind": "insertion", "hyp": [0, 1], "ref": [0, 0]},
                            {"kind": "substitution", "hyp": [1, 2], "ref": [0, 1]},
                        ],
                    },
                ],
            }
        ]
    }


def test_json_without_alignments_has_no_such_key():
    corpus = Outputs(metra.EvalSet([["a"]]), {"sys": ["a"]})
    results = evaluate_corpus(corpus, make_metrics(["wer"]), EvaluationOptions())
    assert (
        "alignments" not in json.loads(render(results, "json", Style()))["systems"][0]
    )
