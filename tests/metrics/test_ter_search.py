"""TER's search for shifts against a plain twin of it, and against sacreBLEU's own."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from metra import _core

LONGEST, FARTHEST, ENOUGH = 10, 50, 1000


def kernel(output, reference, style="sacrebleu"):
    """Insertions, deletions, substitutions and shifts, from the kernel."""
    hits = _core.Hits(_core.Tokens([output]), [_core.Tokens([reference])])
    return _core.ter_rows(hits, style)[0].astype(int).tolist()[:4]


def twin(output, reference, style="sacrebleu"):
    """The same, by trying every shift with a whole matrix; for sentences of a few words."""
    if not reference:
        return [len(output), 0, 0, 0]
    shifts = tried = 0
    while True:
        distance, steps = edit_path(output, reference)
        find = sacrebleu_shifts if style == "sacrebleu" else tercom_shifts
        found = list(find(output, reference, steps))
        tried += len(found)
        if style == "sacrebleu" and tried >= ENOUGH:
            break
        best = None
        for order, (start, length, target, turned) in enumerate(found):
            gain = distance - edit_path(turned, reference)[0]
            last = target if style == "sacrebleu" else order
            rank = (-gain, -length, start, last)
            if gain > 0 and (best is None or rank < best[0]):
                best = rank, turned
        if best is None:
            break
        output = best[1]
        shifts += 1
    return [steps.count("I"), steps.count("D"), steps.count("S"), shifts]


def edit_path(output, reference):
    """Distance and steps; of equally cheap ones a diagonal step is kept, else an insertion."""
    rows = [[(column, "D") for column in range(len(reference) + 1)]]
    for at, word in enumerate(output):
        row = [(at + 1, "I")]
        for column, other in enumerate(reference):
            diagonal = (rows[at][column][0] + (word != other), "=S"[word != other])
            insertion = (rows[at][column + 1][0] + 1, "I")
            deletion = (row[column][0] + 1, "D")
            row.append(min(diagonal, insertion, deletion, key=lambda cell: cell[0]))
        rows.append(row)
    i, j, steps = len(output), len(reference), ""
    while i or j:
        step = rows[i][j][1]
        steps = step + steps
        i -= step != "D"
        j -= step != "I"
    return rows[-1][-1][0], steps


def walked(steps):
    """For each reference word the last output word by then, and both sides' errors."""
    aligned, output_wrong, reference_wrong = [], [], []
    for step in steps:
        if step != "D":
            output_wrong.append(step != "=")
        if step != "I":
            reference_wrong.append(step != "=")
            aligned.append(len(output_wrong) - 1)
    return aligned, output_wrong, reference_wrong


def sacrebleu_shifts(output, reference, steps):
    """Start, length, target and the shifted words, as sacreBLEU tries them."""
    aligned, output_wrong, reference_wrong = walked(steps)
    for start in range(len(output)):
        for place in range(len(reference)):
            for length in range(1, LONGEST + 1):
                block = output[start : start + length]
                if len(block) < length or block != reference[place : place + length]:
                    break
                if (
                    abs(place - start) > FARTHEST
                    or not any(output_wrong[start : start + length])
                    or not any(reference_wrong[place : place + length])
                    or start <= aligned[place] < start + length
                ):
                    continue
                marks = ([-1, *aligned])[place : place + length + 1]
                for target in sorted({mark + 1 for mark in marks}):
                    turned = shifted(output, start, length, target, target - start)
                    yield start, length, target, turned


def tercom_shifts(output, reference, steps):
    """Start, length, target and the shifted words, as TERCOM tries them."""
    aligned, output_wrong, reference_wrong = walked(steps)
    for start in range(len(output)):
        for length in range(1, LONGEST + 1):
            block = output[start : start + length]
            places = [
                place
                for place in range(len(reference) - length + 1)
                if reference[place : place + length] == block
            ]
            if len(block) < length or not places:
                break
            if length == 1 and all(
                aligned[place] == start
                or aligned[place] - start > FARTHEST
                or start - aligned[place] - 1 > FARTHEST
                for place in places
            ):
                break
            if not any(output_wrong[start : start + length]):
                continue
            places = [
                place
                for place in places
                if not start <= aligned[place] < start + length
                and abs(aligned[place] - start) <= FARTHEST
            ]
            if not places:
                break
            for place in places:
                if not any(reference_wrong[place : place + length]):
                    continue
                for offset in range(-1, length):
                    at = -1 if place + offset < 0 else aligned[place + offset]
                    if place + offset < 0 or (
                        at != start and (offset == 0 or at != aligned[place])
                    ):
                        turned = shifted(output, start, length, at + 1, at - start)
                        yield start, length, at + 1, turned


