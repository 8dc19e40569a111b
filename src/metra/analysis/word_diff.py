"""Two outputs of a segment word by word: what stayed, what changed, what the reference has.

Words are those that a metric compares, each with its place in the text as it was written.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Literal, TypeAlias

from metra.metrics.record import Metric
from metra.text.columns import pack
from metra.text.diff import pair_common_words
from metra.text.preparation import Preparation, prepare
from metra.text.words import find_pieces

# What an unknown metric, or one that compares no words, is shown with.
PLAIN = Preparation("13a", "mixed", "no")

_WHITE = re.compile(r"\s*")
# How far from its neighbour a word is looked for that the tokeniser has rewritten.
_NEAR = 64


@dataclass(frozen=True, slots=True)
class DiffWord:
    """A word, by what it is compared, and where it stands in the text."""

    key: str
    start: int
    stop: int


def get_preparation(metric: Metric) -> Preparation:
    """Find how a metric cuts, folds and stems text, as far as it does."""
    options = metric.options
    chosen = Preparation(
        str(options.get("tok", PLAIN.tok)),
        str(options.get("case", PLAIN.case)),
        str(options.get("stem", PLAIN.stem)),
    )
    return chosen if chosen.case in ("mixed", "lower") else PLAIN


def split_texts(texts: Sequence[str], preparation: Preparation) -> list[list[DiffWord]]:
    """Cut texts into words; between the words of a text there is nothing but white space."""
    packed = pack(list(texts), "the text")
    written = prepare(packed, Preparation(preparation.tok, "mixed", "no"))
    compared = prepare(packed, preparation)
    return [
        list(_split_words(text, written[at] or [], compared[at] or [], preparation))
        for at, text in enumerate(texts)
    ]


def _split_words(
    text: str, written: Sequence[str], compared: Sequence[str], preparation: Preparation
) -> Iterator[DiffWord]:
    if len(written) != len(compared):  # folding case first has changed the cuts
        compared = [token.lower() for token in written]
    for first, last, start, stop in _locate_tokens(text, written):
        pieces = find_pieces(text[start:stop]) if last - first == 1 else []
        if len(pieces) < 2:
            yield DiffWord(" ".join(compared[first:last]), start, stop)
            continue
        # Of scripts without blanks every letter is a word, unless the tokeniser has cut words.
        for piece_start, piece_end in pieces:
            piece = text[start + piece_start : start + piece_end]
            key = piece.lower() if preparation.case == "lower" else piece
            yield DiffWord(key, start + piece_start, start + piece_end)


def _locate_tokens(
    text: str, tokens: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Find the tokens in the text: first token, token after the last, start, stop.

    Tokens that the text writes in another way (entities, marks of subwords) are taken
    together with what stands where they should be.
    """
    at = _WHITE.match(text).end()  # type: ignore[union-attr]  # it always matches
    waiting = 0
    for index, token in enumerate(tokens):
        token = token.strip("\u2581")
        if not token:
            continue
        first = index - waiting
        reach = at + len(token) + _NEAR * waiting
        start = at if text.startswith(token, at) else -1
        if start < 0 and waiting:
            start = text.find(token, at, reach)
        if start < 0:
            waiting += 1
            continue
        if waiting and start > at:
            yield first, index, at, at + len(text[at:start].rstrip())
        stop = start + len(token)
        yield index if start > at else first, index + 1, start, stop
        waiting = 0
        at = _WHITE.match(text, stop).end()  # type: ignore[union-attr]
    end = len(text.rstrip())
    if at < end:
        yield len(tokens) - waiting, len(tokens), at, end


Kind: TypeAlias = Literal["kept", "changed", "deleted", "inserted"]
#: The share of common words from which on two outputs are compared word by word.
SIMILAR = 0.2


@dataclass(frozen=True, slots=True)
class OutputPiece:
    """Neighbouring words of an output that share a fate, exactly as they were written.

    `kept` words stand in both outputs. `changed` words stand where the other output has
    different ones; `deleted` words (of the first output) and `inserted` words (of the
    second) stand where the other has none.
    """

    text: str
    #: The white space after it; all texts and spaces joined are the output.
    space: str
    kind: Kind
    #: Whether a reference has these words too, each as often as the output uses it.
    in_reference: bool


