"""Marks of tools around and inside lines, found by guards and removed by name."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from metra.errors import UnknownNameError, no_such

Replacement: TypeAlias = str | Callable[[re.Match[str]], str]


class Furniture(NamedTuple):
    """A kind of marks: how guards find it in a line, and how it is removed."""

    name: str
    #: What a text has, for messages.
    title: str
    #: Characters of which each line with the marks has one.
    signs: str
    #: The marks in a line, and what is put in their place.
    pattern: str
    replacement: Replacement = ""
    #: The share of lines with the marks from which on guards warn.
    share: float = 0.05
    #: The share of lines from which on references with the marks are as wrong.
    certain: float = 2.0
    #: Each line with the marks begins with such a character.
    begins: bool = False
    #: One of these is in each text with the marks.
    words: tuple[str, ...] = ()
    #: Further names of marks that the pattern finds as well.
    covers: tuple[str, ...] = ()


def _join_pieces(line: re.Match[str]) -> str:
    return line[0].replace(" ", "").replace("▁", " ")


def _decode_string(line: re.Match[str]) -> str:
    import json

    try:
        return str(json.loads(line[0].strip().removesuffix(",")))
    except ValueError:
        return line[0]


def _decode_escapes(escapes: re.Match[str]) -> str:
    digits = escapes[0].replace("\\u", "")
    return bytes.fromhex(digits).decode("utf-16-be", "replace")


def _mend_encoding(letters: re.Match[str]) -> str:
    content = (c.encode("latin-1" if ord(c) < 256 else "cp1252") for c in letters[0])
    return b"".join(content).decode(errors="replace")


def _compose(letters: re.Match[str]) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", letters[0])


def _decode_entity(entity: re.Match[str]) -> str:
    from html import unescape

    return unescape(entity[0])


def _take_only(items: re.Match[str]) -> str:
    from ast import literal_eval

    try:
        [item] = literal_eval(items[0])
    except (ValueError, SyntaxError):
        return items[0]
    return str(item)


def _unquote(line: re.Match[str]) -> str:
    return next(filter(None, line.groups()), "").replace('""', '"')


#: Quotes inside a line in quotes follow a blank or a bracket: a line that begins and ends with
#: a quotation, such as "Yes," he said, "no.", is not in quotes.
_STRAIGHT = r'"((?:[^"]|""|(?<=[\s(])"[^"]+")*|"[^"].*|.*[^"]")"'
_PAIRS = (*zip("“„„«»「『‘", "”“”»«」』’", strict=True),)
_SINGLE = ("'", "`")
_QUOTED = "|".join(
    [
        _STRAIGHT,
        *(f"{a}([^{a}{b}]*(?:{a}[^{a}{b}]*{b}[^{a}{b}]*)*){b}" for a, b in _PAIRS),
        *(rf"{a}((?:[^{a}]|(?<=\w){a}(?=\w))*){a}" for a in _SINGLE),
    ]
)
_SURE = (
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|yes)\b[^:.!]{0,30}[,.!:]\W*)?"
)
_TRANSLATION = (
    r"(?:translat(?:ion|ed)|übersetz\w+|traduc(?:tion|ción)|tradu(?:zione|ção)|перевод)"
)
_HERE = (
    r"(?:here(?:'s|’s| is| are)|this is|below is|hier ist|voici|ecco|aqu[íi] está|вот)"
    rf"\b[^:.!?]{{0,60}}\b(?:{_TRANSLATION}|text|version|sentence|result|output)\b"
    r"[^:.!?]{0,60}"
)
_TITLE = (
    rf"(?:the |die |la |a )?(?:\w+ )?{_TRANSLATION}"
    r"(?: \(\w+\)| (?:in\w*|to|en|em|au|al) \w+)?"
)

#: What programs make of the second and later bytes of a letter in UTF-8.
_LATER = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
_INVISIBLE = "\xad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060"
_ACCENTS = "\u0300\u0301\u0302\u0303\u0307\u0308\u030a\u030c\u0327\u0328"

#: The kinds of marks, in the order in which they are removed and warned of.
FURNITURE = (
    Furniture("bom", "byte order marks", "\ufeff", "\ufeff"),
    Furniture(
        *("encoding", "letters in the wrong encoding (Ã© for é)"),
        *("ÂÃÄÅÎÏÐÑØÙâ", rf"(?:(?:[ÂÃÄÅÎÏÐÑØÙ]|â[€\x80]){_LATER})+"),
        _mend_encoding,
        certain=0.05,
    ),
    Furniture(
        *("lost", "characters for lost letters (U+FFFD, or ? inside words)"),
        *("\ufffd?", r"\ufffd|\?(?<=[^\W\d_]\?)\?*(?=[^\W\d_])"),
    ),
    Furniture(
        *("accents", "accents apart from their letters (not NFC)", _ACCENTS),
        *(f"[A-Za-z][{_ACCENTS}]+", _compose),
    ),
    Furniture("invisible", "invisible characters", _INVISIBLE, f"[{_INVISIBLE}]"),
    Furniture(
        "colours", "colours of a terminal", "\x1b", r"\x1b\[[\d;]*m", certain=0.05
    ),
    Furniture("unknown", "marks of unknown words", "<", "<unk>"),
    Furniture(
        *("think", "the reasoning of a model (<think>)", "<"),
        r"^.*</(?:think(?:ing)?|reasoning)>\s*|<(?:think(?:ing)?|reasoning)>.*$",
        share=0.02,
        certain=0.8,
    ),
    Furniture(
        *("tags", "marks of sentences or languages", "<_>["),
        r"\s*(?:</?s>|<pad>|<[be]os>|<\|\w+\|>|\[(?:CLS|SEP)\]|^>>[\w-]+<<|^__\w+?__"
        r"|^<2\w+>|(?<![^\s>])[a-z]{3}_[A-Z][a-z]{3}(?= ))\s*",
        " ",
        certain=0.8,
    ),
    Furniture(
        *("preamble", "an introduction before the translation", ":"),
        rf"(?i)^[\s*#]*{_SURE}(?:{_HERE}|{_TITLE})\s?:\**\s*",
        words=("Here", "Sure", "ranslati", "setzung", "tradu", "Tradu", "перевод"),
    ),
    Furniture(
        *("json", "strings of JSON", '"', r'^\s*"(?:[^"\\]|\\.)*"\s*,?\s*$'),
        _decode_string,
        share=0.8,
        begins=True,
        words=("\\",),
        certain=0.8,
        covers=("quotes", "escapes"),
    ),
    Furniture(
        *("lists", "lists of Python (['text'])", "[", r"""^\[(['"]).*\1\]$"""),
        _take_only,
        share=0.8,
        certain=0.8,
        begins=True,
    ),
    Furniture(
        *("quotes", "quotes around the text", "\"'`“„«»「『‘", rf"^(?:{_QUOTED})\s*$"),
        _unquote,
        share=0.8,
        begins=True,
    ),
    Furniture(
        *("numbering", "numbers before the text", "0123456789[("),
        r"^[\[(]?\d+(?:[.:\])]|\.\))\s+|^\d+\t",
        share=0.8,
        begins=True,
    ),
    Furniture("bpe", "marks of BPE (@@)", "@", r"@@(?: |$)", certain=0.5),
    Furniture(
        *("sentencepiece", "pieces of SentencePiece (▁)", "▁"),
        *(r"^.*▁.*$", _join_pieces),
        certain=0.5,
    ),
    Furniture("joiner", "joiners of a tokeniser (￭)", "￭", " ?￭ ?"),
    Furniture("wordpiece", "pieces of words (##)", "#", r" ##(?=\w)"),
    Furniture(
        *("entities", "entities of HTML", "&"),
        r"&(?:amp|quot|lt|gt|apos|nbsp|#\d{2,7}|#x[0-9a-fA-F]{2,6});",
        _decode_entity,
    ),
    Furniture(
        *("escapes", "escapes of characters (\\u00e9)", "\\"),
        *(r"(?:\\u[0-9a-fA-F]{4})+", _decode_escapes),
        certain=0.5,
    ),
    Furniture("backslashes", "backslashes before quotes", "\\", r"""\\(?=["',])"""),
)
_BY_NAME = {kind.name: kind for kind in FURNITURE}


def parse_names(names: str) -> str:
    """Check names of kinds, parted by commas or plus signs, and put them in order.

    >>> parse_names("bpe, think")
    'think+bpe'
    """
    given = re.split(r"\s*[+,]\s*", names)
    for name in given:
        if name not in _BY_NAME:
            raise UnknownNameError(no_such("kind of marks", name, _BY_NAME))
    return "+".join(name for name in _BY_NAME if name in given)


def make_cleaner(names: str) -> Callable[[Sequence[str | None]], list[str | None]]:
    """Return a function that removes kinds of marks from lines."""
    kinds = [_BY_NAME[name] for name in parse_names(names).split("+")]
    subs = [(re.compile(kind.pattern, re.DOTALL), kind.replacement) for kind in kinds]

    def clean(line: str | None) -> str | None:
        if line is None:
            return None
        for pattern, replacement in subs:
            cleaned = pattern.sub(replacement, line)
            line = line if cleaned == line else cleaned.strip()
        return line

    return lambda lines: [*map(clean, lines)]
