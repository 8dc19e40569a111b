"""Match the sentences of an output with the segments of its references.

A group of the alignment takes some sentences and some segments: one of each, one and two or
three, two and two, or one with nothing. The best groups are found by dynamic programming.
The cost of a group grows with unlikely numbers of sentences and unlikely lengths in
characters (Gale and Church 1993, "A program for aligning sentences in bilingual corpora"),
and the words that one side has and the other lacks. Both are in the same language, so that
equal words, above all rare ones such as names and numbers, are strong anchors.

The edit distance between the whole texts says where the search is worth while.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, pairwise
from math import erfc, fsum, inf, log, sqrt
from statistics import median
from typing import Literal, NamedTuple, TypeAlias

from metra.text.sentences.resegmentation import (
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

# How likely a group is, by its sentences and segments: about Gale and Church's figures, but
# systems leave out and add more than people do.
_SHARES = {
    (1, 1): 0.89,
    (1, 0): 0.02,
    (0, 1): 0.02,
    (1, 2): 0.0445,
    (2, 1): 0.0445,
    (2, 2): 0.011,
    (1, 3): 0.004,
    (3, 1): 0.004,
}
_PRIORS = {numbers: -log(share) for numbers, share in _SHARES.items()}
# The variance of the length, for each character: Gale and Church's.
_VARIANCE = 6.8
# What a word costs that only one side has, for each unit of its weight.
_WORD_COST = 0.25
# What a sentence or segment costs in a group that has none of its words, and what share of
# its words, by weight, makes it cost nothing.
_STRANGER_COST = 3.0
_FEW_WORDS = 0.15
# No difference in length costs more, however large it is.
_MOST_LENGTH_COST = 12.0
# Edits that a cut at the end of a sentence may cost, where sentences are divided.
_SLACK = 2
# Sentences to each side of where the edit distance puts a segment.
_REACH = 4


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """The part of an output for one segment of the reference."""

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
    split: bool = True,
) -> list[SentenceMatch]:
    """Match the sentences of an output with the segments of its references.

    `references` is a list of streams with the same segments, or a single stream. Unless
    `split` is false, the lines of the output are first split into sentences. The result
    contains the whole output: sentences that correspond to no segment are appended to the
    previous one, and one that covers several segments is split by minimum edit distance.

    >>> references = [["It rains and so we stay at home.", "Nobody minds it."]]
    >>> matches = align_sentences("It rains. We stay at home. Nobody minds.", references)
    >>> [(match.kind, match.text) for match in matches]
    [('joined', 'It rains. We stay at home.'), ('one', 'Nobody minds.')]
    """
    lines = [output] if isinstance(output, str) else list(output)
    sentences = [
        sentence
        for line in lines
        for sentence in (split_sentences(line, lang) if split else [line.strip()])
        if sentence
    ]
    texts = _Texts(sentences, list_versions(references))
    return _write_matches(texts, _find_groups(texts), lang)


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


class _Texts:
    """Sentences of an output and segments of its references, with the cost of groups."""

    def __init__(
        self, sentences: Sequence[str], segments: Sequence[Sequence[list[str]]]
    ) -> None:
        self.sentences = sentences
        self.keys = [list_keys(sentence) for sentence in sentences]
        #: The words of every version of every segment.
        self.segments = segments
        units = [*self.keys, *(version for segment in segments for version in segment)]
        frequency = Counter(word for unit in units for word in set(unit))
        self._weights = {
            word: log((len(units) + 1) / count) for word, count in frequency.items()
        }
        # Neighbours are put together once, and compared once.
        self._get_output = cache(self._merge_output)
        self._get_references = cache(self._merge_references)
        self._match_pair = cache(self._compare_pair)

    def _merge_output(self, start: int, count: int) -> _Words:
        """Put `count` sentences from `start` on together."""
        return self._merge(self.keys[start : start + count])

    def _merge_references(self, start: int, count: int) -> list[_Words]:
        """Put every version of `count` segments from `start` on together."""
        segments = self.segments[start : start + count]
        # A missing version leaves fewer; then the first of its segment takes its place.
        return [
            self._merge(each[n] if n < len(each) else each[0] for each in segments)
            for n in range(max(map(len, segments)))
        ]

    def _merge(self, units: Iterable[Sequence[str]]) -> _Words:
        words = [word for unit in units for word in unit]
        weight = sum(self._weights[word] for word in words)
        return _Words(Counter(words), weight, sum(map(len, words)))

    def _match_weight(self, one: _Words, other: _Words) -> float:
        """Add up the weights of the words that two sides share."""
        counts, others = one.counts, other.counts
        shared = counts.keys() & others.keys()
        # The order of a set changes from run to run; the sum must not.
        return fsum(
            self._weights[word] * min(counts[word], others[word]) for word in shared
        )

    def compute_cost(self, group: _Group, ratio: float, limit: float) -> float:
        """Return the cost of a group, with the version of its segments that costs least.

        A cost above the limit may be infinity, which is quicker to compute.
        """
        prior = _PRIORS[group.sentences, group.segments]
        words = self._get_output(group.sentence, group.sentences)
        if not group.segments:
            return prior + _WORD_COST * words.weight
        versions = self._get_references(group.segment, group.segments)
        if not group.sentences:
            return prior + _WORD_COST * min(version.weight for version in versions)
        least = inf
        for version in versions:
            sizes = words.characters, version.characters
            cost = prior + _compute_length_cost(*sizes, ratio)
            if cost + _WORD_COST * abs(words.weight - version.weight) < limit:
                matched = self._match_weight(words, version)
                cost += _WORD_COST * (words.weight + version.weight - 2 * matched)
                least = min(least, cost)
        if least >= limit or group.sentences == group.segments == 1:
            return least
        return least + self._compute_stranger_cost(group)

    def _compute_stranger_cost(self, group: _Group) -> float:
        """Return the cost of members that have no words of the other side."""
        sentences = range(group.sentence, group.sentence + group.sentences)
        segments = range(group.segment, group.segment + group.segments)
        shares: list[float] = []
        if group.sentences > 1:
            shares += [
                max(self._match_pair(i, j)[0] for j in segments) for i in sentences
            ]
        if group.segments > 1:
            shares += [
                max(self._match_pair(i, j)[1] for i in sentences) for j in segments
            ]
        return sum(
            _STRANGER_COST * max(0.0, 1 - share / _FEW_WORDS) for share in shares
        )

    def _compare_pair(self, sentence: int, segment: int) -> tuple[float, float]:
        """Return the share of a sentence's weight that a segment has, and the reverse."""
        words = self._get_output(sentence, 1)
        one = other = 0.0
        for version in self._get_references(segment, 1):
            matched = self._match_weight(words, version)
            one = max(one, matched / (words.weight or 1.0))
            other = max(other, matched / (version.weight or 1.0))
        return one, other

    def compute_confidence(self, group: _Group) -> float:
        """Return the share of the weight of both sides' words that match."""
        if not group.sentences:
            return 0.0
        words = self._get_output(group.sentence, group.sentences)
        shares = []
        for version in self._get_references(group.segment, group.segments):
            weight = words.weight + version.weight
            matched = self._match_weight(words, version)
            shares.append(2 * matched / weight if weight else 1.0)
        return max(shares)


