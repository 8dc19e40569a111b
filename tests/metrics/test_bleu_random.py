"""Ten thousand small random corpora, scored by us and by sacreBLEU 2.6.0."""

import random
import unicodedata

import pytest
from sacrebleu.metrics import BLEU

import metra

# sacreBLEU lower-cases with the running Python's Unicode tables and ours are newer, so
# only characters that Python knows are drawn. U+0295 changed its class in Unicode 16:
# whether a capital sigma beside it is the last letter of a word depends on that.
ASSIGNED = [
    character
    for character in map(chr, range(0x110000))
    if unicodedata.category(character) not in ("Cn", "Cs", "Co")
    and character != "\u0295"
]
# Where tokenisers differ: marks between digits, white space of all kinds, entities,
# letters whose lower case is longer or depends on the next letter, what is almost ASCII.
PIECES = [
    *"aab  5671.,.,--\n\t&<>'\"!$%/()_é中文。…«»€½٣·ー，．－",
    *"\u00a0\u3000\u2028\u0085\x1c\x1f\u200b\u2001\u2a6d\u20000𠀀ﬀİΣςßǅ\u0301\ufe25😀",
    *["&amp;", "&lt;", "&quot;", "&gt;", "<skipped>", "-\n", "5.", "..", ",5", "5-"],
    *["the", " the", " cat", " the cat", " ΟΔΟΣ ", " don't", " U.S. "],
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_corpora(seed):
    draw = random.Random(seed)
    for _ in range(1000):
        segments = draw.randrange(1, 4)
        hyps = [text(draw) for _ in range(segments)]
        refs = references(draw, hyps)
        options = {
            "tok": draw.choice(["none", "char", "13a", "intl", "zh"]),
            "case": draw.choice(["mixed", "lower"]),
            "smooth": draw.choice(["exp", "floor", "add-k", "none"]),
            "eff": draw.choice(["yes", "no"]),
            "n": draw.choice([1, 2, 4, 4, 4, 6]),
        }
        value = draw.choice([None, None, 0.25, 2.0])
        if value is not None and options["smooth"] in ("floor", "add-k"):
            options["smooth_value"] = value
        spec = "bleu:" + ",".join(f"{key}={entry}" for key, entry in options.items())
        theirs = BLEU(
            lowercase=options["case"] == "lower",
            force=True,
            tokenize=options["tok"],
            smooth_method=options["smooth"],
            smooth_value=options.get("smooth_value"),
            max_ngram_order=options["n"],
            effective_order=options["eff"] == "yes",
        ).corpus_score(hyps, refs)
        segments = list(zip(*refs, strict=True))
        result = metra.score(hyps, metric=spec, refs_per_segment=segments)
        parts = result.parts
        case = (spec, hyps, refs)
        assert result.score == pytest.approx(theirs.score, abs=1e-9), case
        assert (parts["hyp_len"], parts["ref_len"]) == (
            theirs.sys_len,
            theirs.ref_len,
        ), case
        # Where add-k is used, sacreBLEU has added k to its counts by now.
        if options["smooth"] != "add-k":
            assert parts["counts"] == theirs.counts, case
            assert parts["totals"] == theirs.totals, case
        assert parts["precisions"] == pytest.approx(theirs.precisions, abs=1e-9), case
        assert parts["bp"] == pytest.approx(theirs.bp, abs=1e-12), case


def text(draw: random.Random) -> str:
    return "".join(
        draw.choice(PIECES if draw.random() < 0.9 else ASSIGNED)
        for _ in range(draw.randrange(16))
    )


def references(draw: random.Random, hyps: list[str]) -> list[list[str | None]]:
    """One to four streams, some of them like the outputs, some with holes."""

    def reference(hyp: str) -> str:
        cut = draw.randrange(len(hyp) + 1)
        return draw.choice(
            [hyp, hyp[:cut] + text(draw), text(draw) + hyp[cut:], text(draw)]
        )

    whole = [reference(hyp) for hyp in hyps]
    others = [
        [None if draw.random() < 0.3 else reference(hyp) for hyp in hyps]
        for _ in range(draw.randrange(4))
    ]
    # sacreBLEU looks at the first reference's type only, so that one is there.
    return [whole, *others]
