"""Words of a text as readers count them, with their places.

Words are what stands between blanks. Chinese, Japanese, Thai and other scripts put no blanks
between words, and to find them takes a dictionary, whose words change with its version: there
each letter counts, with the marks on it, and of Tibetan each syllable. Whoever counts says how.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias
from unicodedata import category

from metra.human.offsets import Span
from metra.text.scripts import script_of

#: Scripts that put no blanks between words.
UNSPACED = frozenset(
    (
        *("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"),
        *("THAI", "LAO", "KHMER", "MYANMAR", "JAVANESE", "BALINESE"),
    )
)
#: Signs that put the next letter under the one before: both are one.
_STACKING = "\u17d2\u1039\ua9c0\u1b44"
#: Signs between the syllables of Tibetan.
_BETWEEN = "\u0f0b\u0f0c"

Counted: TypeAlias = Literal["blanks", "letters", "both"]


def words(text: str) -> list[Span]:
    """Find what stands between blanks, without the punctuation around it.

    >>> text = "He paid 1.50 (in cash)."
    >>> [text[span.start:span.end] for span in words(text)]
    ['He', 'paid', '1.50', 'in', 'cash']
    >>> len(words("市場が開く")), len(words("ตลาดเปิด"))
    (5, 7)
    """
    found: list[Span] = []
    start: int | None = None
    at = 0
    while at < len(text):
        alone = _is_unspaced(text[at])
        ends = alone or text[at].isspace() or text[at] in _BETWEEN
        if ends and start is not None:
            found += _core(text, start, at)
            start = None
        if alone:
            end = _with_marks(text, at)
            found.append(Span(at, end))
            at = end
            continue
        if start is None and not ends:
            start = at
        at += 1
    if start is not None:
        found += _core(text, start, len(text))
    return found


def how_counted(text: str) -> Counted:
    """Say by what the words of a text are told apart.

    >>> how_counted("The market opens."), how_counted("市場が開く。"), how_counted("BBC の人")
    ('blanks', 'letters', 'both')
    """
    alone = {_is_unspaced(text[span.start]) for span in words(text)}
    if alone == {True}:
        return "letters"
    return "both" if True in alone else "blanks"


def is_unspaced(text: str) -> bool:
    """Whether most of a text is written without blanks between words.

    >>> is_unspaced("BBC の人々"), is_unspaced("The word 市 is a letter.")
    (True, False)
    """
    alone = [_is_unspaced(text[span.start]) for span in words(text)]
    return 2 * sum(alone) > len(alone)


def apart(text: str) -> list[str]:
    """Cut at blanks and, in scripts that have none, between letters and signs.

    >>> apart("The market, 市場。")
    ['The', 'market,', '市', '場', '。']
    """
    return [piece for token in text.split() for piece in pieces(token)]


def pieces(token: str) -> list[str]:
    """Cut what stands between blanks, if it has letters of a script without blanks."""
    if not any(map(_is_unspaced, token)):
        return [token]
    edges = {0, len(token), *(edge for span in words(token) for edge in span)}
    return [token[start:end] for start, end in pairwise(sorted(edges))]


def written(tokens: Sequence[str]) -> str:
    """Put words side by side again, with blanks only where scripts have them.

    >>> written(["The", "market"]), written(["市", "場"])
    ('The market', '市場')
    """
    found = list(tokens[:1])
    for one, other in pairwise(tokens):
        found += [other] if _touch(one, other) else [" ", other]
    return "".join(found)


def _touch(one: str, other: str) -> bool:
    """Whether a letter of a script without blanks meets another, or a sign."""
    last = next((sign for sign in reversed(one) if category(sign)[0] != "M"), " ")
    ends = last, other[:1] or " "
    alone = [_is_unspaced(sign) for sign in ends]
    return any(alone) and all(
        is_alone or category(sign)[0] == "P"
        for is_alone, sign in zip(alone, ends, strict=True)
    )


def _is_unspaced(sign: str) -> bool:
    return script_of(sign) in UNSPACED


def _with_marks(text: str, at: int) -> int:
    """Where a letter ends, with its marks and with letters that are stacked on it."""
    end = at + 1
    while end < len(text):
        stacked = text[end - 1] in _STACKING and text[end].isalpha()
        if not (stacked or category(text[end])[0] == "M"):
            break
        end += 1
    return end


def _core(text: str, start: int, end: int) -> list[Span]:
    """Leave punctuation and signs at the ends out; nothing may be left."""
    while start < end and _outside(text[start]):
        start += 1
    while start < end and _outside(text[end - 1]):
        end -= 1
    return [Span(start, end)] if start < end else []


def _outside(sign: str) -> bool:
    """Whether it is no part of a word: punctuation, or a sign such as €; emoji are signs."""
    return category(sign)[0] in "PSC"
