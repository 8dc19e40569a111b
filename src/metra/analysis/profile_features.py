"""What stands out in a system's profile, in one line, by thresholds that are stated here.

Words and n-grams that come again: in loops, within a segment, in the whole output.
The punctuation of a segment as far as languages agree on it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metra.analysis.ngram_counts import Ids

#: Output words per reference word: below or above this an output is short or long.
SHORT, LONG = 0.95, 1.05
#: Points of precision or recall above or below the median of the other systems.
POINTS = 2.0
#: Traits in percent that are worth a word from this on, if they are also this many times
#: the median of the other systems.
NOTABLE = {
    "copied": (2.0, 1.5, "leaves source words untranslated"),
    "foreign": (0.5, 1.5, "uses letters of another script"),
    "repeated": (1.0, 1.5, "repeats itself"),
    "numbers": (10.0, 1.5, "gets numbers wrong"),
    "punctuation": (20.0, 1.5, "has punctuation of its own"),
}

Values = Mapping[str, float | None]


def list_notable_traits(own: Values, others: Sequence[Values]) -> list[str]:
    """List what stands out: against fixed bounds, and against the other systems."""
    found = []
    ratio = own["length_ratio"]
    if ratio is not None and ratio < SHORT:
        found.append("short")
    if ratio is not None and ratio > LONG:
        found.append("long")
    for trait, good, bad in (
        ("precision", "precise", "imprecise"),
        ("recall", "complete", "incomplete"),
    ):
        usual = _compute_median(trait, others)
        value = own[trait]
        if usual is not None and value is not None:
            if value >= usual + POINTS:
                found.append(good)
            if value <= usual - POINTS:
                found.append(bad)
    found += [trait for trait in ("empty", "loops") if own[trait]]
    for trait, (least, times, _) in NOTABLE.items():
        value, usual = own[trait], _compute_median(trait, others)
        if value is not None and value >= max(least, times * (usual or 0)):
            found.append(trait)
    return found


def describe_profile(
    found: Sequence[str], *, empty: int, loops: int, others: int
) -> str:
    """Say it in one line; with one other system, in comparison with that.

    >>> describe_profile(["short", "precise", "empty"], empty=2, loops=0, others=3)
    'short but precise; 2 empty outputs'
    >>> describe_profile(["long", "imprecise"], empty=0, loops=0, others=1)
    'long and less precise'
    >>> describe_profile([], empty=0, loops=0, others=3)
    'like the others'
    """
    said = [_join_adjectives(found, _COMPARED if others == 1 else _ALONE)]
    if "empty" in found:
        said.append(f"{empty} empty output{'' if empty == 1 else 's'}")
    if "loops" in found:
        said.append(f"loops in {loops} segment{'' if loops == 1 else 's'}")
    said += [words for trait, (_, _, words) in NOTABLE.items() if trait in found]
    line = "; ".join(filter(None, said))
    usual = ("nothing stands out", "like the other one", "like the others")
    return line or usual[min(others, 2)]


_GOOD, _BAD = ("precise", "complete"), ("imprecise", "incomplete")
_ALONE = {word: word for word in (*_GOOD, *_BAD)}
_COMPARED = {word: f"more {word}" for word in _GOOD}
_COMPARED |= {bad: f"less {good}" for good, bad in zip(_GOOD, _BAD, strict=True)}


def _join_adjectives(found: Sequence[str], words: Mapping[str, str]) -> str:
    size = [word for word in ("short", "long") if word in found]
    good = " and ".join(words[word] for word in _GOOD if word in found)
    bad = " and ".join(words[word] for word in _BAD if word in found)
    if good and bad:
        return ", ".join([*size, f"{good} but {bad}"])
    if good:
        return " but ".join([*size, good])
    return (", " if " and " in bad else " and ").join([*size, *filter(None, [bad])])


def _compute_median(trait: str, others: Sequence[Values]) -> float | None:
    values = [entry[trait] for entry in others]
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


#: The n-grams whose repetition within a segment is counted.
ORDER = 4
#: The longest phrase that is looked for in loops, and the fewest words a loop has.
LONGEST = 10
LOOP = 6
#: Words among which different ones are counted.
WINDOW = 100


def count_repeated_ngrams(words: Sequence[str]) -> tuple[int, int]:
    """Count the n-grams that have stood in the segment before, and all n-grams.

    Welleck et al. 2020, "Neural text generation with unlikelihood training", ICLR, divide
    the one by the other (seq-rep-4).
    """
    total = len(words) - ORDER + 1
    if total <= 1:
        return 0, max(total, 0)
    different = set(zip(*(words[at:] for at in range(ORDER)), strict=False))
    return total - len(different), total


def has_loop(words: Sequence[str]) -> bool:
    """Whether a phrase of up to ten words comes three times in a row, in six words or more.

    >>> has_loop("so on and on and on and on".split()), has_loop("on and on".split())
    (True, False)
    """
    if len(words) < LOOP or len(set(words)) > len(words) - LOOP // 2:
        return False
    for period in range(1, min(LONGEST, len(words) // 3) + 1):
        needed = max(2 * period, LOOP - period)
        run = 0
        for word, before in zip(words[period:], words, strict=False):
            run = run + 1 if word == before else 0
            if run >= needed:
                return True
    return False


def compute_type_token_ratio(ids: Ids) -> float | None:
    """Average the share of different words over all windows of a hundred words.

    So texts of different lengths can be compared; a shorter text is one window. Covington
    and McFall 2010, "Cutting the Gordian knot: the moving-average type-token ratio".
    """
    size = len(ids)
    if not size:
        return None
    window = min(WINDOW, size)
    order = np.argsort(ids, kind="stable")
    previous = np.full(size, -1)
    same = ids[order[1:]] == ids[order[:-1]]
    previous[order[1:][same]] = order[:-1][same]
    # A word is the first of its kind in the windows that begin after its last use.
    places = np.arange(size)
    first = np.maximum(previous + 1, np.maximum(places - window + 1, 0))
    last = np.minimum(places, size - window)
    firsts = np.maximum(last - first + 1, 0).sum()
    return float(firsts / ((size - window + 1) * window))


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


def read_punctuation(text: str) -> Punctuation:
    """Look at a segment's punctuation; signs of all scripts are put into classes.

    A question is a question in any script, quotation marks are all alike, and a full stop
    before or after the last of them is the same end. Commas and the like, and marks inside
    words, are a matter of language and left out.

    >>> read_punctuation("« Ça va ? »") == read_punctuation("“How are you?”")
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
