"""A corpus as numbers: every word of every stream by its id, segment after segment."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from metra.corpus import Column, Corpus
from metra.counting import CHUNK
from metra.text import Preparation

Ids = NDArray[np.int64]
#: Numbers below two billion, of which there are many.
Small = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Stream:
    """One output, reference or source: the ids of its words, and how many each segment has."""

    ids: Small
    lengths: Ids

    def segments(self) -> Ids:
        """Give the segment of each word, counted from 0."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A corpus's streams; equal words have equal ids in all of them."""

    words: Sequence[str]
    systems: dict[str, Stream]
    refs: Sequence[Stream]
    source: Stream | None


def numbered(
    corpus: Corpus, systems: Iterable[str], preparation: Preparation
) -> Numbered:
    """Read a corpus and number the words of these systems, of references and source."""
    known: defaultdict[str, int] = defaultdict(count().__next__)
    chosen = list(systems)
    # Plain arrays: lists take twice as much for each word.
    gathered: defaultdict[object, tuple[array[int], array[int]]] = defaultdict(
        lambda: (array("i"), array("i"))
    )

    def add(key: object, column: Column) -> None:
        ids, lengths = gathered[key]
        tokens = column.tokens(preparation)
        for at in range(len(tokens)):
            words = tokens[at] or ()
            ids.extend(map(known.__getitem__, words))
            lengths.append(len(words))

    references = 0
    for chunk in corpus.chunks(CHUNK):
        for name in chosen:
            add(("system", name), chunk.systems[name])
        references = len(chunk.refs)
        for at, ref in enumerate(chunk.refs):
            add(("reference", at), ref)
        if chunk.source is not None:
            add("source", chunk.source)

    def stream(key: object) -> Stream:
        ids, lengths = gathered[key]
        return Stream(np.array(ids, np.int32), np.array(lengths, np.int64))

    return Numbered(
        list(known),
        {name: stream(("system", name)) for name in chosen},
        [stream(("reference", at)) for at in range(references)],
        stream("source") if "source" in gathered else None,
    )


def described(preparation: Preparation) -> str:
    """Write how text was prepared, as signatures do."""
    return "|".join(f"{key}:{value}" for key, value in preparation._asdict().items())
