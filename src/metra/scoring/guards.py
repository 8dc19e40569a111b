"""Guards: what in the texts looks like a mistake of files or settings, as warnings.

A `TextGuard` is a visitor of the pass in which metrics are counted. It keeps a bounded sample
of lines, so that its cost does not grow with the corpus, and hands it to the checks. Its
warnings are `TextWarning`s of Python's warnings module.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from metra.errors import TextWarning
from metra.scoring.text_checks import (
    CHECKS,
    LEAST,
    LineBlock,
    TextSample,
    check_names,
    name_columns,
)

if TYPE_CHECKING:
    from metra.corpus.batch import CorpusChunk, SegmentColumn
    from metra.corpus.outputs import Outputs
    from metra.metrics.record import Metric

#: So many blocks of lines are taken from the first chunk, and from others; lines of a block.
FIRST_BLOCKS, BLOCKS, BLOCK = 6, 2, 16


class TextGuard:
    """A visitor of the pass over a corpus: it samples lines and warns of what looks wrong."""

    def __init__(self, toks: Mapping[str, str], *, scope: str = "all") -> None:
        """Expect texts that are cut into words by `toks`, tokenisers by metric spec.

        The guard sees `scope` segments of the corpus: all, or the first.
        """
        self.sample = TextSample(toks, scope)
        self._chunks = 0

    def visit(self, chunk: "CorpusChunk") -> None:
        """Take lines from the chunks 0, 1, 2, 4, 8, … of the corpus."""
        number, size = self._chunks, len(chunk)
        self._chunks += 1
        if not number & (number - 1) and (number or size >= LEAST):
            self._take_sample(chunk, is_first=not number)
        sample = self.sample
        sample.systems = tuple(chunk.systems) if chunk.refs else ()
        sample.segments += size
        if sample.equal:
            sample.equal = _group_equal(sample.equal, chunk)

    def _take_sample(self, chunk: "CorpusChunk", *, is_first: bool) -> None:
        """Add lines of a chunk to the sample, if the first chunk is in it."""
        sample, held, size = self.sample, len(self.sample), len(chunk)
        if not is_first and not held:
            return
        blocks = _choose_blocks(size, FIRST_BLOCKS if is_first else BLOCKS)
        indices = [index for bounds in blocks for index in range(*bounds)]
        for name, column in chunk.systems.items():
            sample.outputs.setdefault(name, []).extend(_take_lines(column, indices))
        if not held:
            sample.refs = [[] for _ in chunk.refs]
            sample.source = [] if chunk.source else None
        for reference, column in zip(sample.refs, chunk.refs, strict=True):
            reference += _take_lines(column, indices)
        if sample.source is not None and chunk.source:
            sample.source += _take_lines(chunk.source, indices)
        for start, stop in blocks:
            block = LineBlock(chunk.first + start + 1, held, held + stop - start)
            sample.blocks.append(block)
            held = block.stop
        if is_first:
            sample.equal = _find_equal(sample)

    def find_problems(self) -> list[tuple[str, str]]:
        """Say what looks wrong, a sentence each, with the name of the guard."""
        problems = [("names", text) for text in check_names(self.sample)]
        if len(self.sample):
            checks = CHECKS.items()
            problems += [
                (name, text) for name, check in checks for text in check(self.sample)
            ]
        return problems

    def warn(self) -> None:
        """Give a warning for each problem, at the line of the code that called metra."""
        for _, problem in self.find_problems():
            warnings.warn(problem, TextWarning, stacklevel=_count_own_frames())


class IdleGuard:
    """What stands in for a guard that is not needed."""

    def visit(self, chunk: "CorpusChunk") -> None:
        """Take nothing."""

    def warn(self) -> None:
        """Say nothing."""


IDLE = IdleGuard()


class LineAllowance:
    """How many lines may still be looked at, where calls are many and small.

    It holds lines in advance, and earns one for so many that are scored: in a loop the
    guards cost little, whatever the number of calls.
    """

    def __init__(self, lines: int = 20_000, *, scored_per_line: int = 1000) -> None:
        self.lines: float = lines
        self.scored_per_line = scored_per_line

    def make_guard(
        self, corpus: "Outputs", metrics: "Mapping[str, Metric]"
    ) -> TextGuard | IdleGuard:
        """Make a guard of a corpus, if there are lines left for it."""
        columns = len(corpus.outputs) + len(corpus.evalset.refs)
        looked = columns * min(len(corpus), FIRST_BLOCKS * BLOCK)
        self.lines += columns * len(corpus) / self.scored_per_line
        if looked > self.lines:
            return IDLE
        self.lines -= looked
        return TextGuard(list_toks(metrics))


def list_toks(metrics: "Mapping[str, Metric]") -> dict[str, str]:
    """Give the tokeniser of each metric whose score depends on where words are cut."""
    return {
        spec: str(metric.options["tok"])
        for spec, metric in metrics.items()
        if "tok" in metric.options
        and metric.name != "ser"
        and not metric.options.get("asian")
    }


def _choose_blocks(size: int, most: int) -> list[tuple[int, int]]:
    """Spread blocks over a chunk, from its first to its last line; all of a small one."""
    if size <= most * BLOCK:
        count = max(1, round(size / BLOCK))
        bounds = [size * number // count for number in range(count + 1)]
        return list(pairwise(bounds))
    starts = [(size - BLOCK) * number // (most - 1) for number in range(most)]
    return [(start, start + BLOCK) for start in starts]


def _take_lines(column: "SegmentColumn", indices: Sequence[int]) -> list[str | None]:
    text = column.text
    return [text[index] for index in indices]


def _find_equal(sample: TextSample) -> list[list[str]]:
    """Group the texts that are equal in the sample; texts that say next to nothing are not."""
    groups = _group_by_text(name_columns(sample.refs, sample.outputs))
    return [names for lines, names in groups if len({*lines} - {""}) >= LEAST // 2]


def _group_equal(groups: list[list[str]], chunk: "CorpusChunk") -> list[list[str]]:
    """Part the groups by the lines of a chunk; a text alone is dropped."""
    columns = name_columns(chunk.refs, chunk.systems)
    everything = range(len(chunk))
    parted = (
        _group_by_text({name: _take_lines(columns[name], everything) for name in names})
        for names in groups
    )
    return [names for group in parted for _, names in group]


def _group_by_text(
    columns: Mapping[str, Sequence[str | None]],
) -> list[tuple[tuple[str, ...], list[str]]]:
    """Give lines that several columns have in common, with the names of the columns."""
    names_by_text: dict[tuple[str, ...], list[str]] = {}
    for name, lines in columns.items():
        text = tuple((line or "").strip() for line in lines)
        names_by_text.setdefault(text, []).append(name)
    return [(text, names) for text, names in names_by_text.items() if len(names) > 1]


def _count_own_frames() -> int:
    """Count the frames of this package from the caller on, so that warnings name its user."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("metra."):
        depth += 1
        frame = frame.f_back
    return depth
