"""What each system's output is like, apart from how good it is.

What can be counted of every output segment, as rows that add up.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from metra.analysis.buckets import average_reference_lengths
from metra.analysis.ngram_counts import Ids, format_preparation
from metra.analysis.profile_features import (
    compute_type_token_ratio,
    count_repeated_ngrams,
    describe_profile,
    has_loop,
    list_notable_traits,
    read_punctuation,
)
from metra.analysis.word_diff import PLAIN
from metra.corpus.batch import CorpusChunk
from metra.corpus.outputs import Corpus
from metra.metrics import unigram
from metra.metrics.record import Array
from metra.scoring.statistics import CHUNK
from metra.stats import defaults, resampling
from metra.stats import totals as pool
from metra.text.preparation import Preparation
from metra.text.scripts import count_script_letters, get_script
from metra.text.words import find_numbers

COLUMNS = (
    "segments",
    "words",
    "reference_words",
    "matches",
    "best_reference_words",
    "repeated",
    "ngrams",
    "loops",
    "copied",
    "wrong_numbers",
    "numbers",
    "punctuation",
    "empty",
    "foreign_letters",
    "characters",
)
COLUMN_INDEX = {name: at for at, name in enumerate(COLUMNS)}
#: A script that makes up this share of the references' letters is expected anywhere.
EXPECTED_SCRIPT = 0.01


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """Rows of all systems, and their words one after the other."""

    rows: dict[str, Array]
    ids: dict[str, Ids]
    #: The words of the references, of those that are there, one stream after the other.
    reference_ids: Ids
    #: Repeated n-grams of the references, and all of them.
    reference_repeats: tuple[int, int]


def count_profile_rows(corpus: Corpus, preparation: Preparation) -> ProfileRows:
    """Read the corpus (twice) and count what there is to count."""
    expected, usual = _find_expected_scripts(corpus)
    known: defaultdict[str, int] = defaultdict(count().__next__)
    rows: dict[str, list[Array]] = {name: [] for name in corpus.systems}
    ids: dict[str, list[int]] = {name: [] for name in corpus.systems}
    reference_ids: list[list[int]] = []
    repeats = np.zeros(2, np.int64)
    for chunk in corpus.chunks(CHUNK):
        reference_ids = reference_ids or [[] for _ in chunk.refs]
        segments = _build_expected_contents(chunk, preparation, expected, usual)
        for stream, column in zip(reference_ids, chunk.refs, strict=True):
            tokens = column.tokens(preparation)
            for at in range(len(chunk)):
                words = tokens[at] or []
                stream.extend(map(known.__getitem__, words))
                repeats += count_repeated_ngrams(_drop_punctuation(words))
        lengths = average_reference_lengths(chunk, preparation)
        for name in corpus.systems:
            table = np.zeros((len(chunk), len(COLUMNS)))
            table[:, COLUMN_INDEX["segments"]] = 1
            table[:, COLUMN_INDEX["reference_words"]] = lengths
            # [matches, output words, words of the best reference]
            best = unigram.rows(chunk.batch(name), text=preparation, recall_weight=0.5)
            table[
                :,
                [
                    COLUMN_INDEX["matches"],
                    COLUMN_INDEX["words"],
                    COLUMN_INDEX["best_reference_words"],
                ],
            ] = best
            column = chunk.systems[name]
            tokens = column.tokens(preparation)
            for at, yardstick in enumerate(segments):
                words = tokens[at] or []
                ids[name].extend(map(known.__getitem__, words))
                table[at, 5:] = yardstick.counts(column.text[at] or "", words)
            rows[name].append(table)
    return ProfileRows(
        {name: np.concatenate(parts) for name, parts in rows.items()},
        {name: np.array(words, np.int64) for name, words in ids.items()},
        np.array([word for stream in reference_ids for word in stream], np.int64),
        (int(repeats[0]), int(repeats[1])),
    )


def _find_expected_scripts(corpus: Corpus) -> tuple[set[str], set[str]]:
    """Find the scripts that the references are written in, and characters that are theirs."""
    found: Counter[str] = Counter()
    for chunk in corpus.chunks(CHUNK):
        for column in chunk.refs:
            texts = (column.text[at] for at in range(len(chunk)))
            found.update("".join(text for text in texts if text))
    by_script: Counter[str] = Counter()
    for letter, size in found.items():
        by_script[get_script(letter)] += size
    least = EXPECTED_SCRIPT * (by_script.total() - by_script[""])
    expected = {name for name, size in by_script.items() if name and size >= least}
    return expected, {
        c for c in found if not get_script(c) or get_script(c) in expected
    }


class _ExpectedContent:
    """One segment's source and references, and what an output should have from them."""

    def __init__(
        self,
        refs: Sequence[str],
        ref_words: Sequence[Sequence[str]],
        source: str | None,
        source_words: Sequence[str],
        expected: set[str],
        usual: set[str],
    ) -> None:
        texts = [*refs] if source is None else [*refs, source]
        self._punctuation = {read_punctuation(text) for text in texts}
        counts = [Counter(find_numbers(text)) for text in texts]
        self._most: Counter[str] = Counter()
        self._least = counts[0]
        for found in counts:
            self._most |= found
            self._least &= found
        self._usual = usual
        self._scripts = expected
        if not all(map(usual.issuperset, refs)):
            self._scripts = expected.union(*(count_script_letters(ref) for ref in refs))
        there = {word for words in ref_words for word in words}
        self._copies = Counter(
            word for word in source_words if word not in there and _has_letter(word)
        )
        self._ref_words = ref_words

    def counts(self, text: str, words: Sequence[str]) -> list[float]:
        """Count what the last columns are about."""
        spoken = _drop_punctuation(words)
        repeated, ngrams = count_repeated_ngrams(spoken)
        wrong, checked = self._numbers(text)
        foreign = 0
        if not self._usual.issuperset(text):
            foreign = sum(
                size
                for name, size in count_script_letters(text).items()
                if name not in self._scripts
            )
        return [
            repeated,
            ngrams,
            # What loops has n-grams that stood there before.
            repeated > 0
            and has_loop(spoken)
            and not any(
                has_loop(_drop_punctuation(words)) for words in self._ref_words
            ),
            sum(
                min(words.count(word), self._copies[word])
                for word in self._copies.keys() & words
            ),
            wrong,
            checked,
            read_punctuation(text) not in self._punctuation,
            not words and any(self._ref_words),
            foreign,
            len(text),
        ]

    def _numbers(self, text: str) -> tuple[int, int]:
        """Count the wrong and the missing numbers, and all that were looked at."""
        found = find_numbers(text)
        if not found and not self._least:
            return 0, 0
        there = Counter(found)
        missing = (self._least - there).total()
        return (there - self._most).total() + missing, len(found) + missing


