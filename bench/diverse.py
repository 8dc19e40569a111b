"""Tables of diverse text for benchmarks: words of a made-up language, drawn by Zipf's law.

Rows come in blocks, each from a seed of its own, so that any of them can be made alone.
"""

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: Rows of a block.
BLOCK = 100_000
#: Rows of a document, and how many values the column `user` has.
DOCUMENT = 25
USERS = 100_000

_SEED = 20261116
_WORDS = 400_000
_SYLLABLES = [first + second for first in "bdfghjklmnprstvwz" for second in "aeiou"]
_LANGUAGES = ("de-en", "fr-en", "ja-en", "zh-en", "cs-en")
SCHEMA = pa.schema(
    {name: pa.string() for name in ("hyp", "ref", "lp", "doc")} | {"user": pa.int32()}
)


def make_rows(block: int, rows: int = BLOCK) -> pa.RecordBatch:
    """Make a block of rows, or the first of them; a block is the same every time.

    An output has three of ten words replaced, some left out and some neighbours exchanged.
    """
    rng = np.random.default_rng([_SEED, block])
    lengths = rng.integers(6, 35, BLOCK)
    size = int(lengths.sum())
    refs = _draw_words(rng, size)
    hyps = np.where(rng.random(size, np.float32) < 0.3, _draw_words(rng, size), refs)
    first = np.flatnonzero(rng.random(size - 1, np.float32) < 0.03)
    hyps[first], hyps[first + 1] = hyps[first + 1], hyps[first].copy()
    is_kept = rng.random(size, np.float32) > 0.05
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    kept = np.concatenate([[0], np.cumsum(is_kept)])[bounds]
    number = np.arange(BLOCK) + block * BLOCK
    columns = {
        "hyp": _join_words(hyps[is_kept], kept),
        "ref": _join_words(refs, bounds),
        "lp": pa.array(_LANGUAGES).take(pa.array(number // 100 % 5)),
        "doc": pc.binary_join_element_wise(
            "d", pa.array(number // DOCUMENT).cast(pa.string()), ""
        ),
        "user": pa.array(rng.integers(0, USERS, BLOCK, np.int32)),
    }
    return pa.record_batch(columns, SCHEMA).slice(0, rows)


def _draw_words(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw words, the r-th most frequent one about 1 / r times as often as the first."""
    ranks = np.exp(rng.random(size, np.float32) * np.float32(np.log(_WORDS)))
    words = np.minimum(ranks.astype(np.int32) - 1, _WORDS - 1)
    words[rng.random(size, np.float32) < 0.05] += _WORDS  # with a comma
    return words


def _join_words(words: np.ndarray, bounds: np.ndarray) -> pa.Array:
    taken = _list_words().take(pa.array(words))
    lists = pa.ListArray.from_arrays(pa.array(bounds, pa.int32()), taken)
    return pc.binary_join_element_wise(pc.binary_join(lists, " "), ".", "")


@cache
def _list_words() -> pa.Array:
    """List the words, frequent ones first and short; then all of them with commas."""
    words = []
    for number in range(_WORDS):
        word, rest = "", number
        while True:
            word = _SYLLABLES[rest % len(_SYLLABLES)] + word
            rest = rest // len(_SYLLABLES) - 1
            if rest < 0:
                break
        # Some are numbers and names.
        word = f"{number / 10:,}" if number % 97 == 13 else word
        words.append(word.capitalize() if number % 11 == 3 else word)
    return pa.array([*words, *(word + "," for word in words)])
