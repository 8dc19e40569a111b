"""What each system's output is like, apart from how good it is, and how that reads."""

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
from metra.metrics.record import Array
from metra.stats import defaults, resampling
from metra.stats import totals as pool
from metra.text.preparation import Preparation

Interval = tuple[float, float]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitValue:
    """A trait of one system."""

    #: None where it cannot be told, for example without a source.
    value: float | None
    interval: Interval | None = None
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


@dataclass(frozen=True, slots=True)
class _RatioTrait:
    """A trait that is one sum of counts divided by another."""

    trait: Trait
    above: str
    below: str
    #: Whether single segments show it or not.
    by_segment: bool = False
    needs_source: bool = False

    def value(self, totals: Array) -> Array:
        """Divide; where there is nothing to divide by, nothing is wrong either."""
        scale = 100 if self.trait.unit == "percent" else 1
        return scale * totals[..., 0] / np.maximum(totals[..., 1], 1)


def _make_trait(
    name: str, title: str, unit: str, more_is_better: bool | None, meaning: str
) -> Trait:
    return Trait(
        name=name,
        title=title,
        unit=unit,
        more_is_better=more_is_better,
        meaning=meaning,
    )


TYPE_TOKEN = _make_trait(
    "type_token",
    "types",
    "ratio",
    None,
    "Different words per word, averaged over windows of 100 words.",
)
_SHARES = (
    _RatioTrait(
        _make_trait(
            "length_ratio",
            "length",
            "ratio",
            None,
            "Words per word of the references, whose lengths are averaged.",
        ),
        "words",
        "reference_words",
    ),
    _RatioTrait(
        _make_trait(
            "precision",
            "precision",
            "percent",
            True,
            "Words that the best reference has too, of all words.",
        ),
        "matches",
        "words",
    ),
    _RatioTrait(
        _make_trait(
            "recall",
            "recall",
            "percent",
            True,
            "Words of the best reference that the output has, of all its words.",
        ),
        "matches",
        "best_reference_words",
    ),
    _RatioTrait(
        _make_trait(
            "repeated",
            "repeated",
            "percent",
            False,
            "n-grams of 4 words that have stood in the same segment before, of all.",
        ),
        "repeated",
        "ngrams",
    ),
    _RatioTrait(
        _make_trait(
            "loops",
            "loops",
            "percent",
            False,
            "Segments in which a phrase comes three times in a row, and no reference does so.",
        ),
        "loops",
        "segments",
        by_segment=True,
    ),
    _RatioTrait(
        _make_trait(
            "copied",
            "copied",
            "percent",
            False,
            "Words taken over from the source that no reference has.",
        ),
        "copied",
        "words",
        by_segment=True,
        needs_source=True,
    ),
    _RatioTrait(
        _make_trait(
            "foreign",
            "script",
            "percent",
            False,
            "Letters of a script that the references do not use, of all characters.",
        ),
        "foreign_letters",
        "characters",
        by_segment=True,
    ),
    _RatioTrait(
        _make_trait(
            "numbers",
            "numbers",
            "percent",
            False,
            "Numbers that neither source nor references have, or that all of them have and "
            "the output lacks.",
        ),
        "wrong_numbers",
        "numbers",
        by_segment=True,
    ),
    _RatioTrait(
        _make_trait(
            "punctuation",
            "punctuation",
            "percent",
            False,
            "Segments whose question marks, brackets, quotation marks or end are those of "
            "neither a reference nor the source.",
        ),
        "punctuation",
        "segments",
        by_segment=True,
    ),
    _RatioTrait(
        _make_trait("empty", "empty", "percent", False, "Segments without a word."),
        "empty",
        "segments",
        by_segment=True,
    ),
)
#: In the order in which they are shown.
TRAITS = (
    *(share.trait for share in _SHARES[:3]),
    TYPE_TOKEN,
    *(share.trait for share in _SHARES[3:]),
)


def build_profiles(
    corpus: Corpus,
    *,
    preparation: Preparation = PLAIN,
    ci: bool = False,
    trials: int = defaults.TRIALS,
    seed: int = defaults.SEED,
) -> Profiles:
    """Read a corpus and describe every system's output; with `ci`, with intervals."""
    collected = collect_corpus(corpus, preparation)
    return describe_outputs(collected, preparation, ci=ci, trials=trials, seed=seed)


