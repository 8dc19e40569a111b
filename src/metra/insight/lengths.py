"""How many words each segment has, counted once for all systems."""

import numpy as np

from metra.corpus import Batch, Chunk, Column
from metra.measure import Array
from metra.metrics import unigram
from metra.text import Preparation


def word_counts(column: Column, preparation: Preparation) -> Array:
    """Count each segment's words; a missing segment has none."""
    # A text matches itself word by word, and the kernel gives its length along.
    itself = Batch.of(column, [column], None)
    return unigram.rows(itself, text=preparation, recall_weight=0.5)[:, 1]


def reference_lengths(chunk: Chunk, preparation: Preparation) -> Array:
    """Average the lengths of each segment's references, of those that are there."""
    lengths = np.zeros(len(chunk))
    there = np.zeros(len(chunk))
    for column in chunk.refs:
        present = np.ones(len(chunk))
        present[column.text.missing()] = 0
        lengths += word_counts(column, preparation)
        there += present
    return lengths / np.maximum(there, 1)
