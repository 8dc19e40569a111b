"""Transfer rules: what a pattern of the source must become in the output.

A pattern is a row of items with blanks between them. An item in capitals, such as NOUN,
is a part of speech of Universal Dependencies; NP, VP and PP are a whole noun, verb or
prepositional phrase; _ is any word; anything else is a word itself, whatever its letter
case. `lemma=be`, `word=I`, `pos=NOUN`, `xpos=NNS` and `dep=amod` say which is meant. `a|b`
is one of several, `a&b` both at once, `!a` anything else; `?`, `*` and `+` after an item
mean at most once, any number of times, at least once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import NamedTuple

from metra.errors import FormatError
from metra.formats.annotations.conllu import ParsedWord
from metra.formats.stream import check_keys, read_toml

# One letter a part of speech of Universal Dependencies, so that phrases are patterns.
LETTERS = {
    **{"NOUN": "n", "PROPN": "n", "PRON": "p", "DET": "d", "NUM": "m"},
    **{"ADJ": "a", "ADV": "r", "VERB": "v", "AUX": "x", "PART": "t"},
    "ADP": "i",
}

# Noun phrase: nouns with what stands before them and adjectives after them, or a pronoun.
# Verb phrase: a verb with its auxiliaries, particles and the adverbs before it; a copula.
# Prepositional phrase: prepositions with the noun phrase after them.
_NP = r"d*(?:r*a|m)*n+(?:r*a)*|p"
CHUNKS = {
    "NP": re.compile(_NP),
    "VP": re.compile(r"[xtr]*v|x+"),
    "PP": re.compile(rf"i+(?:{_NP})"),
}
#: What can be counted: phrases, and adjectives, which are words.
COUNTABLE = (*CHUNKS, "ADJ")


class WordSpan(NamedTuple):
    """The words from `start` to `stop`, counted from 0."""

    start: int
    stop: int


def find_phrases(words: Sequence[ParsedWord], kind: str) -> Iterator[WordSpan]:
    """Find the phrases of a kind, NP, VP or PP, from left to right."""
    letters = "".join(LETTERS.get(word.upos, "-") for word in words)
    return (WordSpan(*match.span()) for match in CHUNKS[kind].finditer(letters))


def count_phrases(words: Sequence[ParsedWord], kind: str) -> int:
    """Count the phrases of a kind, or the adjectives (ADJ)."""
    if kind in CHUNKS:
        return sum(1 for _ in find_phrases(words, kind))
    return sum(word.upos == kind for word in words)


POS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
        *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    )
)
FIELDS: dict[str, Callable[[ParsedWord], str]] = {
    "word": lambda word: word.form,
    "lemma": lambda word: word.lemma,
    "pos": lambda word: word.upos,
    "xpos": lambda word: word.xpos,
    "dep": lambda word: word.deprel,
}
TIMES = {"": (1, 1), "?": (0, 1), "*": (0, None), "+": (1, None)}

WordTest = Callable[[ParsedWord], bool]


@dataclass(frozen=True, slots=True)
class PatternItem:
    """An item of a pattern: a test of a word, or a kind of phrase, and how often it occurs."""

    test: WordTest | None
    chunk: str | None
    least: int
    most: int | None
    #: Whether words alone, without a parse, do not tell.
    needs_parse: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern ready to look for."""

    text: str
    items: tuple[PatternItem, ...]
    needs_parse: bool


def compile_pattern(text: str) -> Pattern:
    """Read a pattern; FormatError says what in it cannot be understood."""
    items = tuple(map(_parse_item, text.split()))
    if not any(item.least for item in items):
        msg = (
            f"the pattern {text!r} matches the empty sequence; expected at least "
            "one required item"
        )
        raise FormatError(msg)
    return Pattern(text, items, any(item.needs_parse for item in items))


def find_matches(
    patterns: Sequence[Pattern], words: Sequence[ParsedWord]
) -> Iterator[WordSpan]:
    """Find where one of the patterns fits, from left to right, no word used twice.

    Where several fit, the first listed counts, with as many words as it can take.
    """
    spans = {kind: dict(find_phrases(words, kind)) for kind in CHUNKS}
    at = 0
    while at < len(words):
        ends = (_find_ends(pattern.items, words, at, spans) for pattern in patterns)
        stop = next((end for end in chain.from_iterable(ends) if end > at), None)
        if stop is not None:
            yield WordSpan(at, stop)
        at = stop or at + 1


