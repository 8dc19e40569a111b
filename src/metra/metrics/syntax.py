"""Minimal correction: how many words have to change until the output is grammatical."""

from functools import partial

import numpy as np

from metra.metrics.options import Case
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.stats.direction import LOWER
from metra.text.corrections import EditCounts, infer_changes
from metra.text.preparation import Preparation, make_preparation

COUNTS = EditCounts._fields


@metric_factory(title="Syntax", papers="dabbadie2002")
def syntax(*, case: Case = "mixed", stem: str = "lemma@en") -> Metric:
    """Corrections per hundred words that make the output grammatical. Lower is better.

    The references are minimal corrections of the outputs that make them grammatical.
    The score is the number of added, deleted, substituted and moved words divided by
    the number of output words; each punctuation mark is a word. Changes of inflection
    alone (go, goes, went) do not count, as far as lemmas show them. metra infers the
    changes from the two texts: words that occur in both are kept; kept words outside
    the longest common subsequence were moved; a deleted word and an added word in its
    place are a substitution. With several corrections, the one with the fewest changes
    counts.

    Dabbadie et al. 2002, "A hands-on study of the reliability and coherence of
    evaluation metrics", LREC workshop, A4a: the mean ratio over sentences. The parts
    contain the ratio of the sums.

    Options:
        case: whether a change of letter case is a change.
        stem: how inflection is recognised: lemma@LANGUAGE, such as lemma@de, by lemmas,
            or by stems if there is no table of lemmas for the language; english and
            similar by stems; no counts every change of inflection.
    """
    text = make_preparation(tok="workbook", case=case, stem=stem)
    return Metric(
        name="syntax",
        columns=(*COUNTS, "words", "ratio", "segments"),
        rows=partial(rows, text=text),
        aggregate=aggregate,
        direction=LOWER,
        parts=parts,
        settled={"stem": text.versions()["stem"], "operations": "inferred"},
    )


def rows(batch: AnyBatch, *, text: Preparation) -> Array:
    """The changes of each output for its easiest correction, its words, their ratio, 1."""
    hyps = batch.hyps.tokens(text)
    refs = [ref.tokens(text) for ref in batch.refs]
    table = np.empty((len(batch), len(COUNTS) + 3))
    for segment in range(len(batch)):
        output = hyps[segment] or []
        corrections = [words for ref in refs if (words := ref[segment]) is not None]
        changes = min(
            (infer_changes(output, words) for words in corrections),
            key=lambda changes: (changes.total, changes),
        )
        ratio = changes.total / max(len(output), 1)
        table[segment] = (*changes, len(output), ratio, 1)
    return table


def aggregate(totals: Array) -> Array:
    """The mean of the sentences' ratios of each row of totals, in percent."""
    return 100 * totals[..., -2] / np.maximum(totals[..., -1], 1)


def parts(totals: Array) -> Parts:
    """The counts behind one score, the mean of the ratios, and the ratio of the sums."""
    changes, words = totals[: len(COUNTS)].sum(), totals[len(COUNTS)]
    return {
        **dict(zip((*COUNTS, "words"), totals.tolist(), strict=False)),
        "sentence_mean": float(aggregate(totals)),
        "corpus_ratio": float(100 * changes / max(words, 1)),
    }
