"""METEOR's normaliser, which also cuts words; its patterns load when asked for."""

import re

# Letters and digits that are left alone; whatever else is not listed becomes a token.
_LETTER = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_WORD = f"0-9{_LETTER}"
_BLANKS = re.compile("[ \u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_CONTROLS = "".join(map(chr, range(33)))

_OTHER = re.compile(f"([^{_WORD} \\t\\n\\x0b\\f\\r.'`,\\-‘’])")
_DOTS = re.compile(r"\.{2,}")
# One after the other: of the commas in "a,b,c" each pattern sees the first only.
_COMMAS = [
    re.compile(f"({before}),({after})")
    for before, after in (
        ("[^0-9]", "[^0-9]"),
        ("[0-9]", "[^0-9]"),
        ("[^0-9]", "[0-9]"),
    )
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

_TITLES = (
    "Adj|Adm|Adv|Asst|Bart|Bldg|Brig|Bros|Capt|Cmdr|Col|Comdr|Con|Corp|Cpl|DR|Dr|Ens|Gen|Gov|"
    "Hon|Hosp|Insp|Lt|MM|MR|MRS|MS|Maj|Messrs|Mlle|Mme|Mr|Mrs|Ms|Msgr|Op|Ord|Pfc|Ph|Prof|Pvt|"
    "Reps?|Res|Rev|Rt|Sens?|Sfc|Sgt|Sr|St|Supt|Surg|vs?|Nos|Nr"
)
_ROMAN = "X?(?:IX|IV|V?I{1,3}|V)|XX?"
# Abbreviations whose dot ends no sentence. METEOR lists none for Czech; those with a dot
# inside lose their dots before they are looked up.
_ABBREVIATIONS = {
    lang: re.compile(words)
    for lang, words in {
        "cz": "(?!)",
        "de": (
            f"[A-Za-z]|[1-9][0-9]?|{_ROMAN}|{_ROMAN.lower()}|{_TITLES}|Mio|Mrd|bzw|usw|etc|"
            "MwSt|ggf|vgl|sogen|ff|Buchst|sog|Std|evtl|Zt|Chr|Ltd|spp|sen|SA|jun|dgl|dergl|Co|"
            "zzt|usf|Dkr|bzgl|BSE|No|Art|pp|[Cc]a"
        ),
        "en": f"[A-Z]|{_TITLES}|Drs|Hr|rev",
        "es": (
            "[A-Z]|[Aa]pdo|[Aa]v|Bco|Da|Dep|Dn|Dra?|Excmo|Fil|Gral|Let|Lic|Prof|Pts|Rte|Sra?|"
            "Srta|Sta|Sto|Tel|Uds?|Vds?|adj|admón|afmo|c|cap|cm|cta|dcha|doc|ej|entlo|esq|etc|"
            "grs?|izq|kg|km|mg|mm|núm|p|ptas|págs?|s|vid|vol"
        ),
        "fr": (
            "[A-Za-z]|art|ann|apr|av|auj|lib|boul|ca|cf|chap|contr|dir|éd|env|al|etc|ex|fasc|"
            "fém|fig|fr|hab|ibid|id|inf|masc|MM|ms|pl|pp|SS|sec|sect|sing|sqq?|suiv|sup|suppl|"
            "tél|vb|vol|vs"
        ),
        "ru": (
            "[A-Z]|[0-9]?(?:гг?|мм?|см|дм|л|км|га|кг|т|мг)|[XVILMC]?вв?|бульв|гл|гос|д|доп|др|"
            "е|ед|зам|и|инд|[иИ]сп|к|кап|кв|кл|кол|комн|коп|куб|лиц|лл|макс|мин|мл|млн|млрд|н|"
            "наб|нач|неуд|ном|о|обл|обр|общ|ок|ост|отл|п|пер|перераб|пл|пос|пр|просп|проф|р|"
            "ред|руб|с|сб|св|соч|ср|ст|стр|[тТ]ел|тех|тт|туп|тыс|уд|ул|уч|физ|х|хор|ч|чел|шт|"
            "экз|э"
        ),
    }.items()
}
#: Languages that METEOR can normalise.
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
