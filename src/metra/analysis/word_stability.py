"""Stability of words across two translations, by their salience.

The study of Babych and Hartley 2004, "Modelling legitimate translation variation for
automatic evaluation of MT quality", on any two references: the words that both have and
those that one has alone, and how many of them systems match.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.errors import CorpusError, OptionError, not_possible
from metra.text.salience import Salience, Tokens

Array: TypeAlias = NDArray[np.float64]
Segment: TypeAlias = Sequence[str]
Document: TypeAlias = list[Segment]
Grams: TypeAlias = Counter[tuple[str, ...]]

WEIGHTS = ("tf.idf", "S")
ORDER = 4


@dataclass(frozen=True, slots=True)
class Overlap:
    """Share of common n-grams of up to `n` words in two translations: 0 to 1."""

    n: int
    tokens: float
    types: float


@dataclass(frozen=True, slots=True)
class FrequencyPolygon:
    """Shares of a set's words in classes of salience."""

    #: The lower ends of the classes, and the upper end of the last.
    bounds: tuple[float, ...]
    shares: tuple[float, ...]
    #: The share of words that have no such score.
    without: float


@dataclass(frozen=True, slots=True)
class WordSet:
    """The words that both translations have, or that one has alone, as one of them scores."""

    name: str
    common: bool
    tokens: int
    #: For tf.idf and S: the mean over the words that have the score, negative ones too.
    means: dict[str, float]
    polygons: dict[str, FrequencyPolygon]


@dataclass(frozen=True, slots=True)
class StabilityResult:
    """Overlap of two translations of the same documents, and their sets of words."""

    references: tuple[str, str]
    documents: int
    overlaps: tuple[Overlap, ...]
    sets: tuple[WordSet, ...]


def compute_stability(
    first: Iterable[tuple[Tokens, list[str]]],
    second: Iterable[tuple[Tokens, list[str]]],
    *,
    names: tuple[str, str] = ("first", "second"),
    width: float = 0.5,
    n: int = ORDER,
) -> StabilityResult:
    """Compare two translations, given as segments' tokens with their documents.

    Each translation has its own lists. Words are common as often as both have them.
    """
    if not width > 0:
        raise OptionError(not_possible(f"width={width:g}", "a number above 0"))
    texts = [list(first), list(second)]
    scores = _score_lists(texts)
    pairs = list(zip(*map(_group_by_document, texts), strict=True))
    overlaps = [_compute_overlap(pairs, order) for order in range(1, n + 1)]
    sets = _build_word_sets(pairs, scores, names, width)
    return StabilityResult(names, len(pairs), tuple(overlaps), tuple(sets))


def _score_lists(
    texts: Sequence[Iterable[tuple[Tokens, list[str]]]],
) -> list[list[dict[str, tuple[float, float]]]]:
    """Score the words of both translations, which must be of the same documents."""
    lists = [Salience(text) for text in texts]
    if lists[0].documents != lists[1].documents:
        msg = "The two translations must have the same documents in the same order."
        raise CorpusError(msg)
    if len(lists[0].documents) < 2:
        msg = (
            "The input has one document; salience needs other documents to compare "
            "it with."
        )
        raise CorpusError(msg)
    return list(map(_score_words, lists))


#: The four sets of the paper: n-grams that one reference has alone (d) or both have (c), with
#: a high or a low salience.
SETS = ("dh", "dl", "cl", "ch")
#: Above this the paper calls a word highly salient, by tf.idf and by S.
HIGH = 3.0


@dataclass(frozen=True, slots=True)
class SystemMatches:
    """Matches of a system in each of the four sets, and the number of its n-grams."""

    system: str
    matches: dict[str, int]
    ngrams: int

    @property
    def total(self) -> int:
        """All matches."""
        return sum(self.matches.values())


@dataclass(frozen=True, slots=True)
class MatchSets:
    """The n-grams of a reference in four sets, beside another, and where matches fall."""

    reference: str
    other: str
    documents: int
    weight: str
    threshold: float
    n: int
    sizes: dict[str, int]
    systems: tuple[SystemMatches, ...]


def compute_match_sets(
    references: Sequence[Iterable[tuple[Tokens, list[str]]]],
    systems: Mapping[str, Iterable[tuple[Tokens, list[str]]]],
    *,
    names: tuple[str, str] = ("first", "second"),
    weight: str = "tf.idf",
    threshold: float = HIGH,
    n: int = 1,
) -> list[MatchSets]:
    """Divide each of two references into four sets and count where outputs match.

    N-grams of up to `n` words are counted by document. Both references have one as often as
    each of them has it, and one above the threshold with the most salient of its
    words, by the reference's own list, is highly salient. A match counts as common as long
    as there are common ones left.
    """
    texts = [list(text) for text in references]
    scores = _score_lists(texts)

    def count(text: Iterable[tuple[Tokens, list[str]]]) -> list[Grams]:
        return [_count_ngrams(document, n) for document in _group_by_document(text)]

    ngrams = [count(text) for text in texts]
    outputs = {name: count(text) for name, text in systems.items()}
    column = WEIGHTS.index(weight)
    results = []
    for which in (0, 1):
        sizes: Counter[str] = Counter()
        matches: dict[str, Counter[str]] = {name: Counter() for name in outputs}
        both = zip(ngrams[which], ngrams[1 - which], strict=True)
        for at, (own, other) in enumerate(both):
            common, salience = own & other, scores[which][at]
            high = {
                gram
                for gram in own
                if any(salience[word][column] > threshold for word in gram)
            }
            sizes += _divide_ngrams(own, common, high)
            for name, documents in outputs.items():
                matches[name] += _divide_ngrams(documents[at] & own, common, high)
        listed = [
            SystemMatches(
                name,
                {entry: matches[name][entry] for entry in SETS},
                sum(document.total() for document in documents),
            )
            for name, documents in outputs.items()
        ]
        divided = {entry: sizes[entry] for entry in SETS}
        about = (names[which], names[1 - which], len(ngrams[which]))
        settings = (weight, threshold, n)
        results.append(MatchSets(*about, *settings, divided, tuple(listed)))
    return results