@dataclass(frozen=True, slots=True)
class WordDiff:
    """A segment before and after, against its references.

    White space at the very start of a text is a piece of its own with an empty `text`.
    """

    before: Sequence[OutputPiece]
    after: Sequence[OutputPiece]
    #: False where the texts were too long to find the most words in common.
    exact: bool


def diff_words(
    before: str,
    after: str,
    references: Sequence[str | None] = (),
    preparation: Preparation = PLAIN,
) -> WordDiff:
    """Compare two outputs with each other and with their references.

    Words are those of the preparation; in scripts without blanks they are letters. Outputs
    that share less than a fifth of their words are changed as a whole: the few commas and
    articles that they have in common would only cut them into shreds.

    >>> diff = diff_words("a big cat", "a cat sat", ["the cat sat"])
    >>> [(piece.text, piece.kind, piece.in_reference) for piece in diff.after]
    [('a', 'kept', False), ('cat', 'kept', True), ('sat', 'inserted', True)]
    """
    texts = [before, after, *(ref for ref in references if ref is not None)]
    cut = split_texts(texts, preparation)
    keys = [[word.key for word in words] for words in cut]
    pairs, exact = pair_common_words(keys[0], keys[1])
    longer = max(len(keys[0]), len(keys[1]))
    if len(pairs) < SIMILAR * longer:
        pairs = []
    kinds = _classify_words(pairs, len(keys[0]), len(keys[1]))
    sides = []
    for side in (0, 1):
        marks, is_exact = _mark_reference_words(keys[side], keys[2:])
        exact &= is_exact
        labels = list(zip(kinds[side], marks, strict=True))
        sides.append(list(_join_pieces(texts[side], cut[side], labels)))
    return WordDiff(before=sides[0], after=sides[1], exact=exact)


def _mark_reference_words(
    words: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[list[bool], bool]:
    """Mark the words that a reference has, each as often as the reference with the most.

    Words that stand in the same order as in the nearest reference come first. The answer
    is exact unless the texts are too long.
    """
    counts: Counter[str] = Counter()
    nearest: set[int] = set()
    exact = True
    for reference in references:
        counts |= Counter(reference)
        pairs, is_exact = pair_common_words(words, reference)
        exact &= is_exact
        nearest = max(nearest, {at for at, _ in pairs}, key=len)
    marks = [False] * len(words)
    for at in sorted(range(len(words)), key=lambda at: at not in nearest):
        marks[at] = counts[words[at]] > 0
        counts[words[at]] -= marks[at]
    return marks, exact


def _classify_words(
    pairs: Sequence[tuple[int, int]], before: int, after: int
) -> tuple[list[Kind], list[Kind]]:
    one: list[Kind] = []
    other: list[Kind] = []
    for (i, j), (i_next, j_next) in pairwise([(-1, -1), *pairs, (before, after)]):
        gone, come = i_next - i - 1, j_next - j - 1
        was: Kind = "changed" if come else "deleted"
        now: Kind = "changed" if gone else "inserted"
        one += [*repeat(was, gone), "kept"]
        other += [*repeat(now, come), "kept"]
    return one[:-1], other[:-1]


def _join_pieces(
    text: str, words: Sequence[DiffWord], labels: Sequence[tuple[Kind, bool]]
) -> Iterator[OutputPiece]:
    """Join neighbours with the same label; all pieces and spaces together are the text."""
    starts = [at for at in range(len(words)) if not at or labels[at] != labels[at - 1]]
    begin = words[0].start if words else len(text)
    if begin:
        yield OutputPiece("", text[:begin], "kept", False)
    for first, following in pairwise([*starts, len(words)]):
        start, stop = words[first].start, words[following - 1].stop
        end = words[following].start if following < len(words) else len(text)
        yield OutputPiece(text[start:stop], text[stop:end], *labels[first])
