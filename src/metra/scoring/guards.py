"""Guards: what in the texts looks like a mistake of files or settings, as warnings.

A `TextGuard` is a visitor of the pass in which metrics are counted. It keeps a bounded sample
of lines, so that its cost does not grow with the corpus, and hands it to the checks. Its
warnings are `TextWarning`s of Python's warnings module.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from metra.errors import TextWarning
from metra.scoring.text_checks import (
    CHECKS,
    LEAST,
    SOURCE,
    LineBlock,
    TextSample,
    check_names,
    name_columns,
)

if TYPE_CHECKING:
    from metra.corpus.batch import CorpusChunk, SegmentColumn
    from metra.metrics.record import Metric

#: So many blocks of lines are taken from the first chunk, and from others; lines of a block.
FIRST_BLOCKS, BLOCKS, BLOCK = 6, 2, 16


#: Blocks of lines of a chunk, and these lines by the names of the texts.
_Excerpt: TypeAlias = tuple[list[tuple[int, int]], dict[str, list[str | None]]]


class TextGuard:
    """A visitor of the pass over a corpus: it samples lines and warns of what looks wrong."""

    def __init__(self, toks: Mapping[str, str], *, scope: str = "all") -> None:
        """Expect texts cut into words by `toks`, tokenisers by metric spec.

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
        lines = 0
        for first, (blocks, columns) in sorted(self._excerpts.items()):
            for name, own in columns.items():
                sample.columns.setdefault(name, []).extend(own)
            for start, stop in blocks:
                block = LineBlock(first + start + 1, lines, lines + stop - start)
                sample.blocks.append(block)
                lines = block.stop
        sample.source = sample.columns.pop(SOURCE, None)
        return sample

    def warn(self) -> None:
        """Give a warning for each problem, at the line of the code that called metra."""
        for _, problem in self.find_problems():
            warnings.warn(problem, TextWarning, stacklevel=_count_own_frames())


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
    columns = name_columns(chunk.refs, chunk.systems)
    columns |= {SOURCE: chunk.source} if chunk.source else {}
    return blocks, {name: _take_lines(columns[name], indices) for name in columns}


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
    """Group texts with equal lines in an excerpt; ignore texts of few different lines."""
    columns = {name: lines for name, lines in sample[1].items() if name != SOURCE}
    groups = _group_by_text(columns)
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