def _find_ends(
    items: Sequence[PatternItem],
    words: Sequence[ParsedWord],
    at: int,
    spans: dict[str, dict[int, int]],
) -> Iterator[int]:
    """Yield every place where the items can end that begin here, the longest first."""
    if not items:
        yield at
        return
    item, rest = items[0], items[1:]
    places = [at]
    while item.most is None or len(places) <= item.most:
        last = places[-1]
        if item.chunk and last in spans[item.chunk]:
            places.append(spans[item.chunk][last])
        elif item.test and last < len(words) and item.test(words[last]):
            places.append(last + 1)
        else:
            break
    for place in reversed(places[item.least :]):
        yield from _find_ends(rest, words, place, spans)


def _parse_item(text: str) -> PatternItem:
    times = text[-1] if len(text) > 1 and text[-1] in "?*+" else ""
    body, (least, most) = text.removesuffix(times), TIMES[times]
    if body in CHUNKS:
        return PatternItem(None, body, least, most, needs_parse=True)
    options = [
        [_parse_condition(piece) for piece in option.split("&")]
        for option in body.split("|")
    ]

    def test(word: ParsedWord) -> bool:
        return any(all(fits(word) for fits in option) for option in options)

    pieces = {piece.lstrip("!") for piece in re.split(r"[|&]", body)} - {"_"}
    needs_parse = any(_parse_field(piece)[0] != "word" for piece in pieces)
    return PatternItem(test, None, least, most, needs_parse)


def _parse_condition(piece: str) -> WordTest:
    if piece.startswith("!"):
        test = _parse_condition(piece[1:])
        return lambda word: not test(word)
    if piece == "_":
        return lambda _: True
    name, value = _parse_field(piece)
    field, wanted = FIELDS[name], value.casefold()
    return lambda word: field(word).casefold() == wanted


def _parse_field(piece: str) -> tuple[str, str]:
    """Return which field a piece is about, and the value it wants."""
    name, equals, value = piece.partition("=")
    if not equals:
        name, value = ("pos" if piece in POS else "word"), piece
    if not value or name not in FIELDS:
        listed = ", ".join(f"{field}=…" for field in FIELDS)
        expected = f"expected a word, a part of speech such as NOUN, or one of {listed}"
        msg = f"{piece!r} is not a pattern item; {expected}"
        raise FormatError(msg)
    if name == "word" and not equals and re.fullmatch(r"[A-Z]{2,}", value):
        msg = (
            f"{value!r} is not a part of speech; expected one of "
            f"{', '.join(sorted(POS))}, {', '.join(CHUNKS)} alone, or word={value} "
            "for the word"
        )
        raise FormatError(msg)
    return name, value


@dataclass(frozen=True, slots=True)
class TransferRule:
    """A rule: patterns of the source, and patterns of which the output must have one."""

    name: str
    source: tuple[Pattern, ...]
    target: tuple[Pattern, ...]


def read_rules(path: str) -> list[TransferRule]:
    """Read a file of rules; FormatError names the fault and the rule."""
    data = read_toml(path)
    entries = data.get("rule")
    if not isinstance(entries, list) or not entries or set(data) != {"rule"}:
        keys = ", ".join(data) or "nothing"
        msg = f"{path} has {keys}; expected tables [[rule]] and nothing else."
        raise FormatError(msg)
    places = (f"{path}, rule {number}" for number in count(1))
    rules = list(map(_parse_rule, entries, places))
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            msg = f"{path} has two rules named {name!r}; give each its own name."
            raise FormatError(msg)
    return rules


def _parse_rule(entry: object, place: str) -> TransferRule:
    keys = ("name", "source", "target")
    name, *patterns = (check_keys(entry, keys, place)[key] for key in keys)
    if not isinstance(name, str) or not name:
        msg = f"{place}: the name is {name!r}; expected a text."
        raise FormatError(msg)
    places = (f"{place}, {key}" for key in keys[1:])
    return TransferRule(name, *map(_parse_patterns, patterns, places))


def _parse_patterns(value: object, place: str) -> tuple[Pattern, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed:
        msg = f"{place}: {value!r}; expected a pattern or a list of patterns."
        raise FormatError(msg)
    patterns = []
    for text in listed:
        if not isinstance(text, str):
            msg = f"{place}: {text!r}; expected a pattern, such as 'NOUN ADJ'."
            raise FormatError(msg)
        try:
            patterns.append(compile_pattern(text))
        except FormatError as error:
            msg = f"{place}: {error}."
            raise FormatError(msg) from None
    return tuple(patterns)