def _guess_places(texts: _Texts) -> tuple[list[int], float]:
    """Cut the output like the segments by the minimum edit distance.

    Return before which sentence each segment begins, and the end; and the words of the
    output for each word of the references.
    """
    numbers: dict[str, int] = {}
    words = [
        numbers.setdefault(key, len(numbers)) for keys in texts.keys for key in keys
    ]
    versions = [
        [[numbers.get(key, -1) for key in segment[0]]] for segment in texts.segments
    ]
    starts = list(accumulate(map(len, texts.keys), initial=0))
    cuts = find_cuts(words, versions, starts)
    places = [
        min(bisect_right(starts, cut.position) - 1, len(texts.sentences))
        for cut in cuts
    ]
    # Half of the parts are shorter: what was left out or added has no influence.
    ratios = [
        (right.position - left.position) / len(version)
        for (left, right), (version,) in zip(pairwise(cuts), versions, strict=True)
        if version and right.position > left.position
    ]
    return places, min(max(median(ratios or [1.0]), 0.5), 2.0)


def _find_groups(texts: _Texts) -> list[_Group]:
    """Find the groups that cost the least, from the first to the last."""
    places, ratio = _guess_places(texts)
    reach = _REACH
    while True:
        groups, is_inside = _search_band(texts, places, ratio, reach)
        if is_inside or reach > len(texts.sentences):
            return groups
        reach *= 4


