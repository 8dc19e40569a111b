"""What stands out in a system's profile, in one line, by thresholds that are stated here."""

from collections.abc import Mapping, Sequence

import numpy as np

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


def marks(own: Values, others: Sequence[Values]) -> list[str]:
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
        usual = _median(trait, others)
        value = own[trait]
        if usual is not None and value is not None:
            if value >= usual + POINTS:
                found.append(good)
            if value <= usual - POINTS:
                found.append(bad)
    found += [trait for trait in ("empty", "loops") if own[trait]]
    for trait, (least, times, _) in NOTABLE.items():
        value, usual = own[trait], _median(trait, others)
        if value is not None and value >= max(least, times * (usual or 0)):
            found.append(trait)
    return found


def reading(found: Sequence[str], *, empty: int, loops: int, others: int) -> str:
    """Say it in one line; with one other system, in comparison with that.

    >>> reading(["short", "precise", "empty"], empty=2, loops=0, others=3)
    'short but precise; 2 empty outputs'
    >>> reading(["long", "imprecise"], empty=0, loops=0, others=1)
    'long and less precise'
    >>> reading([], empty=0, loops=0, others=3)
    'like the others'
    """
    said = [_adjectives(found, _COMPARED if others == 1 else _ALONE)]
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


def _adjectives(found: Sequence[str], words: Mapping[str, str]) -> str:
    size = [word for word in ("short", "long") if word in found]
    good = " and ".join(words[word] for word in _GOOD if word in found)
    bad = " and ".join(words[word] for word in _BAD if word in found)
    if good and bad:
        return ", ".join([*size, f"{good} but {bad}"])
    if good:
        return " but ".join([*size, good])
    return (", " if " and " in bad else " and ").join([*size, *filter(None, [bad])])


def _median(trait: str, others: Sequence[Values]) -> float | None:
    values = [entry[trait] for entry in others]
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