def _build_expected_contents(
    chunk: CorpusChunk, preparation: Preparation, expected: set[str], usual: set[str]
) -> list[_ExpectedContent]:
    tokens = [column.tokens(preparation) for column in chunk.refs]
    source = chunk.source.tokens(preparation) if chunk.source else None
    found = []
    for at in range(len(chunk)):
        refs = [column.text[at] for column in chunk.refs]
        found.append(
            _ExpectedContent(
                [ref for ref in refs if ref is not None],
                [
                    words[at] or []
                    for words, ref in zip(tokens, refs, strict=True)
                    if ref is not None
                ],
                chunk.source.text[at] if chunk.source else None,
                (source[at] or []) if source else [],
                expected,
                usual,
            )
        )
    return found


def _drop_punctuation(words: Sequence[str]) -> list[str]:
    """Leave out words that have neither a letter nor a digit."""
    return [word for word in words if word.isalnum() or any(map(str.isalnum, word))]


def _has_letter(word: str) -> bool:
    return any(c.isalpha() for c in word)


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
    """Describe every system's output; with `ci`, with bootstrap intervals."""
    counted = count_profile_rows(corpus, preparation)
    shares = [share for share in _SHARES if corpus.has_source or not share.needs_source]
    intervals = _compute_intervals(counted, shares, trials, seed) if ci else {}
    values = {
        name: _compute_trait_values(counted, name, shares, intervals)
        for name in corpus.systems
    }
    plain = {
        name: {trait.name: entry[trait.name].value for trait in TRAITS}
        for name, entry in values.items()
    }
    found = []
    for name, traits in values.items():
        others = [entry for other, entry in plain.items() if other != name]
        stands_out = list_notable_traits(plain[name], others)
        found.append(
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
    first = counted.rows[corpus.systems[0]]
    return Profiles(
        traits=TRAITS,
        profiles=found,
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
    found = {
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
    found["type_token"] = TraitValue(
        value=compute_type_token_ratio(counted.ids[system])
    )
    nothing = TraitValue(value=None)
    return {trait.name: found.get(trait.name, nothing) for trait in TRAITS}


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
    found = resampling.compute_intervals(
        list(samples.values()), trials=trials, seed=seed
    )
    return dict(zip(samples, found, strict=True))


def _compute_reference_traits(counted: ProfileRows) -> dict[str, float]:
    repeated, ngrams = counted.reference_repeats
    types = compute_type_token_ratio(counted.reference_ids)
    found = {"repeated": 100 * repeated / max(ngrams, 1)}
    return found if types is None else {"type_token": types, **found}
