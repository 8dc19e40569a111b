"""Cut a text into sentences, by rules for the marks that end them in all scripts.

A mark such as ? or 。 ends a sentence together with the quotation marks and brackets behind
it. A full stop may also end an abbreviation, an initial or an ordinal number: the words
around it decide, by the lists of abbreviations.toml.
"""

import re
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from metra.text.scripts import get_language, is_unspaced_letter

# Marks before white space, and marks that need none behind them.
_SPACED = ".!?…؟۔։።፧‼⁇⁈⁉"
_UNSPACED = "。！？｡．।॥။។៕᠃"
_GREEK_QUESTION = ";\u037e"
_CLOSING = "\"'”’»›“‘«‹)]}」』）】》〉〕］｝"
_OPENING = "\"'“‘”’„‚«»‹›([{¿¡「『（【《〈〔［｛-–—―•*·"
# Signs that open a quotation in one language and close it in another.
_BOTH_WAYS = "\"'“‘«‹»›"
_STRAIGHT = "\"'"
#: Closing marks that may stand behind a blank: « Oui. »
_DETACHED = "”’)]}»›」』）"
_OPENING_GUILLEMETS = ("de", "da", "nb", "no", "sl", "hr", "sr", "hu", "cs", "sk", "pl")
# What follows a Japanese quotation inside the same sentence: 「…。」と言った
_AFTER_QUOTATION = "とってのがはをにでもやへ、，,」』）"
_NESTING = {"「": 1, "『": 1, "（": 1, "」": -1, "』": -1, "）": -1}
# No sentence begins with one of these.
_NEVER_FIRST = ",;:.!?…%)]}"
# Signs as some systems write them.
_ENTITY = re.compile(r"&(?:#\d{2,4}|quot|apos|amp|lt|gt|nbsp|laquo|raquo|[lr][sd]quo);")
_ROMAN = re.compile("[IVXLC]+")
_WHITE = re.compile(r"\s*")
_LAST_WORD = re.compile(r"\S+$")
_NEXT_WORD = re.compile(r"\w+")
# A bracket that is open for longer was never closed.
_LONGEST = 300
# No abbreviation and no ordinal number is longer.
_REACH = 32


def split_sentences(text: str, lang: str = "") -> list[str]:
    """Split a text into sentences, without surrounding white space.

    A line break ends a sentence. `lang` is a code such as `de` or `pt-BR`; without it, only
    abbreviations that many languages share are used.

    >>> split_sentences('He met Dr. Wu. "When?" she asked. At 3.30 p.m. on Monday.', "en")
    ['He met Dr. Wu.', '"When?" she asked.', 'At 3.30 p.m. on Monday.']
    >>> split_sentences("市場が開く。「来ました。」と彼は言った。")
    ['市場が開く。', '「来ました。」と彼は言った。']
    """
    sentences = []
    for line in text.split("\n"):
        edges = [0, *find_sentence_starts(line, lang), len(line)]
        pieces = (line[start:end] for start, end in pairwise(edges))
        sentences += [piece for piece in map(str.strip, pieces) if piece]
    return sentences


def find_sentence_starts(text: str, lang: str = "") -> list[int]:
    """List where sentences begin within a line, except the first.

    >>> find_sentence_starts("It rains. It pours.")
    [10]
    """
    if "&" in text and _ENTITY.search(text):
        plain, places = _unescape_entities(text)
        return [places[start] for start in find_sentence_starts(plain, lang)]
    line = _Line.build(text, lang)
    starts: list[int] = []
    for mark in line.marks.finditer(text):
        end = _pass_closing(line, mark.end(), starts[-1] if starts else 0)
        after = _pass_white(text, end)
        if after == len(text):
            break
        stop = _Stop(mark.start(), mark[0], end, after)
        if _ends_sentence(line, stop, starts[-1] if starts else 0):
            starts.append(after)
    return starts


