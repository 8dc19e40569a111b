"""Profiles of systems: length, repetition, copied words and other traits of their outputs.

Traits are sums of counts of every output segment, declared in traits.toml.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import resources
from operator import or_
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.analysis.collection import (
    CellCounts,
    CollectedCorpus,
    Ids,
    NumberedCorpus,
    TokenStream,
    collect_corpus,
    format_preparation,
)
from metra.analysis.word_diff import PLAIN
from metra.corpus.outputs import Corpus
from metra.metrics.record import Array
from metra.stats.totals import sum_rows
from metra.text.preparation import Preparation
from metra.text.scripts import count_script_letters, get_script
from metra.text.words import find_numbers, find_upper_case_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """Something that can be said of every output, and how to read it."""

    #: The key in a profile: "length_ratio".
    name: str
    #: The heading, for people: "length".
    title: str
    meaning: str
    #: "ratio", to be shown with two digits, or "percent", with one.
    unit: str = "percent"
    #: Whether more of it is better (True), worse (False) or neither (None).
    more_is_better: bool | None = None
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
    preparation: str


#: By name: the fields of a trait, and how it is counted.
_DECLARED: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files(__package__) / "traits.toml").read_text(encoding="utf-8")
)


TRAITS = tuple(
    Trait(name=name, **{key: about[key] for key in Trait.__slots__ if key in about})
    for name, about in _DECLARED.items()
)


def build_profiles(corpus: Corpus, *, preparation: Preparation = PLAIN) -> Profiles:
    """Read a corpus and describe every system's output."""
    return describe_outputs(collect_corpus(corpus, preparation))


def describe_outputs(collected: CollectedCorpus) -> Profiles:
    """Describe every system's output."""
    words, lengths = collected.words, collected.lengths
    counts = _count_columns(collected)
    values = {
        system: {
            trait.name: _compute_trait(trait, counts[system], collected)
            for trait in TRAITS
        }
        for system in words.systems
    }
    return Profiles(
        traits=TRAITS,
        profiles=[
            _build_profile(name, int(counts[name]["words"].sum()), values)
            for name in values
        ],
        segments=len(lengths),
        reference_words=float(lengths.sum()) if words.refs else 0.0,
        preparation=format_preparation(collected.preparation),
    )


def _compute_trait(
    trait: Trait, counts: Mapping[str, Array], collected: CollectedCorpus
) -> TraitValue:
    """Compute a trait of a system; no value if the texts that it needs are missing."""
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
    pair = np.column_stack([counts[about["part"]], counts[about["whole"]]])
    part, whole = sum_rows(pair).tolist()
    scale = 100 if trait.unit == "percent" else 1
    segments = np.flatnonzero(pair[:, 0]) + 1
    # Where there is nothing to divide by, nothing is wrong either.
    return TraitValue(
        value=scale * part / max(whole, 1),
        segments=segments.tolist() if about.get("by_segment") else (),
    )


