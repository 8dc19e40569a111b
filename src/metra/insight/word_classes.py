"""How well words of each frequency are translated: precision, recall and F1 by class."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metra.counting import CHUNK
from metra.insight.vocabulary import Ids, Numbered, Stream
from metra.measure import Array
from metra.text import Preparation, pack, prepare


@dataclass(frozen=True, slots=True)
class ClassRows:
    """Rows of [matches, output words, reference words], class after class."""

    #: By system: (segments, 3 * classes).
    systems: dict[str, Array]
    #: Words of the references in each class, averaged over the references.
    words: Array


def class_rows(text: Numbered, classes: Ids, count: int) -> ClassRows:
    """Count matches and words by class, `classes` giving the class of every word id.

    Each output is held against the reference with which its words agree best (by F1 over
    all its words), the first of equals.
    """
    return ClassRows(
        {
            name: _rows(stream, text.refs, classes, count)
            for name, stream in text.systems.items()
        },
        np.mean(
            [np.bincount(classes[ref.ids], minlength=count) for ref in text.refs],
            axis=0,
        ),
    )


def reference_frequencies(text: Numbered) -> Array:
    """Count every word in all references together."""
    counts = [np.bincount(ref.ids, minlength=len(text.words)) for ref in text.refs]
    return np.sum(counts, axis=0).astype(np.float64)


def frequencies_in(
    corpus: Sequence[str], text: Numbered, preparation: Preparation
) -> Array:
    """Count the words of the text in another corpus, cut into words in the same way."""
    found: Counter[str] = Counter()
    for start in range(0, len(corpus), CHUNK):
        some: list[str | None] = list(corpus[start : start + CHUNK])
        tokens = prepare(pack(some, "the corpus", first=start), preparation)
        for at in range(len(tokens)):
            found.update(tokens[at] or ())
    return np.array([found[word] for word in text.words], np.float64)


def _rows(output: Stream, refs: Sequence[Stream], classes: Ids, count: int) -> Array:
    size = len(output.lengths)
    against = [_matches(output, ref, classes, count) for ref in refs]
    lengths = [ref.lengths for ref in refs]
    f1 = [
        2 * matches.sum(1) / np.maximum(output.lengths + length, 1)
        for matches, length in zip(against, lengths, strict=True)
    ]
    best = np.argmax(f1, axis=0)
    segments = np.arange(size)
    rows = np.empty((size, count, 3))
    rows[:, :, 0] = np.stack(against)[best, segments]
    rows[:, :, 1] = _by_class(output, classes, count)
    there = [_by_class(ref, classes, count) for ref in refs]
    rows[:, :, 2] = np.stack(there)[best, segments]
    return rows.reshape(size, 3 * count)


def _by_class(stream: Stream, classes: Ids, count: int) -> NDArray[np.int64]:
    """Count the words of each class in each segment."""
    size = len(stream.lengths)
    cells = stream.segments() * count + classes[stream.ids]
    return np.bincount(cells, minlength=size * count).reshape(size, count)


def _matches(output: Stream, ref: Stream, classes: Ids, count: int) -> Ids:
    """Count the words of each class that both have, one to one, in each segment."""
    size, words = len(output.lengths), len(classes)
    keys = [stream.segments() * words + stream.ids for stream in (output, ref)]
    cells, where = np.unique(np.concatenate(keys), return_inverse=True)
    cut = len(keys[0])
    both = np.minimum(
        np.bincount(where[:cut], minlength=len(cells)),
        np.bincount(where[cut:], minlength=len(cells)),
    )
    homes = cells // max(words, 1) * count + classes[cells % max(words, 1)]
    # Counts stay whole numbers in float64.
    found = np.bincount(homes, both, size * count)
    return found.astype(np.int64).reshape(size, count)