def _unescape_entities(text: str) -> tuple[str, list[int]]:
    """Replace signs such as &quot; by what they stand for; list where each sign was."""
    pieces: list[str] = []
    places: list[int] = []
    end = 0
    for match in _ENTITY.finditer(text):
        sign = unescape(match[0]).replace("&", "+")
        pieces += [text[end : match.start()], sign]
        places += [*range(end, match.start()), *[match.start()] * len(sign)]
        end = match.end()
    places += range(end, len(text))
    return "".join([*pieces, text[end:]]), places


class LanguageRules(NamedTuple):
    """Full stops in a language: abbreviations.toml explains the lists."""

    never_final: frozenset[str]
    before_number: frozenset[str]
    maybe_final: frozenset[str]
    first_words: frozenset[str]
    list_ends: frozenset[str]
    has_ordinals: bool


@cache
def find_rules(lang: str) -> LanguageRules:
    """Return the rules of a language; the rules that many share if it has none.

    >>> "bzw" in find_rules("de-AT").never_final, find_rules("de").has_ordinals
    (True, True)
    """
    tables = _read_abbreviations()
    code = get_language(lang)
    own = tables.get(tables["same"].get(code, code), {})
    lists = {**tables["default"], **own, **tables["all"]}
    words = {name: frozenset(lists[name].split()) for name in LanguageRules._fields[:5]}
    words["never_final"] |= set(lists["titles"].split())
    return LanguageRules(**words, has_ordinals=lists["ordinals"])


