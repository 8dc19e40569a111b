"""What can be counted of every output segment for its profile, as rows that add up."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metra.analysis.collection import (
    CollectedCorpus,
    Ids,
    NumberedCorpus,
    SmallIds,
    TokenStream,
)
from metra.metrics.record import Array
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
COLUMN_INDEX = {name: index for index, name in enumerate(COLUMNS)}
#: A script that makes up this share of the references' letters is expected anywhere.
EXPECTED_SCRIPT = 0.01

Texts = Sequence[str | None]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """Rows of all systems, and their words one after the other."""

    rows: dict[str, Array]
    ids: dict[str, SmallIds]
    #: The words of the references, of those that are there, one stream after the other.
    reference_ids: SmallIds
    #: Repeated n-grams of the references, and all of them.
    reference_repeats: tuple[int, int]


def count_profile_rows(
    collected: CollectedCorpus, preparation: Preparation
) -> ProfileRows:
    """Count what there is to count of every system's output."""
    words = collected.words(preparation)
    texts = collected.texts
    refs = [list(stream) for stream in texts.refs]
    source = None if texts.source is None else list(texts.source)
    repetition = _Repetition(words)
    copies = None if words.source is None else _SourceCopies(words, words.source)
    numbers = _ExpectedNumbers(refs, source)
    punctuation = _ExpectedPunctuation(refs, source)
    scripts = _ExpectedScripts(refs)
    lengths = collected.reference_lengths(preparation)
    has_reference_words = np.any([ref.lengths > 0 for ref in words.refs], axis=0)
    rows: dict[str, Array] = {}
    for name, matches in collected.matches(preparation).items():
        stream = words.systems[name]
        output = [text or "" for text in texts.outputs[name]]
        columns = {
            "segments": np.ones(len(output)),
            "reference_words": lengths,
            "matches": matches[:, 0],
            "words": matches[:, 1],
            "best_reference_words": matches[:, 2],
            **repetition.count(stream),
            "copied": np.zeros(len(output)) if copies is None else copies.count(stream),
            **numbers.count(output),
            "punctuation": punctuation.count(output),
            "empty": (stream.lengths == 0) & has_reference_words,
            "foreign_letters": scripts.count(output),
            "characters": np.fromiter(map(len, output), np.float64, len(output)),
        }
        rows[name] = np.column_stack([columns[column] for column in COLUMNS])
    return ProfileRows(
        rows,
        {name: words.systems[name].ids for name in rows},
        np.concatenate([np.empty(0, np.int32), *(ref.ids for ref in words.refs)]),
        repetition.count_references(),
    )


class _Repetition:
    """Repeated n-grams and loops, of words that are more than punctuation."""

    def __init__(self, words: NumberedCorpus) -> None:
        self._spoken = np.array(
            [word.isalnum() or any(map(str.isalnum, word)) for word in words.words],
            np.bool_,
        )
        self._refs = [self._drop_punctuation(ref) for ref in words.refs]

    def _drop_punctuation(self, stream: TokenStream) -> TokenStream:
        kept = self._spoken[stream.ids]
        lengths = np.bincount(stream.segments()[kept], minlength=len(stream.lengths))
        return TokenStream(stream.ids[kept], lengths)

    def count(self, stream: TokenStream) -> dict[str, Array]:
        """Count repeated n-grams, all n-grams, and loops that no reference has."""
        spoken = self._drop_punctuation(stream)
        repeated, ngrams = _count_repeats(spoken)
        loops = np.zeros(len(repeated))
        # What loops has n-grams that stood there before.
        again = np.flatnonzero(repeated)
        looping = [seg for seg, ids in _list_segments(spoken, again) if has_loop(ids)]
        loops[looping] = 1
        for ref in self._refs:
            for segment, ids in _list_segments(ref, np.array(looping, np.int64)):
                if has_loop(ids):
                    loops[segment] = 0
        return {"repeated": repeated, "ngrams": ngrams, "loops": loops}

    def count_references(self) -> tuple[int, int]:
        """Count the repeated n-grams of all references, and all of their n-grams."""
        counts = [_count_repeats(ref) for ref in self._refs]
        return (
            int(sum(repeated.sum() for repeated, _ in counts)),
            int(sum(ngrams.sum() for _, ngrams in counts)),
        )


