"""Guards: what in the texts looks like a mistake of files or settings, as warnings.

A `TextGuard` is a visitor of the pass in which metrics are counted. It keeps a bounded sample
of lines, so that its cost does not grow with the corpus. A check is a function of the sample
that gives a sentence for each problem, a `TextWarning` of Python's warnings module;
docs/guards.md lists the checks, and the texts that their limits were set on.
"""

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

from metra.errors import TextWarning
from metra.scoring.guard_checks import CHECKS, LEAST, check_furniture, check_names
from metra.scoring.text_sample import LEAST_LINES, LineBlock, TextSample

if TYPE_CHECKING:
    from metra.corpus.batch import CorpusChunk, SegmentColumn
    from metra.corpus.outputs import Corpus
    from metra.metrics.record import Metric

#: Segments that are looked at together.
CHUNK = 2048
#: So many blocks of lines are taken from the first chunk, and from others; lines of a block.
FIRST_BLOCKS, BLOCKS, BLOCK = 6, 2, 16
#: Name of the source among the texts.
SOURCE = "source"


#: Blocks of lines of a chunk, and these lines by the names of the texts.
_Excerpt: TypeAlias = tuple[list[tuple[int, int]], dict[str, list[str | None]]]


class TextGuard:
    """A visitor of the pass over a corpus: it samples lines and warns of what looks wrong."""

    def __init__(self, toks: Mapping[str, str], *, scope: str = "all") -> None:
        """Expect texts cut into words by `toks`, tokenisers by metric spec.

        The guard sees `scope` segments of the corpus: all, or the first.
        """
        self._sample = TextSample(toks, scope)
        #: The length of the first chunk, and lines of chunks by their first segment.
        self._unit = 0
        self._excerpts: dict[int, _Excerpt] = {}

    def visit(self, chunk: "CorpusChunk") -> None:
        """Take lines from the first chunk, and from those that reach 1, 2, 4, … times its end.

        After the first chunk, they may come in any order.
        """
        size, sample = len(chunk), self._sample
        if not self._unit:
            self._unit = size
            if size >= LEAST_LINES:
                excerpt = _take_excerpt(chunk, FIRST_BLOCKS)
                self._excerpts[chunk.first] = excerpt
            if size >= LEAST:
                names = [name for name in excerpt[1] if name != SOURCE]
                sample.equal = _part_equal([names], excerpt[1], LEAST // 2)
        elif self._excerpts:
            least = max(1, -(-chunk.first // self._unit))
            power = 1 << (least - 1).bit_length()
            if chunk.first <= power * self._unit < chunk.first + size:
                self._excerpts[chunk.first] = _take_excerpt(chunk, BLOCKS)
        sample.systems = tuple(chunk.systems) if chunk.refs else ()
        sample.segments += size
        if sample.equal:
            columns = _name_columns(chunk)
            lines = {
                name: _take_lines(columns[name], range(size))
                for name in chain.from_iterable(sample.equal)
            }
            sample.equal = _part_equal(sample.equal, lines)

    def find_problems(self) -> list[tuple[str, str]]:
        """Say what looks wrong, a sentence each, with the name of the guard."""
        sample = self.build_sample()
        some = CHECKS if len(sample) >= LEAST else {"furniture": check_furniture}
        checks = {"names": check_names, **some}
        return [(name, text) for name in checks for text in checks[name](sample)]

    def build_sample(self) -> "TextSample":
        """Join the lines that were taken, in the order of the corpus."""
        sample, lines = replace(self._sample, columns={}, blocks=[]), 0
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


def find_text_problems(corpus: "Corpus") -> list[str]:
    """Say what looks wrong in texts that no metric counts, a sentence each."""
    guard = TextGuard({})
    for chunk in corpus.chunks(CHUNK):
        guard.visit(chunk)
    return [problem for _, problem in guard.find_problems()]


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
    columns = _name_columns(chunk)
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


def _take_lines(column: "SegmentColumn", indices: Iterable[int]) -> list[str | None]:
    return [column.text[index] for index in indices]


def _part_equal(
    groups: Iterable[Sequence[str]],
    columns: Mapping[str, Sequence[str | None]],
    least: int = 0,
) -> list[list[str]]:
    """Part groups of texts by lines; drop a text alone, or of few different lines."""
    parted: list[list[str]] = []
    for names in groups:
        by_text: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            text = tuple((line or "").strip() for line in columns[name])
            by_text.setdefault(text, []).append(name)
        parted += [
            equal
            for text, equal in by_text.items()
            if len(equal) > 1 and len({*text} - {""}) >= least
        ]
    return parted


def _count_own_frames() -> int:
    """Count the frames of this package from the caller on, so that warnings name its user."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("metra."):
        depth += 1
        frame = frame.f_back
    return depth


def _name_columns(chunk: "CorpusChunk") -> "dict[str, SegmentColumn]":
    """Give columns by their names in messages, references first."""
    references = enumerate(chunk.refs, 1)
    columns = {f"reference {number}": column for number, column in references}
    return columns | {f"output {n!r}": column for n, column in chunk.systems.items()}
