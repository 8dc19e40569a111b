"""Cut an output like its references, so that the edit distance to them is the smallest.

The words of the whole output are one sequence; the references are segments, each with one or
more versions. Of all ways to cut the output into as many parts, this finds one for which the
sum of the distances between each part and its nearest version is minimal (Matusov et al.
2005, "Evaluating machine translation output with automatic sentence segmentation"; their
program is mwerSegmenter).

The distances between the references so far and every beginning of the output form a column.
Neighbours in it differ by one at most, so that two bits an output word hold it, and a few
operations on long whole numbers add a word of a reference (Myers 1999, JACM 46(3); Hyyrö
2003, Nordic J. Comput. 10). The smaller of two such columns is such a column again.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import unescape
from itertools import pairwise
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from metra.errors import CorpusError
from metra.limits import check_limit
from metra.text.columns import check_lengths
from metra.text.sentences.splitter import find_sentence_starts
from metra.text.words import Span, find_pieces, join_words, strip_categories

#: Streams of references, or one stream.
References: TypeAlias = Sequence[Sequence[str | None]] | Sequence[str | None]

# Places of a word that occurs more often are kept as bits.
_RARE = 16


class OutputPart(NamedTuple):
    """The part of an output that belongs to a reference segment."""

    text: str
    #: Words to substitute, add or delete to get the nearest reference.
    edits: int
    #: The words of the part and of the nearest reference, whichever are more.
    length: int
    #: Words between the first and the last place where the part could begin as well.
    loose_words: int

    @property
    def confidence(self) -> float:
        """The share of words that match: 1 for a part that equals its reference."""
        return 1 - self.edits / self.length if self.length else 1.0


class OutputText:
    """An output as one text, its words, and where its sentences begin."""

    def __init__(self, lines: Iterable[str], lang: str = "") -> None:
        self.lines = [line for line in map(str.strip, lines) if line]
        self.text = join_words(self.lines)
        self.words = find_word_spans(self.text)
        self.lang = lang

    @cached_property
    def sentence_starts(self) -> frozenset[int]:
        """The numbers of the words with which a line or a sentence begins, and the end."""
        edges = {0, *find_sentence_starts(self.text, self.lang)}
        position = 0
        for line in self.lines:
            position = self.text.index(line, position)
            edges.add(position)
            position += len(line)
        starts = {index for index, span in enumerate(self.words) if span.start in edges}
        return frozenset({*starts, len(self.words)})

    def cut(self, start: int, end: int) -> str:
        """Return the text from one word up to another, as it was written."""
        if start == end:
            return ""
        return self.text[self.words[start].start : self.words[end - 1].end]


def resegment(
    output: str | Iterable[str],
    references: References,
    *,
    lang: str = "",
    slack: int = 0,
) -> list[OutputPart]:
    """Split an output into the segments of its references, by minimum edit distance.

    `references` is a list of streams with the same segments, or a single stream; None is a
    missing segment. Among equally good splits, those at the end of an output sentence are
    preferred; `slack` is the number of additional edits that such a split can cost.

    >>> parts = resegment("It rains. We stay at home today.", [["It is raining.", "We stay."]])
    >>> [part.text for part in parts], [part.edits for part in parts]
    (['It rains.', 'We stay at home today.'], [2, 3])
    """
    text = OutputText([output] if isinstance(output, str) else output, lang)
    return cut_output(text, list_versions(references), slack)


def cut_output(
    output: OutputText, segments: Sequence[Sequence[list[str]]], slack: int = 0
) -> list[OutputPart]:
    """Cut an output like segments, of each of which the words of every version are given."""
    numbers: dict[str, int] = {}
    words = [numbers.setdefault(key, len(numbers)) for key in list_keys(output.text)]
    versions = [
        sorted({tuple(numbers.get(key, -1) for key in keys) for keys in segment})
        for segment in segments
    ]
    cuts = find_cuts(words, versions, output.sentence_starts, slack)
    return [
        OutputPart(
            output.cut(left.position, right.position),
            right.edits,
            max(right.position - left.position, right.reference_words),
            left.loose_words,
        )
        for left, right in pairwise(cuts)
    ]


def find_word_spans(text: str) -> list[Span]:
    """Find what stands between blanks; in scripts without them, letters and signs.

    >>> [text[s.start:s.end] for text in ["The market, 市場。"] for s in find_word_spans(text)]
    ['The', 'market,', '市', '場', '。']
    """
    spans = []
    end = 0
    for token in text.split():
        start = text.index(token, end)
        end = start + len(token)
        if token.isascii():
            spans.append(Span(start, end))
        else:
            spans += [Span(start + s.start, start + s.end) for s in find_pieces(token)]
    return spans


def make_key(word: str) -> str:
    """Return a word without letter case and the punctuation around it.

    >>> make_key("(Market,"), make_key("...")
    ('market', '...')
    """
    if word.isascii() and word.isalpha() and word.islower():
        return word
    if "&" in word:
        word = unescape(word)
    return word[slice(*strip_categories(word, "PSZ"))].casefold() or word


def list_versions(references: References) -> list[list[list[str]]]:
    """List the words of all versions of every segment; at least one must be there."""
    streams: list[Sequence[str | None]] = []
    for stream in references:
        if stream is None or isinstance(stream, str):
            streams = [cast(Sequence[str | None], references)]
            break
        streams.append(stream)
    check_lengths({f"reference {n}": len(s) for n, s in enumerate(streams, 1)})
    if not streams or not len(streams[0]):
        msg = "No reference segments were given; expected at least one."
        raise CorpusError(msg)
    segments = []
    for number, row in enumerate(zip(*streams, strict=True), 1):
        texts = [text for text in row if text is not None]
        if not texts:
            msg = f"Segment {number} has no reference; each segment needs at least one."
            raise CorpusError(msg)
        segments.append([list_keys(text) for text in texts])
    return segments


def list_keys(text: str) -> list[str]:
    """List the words of a text as they are compared."""
    spans = find_word_spans(text)
    return [make_key(text[span.start : span.end]) for span in spans]


class Cut(NamedTuple):
    """A place between two parts of an output; the edits are those of the part before it."""

    position: int
    edits: int = 0
    #: The words of the reference that the part before it is nearest to.
    reference_words: int = 0
    loose_words: int = 0


def find_cuts(
    words: Sequence[int],
    segments: Sequence[Sequence[Sequence[int]]],
    preferred: Iterable[int] = (),
    slack: int = 0,
) -> list[Cut]:
    """Find where to cut the words: a place before each segment, and the end.

    Words are numbers; a word of a reference that the output does not have may be any negative
    number. Of equally good places, those in `preferred` come first, then those that make the
    part as long as its reference. `slack` is the number of edits that a preferred place may
    cost in addition.
    """
    grid = _WordPlaces(words)
    liked = frozenset(preferred)
    check_limit("whole", len(segments) * len(words) // 4, "The output")
    # Before the first reference, every output word is added.
    columns = [_Column(0, grid.mask, 0)]
    for versions in segments:
        columns.append(grid.add_segment(columns[-1], versions))
    end = len(words)
    cuts = [Cut(end)]
    for index in range(len(segments) - 1, 0, -1):
        before, after = columns[index], columns[index + 1]
        least = grid.get_value(after, end)
        places = _find_places(
            grid, before, segments[index], end, (least, least + slack)
        )
        best, loose_words = _choose_place(places, end, least, liked)
        cuts[-1] = cuts[-1]._replace(edits=best.edits, reference_words=best.length)
        end = best.position
        cuts.append(Cut(end, loose_words=loose_words))
    if segments:
        edits = grid.get_value(columns[1], end)
        lengths = [len(version) for version in segments[0]]
        nearest = min(lengths, key=lambda length: abs(length - end))
        cuts[-1] = cuts[-1]._replace(edits=edits, reference_words=nearest)
        cuts.append(Cut(0))
    cuts.reverse()
    return cuts


class _Column(NamedTuple):
    """Distances to every beginning of the output: the first, and where they rise and fall."""

    first: int
    rises: int
    falls: int


class _Place(NamedTuple):
    """A possible beginning of a part, its edits, and the words of the nearest version."""

    position: int
    edits: int
    length: int
    #: The edits of all parts up to the end of this one.
    total: int


def _choose_place(
    places: Sequence[_Place], end: int, least: int, liked: frozenset[int]
) -> tuple[_Place, int]:
    """Choose where a part begins; say also over how many words the choice was open."""

    def rank(place: _Place) -> tuple[bool, int, int, int]:
        difference = abs(end - place.position - place.length)
        return place.position not in liked, place.total, difference, -place.position

    possible = [
        place for place in places if place.total == least or place.position in liked
    ]
    equal = [place.position for place in places if place.total == least]
    best = min(possible, key=rank)
    is_open = best.position not in liked and len(set(equal)) > 1
    return best, max(equal) - min(equal) if is_open else 0


class _WordPlaces:
    """The words of an output, as columns need them."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words = words
        self.size = len(words)
        self.mask = (1 << self.size) - 1
        self._places: dict[int, list[int]] = defaultdict(list)
        for place, word in enumerate(words):
            self._places[word].append(place)
        self._bits: dict[int, int] = {}

    def find_equal(self, word: int) -> int:
        """Return the places of a word in the output, as bits."""
        places = self._places.get(word)
        if word < 0 or not places:
            return 0
        if len(places) <= _RARE:
            return sum(1 << place for place in places)
        if word not in self._bits:
            flags = np.zeros(self.size, np.bool_)
            flags[places] = True
            self._bits[word] = _pack_bits(flags)
        return self._bits[word]

    def add_segment(
        self, column: _Column, versions: Sequence[Sequence[int]]
    ) -> _Column:
        """Return the column after a segment, of each place that of the nearest version."""
        columns = [self._add_version(column, version) for version in versions]
        if len(columns) == 1:
            return columns[0]
        values = np.minimum.reduce(
            [_expand_steps(*column, self.size) for column in columns]
        )
        steps = np.diff(values)
        first = int(values[0])
        return _Column(first, _pack_bits(steps == 1), _pack_bits(steps == -1))

    def _add_version(self, column: _Column, version: Sequence[int]) -> _Column:
        rises, falls = column.rises, column.falls
        for word in version:
            rises, falls = _add_word(self.find_equal(word), rises, falls, self.mask)
        return _Column(column.first + len(version), rises, falls)

    def get_value(self, column: _Column, place: int) -> int:
        """Return one distance of a column."""
        mask = (1 << place) - 1
        rises, falls = (column.rises & mask).bit_count(), (column.falls & mask)
        return column.first + rises - falls.bit_count()