def _count_repeats(stream: TokenStream) -> tuple[Array, Array]:
    """Count each segment's repeated n-grams, and all of them."""
    ngrams = np.maximum(stream.lengths - ORDER + 1, 0)
    repeated = np.zeros(len(ngrams))
    ends = np.repeat(np.cumsum(stream.lengths), stream.lengths)
    starts = np.flatnonzero(np.arange(len(stream.ids)) + ORDER <= ends)
    segments = stream.segments()[starts]
    # Equal n-grams of a segment have equal keys; few others have, and are counted exactly.
    keys = segments.astype(np.uint64)
    for offset in range(ORDER):
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + stream.ids[
            starts + offset
        ].astype(np.uint64)
        keys ^= keys >> np.uint64(29)
    order = np.argsort(keys)
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    for segment, ids in _list_segments(stream, np.unique(segments[order[again]])):
        repeated[segment], _ = count_repeated_ngrams(ids)
    return repeated, ngrams.astype(np.float64)


def _list_segments(stream: TokenStream, chosen: Ids) -> Iterator[tuple[int, list[int]]]:
    """Give the words of these segments."""
    stops = np.cumsum(stream.lengths)[chosen]
    starts = stops - stream.lengths[chosen]
    for segment, start, stop in zip(
        chosen.tolist(), starts.tolist(), stops.tolist(), strict=True
    ):
        yield segment, stream.ids[start:stop].tolist()


class _SourceCopies:
    """Words with a letter that the source has and no reference of the segment."""

    def __init__(self, words: NumberedCorpus, source: TokenStream) -> None:
        self._size = max(len(words.words), 1)
        lettered = np.array(
            [any(map(str.isalpha, word)) for word in words.words], np.bool_
        )
        cells = self._number_cells(source)[lettered[source.ids]]
        for ref in words.refs:
            cells = cells[~np.isin(cells, self._number_cells(ref))]
        #: Each word in each segment as one number, and how often the source has it there.
        self._cells, self._counts = np.unique(cells, return_counts=True)
        self._wanted = np.zeros(self._size, np.bool_)
        self._wanted[self._cells % self._size] = True

    def _number_cells(self, stream: TokenStream) -> Ids:
        return stream.segments() * self._size + stream.ids

    def count(self, stream: TokenStream) -> Array:
        """Count the copied words of each segment."""
        cells = self._number_cells(stream)[self._wanted[stream.ids]]
        cells, counts = np.unique(cells, return_counts=True)
        _, own, copied = np.intersect1d(
            cells, self._cells, assume_unique=True, return_indices=True
        )
        both = np.minimum(counts[own], self._counts[copied])
        segments = cells[own] // self._size
        copies = np.bincount(segments, both, len(stream.lengths))
        return copies.astype(np.float64)


class _ExpectedNumbers:
    """The numbers of each segment's references and source."""

    def __init__(self, refs: Sequence[Texts], source: Texts | None) -> None:
        streams = refs if source is None else [*refs, source]
        numbers = [_list_numbers(stream) for stream in streams]
        #: By segment, where any stream has numbers: the most of each, and the least.
        self._most: dict[int, Counter[str]] = {}
        self._least: dict[int, Counter[str]] = {}
        for segment in sorted(set().union(*numbers)):
            counts = [
                Counter(entry.get(segment, ()))
                for entry, stream in zip(numbers, streams, strict=True)
                if stream[segment] is not None
            ]
            most, least = Counter(counts[0]), Counter(counts[0])
            for count in counts[1:]:
                most |= count
                least &= count
            self._most[segment] = most
            if least:
                self._least[segment] = least

    def count(self, output: Sequence[str]) -> dict[str, Array]:
        """Count the wrong and the missing numbers, and all that were looked at."""
        wrong, checked = np.zeros(len(output)), np.zeros(len(output))
        numbers = _list_numbers(output)
        nothing: Counter[str] = Counter()
        for segment in numbers.keys() | self._least.keys():
            counts = Counter(numbers.get(segment, ()))
            missing = (self._least.get(segment, nothing) - counts).total()
            excess = (counts - self._most.get(segment, nothing)).total()
            wrong[segment] = excess + missing
            checked[segment] = counts.total() + missing
        return {"wrong_numbers": wrong, "numbers": checked}


