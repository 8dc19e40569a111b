"""Guards: what in the texts looks like a mistake of files or settings, as warnings.

A `TextGuard` is a visitor of the pass in which metrics are counted. It keeps a bounded sample
of lines, so that its cost does not grow with the corpus, and hands it to the checks. Its
warnings are `TextWarning`s of Python's warnings module.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

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


class _Excerpt(NamedTuple):
    """Lines of a chunk: those between the bounds of some blocks."""

    blocks: Sequence[tuple[int, int]]
    outputs: Mapping[str, list[str | None]]
    refs: Sequence[list[str | None]]
    source: list[str | None] | None


class TextGuard:
    """A visitor of the pass over a corpus: it samples lines and warns of what looks wrong."""

    def __init__(self, toks: Mapping[str, str], *, scope: str = "all") -> None:
        """Expect texts that are cut into words by `toks`, tokenisers by metric spec.

        The guard sees `scope` segments of the corpus: all, or the first.
        """
        self._toks, self._scope = toks, scope
        self._systems: Sequence[str] = ()
        self._segments = 0
        #: The length of the first chunk, and lines of chunks by their first segment.
        self._unit = 0
        self._excerpts: dict[int, _Excerpt] = {}
        self._equal: list[list[str]] = []

    def visit(self, chunk: "CorpusChunk") -> None:
        """Take lines from the first chunk, and from those that reach 1, 2, 4, … times its end.

        After the first chunk, they may come in any order.
        """
        size = len(chunk)
        if not self._unit:
            self._unit = size
            if size >= LEAST:
                self._excerpts[chunk.first] = _take_excerpt(chunk, FIRST_BLOCKS)
                self._equal = _find_equal(self._excerpts[chunk.first])
        elif self._excerpts:
            least = max(1, -(-chunk.first // self._unit))
            power = 1 << (least - 1).bit_length()
            if chunk.first <= power * self._unit < chunk.first + size:
                self._excerpts[chunk.first] = _take_excerpt(chunk, BLOCKS)
        self._systems = tuple(chunk.systems) if chunk.refs else ()
        self._segments += size
        if self._equal:
            self._equal = _group_equal(self._equal, chunk)

    def find_problems(self) -> list[tuple[str, str]]:
        """Say what looks wrong, a sentence each, with the name of the guard."""
        sample = self.build_sample()
        problems = [("names", text) for text in check_names(sample)]
        if len(sample):
            checks = CHECKS.items()
            problems += [
                (name, text) for name, check in checks for text in check(sample)
            ]
        return problems

    def build_sample(self) -> TextSample:
        """Join the lines that were taken, in the order of the corpus."""
        sample = TextSample(self._toks, self._scope)
        sample.systems, sample.segments = self._systems, self._segments
        sample.equal = self._equal
        held = 0
        for first, excerpt in sorted(self._excerpts.items()):
            for name, lines in excerpt.outputs.items():
                sample.outputs.setdefault(name, []).extend(lines)
            if not held:
                sample.refs = [[] for _ in excerpt.refs]
                sample.source = [] if excerpt.source is not None else None
            for reference, lines in zip(sample.refs, excerpt.refs, strict=True):
                reference += lines
            if sample.source is not None and excerpt.source is not None:
                sample.source += excerpt.source
            for start, stop in excerpt.blocks:
                block = LineBlock(first + start + 1, held, held + stop - start)
                sample.blocks.append(block)
                held = block.stop
        return sample

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


def _take_excerpt(chunk: "CorpusChunk", most: int) -> _Excerpt:
    """Take lines of so many blocks of a chunk."""
    blocks = _choose_blocks(len(chunk), most)
    indices = [index for bounds in blocks for index in range(*bounds)]
    return _Excerpt(
        blocks,
        {name: _take_lines(column, indices) for name, column in chunk.systems.items()},
        [_take_lines(column, indices) for column in chunk.refs],
        _take_lines(chunk.source, indices) if chunk.source else None,
    )


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


def _find_equal(sample: _Excerpt) -> list[list[str]]:
    """Group the texts that are equal in some lines; texts that say next to nothing are not."""
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
