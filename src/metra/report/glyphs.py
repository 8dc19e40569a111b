"""Words as a terminal can show them, in a number of columns that is known beforehand.

Terminals obey control characters, differ on the width of some others, and put neighbouring
right-to-left words in reverse order. So what they obey or differ on is replaced by signs that
they agree on, and each right-to-left word is set apart from its neighbours.
"""

from unicodedata import bidirectional, category, normalize

from metra.report.table import printable, width

# They shape letters or order them, and have no width of their own.
_JOINERS = frozenset("\u200c\u200d\u200e\u200f\u061c")
# They ask for a picture or a plain sign; some terminals then take another width.
_PICTURE_SELECTORS = frozenset("\ufe0e\ufe0f")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_DOTTED_CIRCLE = "\u25cc"
_REPLACED = printable("\x00")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def shown(word: str) -> str:
    """Write a word so that `width` tells how many columns it takes, at least one."""
    if word and word.isascii() and word.isprintable():
        return word
    kept = "".join(c for c in word if c not in _PICTURE_SELECTORS)
    text = "".join(_sign(kept, at) for at in range(len(kept)))
    return _DOTTED_CIRCLE + text if not text or _attaches(text[0]) else text


def told_apart(one: str, other: str) -> tuple[str, str]:
    """Write two different words; by their code points if they would look the same."""
    if _look(one) == _look(other):
        return ascii(one)[1:-1], ascii(other)[1:-1]
    return shown(one), shown(other)


def pieces(text: str, columns: int) -> list[str]:
    """Cut what `shown` wrote into pieces that take no more than this many columns."""
    found = [""]
    used = 0
    for c in text:
        size = width(c)
        if used + size > columns and found[-1]:
            found.append("")
            used = 0
        found[-1] += c
        used += size
    return found


def isolated(text: str) -> str:
    """Keep a right-to-left word from changing places with its neighbours."""
    if any(bidirectional(c) in _RIGHT_TO_LEFT for c in text):
        return f"{_ISOLATE}{text}{_END_OF_ISOLATE}"
    return text


def _sign(word: str, at: int) -> str:
    """Replace what a terminal obeys, or what makes one picture of two in some of them."""
    c = word[at]
    before, after = width(word[at - 1 : at]), width(word[at + 1 : at + 2])
    if c in _JOINERS:
        return _REPLACED if 2 in (before, after) else c
    return _REPLACED if ord(c) in _SKIN_TONES and before == 2 else printable(c)


def _attaches(c: str) -> bool:
    """Whether the character is drawn onto the one before."""
    return width(c) == 0 or category(c) == "Mc" or ord(c) in _SKIN_TONES


def _look(word: str) -> str:
    composed = normalize("NFC", shown(word))
    return "".join(c for c in composed if width(c))