def _list_numbers(texts: Texts) -> dict[int, list[str]]:
    """List the numbers of each segment that has any."""
    numbers = {
        segment: find_numbers(text) for segment, text in enumerate(texts) if text
    }
    return {segment: entry for segment, entry in numbers.items() if entry}


class _ExpectedPunctuation:
    """The punctuation of each segment's references and source: any of them will do."""

    def __init__(self, refs: Sequence[Texts], source: Texts | None) -> None:
        streams = refs if source is None else [*refs, source]
        read = [
            [None if text is None else read_punctuation(text) for text in stream]
            for stream in streams
        ]
        self._expected = list(zip(*read, strict=True))

    def count(self, output: Sequence[str]) -> Flags:
        """Mark the segments that have none of these."""
        return np.array(
            [
                read_punctuation(text) not in expected
                for text, expected in zip(output, self._expected, strict=True)
            ],
            np.bool_,
        )


class _ExpectedScripts:
    """The scripts that the references are written in."""

    def __init__(self, refs: Sequence[Texts]) -> None:
        self._refs = refs
        letters: Counter[str] = Counter()
        for stream in refs:
            letters.update("".join(filter(None, stream)))
        by_script: Counter[str] = Counter()
        for letter, size in letters.items():
            by_script[get_script(letter)] += size
        least = EXPECTED_SCRIPT * (by_script.total() - by_script[""])
        self._expected = {
            name for name, size in by_script.items() if name and size >= least
        }
        usual = "".join(
            letter
            for letter in letters
            if not get_script(letter) or get_script(letter) in self._expected
        )
        # Characters that have to be looked at one by one: few, and mostly none.
        self._unusual = re.compile(f"[^{re.escape(usual)}]" if usual else "(?s:.)")

    def count(self, output: Sequence[str]) -> Array:
        """Count the letters of scripts that the segment's references do not use."""
        foreign = np.zeros(len(output))
        ends = list(accumulate(map(len, output)))
        places = [match.start() for match in self._unusual.finditer("".join(output))]
        for segment in np.unique(np.searchsorted(ends, places, side="right")).tolist():
            scripts = self._expected.union(
                *(count_script_letters(ref[segment] or "") for ref in self._refs)
            )
            foreign[segment] = sum(
                size
                for name, size in count_script_letters(output[segment]).items()
                if name not in scripts
            )
        return foreign


#: The n-grams whose repetition within a segment is counted.
ORDER = 4
#: The longest phrase that is looked for in loops, and the fewest words a loop has.
LONGEST = 10
LOOP = 6
#: Words among which different ones are counted.
WINDOW = 100


def count_repeated_ngrams(words: Sequence[object]) -> tuple[int, int]:
    """Count the n-grams that have stood in the segment before, and all n-grams.

    Welleck et al. 2020, "Neural text generation with unlikelihood training", ICLR, divide
    the one by the other (seq-rep-4).
    """
    total = len(words) - ORDER + 1
    if total <= 1:
        return 0, max(total, 0)
    different = set(zip(*(words[at:] for at in range(ORDER)), strict=False))
    return total - len(different), total


def has_loop(words: Sequence[object]) -> bool:
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


def compute_type_token_ratio(ids: SmallIds) -> float | None:
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
_SIGNS = re.compile(f"[{re.escape(''.join(_CLASS))}]")
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
    last = text.rstrip().rstrip(_CLOSING).rstrip()[-1:]
    return _count_signs("".join(_SIGNS.findall(text)), last)


@lru_cache(maxsize=65536)
def _count_signs(signs: str, last: str) -> Punctuation:
    counts = dict.fromkeys(_CLASSES, 0)
    for sign in signs:
        counts[_CLASS[sign]] += 1
    return Punctuation(
        end="." if last == "…" else _CLASS.get(last, ""),
        questions=counts["?"],
        exclamations=counts["!"],
        opening=counts["("],
        closing=counts[")"],
        # A single quotation mark that opens has a partner, which may be an apostrophe.
        quotes=counts['"'] + 2 * counts["‘"],
    )
