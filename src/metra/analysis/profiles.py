"""Profiles of systems: length, repetition, copied words and other traits of their outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metra.analysis.collection import (
    CollectedCorpus,
    collect_corpus,
    format_preparation,
)
from metra.analysis.profile_counts import (
    COLUMN_INDEX,
    ProfileRows,
    compute_type_token_ratio,
    count_profile_rows,
)
from metra.analysis.word_diff import PLAIN
from metra.corpus.outputs import Corpus
from metra.stats.totals import sum_rows
from metra.text.preparation import Preparation


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """Something that can be said of every output, and how to read it."""

    #: The key in a profile: "length_ratio".
    name: str
    #: The heading, for people: "length".
    title: str
    #: One sentence that says what it is.
    meaning: str
    #: "ratio", to be shown with two digits, or "percent", with one.
    unit: str
    #: Whether more of it is better (True), worse (False) or neither (None).
    more_is_better: bool | None
    #: The best value, if one exists.
    target: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitValue:
    """A trait of one system."""

    #: None where it cannot be told, for example without a source.
    value: float | None
    #: The segments that show it, counted from 1, where it is a matter of single segments.
    segments: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One system."""

    system: str
    words: int
    #: By name of the trait.
    traits: Mapping[str, TraitValue]
    #: What stands out, as single words that programs can rely on: "short", "precise".
    marks: Sequence[str]
    #: The same in one line for people: "short but precise; 2 empty outputs".
    reading: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles:
    """All systems, in the order in which they were given."""

    traits: Sequence[Trait]
    profiles: Sequence[Profile]
    segments: int
    reference_words: float
    #: What the references themselves are like, for traits that can be told of them.
    references: Mapping[str, float] = field(default_factory=dict)
    #: How text was cut, folded and stemmed.
    preparation: str


#: Title, unit, whether more is better, and the two counts whose sums are divided.
_RATIOS: dict[str, tuple[str, str, bool | None, str, str]] = {
    "length_ratio": ("length", "ratio", None, "words", "reference_words"),
    "precision": ("precision", "percent", True, "matches", "words"),
    "recall": ("recall", "percent", True, "matches", "best_reference_words"),
    "type_token": ("types", "ratio", None, "", ""),  # no sum of counts
    "repeated": ("repeated", "percent", False, "repeated", "ngrams"),
    "loops": ("loops", "percent", False, "loops", "segments"),
    "copied": ("copied", "percent", False, "copied", "words"),
    "foreign": ("script", "percent", False, "foreign_letters", "characters"),
    "upper_case": ("upper case", "percent", False, "upper_case", "words"),
    "numbers": ("numbers", "percent", False, "wrong_numbers", "numbers"),
    "punctuation": ("punctuation", "percent", False, "punctuation", "segments"),
    "empty": ("empty", "percent", False, "empty", "segments"),
}
_MEANINGS = {
    "length_ratio": "Output words per reference word; several references are averaged.",
    "precision": "Share of output words that are also in the best reference.",
    "recall": "Share of the words of the best reference that are also in the output.",
    "type_token": "Distinct words per word, averaged over windows of 100 words.",
    "repeated": "Share of 4-grams that occurred earlier in the same segment.",
    "loops": "Share of segments with a phrase three times in a row, unlike any reference.",
    "copied": "Share of words that are copied from the source and in no reference.",
    "foreign": "Share of characters that are letters of a script not used in the references.",
    "upper_case": "Share of words in capitals that are not so in the source or references.",
    "numbers": "Share of numbers that are in neither source nor references, or that "
    "are in all of them but not in the output.",
    "punctuation": "Share of segments whose question marks, brackets, quotation marks "
    "or final punctuation match neither a reference nor the source.",
    "empty": "Share of segments without words.",
}
#: What single segments show or not.
_BY_SEGMENT = {
    *("loops", "copied", "foreign", "upper_case"),
    *("numbers", "punctuation", "empty"),
}
#: What is told by the references, and what by references or source.
_AGAINST_REFERENCES = {"length_ratio", "precision", "recall", "copied", "foreign"}
_AGAINST_EITHER = {"upper_case", "numbers", "punctuation"}
#: In the order in which they are shown.
TRAITS = tuple(
    Trait(
        name=name,
        title=title,
        unit=unit,
        more_is_better=more_is_better,
        target=1.0 if name == "length_ratio" else None,
        meaning=_MEANINGS[name],
    )
    for name, (title, unit, more_is_better, *_) in _RATIOS.items()
)


def build_profiles(corpus: Corpus, *, preparation: Preparation = PLAIN) -> Profiles:
    """Read a corpus and describe every system's output."""
    return describe_outputs(collect_corpus(corpus, preparation), preparation)


def describe_outputs(collected: CollectedCorpus, preparation: Preparation) -> Profiles:
    """Describe every system's output."""
    counted = count_profile_rows(collected, preparation)
    nothing = TraitValue(value=None)
    values = {system: dict.fromkeys(_RATIOS, nothing) for system in counted.rows}
    for system, rows in counted.rows.items():
        for name, (_, unit, _, above, below) in _RATIOS.items():
            if not above or not _can_tell(name, collected):
                continue
            pair = rows[:, [COLUMN_INDEX[above], COLUMN_INDEX[below]]]
            part, whole = sum_rows(pair).tolist()
            # Where there is nothing to divide by, nothing is wrong either.
            scale = 100 if unit == "percent" else 1
            segments = np.flatnonzero(pair[:, 0]) + 1
            values[system][name] = TraitValue(
                value=scale * part / max(whole, 1),
                segments=segments.tolist() if name in _BY_SEGMENT else (),
            )
    for system, ids in counted.ids.items():
        types = compute_type_token_ratio(ids)
        values[system]["type_token"] = TraitValue(value=types)
    first = counted.rows[collected.systems[0]]
    return Profiles(
        traits=TRAITS,
        profiles=[_build_profile(name, counted, values) for name in values],
        segments=len(first),
        reference_words=float(first[:, COLUMN_INDEX["reference_words"]].sum())
        if collected.has_references
        else 0.0,
        references=_compute_reference_traits(counted)
        if collected.has_references
        else {},
        preparation=format_preparation(preparation),
    )


