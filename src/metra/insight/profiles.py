"""What each system's output is like, apart from how good it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metra import infer, pool
from metra.corpus import Corpus
from metra.insight.profile_rows import AT, ProfileRows, profile_rows
from metra.insight.readings import marks, reading
from metra.insight.repetition import type_token_ratio
from metra.insight.vocabulary import described
from metra.insight.words import PLAIN
from metra.measure import Array
from metra.text import Preparation

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
class _Share:
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


def _trait(
    name: str, title: str, unit: str, more_is_better: bool | None, meaning: str
) -> Trait:
    return Trait(
        name=name,
        title=title,
        unit=unit,
        more_is_better=more_is_better,
        meaning=meaning,
    )


TYPE_TOKEN = _trait(
    "type_token",
    "types",
    "ratio",
    None,
    "Different words per word, averaged over windows of 100 words.",
)
_SHARES = (
    _Share(
        _trait(
            "length_ratio",
            "length",
            "ratio",
            None,
            "Words per word of the references, whose lengths are averaged.",
        ),
        "words",
        "reference_words",
    ),
    _Share(
        _trait(
            "precision",
            "precision",
            "percent",
            True,
            "Words that the best reference has too, of all words.",
        ),
        "matches",
        "words",
    ),
    _Share(
        _trait(
            "recall",
            "recall",
            "percent",
            True,
            "Words of the best reference that the output has, of all its words.",
        ),
        "matches",
        "best_reference_words",
    ),
    _Share(
        _trait(
            "repeated",
            "repeated",
            "percent",
            False,
            "n-grams of 4 words that have stood in the same segment before, of all.",
        ),
        "repeated",
        "ngrams",
    ),
    _Share(
        _trait(
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
    _Share(
        _trait(
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
    _Share(
        _trait(
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
    _Share(
        _trait(
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
    _Share(
        _trait(
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
    _Share(
        _trait("empty", "empty", "percent", False, "Segments without a word."),
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


def profiles(
    corpus: Corpus,
    *,
    preparation: Preparation = PLAIN,
    ci: bool = False,
    trials: int = infer.TRIALS,
    seed: int = infer.SEED,
) -> Profiles:
    """Describe every system's output; with `ci`, with bootstrap intervals."""
    counted = profile_rows(corpus, preparation)
    shares = [share for share in _SHARES if corpus.has_source or not share.needs_source]
    intervals = _intervals(counted, shares, trials, seed) if ci else {}
    values = {
        name: _values(counted, name, shares, intervals) for name in corpus.systems
    }
    plain = {
        name: {trait.name: entry[trait.name].value for trait in TRAITS}
        for name, entry in values.items()
    }
    found = []
    for name, traits in values.items():
        others = [entry for other, entry in plain.items() if other != name]
        stands_out = marks(plain[name], others)
        found.append(
            Profile(
                system=name,
                words=int(counted.rows[name][:, AT["words"]].sum()),
                traits=traits,
                marks=stands_out,
                reading=reading(
                    stands_out,
                    empty=len(traits["empty"].segments),
                    loops=len(traits["loops"].segments),
                    others=len(others),
                ),
            )
        )
    first = counted.rows[corpus.systems[0]]
    return Profiles(
        traits=TRAITS,
        profiles=found,
        segments=len(first),
        reference_words=float(first[:, AT["reference_words"]].sum()),
        references=_of_references(counted),
        preparation=described(preparation),
    )


def _values(
    counted: ProfileRows,
    system: str,
    shares: Sequence[_Share],
    intervals: Mapping[tuple[str, str], Interval | None],
) -> dict[str, TraitValue]:
    rows = counted.rows[system]
    totals = pool.total(rows)
    found = {
        share.trait.name: TraitValue(
            value=float(share.value(totals[[AT[share.above], AT[share.below]]])),
            interval=intervals.get((system, share.trait.name)),
            segments=(np.flatnonzero(rows[:, AT[share.above]]) + 1).tolist()
            if share.by_segment
            else (),
        )
        for share in shares
    }
    found["type_token"] = TraitValue(value=type_token_ratio(counted.ids[system]))
    nothing = TraitValue(value=None)
    return {trait.name: found.get(trait.name, nothing) for trait in TRAITS}


def _intervals(
    counted: ProfileRows, shares: Sequence[_Share], trials: int, seed: int
) -> dict[tuple[str, str], Interval | None]:
    """Resample all systems and traits together."""
    samples = {
        (name, share.trait.name): infer.Sample(
            rows[:, [AT[share.above], AT[share.below]]], share.value
        )
        for name, rows in counted.rows.items()
        for share in shares
    }
    found = infer.confidence(list(samples.values()), trials=trials, seed=seed)
    return dict(zip(samples, found, strict=True))


def _of_references(counted: ProfileRows) -> dict[str, float]:
    repeated, ngrams = counted.reference_repeats
    types = type_token_ratio(counted.reference_ids)
    found = {"repeated": 100 * repeated / max(ngrams, 1)}
    return found if types is None else {"type_token": types, **found}