def _build_profile(
    name: str, words: int, values: Mapping[str, Mapping[str, TraitValue]]
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
    return Profile(
        system=name, words=words, traits=traits, marks=marks, reading=reading
    )


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


#: A script that makes up this share of the references' letters is expected anywhere.
EXPECTED_SCRIPT = 0.01

Texts = Sequence[str | None]
Flags = NDArray[np.bool_]


def _count_columns(collected: CollectedCorpus) -> dict[str, dict[str, Any]]:
    """Count the parts and wholes of traits in every segment, by system."""
    words, texts, lengths = collected.words, collected.texts, collected.lengths
    refs = [list(stream) for stream in texts.refs]
    expected = refs if texts.source is None else [*refs, list(texts.source)]
    most, least = _find_expected_numbers(expected)
    punctuation = [read_punctuation(stream) for stream in expected]
    scripts = _find_expected_scripts(refs)
    capitals = set().union(*(_count_items(s, find_upper_case_words) for s in expected))
    source_words = _find_source_words(words)
    spoken = _mark_words(words, str.isalnum)
    spoken_refs = [_select_words(ref, spoken) for ref in words.refs]
    # An output may be empty where all references are.
    has_words: Flags = np.full(len(lengths), not words.refs)
    for ref in words.refs:
        has_words |= ref.lengths > 0
    counts: dict[str, dict[str, Any]] = {}
    for name, matches in collected.matches.items():
        stream = words.systems[name]
        output = [text or "" for text in texts.outputs[name]]
        upper_case = _count_items(output, find_upper_case_words)
        unexpected = {at: n for at, n in upper_case.items() if at not in capitals}
        counts[name] = {
            "segments": np.ones(len(output)),
            "reference_words": lengths,
            "matches": matches[:, 0],
            "words": matches[:, 1],
            "best_reference_words": matches[:, 2],
            **_count_repetition(_select_words(stream, spoken), spoken_refs),
            "copied": stream.count_matches(source_words),
            **_count_wrong_numbers(output, most, least),
            # Nothing can differ from no expected text.
            "punctuation": (read_punctuation(output) != punctuation).any(2).all(0)
            if expected
            else np.zeros(len(output), np.bool_),
            "empty": (stream.lengths == 0) & has_words,
            "foreign_letters": _count_foreign_letters(output, refs, scripts),
            "characters": [len(text) for text in output],
            "upper_case": _sum_by_segment(unexpected, len(output)),
        }
    return counts


def _mark_words(words: NumberedCorpus, is_kind: Callable[[str], bool]) -> Flags:
    """Mark the words that have a character of this kind."""
    marks = (is_kind(word) or any(map(is_kind, word)) for word in words.words)
    return np.fromiter(marks, np.bool_, len(words.words))


def _select_words(stream: TokenStream, chosen: Flags) -> TokenStream:
    """Leave out all other words."""
    kept = chosen[stream.ids]
    lengths = np.bincount(stream.segments[kept], minlength=len(stream.lengths))
    return TokenStream(stream.ids[kept], lengths, stream.vocabulary)


def _count_repetition(
    stream: TokenStream, refs: Sequence[TokenStream]
) -> dict[str, Array]:
    """Count repeated n-grams, all n-grams, and loops that no reference has."""
    repeated, ngrams = _count_repeats(stream)
    # What loops has n-grams that stood there before.
    looping: Iterable[int] = np.flatnonzero(repeated).tolist()
    looping = {at for at, ids in _list_words(stream, looping) if has_loop(ids)}
    for ref in refs:
        looping -= {at for at, ids in _list_words(ref, looping) if has_loop(ids)}
    loops = np.zeros(len(repeated))
    loops[list(looping)] = 1
    return {"repeated": repeated, "ngrams": ngrams, "loops": loops}


def _count_repeats(stream: TokenStream) -> tuple[Array, Array]:
    """Count each segment's n-grams that have stood in it before, and all of them.

    Welleck et al. 2020, "Neural text generation with unlikelihood training", ICLR, divide
    the one by the other (seq-rep-4).
    """
    ngrams = np.maximum(stream.lengths - ORDER + 1, 0)
    ends = np.repeat(np.cumsum(stream.lengths), stream.lengths)
    starts = np.flatnonzero(np.arange(len(stream.ids)) + ORDER <= ends)
    keys = segments = stream.segments[starts]
    for offset in range(ORDER):
        # Numbered anew after each word, so that no key is too large.
        keys = keys * stream.vocabulary + stream.ids[starts + offset]
        keys = np.unique(keys, return_inverse=True)[1]
    _, first = np.unique(keys, return_index=True)
    different = np.bincount(segments[first], minlength=len(ngrams))
    return (ngrams - different).astype(np.float64), ngrams.astype(np.float64)


def _list_words(
    stream: TokenStream, chosen: Iterable[int]
) -> Iterator[tuple[int, list[int]]]:
    """Give the words of these segments."""
    ends = np.cumsum(stream.lengths)
    for segment in chosen:
        stop = ends[segment]
        yield segment, stream.ids[stop - stream.lengths[segment] : stop].tolist()


def _find_source_words(words: NumberedCorpus) -> CellCounts:
    """Count words with a letter that the source has and no reference of the segment."""
    if words.source is None:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    cells, counts = words.source.cells
    wanted = _mark_words(words, str.isalpha)[cells % words.source.vocabulary]
    for ref in words.refs:
        wanted &= ~np.isin(cells, ref.cells[0])
    return cells[wanted], counts[wanted]


#: By segment and number, how often it is there.
Numbers: TypeAlias = Counter[tuple[int, str]]


def _find_expected_numbers(streams: Sequence[Texts]) -> tuple[Numbers, Numbers]:
    """Count each number as the stream that has most of it, and as the one with the least."""
    numbers = [_count_items(stream, find_numbers) for stream in streams]
    most: Numbers = reduce(or_, numbers, Counter())
    least = most.copy()
    for stream, counts in zip(streams, numbers, strict=True):
        for key in least:
            if stream[key[0]] is not None:
                least[key] = min(least[key], counts[key])
    return most, least


def _count_wrong_numbers(
    output: Sequence[str], most: Numbers, least: Numbers
) -> dict[str, Array]:
    """Count the wrong and the missing numbers, and all that were looked at."""
    counts, size = _count_items(output, find_numbers), len(output)
    missing = least - counts
    return {
        "wrong_numbers": _sum_by_segment((counts - most) + missing, size),
        "numbers": _sum_by_segment(counts + missing, size),
    }


def _sum_by_segment(counts: Mapping[tuple[int, str], int], size: int) -> Array:
    segments = np.array([segment for segment, _ in counts], np.int64)
    return np.bincount(segments, list(counts.values()), size).astype(np.float64)


def _count_items(texts: Texts, find: Callable[[str], list[str]]) -> Numbers:
    """Count the numbers, or words in capitals, of each segment."""
    return Counter(
        (segment, item)
        for segment, text in enumerate(texts)
        for item in find(text or "")
    )


def _find_characters(
    texts: Sequence[str], is_wanted: Callable[[str], bool]
) -> Iterator[tuple[int, str]]:
    """Yield the segments and the characters of this kind in all texts."""
    wanted = "".join(filter(is_wanted, set().union(*texts)))
    # Without any of them, nothing matches.
    pattern = re.compile(f"[{re.escape(wanted)}]" if wanted else "(?!)")
    for segment, text in enumerate(texts):
        for sign in pattern.findall(text):
            yield segment, sign


def _find_expected_scripts(refs: Sequence[Texts]) -> set[str]:
    """Find the scripts that make up the references, and "" for all other characters."""
    letters: Counter[str] = Counter()
    for stream in refs:
        letters.update("".join(filter(None, stream)))
    by_script: Counter[str] = Counter()
    for letter, size in letters.items():
        by_script[get_script(letter)] += size
    least = EXPECTED_SCRIPT * (by_script.total() - by_script[""])
    return {name for name, size in by_script.items() if not name or size >= least}


def _count_foreign_letters(
    output: Sequence[str], refs: Sequence[Texts], expected: set[str]
) -> Array:
    """Count the letters of scripts that the segment's references do not use."""
    foreign = np.zeros(len(output))
    if not refs:
        return foreign
    unusual = _find_characters(output, lambda c: get_script(c) not in expected)
    for segment, letter in unusual:
        own = (count_script_letters(ref[segment] or "") for ref in refs)
        foreign[segment] += not any(get_script(letter) in scripts for scripts in own)
    return foreign


#: The n-grams whose repetition within a segment is counted.
ORDER = 4
#: The longest phrase that is looked for in loops, and the fewest words a loop has.
LONGEST = 10
LOOP = 6


def has_loop(words: Sequence[object]) -> bool:
    """Return True if up to ten words come three times in a row, in six words or more.

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
_ENDS = {sign: 1 + list(_CLASSES).index(name) for sign, name in _CLASS.items()}
_ENDS["…"] = _ENDS["."]
#: The marks that are counted: in which column, and as how many.
_MARKS = {"?": (1, 1), "!": (2, 1), "(": (3, 1), ")": (4, 1), '"': (5, 1)}
# A single quotation mark that opens has a partner, which may be an apostrophe.
_MARKS["‘"] = (5, 2)
_CLOSING = "\"”“»’'」』＂)]}）】］"


def read_punctuation(texts: Texts) -> Ids:
    """Read how each segment ends, and count its marks: (segments, 6), -1 where one is missing.

    Signs of all scripts are put into classes. A question is a question in any script,
    quotation marks are all alike, and a full stop before or after the last of them is the
    same end. Commas and the like, and marks inside words, are a matter of language and left
    out.

    >>> one, other = read_punctuation(["« Ça va ? »", "“How are you?”"]).tolist()
    >>> one == other
    True
    """
    segments = [text or "" for text in texts]
    stripped = (text.rstrip().rstrip(_CLOSING).rstrip() for text in segments)
    ends = [_ENDS.get(text[-1:], 0) for text in stripped]
    table = np.zeros((len(ends), 6), np.int64)
    table[:, 0] = ends
    for segment, sign in _find_characters(segments, lambda c: _CLASS.get(c) in _MARKS):
        column, weight = _MARKS[_CLASS[sign]]
        table[segment, column] += weight
    table[[text is None for text in texts]] = -1
    return table