def _find_places(
    grid: _WordPlaces,
    before: _Column,
    versions: Sequence[Sequence[int]],
    end: int,
    limits: tuple[int, int],
) -> list[_Place]:
    """Find where a part up to `end` may begin for its edits to be within the limits."""
    least, most = limits
    size = min(end, 32 + 2 * max(map(len, versions)))
    while True:
        window = grid.words[end - size : end]
        base = _list_values(grid, before, end - size, end)
        places: dict[int, _Place] = {}
        for version in versions:
            for length, edits in enumerate(_compute_distances(window, version)):
                total = base[size - length] + edits
                best = places.get(length)
                if total <= most and (best is None or edits < best.edits):
                    places[length] = _Place(end - length, edits, len(version), total)
        if any(place.total == least for place in places.values()):
            return list(places.values())
        size = min(end, 2 * size)


def _list_values(grid: _WordPlaces, column: _Column, start: int, end: int) -> list[int]:
    """List the distances of a column from one place to another, both included."""
    mask = (1 << (end - start)) - 1
    rises, falls = column.rises >> start & mask, column.falls >> start & mask
    first = grid.get_value(column, start)
    return _expand_steps(first, rises, falls, end - start).tolist()


def _expand_steps(first: int, rises: int, falls: int, count: int) -> NDArray[np.int32]:
    """Return the distances that begin with `first` and take the steps of the bits."""
    values = np.empty(count + 1, np.int32)
    values[0] = first
    steps = _unpack_bits(rises, count) - _unpack_bits(falls, count)
    np.cumsum(steps, out=values[1:], dtype=np.int32)
    values[1:] += first
    return values