@cache
def _read_abbreviations() -> dict[str, dict[str, Any]]:
    import tomllib

    text = Path(__file__).with_name("abbreviations.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


class _Line(NamedTuple):
    """A line of text with the rules of its language."""

    text: str
    lang: str
    rules: LanguageRules
    #: The marks that may end a sentence.
    marks: re.Pattern[str]
    #: Whether sentences begin with capitals: false of a text in lower case.
    has_capitals: bool

    @classmethod
    def build(cls, text: str, lang: str) -> "_Line":
        code = get_language(lang)
        marks = _GREEK_MARKS if code == "el" else _MARKS
        return cls(text, code, find_rules(lang), marks, text != text.lower())


class _Stop(NamedTuple):
    """A mark, where it and what belongs to it ends, and where the next word begins."""

    position: int
    marks: str
    end: int
    after: int


_MARKS = re.compile(f"[{re.escape(_SPACED + _UNSPACED)}]+")
_GREEK_MARKS = re.compile(f"[{re.escape(_SPACED + _UNSPACED + _GREEK_QUESTION)}]+")


def _pass_white(text: str, position: int) -> int:
    match = _WHITE.match(text, position)
    return match.end() if match else position


def _pass_closing(line: _Line, position: int, start: int) -> int:
    """Go past the quotation marks and brackets that close behind a mark."""
    text = line.text
    while _is_closing(line, position, start):
        position += 1
    after = _pass_white(text, position)
    if position < after < len(text) and _closes_after_blank(line, after, start):
        return _pass_closing(line, after + 1, start)
    return position


def _get_signs(text: str, position: int) -> tuple[str, str]:
    """Return the sign at a position and the next one; the rest may be long."""
    return text[position : position + 1], text[position + 1 : position + 2]


def _is_closing(line: _Line, position: int, start: int) -> bool:
    """Tell whether a sign right behind a mark closes a quotation or bracket."""
    sign, following = _get_signs(line.text, position)
    if not sign or sign not in _CLOSING:
        return False
    if sign not in _BOTH_WAYS or not following:
        return True
    if is_unspaced_letter(following):
        return sign in _STRAIGHT and line.text.count(sign, start, position) % 2 == 1
    return not following.isalnum()


def _closes_after_blank(line: _Line, position: int, start: int) -> bool:
    """Tell whether a sign behind a blank closes the text before it: « Oui. »"""
    text = line.text
    sign, following = _get_signs(text, position)
    if following and not following.isspace():
        # In scripts without blanks, there may be one before the sign only.
        if sign not in "”」』":
            return False
        return text[start:position].rstrip()[-1:] in _UNSPACED
    if sign in _STRAIGHT:
        return text.count(sign, start, position) % 2 == 1
    is_opening = sign in "»›" and line.lang in _OPENING_GUILLEMETS
    return sign in _DETACHED and not is_opening


def _ends_sentence(line: _Line, stop: _Stop, start: int) -> bool:
    """Tell whether a sentence ends at a mark within a line."""
    text, marks = line.text, stop.marks
    if marks[-1] in _UNSPACED:
        return not _is_inside_quotation(text, stop, start)
    if stop.after == stop.end:
        # 他来了!她走了.: marks of other scripts in a script without blanks.
        last, first = text[stop.position - 1 : stop.position], text[stop.after]
        begins = _is_east_asian(first) or first.isdigit() or first.isupper()
        return marks[-1] in ".!?" and _is_east_asian(last) and begins
    first = _find_first_sign(text, stop.after)
    if first in _NEVER_FIRST or (first.islower() and line.has_capitals):
        return False
    return marks != "." or not _is_abbreviation(line, stop, start)


def _is_east_asian(sign: str) -> bool:
    """Tell whether a sign is a letter of a script without blanks, or its punctuation."""
    return bool(sign) and (is_unspaced_letter(sign) or "\u3001" <= sign <= "\u301f")


def _is_inside_quotation(text: str, stop: _Stop, start: int) -> bool:
    """Tell whether a mark is inside brackets, or a quotation goes on in its sentence."""
    depth = sum(_NESTING.get(sign, 0) for sign in text[start : stop.end])
    if depth > 0:
        return any(_NESTING.get(sign) == -1 for sign in text[stop.end :][:_LONGEST])
    has_closing = text[stop.end - 1] in "」』）"
    return has_closing and text[stop.after] in _AFTER_QUOTATION


def _find_first_sign(text: str, position: int) -> str:
    """Return the first sign of a sentence that opens no quotation and no bracket."""
    while position < len(text) and (
        text[position] in _OPENING or text[position].isspace()
    ):
        position += 1
    return text[position : position + 1]


def _is_abbreviation(line: _Line, stop: _Stop, start: int) -> bool:
    """Tell whether a full stop belongs to the word before it, and the sentence goes on."""
    text, rules = line.text, line.rules
    before = text[max(start, stop.position - _REACH) : stop.position]
    match = _LAST_WORD.search(before)
    if match is None:
        return False
    word = match[0].lstrip(_OPENING)
    previous = _LAST_WORD.search(before[: match.start()].rstrip())
    next_match = _NEXT_WORD.search(text, stop.after)
    next_word = next_match[0] if next_match else ""
    is_first_word = next_word.lower() in rules.first_words
    is_number_next = text[stop.after].isdigit()
    names = {word.lower(), word.lower().rpartition("(")[2]}
    if previous and previous[0].endswith("."):
        # z. B., т. д.: two parts with a blank between them
        names.add(f"{previous[0].lstrip(_OPENING).lower()}{word.lower()}")
    if names & rules.list_ends:
        return False
    if names & rules.maybe_final:
        return not is_first_word
    if names & rules.never_final:
        return True
    if names & rules.before_number and is_number_next:
        return True
    if word.isdigit() or _ROMAN.fullmatch(word):
        return _is_numeral(
            line, word, match.start() == 0 and len(before) < _REACH
        ) and (not is_first_word)
    return _is_initial(word) and not is_first_word


def _is_numeral(line: _Line, word: str, begins_sentence: bool) -> bool:
    """Tell whether a number before a full stop is an ordinal or numbers a list entry."""
    if begins_sentence:
        return len(word) <= 3
    if word.isdigit():
        return line.rules.has_ordinals and len(word) <= 2
    return len(word) == 1 or line.rules.has_ordinals


def _is_initial(word: str) -> bool:
    """Tell whether a word is a letter, or letters with full stops between: J., U.S."""
    parts = word.split(".")
    if len(parts) > 1:
        return all(len(part) == 1 and part.isalpha() for part in parts)
    return len(word) == 1 and word.isalpha() and not is_unspaced_letter(word)
