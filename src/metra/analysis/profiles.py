"""Profiles of systems: length, repetition, copied words and other traits of their outputs."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

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


#: By name: the fields of a trait, and how it is counted.
_DECLARED: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files(__package__) / "traits.toml").read_text(encoding="utf-8")
)


def _make_trait(name: str, about: Mapping[str, Any]) -> Trait:
    better = about.get("more_is_better", False)
    return Trait(
        name=name,
        title=about["title"],
        meaning=about["meaning"],
        unit=about.get("unit", "percent"),
        more_is_better=None if better == "neither" else better,
        target=about.get("target"),
    )


#: In the order in which they are shown.
TRAITS = tuple(_make_trait(name, about) for name, about in _DECLARED.items())


def build_profiles(corpus: Corpus, *, preparation: Preparation = PLAIN) -> Profiles:
    """Read a corpus and describe every system's output."""
    return describe_outputs(collect_corpus(corpus, preparation), preparation)


def describe_outputs(collected: CollectedCorpus, preparation: Preparation) -> Profiles:
    """Describe every system's output."""
    counted = count_profile_rows(collected, preparation)
    values = {
        system: {
            trait.name: _compute_trait(trait, counted, system, collected)
            for trait in TRAITS
        }
        for system in counted.rows
    }
    first, has_references = counted.rows[collected.systems[0]], collected.has_references
    words = float(first[:, COLUMN_INDEX["reference_words"]].sum())
    return Profiles(
        traits=TRAITS,
        profiles=[_build_profile(name, counted, values) for name in values],
        segments=len(first),
        reference_words=words if has_references else 0.0,
        references=_compute_reference_traits(counted) if has_references else {},
        preparation=format_preparation(preparation),
    )


def _compute_trait(
    trait: Trait, counted: ProfileRows, system: str, collected: CollectedCorpus
) -> TraitValue:
    """Compute a trait of a system; no value if the texts that it needs are missing."""
    if trait.name == "type_token":
        return TraitValue(value=compute_type_token_ratio(counted.ids[system]))
    about = _DECLARED[trait.name]
    texts = collected.has_references, collected.has_source
    is_known = {
        "references": texts[0],
        "both": all(texts),
        "either": any(texts),
        None: True,
    }
    if not is_known[about.get("needs")]:
        return TraitValue(value=None)
    columns = [COLUMN_INDEX[about["part"]], COLUMN_INDEX[about["whole"]]]
    pair = counted.rows[system][:, columns]
    part, whole = sum_rows(pair).tolist()
    scale = 100 if trait.unit == "percent" else 1
    segments = np.flatnonzero(pair[:, 0]) + 1
    # Where there is nothing to divide by, nothing is wrong either.
    return TraitValue(
        value=scale * part / max(whole, 1),
        segments=segments.tolist() if about.get("by_segment") else (),
    )


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
#: Traits in percent that are worth a word from this on, if they are also `TIMES` the
#: median of the other systems.
TIMES = 1.5
NOTABLE = {
    "copied": (2.0, "leaves source words untranslated"),
    "foreign": (0.5, "uses letters of another script"),
    "upper_case": (2.0, "writes words in capitals"),
    "repeated": (1.0, "repeats itself"),
    "numbers": (10.0, "gets numbers wrong"),
    "punctuation": (20.0, "differs in punctuation"),
}

Values = Mapping[str, float | None]


def list_notable_traits(own: Values, others: Sequence[Values]) -> list[str]:
    """List what stands out: against fixed bounds, and against the other systems."""
    marks = []
    ratio = own["length_ratio"]
    if ratio is not None and not SHORT <= ratio <= LONG:
        marks.append("short" if ratio < SHORT else "long")
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
    for trait, (least, _) in NOTABLE.items():
        value, usual = own[trait], _compute_median(trait, others)
        if value is not None and value >= max(least, TIMES * (usual or 0)):
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
    said += [words for trait, (_, words) in NOTABLE.items() if trait in marks]
    line = "; ".join(filter(None, said))
    similar = ("nothing stands out", "similar to the other system")
    return line or (similar[others] if others < 2 else "similar to the others")


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
