"""Words of a text as readers count them, with their places."""

from unicodedata import category

from metra.human.offsets import Span
from metra.text.scripts import script_of

#: Scripts that put no blanks between words: each character counts as a word.
_UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"}


def words(text: str) -> list[Span]:
    """Find what stands between blanks, without the punctuation around it.

    >>> text = "He paid 1.50 (in cash)."
    >>> [text[span.start:span.end] for span in words(text)]
    ['He', 'paid', '1.50', 'in', 'cash']
    >>> len(words("市場が開く"))
    5
    """
    found: list[Span] = []
    start: int | None = None
    for at, sign in enumerate(text):
        alone = script_of(sign) in _UNSPACED
        if (sign.isspace() or alone) and start is not None:
            found += _core(text, start, at)
            start = None
        if alone:
            found.append(Span(at, at + 1))
        elif start is None and not sign.isspace():
            start = at
    if start is not None:
        found += _core(text, start, len(text))
    return found


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