def _compute_distances(window: Sequence[int], version: Sequence[int]) -> list[int]:
    """List the distances of a version to the last words of a window: 0, 1, 2, … of them."""
    places: dict[int, int] = defaultdict(int)
    for place, word in enumerate(reversed(window)):
        places[word] |= 1 << place
    rises, falls, mask = (1 << len(window)) - 1, 0, (1 << len(window)) - 1
    for word in reversed(version):
        equal = places.get(word, 0) if word >= 0 else 0
        rises, falls = _add_word(equal, rises, falls, mask)
    return _expand_steps(len(version), rises, falls, len(window)).tolist()


def _add_word(equal: int, rises: int, falls: int, mask: int) -> tuple[int, int]:
    """Move on by a reference word that the output has at the places `equal`."""
    # Where the distance is what it was before this word and the output's.
    same = falls
    if equal:
        same = ((((equal & rises) + rises) ^ rises) | equal | falls) & mask
    # Where it rises and falls with the reference word. Numbers stay positive, because Python
    # is slow with the bits of negative ones.
    more = (falls | (mask ^ (same | rises))) << 1 | 1
    less = (same & rises) << 1
    return (less | ((same | more) & mask ^ mask)) & mask, more & same


def _pack_bits(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _unpack_bits(bits: int, size: int) -> NDArray[np.int8]:
    data = np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, count=size, bitorder="little").view(np.int8)
