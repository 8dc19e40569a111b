"""ROUGE-L: F-score of the longest common subsequence of words."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from metra.corpus.batch import SegmentColumn
from metra.metrics.options import Case, Range
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.text.columns import pack
from metra.text.corrections import build_common_lengths
from metra.text.diff import count_common_words
from metra.text.preparation import Preparation, make_preparation, prepare

COLUMNS = ("f", "precision", "recall", "segments")

Words: TypeAlias = Sequence[str]
Lines: TypeAlias = Sequence[Words]


@metric_factory
def rougel(
    *,
    unit: Literal["segment", "line"] = "segment",
    beta: Annotated[float, Range(0, 1000, above=True)] = 1,
    tok: str = "rouge",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """F-score of the longest common subsequence of words, 0 to 100. Higher is better.

    L is the length of the longest common subsequence: the largest number of words that
    output and reference have in the same order, not necessarily adjacent. With P = L /
    output words and R = L / reference words, F = (1 + beta²) P R / (R + beta² P). With
    several references, the one with the best F counts; if scores are equal, the first.
    The score is the mean F over segments; a segment whose output or reference has no
    words has F = 0.

    With `unit=line`, segments are texts of several lines. A word of a reference line
    counts if it is in the longest common subsequence with any output line, at most as
    often as it occurs on both sides.

    Lin 2004, "ROUGE: a package for automatic evaluation of summaries", ACL workshop. It
    equals rougeL of the rouge-score package, with unit=line its rougeLsum, and with
    stem=rouge both with its stemmer.

    Options:
        unit: compare whole segments, or line by line (summaries with one sentence per
            line).
        beta: weight of recall relative to precision.
        tok: rouge splits lower-cased text into runs of the letters a to z and digits,
            as rouge-score does; use another tokeniser for languages with other letters.
        stem: rouge is nltk's Porter stemmer for words of more than three letters.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    is_whole = unit == "segment"
    compare = _Comparison(
        cut=partial(_cut_segments if is_whole else _cut_lines, text=text),
        count_common=_count_in_segment if is_whole else _count_in_lines,
        beta=beta,
    )
    return Metric(
        name="rougel",
        columns=COLUMNS,
        rows=partial(rows, compare=compare),
        aggregate=aggregate,
        parts=parts,
        settled=text.versions(),
    )


class _Comparison(NamedTuple):
    """How segments are cut into lines of words, which words they share, and F's beta."""

    cut: Callable[[SegmentColumn], list[Lines | None]]
    count_common: Callable[[Lines, Lines], int]
    beta: float

    def score(self, hyp: Lines, ref: Lines) -> tuple[float, float, float]:
        """Give F, precision and recall of one output and one reference."""
        hyp_words, ref_words = sum(map(len, hyp)), sum(map(len, ref))
        common = self.count_common(hyp, ref) if hyp_words and ref_words else 0
        if not common:
            return 0.0, 0.0, 0.0
        precision, recall = common / hyp_words, common / ref_words
        square = self.beta**2
        f = (1 + square) * precision * recall / (recall + square * precision)
        return f, precision, recall


def rows(batch: AnyBatch, *, compare: _Comparison) -> Array:
    """Return F, precision, recall for the best reference, and 1: (segments, 4)."""
    batch.texts()  # refuses a batch without references
    outputs = compare.cut(batch.hyps)
    references = [compare.cut(column) for column in batch.refs]
    statistics = np.ones((len(batch), len(COLUMNS)))
    for index, hyp in enumerate(outputs):
        segment = (column[index] for column in references)
        scores = [compare.score(hyp or (), ref) for ref in segment if ref is not None]
        statistics[index, :3] = max(scores, key=lambda score: score[0])
    return statistics


def aggregate(totals: Array) -> Array:
    """Return the mean F of each row of totals, in per cent; 0 of no segments."""
    return 100 * totals[..., 0] / np.maximum(totals[..., 3], 1)


def parts(totals: Array) -> Parts:
    """Return the means of precision and recall in one corpus, in per cent."""
    _, precision, recall, segments = totals.tolist()
    most = max(segments, 1)
    return {"precision": 100 * precision / most, "recall": 100 * recall / most}


def _cut_segments(column: SegmentColumn, *, text: Preparation) -> list[Lines | None]:
    tokens = column.tokens(text)
    segments = (tokens[index] for index in range(len(tokens)))
    return [None if words is None else [words] for words in segments]


def _cut_lines(column: SegmentColumn, *, text: Preparation) -> list[Lines | None]:
    """Cut each segment at newlines, then each line into words."""
    segments = [column.text[index] for index in range(len(column.text))]
    lines = [(segment or "").split("\n") for segment in segments]
    tokens = prepare(pack([line for group in lines for line in group], "lines"), text)
    words = iter([tokens[index] or [] for index in range(len(tokens))])
    cut = [[next(words) for _ in group] for group in lines]
    return [
        None if segment is None else group
        for segment, group in zip(segments, cut, strict=True)
    ]


def _count_in_segment(hyp: Lines, ref: Lines) -> int:
    return count_common_words(hyp[0], ref[0])


def _count_in_lines(hyp: Lines, ref: Lines) -> int:
    """Count the reference's words in common with any line, at most as often as in both."""
    left = Counter(word for line in hyp for word in line)
    left &= Counter(word for line in ref for word in line)
    common = 0
    for line in ref:
        found = [_find_common_places(line, other) for other in hyp]
        for place in sorted(set[int]().union(*found)):
            if left[line[place]] > 0:
                left[line[place]] -= 1
                common += 1
    return common


def _find_common_places(ref: Words, hyp: Words) -> set[int]:
    """Find the reference's places in the common subsequence that rouge-score picks."""
    lengths = build_common_lengths(ref, hyp)
    row, column = len(ref), len(hyp)
    places = set()
    while row and column:
        if ref[row - 1] == hyp[column - 1]:
            row, column = row - 1, column - 1
            places.add(row)
        elif lengths[row][column - 1] > lengths[row - 1][column]:
            column -= 1
        else:
            row -= 1
    return places