def _can_tell(trait: str, collected: CollectedCorpus) -> bool:
    """Return True if the texts that a trait needs are available."""
    if trait in _AGAINST_REFERENCES and not collected.has_references:
        return False
    if trait in _AGAINST_EITHER:
        return collected.has_references or collected.has_source
    return collected.has_source or trait != "copied"


def _build_profile(
    name: str, counted: ProfileRows, values: Mapping[str, Mapping[str, TraitValue]]
) -> Profile:
    """Say what stands out in one system, beside the others."""
    plain = {
        system: {trait: entry.value for trait, entry in traits.items()}
        for system, traits in values.items()
    }
    own, traits = plain.pop(name), values[name]
    marks = list_notable_traits(own, list(plain.values()))
    reading = describe_profile(
        marks,
        empty=len(traits["empty"].segments),
        loops=len(traits["loops"].segments),
        others=len(plain),
    )
    words = int(counted.rows[name][:, COLUMN_INDEX["words"]].sum())
    return Profile(
        system=name, words=words, traits=traits, marks=marks, reading=reading
    )


def _compute_reference_traits(counted: ProfileRows) -> dict[str, float]:
    types = compute_type_token_ratio(counted.reference_ids)
    share = counted.reference_repeats / max(counted.reference_ngrams, 1)
    traits = {"repeated": 100 * share}
    return traits if types is None else {"type_token": types, **traits}


#: Output words per reference word: below or above this an output is short or long.
SHORT, LONG = 0.95, 1.05
#: Points of precision or recall above or below the median of the other systems.
POINTS = 2.0
#: Traits in percent that are worth a word from this on, if they are also this many times
#: the median of the other systems.
NOTABLE = {
    "copied": (2.0, 1.5, "leaves source words untranslated"),
    "foreign": (0.5, 1.5, "uses letters of another script"),
    "upper_case": (2.0, 1.5, "writes words in capitals"),
    "repeated": (1.0, 1.5, "repeats itself"),
    "numbers": (10.0, 1.5, "gets numbers wrong"),
    "punctuation": (20.0, 1.5, "differs in punctuation"),
}

Values = Mapping[str, float | None]


def list_notable_traits(own: Values, others: Sequence[Values]) -> list[str]:
    """List what stands out: against fixed bounds, and against the other systems."""
    marks = []
    ratio = own["length_ratio"]
    if ratio is not None and ratio < SHORT:
        marks.append("short")
    if ratio is not None and ratio > LONG:
        marks.append("long")
    for trait, good, bad in (
        ("precision", "precise", "imprecise"),
        ("recall", "complete", "incomplete"),
    ):
        usual = _compute_median(trait, others)
        value = own[trait]
        if usual is not None and value is not None:
            if value >= usual + POINTS:
                marks.append(good)
            if value <= usual - POINTS:
                marks.append(bad)
    marks += [trait for trait in ("empty", "loops") if own[trait]]
    for trait, (least, times, _) in NOTABLE.items():
        value, usual = own[trait], _compute_median(trait, others)
        if value is not None and value >= max(least, times * (usual or 0)):
            marks.append(trait)
    return marks


def describe_profile(
    marks: Sequence[str], *, empty: int, loops: int, others: int
) -> str:
    """Say it in one line; precision and recall in comparison with the other systems.

    >>> describe_profile(["short", "precise", "empty"], empty=2, loops=0, others=3)
    'short but more precise than the others; 2 empty outputs'
    >>> describe_profile(["long", "imprecise"], empty=0, loops=0, others=1)
    'long and less precise than the other system'
    >>> describe_profile([], empty=0, loops=0, others=3)
    'similar to the others'
    """
    than = " than the other system" if others == 1 else " than the others"
    is_compared = any(word in marks for word in _COMPARED)
    said = [_join_adjectives(marks) + (than if is_compared else "")]
    if "empty" in marks:
        said.append(f"{empty} empty output{'' if empty == 1 else 's'}")
    if "loops" in marks:
        said.append(f"loops in {loops} segment{'' if loops == 1 else 's'}")
    said += [words for trait, (_, _, words) in NOTABLE.items() if trait in marks]
    line = "; ".join(filter(None, said))
    usual = (
        "nothing stands out",
        "similar to the other system",
        "similar to the others",
    )
    return line or usual[min(others, 2)]


_GOOD, _BAD = ("precise", "complete"), ("imprecise", "incomplete")
_COMPARED = {word: f"more {word}" for word in _GOOD}
_COMPARED |= {bad: f"less {good}" for good, bad in zip(_GOOD, _BAD, strict=True)}


def _join_adjectives(marks: Sequence[str]) -> str:
    size = [word for word in ("short", "long") if word in marks]
    good = " and ".join(_COMPARED[word] for word in _GOOD if word in marks)
    bad = " and ".join(_COMPARED[word] for word in _BAD if word in marks)
    if good and bad:
        return ", ".join([*size, f"{good} but {bad}"])
    if good:
        return " but ".join([*size, good])
    return (", " if " and " in bad else " and ").join([*size, *filter(None, [bad])])


def _compute_median(trait: str, others: Sequence[Values]) -> float | None:
    values = [entry[trait] for entry in others]
    numbers = [value for value in values if value is not None]
    return float(np.median(numbers)) if numbers else None
