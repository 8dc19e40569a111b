"""Words as a metric compares them, with the places in the text where they were written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import category

from metra.measure import Metric
from metra.text import Preparation, pack, prepare

# What an unknown metric, or one that compares no words, is shown with.
PLAIN = Preparation("13a", "mixed", "no")

# Scripts that are written without blanks between words: here every letter is a word of its
# own, unless the tokeniser has cut words itself.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
# Joiners, and the vowels of Thai and Lao that count as letters.
_ATTACHED = "\u200c\u200d\u0e33\u0eb3"
_WHITE = re.compile(r"\s*")
# How far from its neighbour a word is looked for that the tokeniser has rewritten.
_NEAR = 64


@dataclass(frozen=True, slots=True)
class Word:
    """A word, by what it is compared, and where it stands in the text."""

    key: str
    start: int
    stop: int


def preparation_of(metric: Metric) -> Preparation:
    """Find how a metric cuts, folds and stems text, as far as it does."""
    options = metric.options
    chosen = Preparation(
        str(options.get("tok", PLAIN.tok)),
        str(options.get("case", PLAIN.case)),
        str(options.get("stem", PLAIN.stem)),
    )
    return chosen if chosen.case in ("mixed", "lower") else PLAIN


def words_of(texts: Sequence[str], preparation: Preparation) -> list[list[Word]]:
    """Cut texts into words; between the words of a text there is nothing but white space."""
    packed = pack(list(texts), "the text")
    written = prepare(packed, Preparation(preparation.tok, "mixed", "no"))
    compared = prepare(packed, preparation)
    return [
        list(_words(text, written[at] or [], compared[at] or [], preparation))
        for at, text in enumerate(texts)
    ]


def _words(
    text: str, written: Sequence[str], compared: Sequence[str], preparation: Preparation
) -> Iterator[Word]:
    if len(written) != len(compared):  # folding case first has changed the cuts
        compared = [token.lower() for token in written]
    for first, last, start, stop in _places(text, written):
        key = " ".join(compared[first:last])
        if last - first == 1 and _UNSPACED.search(written[first]):
            yield from _letters(text, start, stop, preparation)
        else:
            yield Word(key, start, stop)


def _places(text: str, tokens: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Find the tokens in the text: first token, token after the last, start, stop.

    Tokens that are not written so in the text (entities, marks of subwords) are taken
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
        found = at if text.startswith(token, at) else -1
        if found < 0 and waiting:
            found = text.find(token, at, reach)
        if found < 0:
            waiting += 1
            continue
        if waiting and found > at:
            yield first, index, at, at + len(text[at:found].rstrip())
        stop = found + len(token)
        yield index if found > at else first, index + 1, found, stop
        waiting = 0
        at = _WHITE.match(text, stop).end()  # type: ignore[union-attr]
    end = len(text.rstrip())
    if at < end:
        yield len(tokens) - waiting, len(tokens), at, end


def _letters(
    text: str, start: int, stop: int, preparation: Preparation
) -> Iterator[Word]:
    """Cut a word of an unspaced script into letters with their marks, the rest in runs."""
    cuts = [start]
    for at in range(start + 1, stop):
        letter = bool(_UNSPACED.match(text[at]))
        before = bool(_UNSPACED.match(text[at - 1]))
        attached = category(text[at])[0] == "M" or text[at] in _ATTACHED
        if (letter or before) and not attached:
            cuts.append(at)
    for first, last in zip(cuts, [*cuts[1:], stop], strict=True):
        written = text[first:last]
        yield Word(
            written.lower() if preparation.case == "lower" else written, first, last
        )