def shifted(words, start, length, target, further):
    """Move words to before `target`; from within themselves, so many words further."""
    end = start + length
    block = words[start:end]
    if target < start:
        return words[:target] + block + words[target:start] + words[end:]
    if target <= end:
        target = end + max(further, 0)
    return words[:start] + words[end:target] + block + words[target:]


@st.composite
def sentences(draw, longest=14):
    """Two sentences of few types, or one with blocks of it moved about."""
    types = draw(st.integers(1, 8))
    words = st.lists(st.sampled_from("abcdefgh"[:types]), max_size=longest)
    reference = draw(words)
    if draw(st.booleans()):
        return draw(words), reference
    output = list(reference)
    for _ in range(draw(st.integers(0, 3))):
        start, end, target = (draw(st.integers(0, len(output))) for _ in range(3))
        block = output[start:end]
        del output[start:end]
        output[target:target] = block
    return output, reference


@pytest.mark.parametrize("style", ["sacrebleu", "tercom"])
@settings(max_examples=300, deadline=None)
@given(pair=sentences())
@example(pair=(list("caccb"), list("bccac"))).via("a shift to within the shifted words")
def test_kernel_equals_its_plain_twin(style, pair):
    assert kernel(*pair, style) == twin(*pair, style)


@settings(max_examples=300, deadline=None)
@given(pair=sentences(longest=22))
def test_kernel_equals_sacrebleu(pair):
    output, reference = pair
    assert sum(kernel(output, reference)) == translation_edit_rate(output, reference)[0]


SHORT = (10, 44, 50, 48, 37)
LONG = (
    *(8, 34, 35, 0, 41, 53, 30, 19, 52, 16, 50, 0, 48, 29, 14, 16, 44, 5, 34, 16),
    *(1, 39, 59, 26, 9, 11, 39, 14, 10, 20, 35, 10, 38, 24, 31, 6, 19, 0, 27, 25),
    *(46, 36, 53, 34, 6, 12, 10, 43, 44, 58, 36, 2, 56, 50, 37, 22, 13, 20, 30, 29),
)


def long_pairs():
    """Pairs in which the band, the cap or the distance of shifts decide."""
    rng = random.Random(1)

    def words(count, types):
        return [str(rng.randrange(types)) for _ in range(count)]

    first, second = words(40, 30), words(45, 30)
    yield pytest.param(
        first + second, second + first, id="halves exchanged, off the band"
    )
    yield pytest.param(
        words(30, 4), words(34, 4), id="few types, the cap of 1000 shifts"
    )
    yield pytest.param(words(5, 60), words(60, 60), id="reference much longer")
    yield pytest.param(words(60, 60), words(5, 60), id="output much longer")
    yield pytest.param(words(2, 9), words(130, 9), id="more than fifty times as long")
    block, rest = words(6, 500), words(58, 500)
    yield pytest.param(rest + block, block + rest, id="too far to be shifted")
    yield pytest.param(words(70, 200), words(66, 200), id="two machine words")
    long = words(140, 900)
    turned = long[20:50] + long[:20] + long[90:110] + long[50:90] + long[112:]
    yield pytest.param(turned, long, id="three machine words")
    yield pytest.param(
        [str(word) for word in SHORT],
        [str(word) for word in LONG],
        id="a shift gains more than its words, by the band",
    )


@pytest.mark.parametrize(("output", "reference"), list(long_pairs()))
def test_long_sentences_equal_sacrebleu(output, reference):
    assert sum(kernel(output, reference)) == translation_edit_rate(output, reference)[0]


def test_easiest_reference():
    references = [_core.Tokens([words.split()]) for words in ("x y", "a b", "b a")]
    hits = _core.Hits(_core.Tokens([["a", "b"]]), references)
    assert list(_core.ter_rows(hits, "sacrebleu")[0]) == [0, 0, 0, 0, 2]


@pytest.mark.parametrize(
    ("words", "row"),
    [
        pytest.param([], [1, 0, 0, 0, 0], id="empty reference"),
        pytest.param(None, [0, 0, 0, 0, 0], id="no reference"),
    ],
)
@pytest.mark.parametrize("style", ["sacrebleu", "tercom"])
def test_nothing_to_align_with(style, words, row):
    hits = _core.Hits(_core.Tokens([["a"]]), [_core.Tokens([words])])
    assert list(_core.ter_rows(hits, style)[0]) == row