def _divide_ngrams(
    ngrams: Grams, common: Grams, high: set[tuple[str, ...]]
) -> Counter[str]:
    """Count n-grams by the set they fall into, common ones first."""
    sizes: Counter[str] = Counter()
    for gram, count in ngrams.items():
        shared = min(count, common[gram])
        kind = "h" if gram in high else "l"
        sizes[f"c{kind}"] += shared
        sizes[f"d{kind}"] += count - shared
    return sizes


def _group_by_document(text: Iterable[tuple[Tokens, list[str]]]) -> list[Document]:
    documents: dict[str, Document] = {}
    for tokens, names in text:
        for index, name in enumerate(names):
            documents.setdefault(name, []).append(tokens[index] or [])
    return list(documents.values())


def _compute_overlap(pairs: Sequence[tuple[Document, Document]], n: int) -> Overlap:
    """Average the documents' overlaps: common n-grams over the mean of both sides'."""
    tokens, types = [], []
    for pair in pairs:
        one, other = (_count_ngrams(document, n) for document in pair)
        if one and other:
            tokens.append(2 * (one & other).total() / (one.total() + other.total()))
            types.append(2 * len(one.keys() & other.keys()) / (len(one) + len(other)))
    return Overlap(n, float(np.mean(tokens or [0])), float(np.mean(types or [0])))


def _count_ngrams(document: Document, n: int) -> Grams:
    return Counter(
        tuple(words[at : at + size])
        for words in document
        for size in range(1, n + 1)
        for at in range(len(words) - size + 1)
    )


def _score_words(counts: Salience) -> list[dict[str, tuple[float, float]]]:
    """For each document its words with their tf.idf and S."""
    lists: list[dict[str, tuple[float, float]]] = [{} for _ in counts.documents]
    words = counts.words
    columns = map(counts.column, ("document", "word", "tf.idf", "S"))
    entries = zip(*(column.tolist() for column in columns), strict=True)
    for document, word, tfidf, s in entries:
        lists[int(document)][words[int(word)]] = (tfidf, s)
    return lists


def _build_word_sets(
    pairs: Sequence[tuple[Document, Document]],
    scores: Sequence[list[dict[str, tuple[float, float]]]],
    names: tuple[str, str],
    width: float,
) -> Iterable[WordSet]:
    sets: dict[tuple[bool, int], list[tuple[float, float, int]]] = {
        (common, which): [] for common in (True, False) for which in (0, 1)
    }
    for at, pair in enumerate(pairs):
        counts = [_count_ngrams(document, 1) for document in pair]
        shared = counts[0] & counts[1]
        for which in (0, 1):
            salience = scores[which][at]
            for common, part in ((True, shared), (False, counts[which] - shared)):
                entries = [(*salience[word], count) for (word,), count in part.items()]
                sets[common, which] += entries
    arrays = {key: np.array(rows or np.empty((0, 3))) for key, rows in sets.items()}
    everything = np.concatenate(list(arrays.values()))
    bounds = {
        weight: _compute_class_bounds(everything[:, at], width)
        for at, weight in enumerate(WEIGHTS)
    }
    for (common, which), array in arrays.items():
        *columns, sizes = array.T
        name = f"{'in both, by' if common else 'only in'} {names[which]}"
        values = dict(zip(WEIGHTS, columns, strict=True))
        means = {each: _compute_mean(values[each], sizes) for each in WEIGHTS}
        polygons = {
            each: _build_polygon(values[each], sizes, bounds[each]) for each in WEIGHTS
        }
        yield WordSet(name, common, int(sizes.sum()), means, polygons)


def _compute_class_bounds(values: Array, width: float) -> Array:
    """Classes that reach from the lowest to the highest score of any set."""
    numbers = values[~np.isnan(values)]
    if not len(numbers):
        return np.array([0.0, width])
    low, high = np.floor(numbers.min() / width), np.floor(numbers.max() / width) + 1
    return np.arange(low, high + 1) * width


def _compute_mean(values: Array, counts: Array) -> float:
    """Average the scores of a set's words; NaN if none has one."""
    scored = ~np.isnan(values)
    total = counts[scored].sum()
    return float((values * counts)[scored].sum() / total) if total else np.nan


def _build_polygon(values: Array, counts: Array, bounds: Array) -> FrequencyPolygon:
    is_scored = ~np.isnan(values)
    shares, _ = np.histogram(values[is_scored], bounds, weights=counts[is_scored])
    total = max(counts.sum(), 1)
    return FrequencyPolygon(
        tuple(bounds.tolist()),
        tuple((shares / total).tolist()),
        float(counts[~is_scored].sum() / total),
    )
