"""METEOR's normaliser of English, which also cuts words; its patterns load when asked for."""

import re

# Letters and digits that are left alone; whatever else is not listed becomes a token.
_LETTER = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_WORD = f"0-9{_LETTER}"
_SPACE = r" \t\n\x0b\f\r"
_BLANKS = re.compile(r"[\s\u00a0\u1680\u180e\u2000-\u200b\u202f\u205f\u3000\ufeff]+")

_OTHER = re.compile(f"([^{_WORD}{_SPACE}.'`,\\-‘’])")
_DOTS = re.compile(r"\.{2,}")
_LOOSE_COMMA = re.compile(r"(?<![0-9]),|,(?![0-9])")
_HYPHEN = re.compile(f"([{_WORD}.])-([{_WORD}])")
_NEXT_LOWER = re.compile(r"[a-zß-öø-ÿа-џ]")
_APOSTROPHES = [
    (re.compile(f"([^{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([^{_WORD}])'([{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTER}])'([{_LETTER}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
]

# Abbreviations whose dot ends no sentence: single capitals, titles, a few more.
_ABBREVIATIONS = re.compile(
    "[A-Z]|Adj|Adm|Adv|Asst|Bart|Bldg|Brig|Bros|Capt|Cmdr|Col|Comdr|Con|Corp|Cpl|DR|Drs?|"
    "Ens|Gen|Gov|Hon|Hr|Hosp|Insp|Lt|MM|MR|MRS|MS|Maj|Messrs|Mlle|Mme|Mr|Mrs|Ms|Msgr|Op|"
    "Ord|Pfc|Ph|Prof|Pvt|Reps?|Res|Rev|Rt|Sens?|Sfc|Sgt|Sr|St|Supt|Surg|v|vs|i\\.e|rev|e\\.g|"
    "Nos|Nr"
)
_BEFORE_NUMBERS = ("No", "Art", "pp")


def tokenize_english(segment: str) -> list[str]:
    """Normalise a segment and cut it into lower-case tokens.

    >>> tokenize_english('"It\\'s U.S.-made," he said.')
    ['"', 'it', "'s", 'us', 'made', ',', '"', 'he', 'said', '.']
    """
    text = _OTHER.sub(r" \1 ", f" {segment} ")
    text = _DOTS.sub(lambda run: f" {_DOT * len(run[0])} ", text)
    text = _LOOSE_COMMA.sub(" , ", text)
    text = re.sub("[`‘’]", "'", text)
    text = re.sub("[“”]|''", ' " ', text)
    text = text.replace("–", "-").replace("--", "-")
    text = _HYPHEN.sub(r"\1 \2", text)
    for pattern, replacement in _APOSTROPHES:
        text = pattern.sub(replacement, text)
    words = re.split(f"[{_SPACE}]+", text.strip(" \t\n\x0b\f\r"))
    text = " ".join(_strip_final_dot(words, index) for index in range(len(words)))
    text = text.replace(_DOT, ".")
    return [word for word in _BLANKS.sub(" ", text).lower().split(" ") if word]


# Stands for a dot of a run while single dots are looked at.
_DOT = "\ue000"


def _strip_final_dot(words: list[str], index: int) -> str:
    word = words[index]
    stem = word[:-1]
    if not word.endswith(".") or not stem:
        return word
    following = words[index + 1] if index + 1 < len(words) else ""
    if "." in stem and re.search(f"[{_LETTER}]", stem):
        return word.replace(".", "")
    if _ABBREVIATIONS.fullmatch(stem) or _NEXT_LOWER.match(following):
        return word
    if stem in _BEFORE_NUMBERS and following[:1].isdigit():
        return word
    return f"{stem} ."
