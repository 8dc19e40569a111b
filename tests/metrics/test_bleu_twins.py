"""BLEU against a slow, plain implementation of its definition, on random text."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import Stemmer
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import _get_tokenizer
from tests.textbook import count_ngrams

import metra
from metra.corpus.batch import Batch

Words = Sequence[str]


def twin_row(hyp: Words, refs: Sequence[Words], n: int, ref_len: str) -> list[float]:
    """Clipped matches and n-grams of each order, then the lengths, counted one by one."""
    matches, totals = [], []
    for order in range(1, n + 1):
        grams = count_ngrams(hyp, order)
        clip = Counter()
        for ref in refs:
            clip |= count_ngrams(ref, order)
        matches.append((grams & clip).total())
        totals.append(grams.total())
    lengths = [len(ref) for ref in refs]
    if ref_len == "closest":
        length = min(lengths, key=lambda found: (abs(found - len(hyp)), found))
    elif ref_len == "shortest":
        length = min(lengths)
    else:
        length = float(Fraction(sum(lengths), len(lengths)))
    return [*matches, *totals, len(hyp), length]


def twin_score(
    row: Sequence[float], n: int, smooth: str, value: float, average: str, short: str
) -> float:
    """BLEU from one row; `short` says what an order without n-grams does."""
    matches, totals = list(row[:n]), list(row[n : 2 * n])
    hyp_len, ref_len = row[2 * n :]
    if not any(matches) and short != "mteval":
        return 0.0
    precisions = []
    zeros = 0
    for order in range(n):
        more = value if smooth == "add-k" and order > 0 else 0
        count, whole = matches[order] + more, totals[order] + more
        if whole == 0:
            if short == "effective":
                break
            precisions.append(1.0 if short == "mteval" and smooth != "none" else 0.0)
        elif count > 0:
            precisions.append(count / whole)
        elif smooth == "exp":
            zeros += 1
            precisions.append(0.5**zeros / whole)
        else:
            precisions.append(value / whole if smooth == "floor" else 0.0)
    if hyp_len == 0:
        return 0.0
    penalty = min(1.0, math.exp(1 - ref_len / hyp_len))
    if average == "arithmetic":
        return 100 * penalty * sum(precisions) / len(precisions)
    if 0 in precisions:
        return 0.0
    return 100 * penalty * math.exp(sum(map(math.log, precisions)) / len(precisions))


def sentence(length: int, types: int, seed: int) -> list[str]:
    """Words drawn from a small vocabulary, so that they repeat; long ones among them."""
    draw = random.Random(seed)
    words = ["w", "ein", "langeswortvonmehralssechzehnbytes", "é", "中", "no\u0301"]
    return [f"{draw.choice(words)}{draw.randrange(types)}" for _ in range(length)]


EDGES = [0, 1, 2, 3, 4, 5, 31, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 1500]
sentences = st.builds(
    sentence,
    st.one_of(st.integers(0, 80), st.sampled_from(EDGES)),
    st.sampled_from([1, 2, 5, 40]),
    st.integers(0, 10**6),
)


@pytest.mark.seed("3.15")
@pytest.mark.seed("5.9")
@settings(max_examples=300)
@given(
    hyp=sentences,
    refs=st.lists(st.one_of(st.none(), sentences), min_size=1, max_size=4).filter(
        lambda refs: any(ref is not None for ref in refs)
    ),
    n=st.integers(1, 7),
    ref_len=st.sampled_from(["closest", "shortest", "average"]),
)
@example(hyp=["a"] * 1100, refs=[["a"] * 1030, None], n=4, ref_len="closest")
@example(hyp=["a"] * 70, refs=[["a"] * 64], n=4, ref_len="closest")
@example(hyp=["a", "b"] * 40, refs=[["b", "a"] * 33, ["a"]], n=5, ref_len="average")
def test_counts(hyp, refs, n, ref_len):
    metric = metra.metric(f"bleu:tok=none,n={n},ref_len={ref_len}")
    columns = [[None if ref is None else " ".join(ref)] for ref in refs]
    rows = metric.rows(Batch([" ".join(hyp)], columns))
    there = [ref for ref in refs if ref is not None]
    assert rows[0].tolist() == twin_row(hyp, there, n, ref_len)


@st.composite
def rows_of_counts(draw) -> tuple[int, list[float]]:
    """Totals as they can be: fewer n-grams the longer they are, no more matches than those."""
    n = draw(st.integers(1, 6))
    words = draw(st.one_of(st.integers(0, 8), st.integers(0, 10**6)))
    segments = draw(st.integers(1, 3))
    totals = [max(0, words - order * segments) for order in range(n)]
    matches = []
    for total in totals:
        most = min([total, *matches[-1:]])
        matches.append(draw(st.one_of(st.just(0), st.integers(0, most))))
    ref_len = draw(st.one_of(st.integers(0, 10), st.integers(0, 2 * words + 1)))
    return n, [*map(float, matches), *map(float, totals), float(words), float(ref_len)]


SHORT = {"zero": "eff=no", "effective": "eff=yes", "mteval": "style=mteval"}


@pytest.mark.seed("2.9")
@settings(max_examples=300)
@given(
    made=rows_of_counts(),
    smooth=st.sampled_from(["exp", "floor", "add-k", "none"]),
    value=st.sampled_from([None, 0.0, 0.01, 0.5, 1.0, 3.0]),
    average=st.sampled_from(["geometric", "arithmetic"]),
    short=st.sampled_from(list(SHORT)),
)
@example((4, [0.0] * 10), "exp", None, "geometric", "mteval")
@example((4, [0.0] * 9 + [3.0]), "exp", None, "geometric", "mteval")
@example((4, [1.0, 0, 0, 0, 1, 0, 0, 0, 1, 1]), "add-k", 0.0, "geometric", "effective")
def test_formula(made, smooth, value, average, short):
    n, row = made
    spec = f"bleu:n={n},smooth={smooth},average={average},{SHORT[short]}"
    if value is None:
        value = {"floor": 0.1, "add-k": 1.0}.get(smooth, 0.0)
    else:
        spec += f",smooth_value={value}"
    found = metra.metric(spec).aggregate(np.array(row))
    expected = twin_score(row, n, smooth, value, average, short)
    assert found == pytest.approx(expected, abs=1e-9)


# Letters of several scripts, marks that the tokenisers treat in their own ways, and all
# else that Unicode had assigned when the oldest Python we support was made: sacreBLEU
# lower-cases with Python's tables, and ours are newer. U+0295 is left out because its
# class has changed since: whether a sigma after it is final depends on that.
LETTERS = "aAbB1 5.,-–'\"%$&;<>()/\n\t\u00a0\u3000\u2028中。，𠀀ÉßİΣς٣½\u0301"
characters = st.one_of(
    st.sampled_from(LETTERS),
    st.characters(exclude_categories=["Cn", "Cs"], exclude_characters="\u0295"),
)
texts = st.lists(characters, max_size=30).map("".join)


@settings(max_examples=300)
@given(
    hyps=st.lists(texts, min_size=1, max_size=3),
    data=st.data(),
    tok=st.sampled_from(["none", "char", "13a", "intl", "zh"]),
    case=st.sampled_from(["mixed", "lower"]),
    stem=st.sampled_from(["no", "porter", "english", "german"]),
)
def test_from_text_to_score(hyps, data, tok, case, stem):
    streams = data.draw(
        st.lists(
            st.lists(
                st.one_of(texts, st.sampled_from(hyps), st.none()),
                min_size=len(hyps),
                max_size=len(hyps),
            ),
            max_size=3,
        )
    )
    refs = [[text + " 1 a" for text in hyps], *streams]

    def words(text: str) -> list[str]:
        cut = _get_tokenizer(tok)()
        found = cut((text.lower() if case == "lower" else text).rstrip()).split()
        return found if stem == "no" else Stemmer.Stemmer(stem).stemWords(found)

    result = metra.score(
        hyps,
        metric=f"bleu:tok={tok},case={case},stem={stem}",
        refs_per_segment=list(zip(*refs, strict=True)),
    )
    expected = [
        twin_row(
            words(hyp), [words(ref) for ref in given if ref is not None], 4, "closest"
        )
        for hyp, given in zip(hyps, zip(*refs, strict=True), strict=True)
    ]
    assert result.rows.tolist() == expected
    totals = np.sum(expected, axis=0)
    score = twin_score(totals, 4, "exp", 0, "geometric", "zero")
    assert result.score == pytest.approx(score, abs=1e-9)
    segments = [
        twin_score(row, 4, "exp", 0, "geometric", "effective") for row in expected
    ]
    assert result.segments == pytest.approx(segments, abs=1e-9)
