"""Match the sentences of an output with the segments of its references.

A group of the alignment takes some sentences and some segments: one of each, one and two or
three, two and two, or one with nothing. The best groups are found by dynamic programming.
A group costs what is unlikely about the numbers of sentences and about the lengths in
characters (Gale and Church 1993, "A program for aligning sentences in bilingual corpora"),
and the words that one side has and the other lacks. Both are in the same language, so that
equal words, above all rare ones such as names and numbers, are strong anchors.

The edit distance between the whole texts says where the search is worth while.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import erfc, inf, log, sqrt
from typing import Literal, NamedTuple, TypeAlias

from metra.text.sentences.resegmentation import (
    Comparison,
    OutputText,
    References,
    cut_output,
    find_cuts,
    list_keys,
    list_versions,
)
from metra.text.sentences.splitter import split_sentences
from metra.text.words import join_words

#: What became of a reference segment: it has a sentence of its own, several, a part of one
#: or more that it shares with its neighbours, or none.
MatchKind: TypeAlias = Literal["one", "joined", "divided", "omitted"]

# How likely a group is, by its sentences and segments. The first four are Gale and Church's.
_SHARES = {
    (1, 1): 0.89,
    (1, 0): 0.0099,
    (0, 1): 0.0099,
    (1, 2): 0.0445,
    (2, 1): 0.0445,
    (2, 2): 0.011,
    (1, 3): 0.004,
    (3, 1): 0.004,
}
# The variance of the length, for each character: Gale and Church's.
_VARIANCE = 6.8
# What a word costs that only one side has, for each unit of its weight.
_WORD_COST = 0.25
# No difference in length costs more, however large it is.
_MOST_LENGTH_COST = 12.0
# Sentences to each side of where the edit distance puts a segment.
_REACH = 4


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """What an output says for one segment of the reference."""

    text: str
    kind: MatchKind
    #: The share of the weight of the words, of both sides, that match: 0 to 1.
    confidence: float
    #: Sentences at the end or the beginning of the text that no segment corresponds to.
    added: tuple[str, ...] = ()


def align_sentences(
    output: str | Iterable[str],
    references: References,
    *,
    lang: str = "",
    compare: Comparison = "loose",
    split: bool = True,
) -> list[SentenceMatch]:
    """Match an output's sentences with the segments of its references; one match for each.

    `references` is a list of streams, which all have the same segments; one stream may stand
    alone. Unless `split` is false, the lines of the output are first cut into sentences.
    Nothing of the output is lost: sentences that correspond to no segment are added to the
    one before, and one that covers several segments is cut by the minimum edit distance.

    >>> matches = align_sentences("It rains. We stay.", [["It rains and we stay.", "Good."]])
    >>> [match.text for match in matches], [match.kind for match in matches]
    (['It rains. We stay.', ''], ['joined', 'omitted'])
    """
    lines = [output] if isinstance(output, str) else list(output)
    sentences = [
        sentence
        for line in lines
        for sentence in (split_sentences(line, lang) if split else [line.strip()])
        if sentence
    ]
    segments = list_versions(references, compare)
    sides = _Sides.build(sentences, segments, compare)
    groups = _find_groups(sides, _guess_places(sides))
    return _write_matches(sides, groups, lang, compare)


class _Group(NamedTuple):
    """Sentences and segments that correspond: where both begin, and how many they are."""

    sentence: int
    segment: int
    sentences: int
    segments: int


class _Words(NamedTuple):
    """The words of one or more sentences: how often each occurs, weight, and characters."""

    counts: Mapping[str, int]
    weight: float
    characters: int


class _Sides(NamedTuple):
    """Both sides of an alignment."""

    sentences: Sequence[str]
    sentence_keys: Sequence[list[str]]
    #: The words of every version of every segment.
    segments: Sequence[Sequence[list[str]]]
    weights: Mapping[str, float]
    #: Characters of the output for each character of the references.
    ratio: float

    @classmethod
    def build(
        cls,
        sentences: Sequence[str],
        segments: Sequence[Sequence[list[str]]],
        compare: Comparison,
    ) -> "_Sides":
        keys = [list_keys(sentence, compare) for sentence in sentences]
        units = [*keys, *(version for segment in segments for version in segment)]
        frequency: Counter[str] = Counter()
        for unit in units:
            frequency.update(set(unit))
        weights = {
            word: log((len(units) + 1) / count) for word, count in frequency.items()
        }
        output_size = sum(map(_count_characters, keys))
        sizes = [
            sum(map(_count_characters, segment)) / len(segment) for segment in segments
        ]
        ratio = min(max(output_size / max(sum(sizes), 1), 0.5), 2.0)
        return cls(sentences, keys, segments, weights, ratio)

    def merge(self, units: Iterable[Sequence[str]]) -> _Words:
        """Put the words of some sentences together."""
        words = [word for unit in units for word in unit]
        weight = sum(self.weights[word] for word in words)
        return _Words(Counter(words), weight, _count_characters(words))

    def match_weight(self, one: _Words, other: _Words) -> float:
        """Add up the weights of the words that two sides share."""
        few, many = sorted((one.counts, other.counts), key=len)
        return sum(
            self.weights[word] * min(count, many[word])
            for word, count in few.items()
            if word in many
        )


def _count_characters(words: Sequence[str]) -> int:
    return sum(map(len, words))


def _guess_places(sides: _Sides) -> list[int]:
    """Say before which sentence each segment begins, by the minimum edit distance."""
    numbers: dict[str, int] = {}
    words = [
        numbers.setdefault(key, len(numbers))
        for keys in sides.sentence_keys
        for key in keys
    ]
    versions = [
        [[numbers.get(key, -1) for key in segment[0]]] for segment in sides.segments
    ]
    starts = list(accumulate(map(len, sides.sentence_keys), initial=0))
    cuts = find_cuts(words, versions, starts)
    return [
        min(bisect_right(starts, cut.position) - 1, len(sides.sentences))
        for cut in cuts
    ]


class _Units:
    """Words of neighbouring sentences or segments, put together once."""

    def __init__(self, sides: _Sides, units: Sequence[Sequence[list[str]]]) -> None:
        self._sides = sides
        self._units = units
        self._known: dict[tuple[int, int], list[_Words]] = {}

    def get(self, start: int, count: int) -> list[_Words]:
        """Return every version of `count` units from `start` on."""
        words = self._known.get((start, count))
        if words is None:
            chosen = self._units[start : start + count]
            # A missing version leaves fewer; then the first of its segment takes its place.
            most = max(map(len, chosen))
            words = [
                self._sides.merge(
                    unit[n] if n < len(unit) else unit[0] for unit in chosen
                )
                for n in range(most)
            ]
            self._known[start, count] = words
        return words


def _find_groups(sides: _Sides, places: Sequence[int]) -> list[_Group]:
    """Find the groups that cost the least, from the first to the last.

    `places` says before which sentence each segment begins, about.
    """
    reach = _REACH
    while True:
        groups, is_inside = _search_band(sides, places, reach)
        if is_inside or reach > len(sides.sentences):
            return groups
        reach *= 4


def _search_band(
    sides: _Sides, places: Sequence[int], reach: int
) -> tuple[list[_Group], bool]:
    """Search near the places; say also whether the best way keeps away from the edges."""
    total, count = len(sides.sentences), len(sides.segments)
    lows = [max(0, place - reach) for place in places]
    highs = [
        min(total, max(place, places[min(index + 1, count)]) + reach)
        for index, place in enumerate(places)
    ]
    lows[0], highs[count] = 0, total
    outputs = _Units(sides, [[keys] for keys in sides.sentence_keys])
    references = _Units(sides, sides.segments)
    best: list[dict[int, tuple[float, _Group | None]]] = [{} for _ in places]
    best[0][0] = (0.0, None)
    for segment in range(count + 1):
        for sentence in range(lows[segment], highs[segment] + 1):
            if sentence not in best[segment]:
                continue
            cost = best[segment][sentence][0]
            for sentences, segments in _SHARES:
                to_sentence, to_segment = sentence + sentences, segment + segments
                if to_segment > count or not (
                    lows[to_segment] <= to_sentence <= highs[to_segment]
                ):
                    continue
                group = _Group(sentence, segment, sentences, segments)
                known = best[to_segment].get(to_sentence, (inf, None))[0]
                new = cost + _compute_cost(sides, outputs, references, group)
                if new < known:
                    best[to_segment][to_sentence] = (new, group)
    groups: list[_Group] = []
    sentence, segment = total, count
    is_inside = True
    while group := best[segment][sentence][1]:
        groups.append(group)
        sentence, segment = group.sentence, group.segment
        is_low = sentence == lows[segment] > 0
        is_inside = is_inside and not is_low and not sentence == highs[segment] < total
    return groups[::-1], is_inside


def _compute_cost(
    sides: _Sides, outputs: _Units, references: _Units, group: _Group
) -> float:
    """Return what a group costs, with the version of its segments that costs least."""
    prior = -log(_SHARES[group.sentences, group.segments])
    if not group.segments:
        (words,) = outputs.get(group.sentence, group.sentences)
        return prior + _WORD_COST * words.weight
    versions = references.get(group.segment, group.segments)
    if not group.sentences:
        return prior + _WORD_COST * min(version.weight for version in versions)
    (words,) = outputs.get(group.sentence, group.sentences)
    costs = []
    for version in versions:
        matched = sides.match_weight(words, version)
        length = _compute_length_cost(words.characters, version.characters, sides.ratio)
        unmatched = words.weight + version.weight - 2 * matched
        costs.append(length + _WORD_COST * unmatched)
    return prior + min(costs)


def _compute_length_cost(output: int, reference: int, ratio: float) -> float:
    """Say how unlikely two lengths are, as the negative logarithm of a probability."""
    mean = max((output / ratio + reference) / 2, 1.0)
    deviation = abs(output - reference * ratio) / sqrt(mean * _VARIANCE)
    chance = erfc(deviation / sqrt(2))
    return min(-log(chance), _MOST_LENGTH_COST) if chance else _MOST_LENGTH_COST


def _write_matches(
    sides: _Sides, groups: Sequence[_Group], lang: str, compare: Comparison
) -> list[SentenceMatch]:
    """Turn groups into one match for each segment."""
    matches: list[SentenceMatch] = []
    before_first: list[str] = []
    outputs = _Units(sides, [[keys] for keys in sides.sentence_keys])
    references = _Units(sides, sides.segments)
    for group in groups:
        stop = group.sentence + group.sentences
        sentences = list(sides.sentences[group.sentence : stop])
        if group.segments:
            confidence = _compute_confidence(sides, outputs, references, group)
            matches += _match_group(sides, group, sentences, confidence, lang, compare)
        elif matches:
            matches[-1] = _add_sentences(matches[-1], sentences)
        else:
            before_first += sentences
    if before_first and matches:
        first = matches[0]
        text = join_words([*before_first, first.text]) if first.text else ""
        text = text or join_words(before_first)
        added = (*before_first, *first.added)
        matches[0] = SentenceMatch(text, first.kind, first.confidence, added)
    return matches


def _match_group(
    sides: _Sides,
    group: _Group,
    sentences: list[str],
    confidence: float,
    lang: str,
    compare: Comparison,
) -> list[SentenceMatch]:
    """Give each segment of a group its part of the sentences."""
    if not sentences:
        return [SentenceMatch("", "omitted", 0.0)]
    if group.segments == 1:
        kind: MatchKind = "one" if len(sentences) == 1 else "joined"
        return [SentenceMatch(join_words(sentences), kind, confidence)]
    versions = sides.segments[group.segment : group.segment + group.segments]
    parts = cut_output(OutputText(sentences, lang), versions, compare)
    return [SentenceMatch(part.text, "divided", confidence) for part in parts]


def _add_sentences(match: SentenceMatch, sentences: Sequence[str]) -> SentenceMatch:
    """Put sentences that no segment corresponds to behind a match."""
    text = join_words([*filter(None, [match.text]), *sentences])
    added = (*match.added, *sentences)
    return SentenceMatch(text, match.kind, match.confidence, added)


def _compute_confidence(
    sides: _Sides, outputs: _Units, references: _Units, group: _Group
) -> float:
    """Return the share of the weight of both sides' words that match."""
    if not group.sentences:
        return 0.0
    (words,) = outputs.get(group.sentence, group.sentences)
    shares = []
    for version in references.get(group.segment, group.segments):
        weight = words.weight + version.weight
        matched = sides.match_weight(words, version)
        shares.append(2 * matched / weight if weight else 1.0)
    return max(shares)
