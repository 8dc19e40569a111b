"""METEOR's normaliser, which also cuts words; its patterns load when asked for."""

import re
import tomllib
from pathlib import Path

# Letters and digits that are left alone; whatever else is not listed becomes a token.
_LETTER = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_WORD = f"0-9{_LETTER}"
_BLANKS = re.compile("[ \u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_CONTROLS = "".join(map(chr, range(33)))

_OTHER = re.compile(f"([^{_WORD} \\t\\n\\x0b\\f\\r.'`,\\-‘’])")
_DOTS = re.compile(r"\.{2,}")
# One after the other: of the commas in "a,b,c" each pattern sees the first only.
_COMMAS = [
    re.compile("([^0-9]),([^0-9])"),
    re.compile("([0-9]),([^0-9])"),
    re.compile("([^0-9]),([0-9])"),
]
_HYPHEN = re.compile(f"([{_WORD}.])-([{_WORD}])")
_NEXT_LOWER = re.compile("[a-z]")

_APART = r"\1 ' \2"
_ALONE = re.compile(f"([^{_LETTER}])'([^{_LETTER}])")
_CLOSING = re.compile(f"([{_LETTER}])'([^{_LETTER}])")
_INSIDE = re.compile(f"([{_LETTER}])'([{_LETTER}])")
# English cuts before an apostrophe, French behind it, all others on both sides.
_APOSTROPHES = {
    "en": [
        (_ALONE, _APART),
        (re.compile(f"([^{_WORD}])'([{_LETTER}])"), _APART),
        (_CLOSING, _APART),
        (_INSIDE, r"\1 '\2"),
        (re.compile("([0-9])'(s)"), r"\1 '\2"),
    ],
    "fr": [
        (_ALONE, _APART),
        (re.compile(f"([^{_LETTER}])'([{_LETTER}])"), _APART),
        (_CLOSING, _APART),
        (_INSIDE, r"\1' \2"),
    ],
}
_BOTH_SIDES = [(re.compile("'"), " ' ")]

_FILE = Path(__file__).with_name("meteor_abbreviations.toml")
# Abbreviations whose dot ends no sentence.
_ABBREVIATIONS = {
    lang: re.compile(words.replace("\n", ""))
    for lang, words in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
LANGUAGES = tuple(_ABBREVIATIONS)
# Abbreviations only where a number follows.
_BEFORE_NUMBERS = {"en": ("No", "Art", "pp")}


def tokenize_segment(segment: str, lang: str = "en") -> list[str]:
    """Normalise a segment and cut it into lower-case tokens.

    >>> tokenize_segment('"It\\'s U.S.-made," he said.')
    ['"', 'it', "'s", 'us', 'made', ',', '"', 'he', 'said', '.']
    >>> tokenize_segment("Il n'y a rien.", "fr")
    ['il', "n'", 'y', 'a', 'rien', '.']
    """
    text = _OTHER.sub(r" \1 ", f" {segment} ")
    text = _DOTS.sub(lambda run: f" {_DOT * len(run[0])} ", text)
    for pattern in _COMMAS:
        text = pattern.sub(r"\1 , \2", text)
    text = re.sub("[`‘’]", "'", text)
    text = re.sub("[“”]|''", ' " ', text)
    text = text.replace("–", "-").replace("--", "-")
    text = _HYPHEN.sub(r"\1 \2", text)
    for pattern, replacement in _APOSTROPHES.get(lang, _BOTH_SIDES):
        text = pattern.sub(replacement, text)
    words = [word for word in re.split("[ \t\n\f\r]+", text) if word]
    text = " ".join(_strip_final_dot(words, index, lang) for index in range(len(words)))
    text = _BLANKS.sub(" ", text.replace(_DOT, ".")).strip(_CONTROLS)
    return [word for word in text.lower().split(" ") if word]


# Stands for a dot of a run while single dots are looked at.
_DOT = "\ue000"


def _strip_final_dot(words: list[str], index: int, lang: str) -> str:
    word = words[index]
    stem = word[:-1]
    if not word.endswith(".") or not stem:
        return word
    following = words[index + 1] if index + 1 < len(words) else ""
    if "." in stem and re.search(f"[{_LETTER}]", stem):
        return word.replace(".", "")
    if _ABBREVIATIONS[lang].fullmatch(stem) or _NEXT_LOWER.match(following):
        return word
    if stem in _BEFORE_NUMBERS.get(lang, ()) and re.match("[0-9]", following):
        return word
    return f"{stem} ."
