"""Numbers under a hundred in words, without accents and in lower case, as tokens."""

from functools import cache

_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen",
    "twenty thirty forty fifty sixty seventy eighty ninety",
)
_FRENCH = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze "
    "quinze seize",
    "vingt trente quarante cinquante soixante",
)
_GERMAN = (
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn "
    "vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn",
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
)
_SPANISH = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
    "quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos "
    "veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve",
    "treinta cuarenta cincuenta sesenta setenta ochenta noventa",
)


@cache
def number_words(lang: str) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Give the ways to write a number in words, by their first word, the longest first.

    Known are English, French, German and Spanish; for other languages it is empty.
    """
    makers = {"en": _english, "fr": _french, "de": _german, "es": _spanish}
    maker = makers.get(lang)
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, value in maker().items() if maker else ():
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append((words, str(value)))
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return found


def _english() -> dict[str, int]:
    small, tens = (part.split() for part in _ENGLISH)
    found = {word: value for value, word in enumerate(small)}
    for at, ten in enumerate(tens, 2):
        found[ten] = 10 * at
        found |= {f"{ten} {small[unit]}": 10 * at + unit for unit in range(1, 10)}
    return found


def _french() -> dict[str, int]:
    small, tens = (part.split() for part in _FRENCH)
    units = {word: value for value, word in enumerate(small)} | {"une": 1}
    units |= {f"dix {small[unit]}": 10 + unit for unit in (7, 8, 9)}
    starts = {ten: 10 * at for at, ten in enumerate(tens, 2)}
    # Belgium and Switzerland count on in tens.
    starts |= {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90}
    starts |= {"quatre vingt": 80}
    found = units | starts | {"quatre vingts": 80}
    for start, value in starts.items():
        # soixante-dix, quatre-vingt-onze: the teens follow these two as units do.
        teens = value == 60 or start == "quatre vingt"
        for word, unit in units.items():
            if 0 < unit < (20 if teens else 10):
                found[f"{start} {word}"] = value + unit
                if unit % 10 == 1:
                    found[f"{start} et {word}"] = value + unit
    return found


def _german() -> dict[str, int]:
    small, tens = (part.split() for part in _GERMAN)
    found = {word: value for value, word in enumerate(small)}
    found |= dict.fromkeys(("ein", "eine", "einen", "einem", "einer", "eines"), 1)
    units = ["", "ein", *small[2:10]]
    for at, ten in enumerate(tens, 2):
        found[ten] = 10 * at
        found |= {f"{units[unit]}und{ten}": 10 * at + unit for unit in range(1, 10)}
    return found


def _spanish() -> dict[str, int]:
    small, tens = (part.split() for part in _SPANISH)
    found = {word: value for value, word in enumerate(small)}
    units = [*enumerate(small[1:10], 1), (1, "un"), (1, "una")]
    found |= {"un": 1, "una": 1, "veintiun": 21, "veintiuna": 21}
    for at, ten in enumerate(tens, 3):
        found[ten] = 10 * at
        found |= {f"{ten} y {word}": 10 * at + unit for unit, word in units}
    return found
