"""Word error rate against the most similar of the outputs that were judged perfect."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from metra import _core
from metra.corpus.batch import Batch, Sentence
from metra.formats.annotations.judged_outputs import (
    compute_version,
    read_judged_outputs,
)
from metra.metrics import wer
from metra.metrics.evaltrans import JudgedOutputs
from metra.metrics.record import Array, Metric, metric_factory
from metra.text.preparation import Preparation, make_preparation


@metric_factory
def mwer(
    *,
    db: str = "",
    key: Literal["segment", "source"] = "segment",
    tok: str = "none",
    case: Literal["mixed", "lower"] = "mixed",
    stem: str = "no",
) -> Metric:
    """Word error rate against the most similar perfect translation. Lower is better.

    The references, and the outputs that were judged 10, are perfect; a reference that was
    judged less is not. Edits and lengths are summed over segments before anything is
    divided; a segment for which no perfect translation is known does not count. Without a
    database it is `wer`.

    Nießen et al. 2000, "An evaluation tool for machine translation: fast evaluation for MT
    research", LREC; metric A2 of the ISLE workbook (Dabbadie et al. 2002).

    Options:
        db: judged outputs: a database (see `metra evaltrans`) or a table (.tsv).
        key: what a judged output's source is in there: the number of the segment, counted
            from 1, or the source sentence itself.
        tok: how text is cut into words; none cuts at white space.
        case: whether letter case counts.
        stem: compare stems: no, porter, or a Snowball language such as english.
    """
    text = make_preparation(tok=tok, case=case, stem=stem)

    def fresh() -> Metric:
        judged = read_judged_outputs(db) if db else []
        collection = JudgedOutputs(judged, text, key)
        return Metric(
            name="mwer",
            columns=wer.COLUMNS,
            rows=partial(rows, collection=collection, text=text),
            aggregate=wer.normalise_by_reference,
            higher_is_better=False,
            parts=wer.parts,
            needs_reference=not db,
            needs_source=bool(db) and key == "source",
            settled=text.versions()
            | {"db": compute_version(db, judged) if db else "none"},
        )

    def fit(_: Iterable[Batch]) -> Metric:
        return fresh()  # what was judged meanwhile counts

    return replace(fresh(), fit=fit) if db else fresh()


def rows(
    batch: Batch | Sentence, *, collection: JudgedOutputs, text: Preparation
) -> Array:
    """Edits, hits and length of the nearest perfect translation of each segment."""
    tokens = batch.hyps.tokens(text)
    known = collection.look_up(batch)
    table = np.zeros((len(batch), len(wer.COLUMNS)))
    judged = [index for index in range(len(batch)) if known[index].perfect]
    if judged:
        hyps = _core.Tokens([tokens[index] or [] for index in judged])
        hits = _core.Hits(
            hyps, _pack_columns([known[index].perfect for index in judged])
        )
        table[judged] = _core.edit_rows(hits, "fixed", "best")
    return table


def _pack_columns(perfect: Sequence[Sequence[Sequence[str]]]) -> list[_core.Tokens]:
    """Stand the translations of each segment side by side, as references are."""
    width = max(map(len, perfect))
    return [
        _core.Tokens(
            [list(group[index]) if index < len(group) else None for group in perfect]
        )
        for index in range(width)
    ]
