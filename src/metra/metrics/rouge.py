"""ROUGE-L: F-score of the longest common subsequence of words."""

from functools import partial

import numpy as np

from metra.metrics.options import Case
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.text.diff import count_common_words
from metra.text.preparation import Preparation, make_preparation

COLUMNS = ("f", "precision", "recall", "segments")


@metric_factory(title="ROUGE-L", papers="lin2004")
def rougel(*, tok: str = "rouge", case: Case = "mixed", stem: str = "no") -> Metric:
    """F-score of the longest common subsequence of words, 0 to 100. Higher is better.

    L is the length of the longest common subsequence: the largest number of words that
    output and reference have in the same order, not necessarily adjacent. With P = L /
    output words and R = L / reference words, F = 2 P R / (P + R). With
    several references, the one with the best F counts; if scores are equal, the first.
    The score is the mean F over segments; a segment whose output or reference has no
    words has F = 0.

    Lin 2004, "ROUGE: a package for automatic evaluation of summaries", ACL workshop. It
    equals rougeL of the rouge-score package, and with stem=rouge rougeL with its
    stemmer.

    Options:
        tok: rouge splits lower-cased text into runs of the letters a to z and digits,
            as rouge-score does; use another tokeniser for languages with other letters.
        stem: rouge is nltk's Porter stemmer for words of more than three letters.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)
    return Metric(
        name="rougel",
        columns=COLUMNS,
        rows=partial(rows, text=text),
        aggregate=aggregate,
        parts=parts,
        settled=text.versions(),
    )


def rows(batch: AnyBatch, *, text: Preparation) -> Array:
    """Return F, precision, recall for the best reference, and 1: (segments, 4)."""
    batch.texts()  # refuses a batch without references
    outputs = batch.hyps.tokens(text)
    references = [column.tokens(text) for column in batch.refs]
    statistics = np.ones((len(batch), len(COLUMNS)))
    for index in range(len(batch)):
        hyp = outputs[index] or []
        segment = (column[index] for column in references)
        scores = [score_words(hyp, ref) for ref in segment if ref is not None]
        statistics[index, :3] = max(scores, key=lambda score: score[0])
    return statistics


def score_words(hyp: list[str], ref: list[str]) -> tuple[float, float, float]:
    """Return F, precision and recall of one output and one reference."""
    common = count_common_words(hyp, ref) if hyp and ref else 0
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(hyp), common / len(ref)
    return 2 * precision * recall / (recall + precision), precision, recall


def aggregate(totals: Array) -> Array:
    """Return the mean F of each row of totals, in per cent; 0 of no segments."""
    return 100 * totals[..., 0] / np.maximum(totals[..., 3], 1)


def parts(totals: Array) -> Parts:
    """Return the means of precision and recall in one corpus, in per cent."""
    _, precision, recall, segments = totals.tolist()
    most = max(segments, 1)
    return {"precision": 100 * precision / most, "recall": 100 * recall / most}
