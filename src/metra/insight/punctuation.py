"""The punctuation of a segment as far as languages agree on it."""

from typing import NamedTuple

_CLASSES = {
    "?": "?？؟;",  # the last one is Greek
    "!": "!！",
    ".": ".。．।۔",
    "…": "…",
    ":": ":：",
    ",": ",，、،",
    ";": ";；؛",
    "(": "([{（【［",
    ")": ")]}）】］",
    '"': '"“”„«»「」『』＂‟',
    "‘": "‘",
}
_CLASS = {sign: name for name, signs in _CLASSES.items() for sign in signs}
_CLOSING = "\"”“»’'」』＂)]}）】］"


class Punctuation(NamedTuple):
    """What a translation should keep: how it ends, and its marks by class."""

    end: str
    questions: int
    exclamations: int
    opening: int
    closing: int
    quotes: int


def punctuation(text: str) -> Punctuation:
    """Look at a segment's punctuation; signs of all scripts are put into classes.

    A question is a question in any script, quotation marks are all alike, and a full stop
    before or after the last of them is the same end. Commas and the like, and marks inside
    words, are a matter of language and left out.

    >>> punctuation("« Ça va ? »") == punctuation("“How are you?”")
    True
    """
    counts = dict.fromkeys(_CLASSES, 0)
    for sign in _CLASS.keys() & text:
        counts[_CLASS[sign]] += text.count(sign)
    last = text.rstrip().rstrip(_CLOSING).rstrip()[-1:]
    return Punctuation(
        end="." if last == "…" else _CLASS.get(last, ""),
        questions=counts["?"],
        exclamations=counts["!"],
        opening=counts["("],
        closing=counts[")"],
        # A single quotation mark that opens has a partner, which may be an apostrophe.
        quotes=counts['"'] + 2 * counts["‘"],
    )