def _search_band(
    texts: _Texts, places: Sequence[int], ratio: float, reach: int
) -> tuple[list[_Group], bool]:
    """Search near the guess; tell also whether the best path avoids the band's edges."""
    total, count = len(texts.sentences), len(texts.segments)
    lows = [max(0, places[max(index - 1, 0)] - reach) for index in range(len(places))]
    highs = [
        min(total, places[min(index + 1, count)] + reach)
        for index in range(len(places))
    ]
    lows[0], highs[count] = 0, total
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
                least = best[to_segment].get(to_sentence, (inf, None))[0]
                new = cost + texts.compute_cost(group, ratio, least - cost)
                if new < least:
                    best[to_segment][to_sentence] = (new, group)
    groups: list[_Group] = []
    sentence, segment = total, count
    is_inside = True
    while last := best[segment][sentence][1]:
        groups.append(last)
        sentence, segment = last.sentence, last.segment
        is_low = sentence == lows[segment] > 0
        is_inside = is_inside and not is_low and not sentence == highs[segment] < total
    return groups[::-1], is_inside


def _compute_length_cost(output: int, reference: int, ratio: float) -> float:
    """Say how unlikely two lengths are, as the negative logarithm of a probability."""
    mean = max((output / ratio + reference) / 2, 1.0)
    deviation = abs(output - reference * ratio) / sqrt(mean * _VARIANCE)
    chance = erfc(deviation / sqrt(2))
    return min(-log(chance), _MOST_LENGTH_COST) if chance else _MOST_LENGTH_COST


def _write_matches(
    texts: _Texts, groups: Sequence[_Group], lang: str
) -> list[SentenceMatch]:
    """Turn groups into one match for each segment."""
    matches: list[SentenceMatch] = []
    before_first: list[str] = []
    for group in groups:
        stop = group.sentence + group.sentences
        sentences = list(texts.sentences[group.sentence : stop])
        if group.segments:
            confidence = texts.compute_confidence(group)
            matches += _match_group(texts, group, sentences, confidence, lang)
        elif matches:
            matches[-1] = _add_sentences(matches[-1], after=sentences)
        else:
            before_first += sentences
    if before_first and matches:
        matches[0] = _add_sentences(matches[0], before=before_first)
    return matches


def _match_group(
    texts: _Texts, group: _Group, sentences: list[str], confidence: float, lang: str
) -> list[SentenceMatch]:
    """Give each segment of a group its part of the sentences."""
    if not sentences:
        return [SentenceMatch("", "omitted", 0.0)]
    whole: MatchKind = "one" if len(sentences) == 1 else "joined"
    if group.segments == 1:
        return [SentenceMatch(join_words(sentences), whole, confidence)]
    versions = texts.segments[group.segment : group.segment + group.segments]
    parts = cut_output(OutputText(sentences, lang), versions, _SLACK)
    count = sum(bool(part.text) for part in parts)
    # All sentences may turn out to belong to one of the segments.
    kind = "divided" if count > 1 else whole
    return [
        SentenceMatch(part.text, kind, confidence)
        if part.text
        else SentenceMatch("", "omitted", 0.0)
        for part in parts
    ]


def _add_sentences(
    match: SentenceMatch, *, before: Sequence[str] = (), after: Sequence[str] = ()
) -> SentenceMatch:
    """Put sentences that no segment corresponds to before or behind a match."""
    text = join_words([*filter(None, [*before, match.text, *after])])
    return replace(match, text=text, added=(*before, *match.added, *after))
