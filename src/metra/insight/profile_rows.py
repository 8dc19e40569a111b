"""What can be counted of every output segment, as rows that add up."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from metra.corpus import Chunk, Corpus
from metra.counting import CHUNK
from metra.insight.lengths import reference_lengths
from metra.insight.numerals import numbers
from metra.insight.punctuation import punctuation
from metra.insight.repetition import loops, repeated_ngrams
from metra.insight.scripts import letters, script
from metra.insight.vocabulary import Ids
from metra.measure import Array
from metra.metrics import unigram
from metra.text import Preparation

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
AT = {name: at for at, name in enumerate(COLUMNS)}
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


def profile_rows(corpus: Corpus, preparation: Preparation) -> ProfileRows:
    """Read the corpus (twice) and count what there is to count."""
    expected, usual = _expected_scripts(corpus)
    known: defaultdict[str, int] = defaultdict(count().__next__)
    rows: dict[str, list[Array]] = {name: [] for name in corpus.systems}
    ids: dict[str, list[int]] = {name: [] for name in corpus.systems}
    reference_ids: list[list[int]] = []
    repeats = np.zeros(2, np.int64)
    for chunk in corpus.chunks(CHUNK):
        reference_ids = reference_ids or [[] for _ in chunk.refs]
        segments = _yardsticks(chunk, preparation, expected, usual)
        for stream, column in zip(reference_ids, chunk.refs, strict=True):
            tokens = column.tokens(preparation)
            for at in range(len(chunk)):
                words = tokens[at] or []
                stream.extend(map(known.__getitem__, words))
                repeats += repeated_ngrams(_without_signs(words))
        lengths = reference_lengths(chunk, preparation)
        for name in corpus.systems:
            table = np.zeros((len(chunk), len(COLUMNS)))
            table[:, AT["segments"]] = 1
            table[:, AT["reference_words"]] = lengths
            # [matches, output words, words of the best reference]
            best = unigram.rows(chunk.batch(name), text=preparation, recall_weight=0.5)
            table[:, [AT["matches"], AT["words"], AT["best_reference_words"]]] = best
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


def _expected_scripts(corpus: Corpus) -> tuple[set[str], set[str]]:
    """Find the scripts that the references are written in, and characters that are theirs."""
    found: Counter[str] = Counter()
    for chunk in corpus.chunks(CHUNK):
        for column in chunk.refs:
            texts = (column.text[at] for at in range(len(chunk)))
            found.update("".join(text for text in texts if text))
    by_script: Counter[str] = Counter()
    for letter, size in found.items():
        by_script[script(letter)] += size
    least = EXPECTED_SCRIPT * (by_script.total() - by_script[""])
    expected = {name for name, size in by_script.items() if name and size >= least}
    return expected, {c for c in found if not script(c) or script(c) in expected}


class _Yardstick:
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
        self._punctuation = {punctuation(text) for text in texts}
        counts = [Counter(numbers(text)) for text in texts]
        self._most: Counter[str] = Counter()
        self._least = counts[0]
        for found in counts:
            self._most |= found
            self._least &= found
        self._usual = usual
        self._scripts = expected
        if not all(map(usual.issuperset, refs)):
            self._scripts = expected.union(*(letters(ref) for ref in refs))
        there = {word for words in ref_words for word in words}
        self._copies = Counter(
            word for word in source_words if word not in there and _has_letter(word)
        )
        self._ref_words = ref_words

    def counts(self, text: str, words: Sequence[str]) -> list[float]:
        """Count what the last columns are about."""
        spoken = _without_signs(words)
        repeated, ngrams = repeated_ngrams(spoken)
        wrong, checked = self._numbers(text)
        foreign = 0
        if not self._usual.issuperset(text):
            foreign = sum(
                size
                for name, size in letters(text).items()
                if name not in self._scripts
            )
        return [
            repeated,
            ngrams,
            # What loops has n-grams that stood there before.
            repeated > 0
            and loops(spoken)
            and not any(loops(_without_signs(words)) for words in self._ref_words),
            sum(
                min(words.count(word), self._copies[word])
                for word in self._copies.keys() & words
            ),
            wrong,
            checked,
            punctuation(text) not in self._punctuation,
            not words and any(self._ref_words),
            foreign,
            len(text),
        ]

    def _numbers(self, text: str) -> tuple[int, int]:
        """Count the wrong and the missing numbers, and all that were looked at."""
        found = numbers(text)
        if not found and not self._least:
            return 0, 0
        there = Counter(found)
        missing = (self._least - there).total()
        return (there - self._most).total() + missing, len(found) + missing


def _yardsticks(
    chunk: Chunk, preparation: Preparation, expected: set[str], usual: set[str]
) -> list[_Yardstick]:
    tokens = [column.tokens(preparation) for column in chunk.refs]
    source = chunk.source.tokens(preparation) if chunk.source else None
    found = []
    for at in range(len(chunk)):
        refs = [column.text[at] for column in chunk.refs]
        found.append(
            _Yardstick(
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


def _without_signs(words: Sequence[str]) -> list[str]:
    """Leave out words that have neither a letter nor a digit."""
    return [word for word in words if word.isalnum() or any(map(str.isalnum, word))]


def _has_letter(word: str) -> bool:
    return any(c.isalpha() for c in word)