def describe_outputs(
    collected: CollectedCorpus,
    preparation: Preparation,
    *,
    ci: bool = False,
    trials: int = defaults.TRIALS,
    seed: int = defaults.SEED,
) -> Profiles:
    """Describe every system's output; with `ci`, with bootstrap intervals."""
    counted = count_profile_rows(collected, preparation)
    shares = [
        share for share in _SHARES if collected.has_source or not share.needs_source
    ]
    intervals = _compute_intervals(counted, shares, trials, seed) if ci else {}
    values = {
        name: _compute_trait_values(counted, name, shares, intervals)
        for name in collected.systems
    }
    plain = {
        name: {trait.name: entry[trait.name].value for trait in TRAITS}
        for name, entry in values.items()
    }
    profiles = []
    for name, traits in values.items():
        others = [entry for other, entry in plain.items() if other != name]
        stands_out = list_notable_traits(plain[name], others)
        profiles.append(
            Profile(
                system=name,
                words=int(counted.rows[name][:, COLUMN_INDEX["words"]].sum()),
                traits=traits,
                marks=stands_out,
                reading=describe_profile(
                    stands_out,
                    empty=len(traits["empty"].segments),
                    loops=len(traits["loops"].segments),
                    others=len(others),
                ),
            )
        )
    first = counted.rows[collected.systems[0]]
    return Profiles(
        traits=TRAITS,
        profiles=profiles,
        segments=len(first),
        reference_words=float(first[:, COLUMN_INDEX["reference_words"]].sum()),
        references=_compute_reference_traits(counted),
        preparation=format_preparation(preparation),
    )


def _compute_trait_values(
    counted: ProfileRows,
    system: str,
    shares: Sequence[_RatioTrait],
    intervals: Mapping[tuple[str, str], Interval | None],
) -> dict[str, TraitValue]:
    rows = counted.rows[system]
    totals = pool.sum_rows(rows)
    values = {
        share.trait.name: TraitValue(
            value=float(
                share.value(
                    totals[[COLUMN_INDEX[share.above], COLUMN_INDEX[share.below]]]
                )
            ),
            interval=intervals.get((system, share.trait.name)),
            segments=(np.flatnonzero(rows[:, COLUMN_INDEX[share.above]]) + 1).tolist()
            if share.by_segment
            else (),
        )
        for share in shares
    }
    values["type_token"] = TraitValue(
        value=compute_type_token_ratio(counted.ids[system])
    )
    nothing = TraitValue(value=None)
    return {trait.name: values.get(trait.name, nothing) for trait in TRAITS}


def _compute_intervals(
    counted: ProfileRows, shares: Sequence[_RatioTrait], trials: int, seed: int
) -> dict[tuple[str, str], Interval | None]:
    """Resample all systems and traits together."""
    samples = {
        (name, share.trait.name): resampling.Sample(
            rows[:, [COLUMN_INDEX[share.above], COLUMN_INDEX[share.below]]], share.value
        )
        for name, rows in counted.rows.items()
        for share in shares
    }
    intervals = resampling.compute_intervals(
        list(samples.values()), trials=trials, seed=seed
    )
    return dict(zip(samples, intervals, strict=True))


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
    "repeated": (1.0, 1.5, "repeats itself"),
    "numbers": (10.0, 1.5, "gets numbers wrong"),
    "punctuation": (20.0, 1.5, "has punctuation of its own"),
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
    """Say it in one line; with one other system, in comparison with that.

    >>> describe_profile(["short", "precise", "empty"], empty=2, loops=0, others=3)
    'short but precise; 2 empty outputs'
    >>> describe_profile(["long", "imprecise"], empty=0, loops=0, others=1)
    'long and less precise'
    >>> describe_profile([], empty=0, loops=0, others=3)
    'like the others'
    """
    said = [_join_adjectives(marks, _COMPARED if others == 1 else _ALONE)]
    if "empty" in marks:
        said.append(f"{empty} empty output{'' if empty == 1 else 's'}")
    if "loops" in marks:
        said.append(f"loops in {loops} segment{'' if loops == 1 else 's'}")
    said += [words for trait, (_, _, words) in NOTABLE.items() if trait in marks]
    line = "; ".join(filter(None, said))
    usual = ("nothing stands out", "like the other one", "like the others")
    return line or usual[min(others, 2)]


_GOOD, _BAD = ("precise", "complete"), ("imprecise", "incomplete")
_ALONE = {word: word for word in (*_GOOD, *_BAD)}
_COMPARED = {word: f"more {word}" for word in _GOOD}
_COMPARED |= {bad: f"less {good}" for good, bad in zip(_GOOD, _BAD, strict=True)}


def _join_adjectives(marks: Sequence[str], words: Mapping[str, str]) -> str:
    size = [word for word in ("short", "long") if word in marks]
    good = " and ".join(words[word] for word in _GOOD if word in marks)
    bad = " and ".join(words[word] for word in _BAD if word in marks)
    if good and bad:
        return ", ".join([*size, f"{good} but {bad}"])
    if good:
        return " but ".join([*size, good])
    return (", " if " and " in bad else " and ").join([*size, *filter(None, [bad])])


def _compute_median(trait: str, others: Sequence[Values]) -> float | None:
    values = [entry[trait] for entry in others]
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
