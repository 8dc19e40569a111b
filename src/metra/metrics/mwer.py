"""Word error rate against the most similar of the outputs that were judged perfect."""

from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Literal

import numpy as np

from metra import _core
from metra.formats.annotations import judged_outputs
from metra.metrics import wer
from metra.metrics.evaltrans import JudgedOutputs
from metra.metrics.options import Case
from metra.metrics.record import AnyBatch, Array, Metric, metric_factory
from metra.text.preparation import make_preparation


@metric_factory
def mwer(
    *,
    db: str = "",
    key: Literal["segment", "source"] = "segment",
    tok: str = "none",
    case: Case = "mixed",
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
    """
    text = make_preparation(tok=tok, case=case, stem=stem)

    def make() -> Metric:
        judged = judged_outputs.read_judged_outputs(db) if db else []
        version = judged_outputs.compute_version(db, judged) if db else "none"
        return Metric(
            name="mwer",
            columns=wer.COLUMNS,
            rows=partial(rows, collection=JudgedOutputs(judged, text, key)),
            aggregate=wer.aggregate,
            higher_is_better=False,
            parts=wer.parts,
            needs_reference=not db,
            needs_source=bool(db) and key == "source",
            settled=text.versions() | {"db": version},
        )

    # What was judged meanwhile counts.
    return replace(make(), fit=lambda _: make()) if db else make()


def rows(batch: AnyBatch, *, collection: JudgedOutputs) -> Array:
    """Edits, hits and length of the nearest perfect translation of each segment."""
    tokens = batch.hyps.tokens(collection.text)
    perfect = [known.perfect for known in collection.look_up(batch)]
    table = np.zeros((len(batch), len(wer.COLUMNS)))
    judged = [index for index, outputs in enumerate(perfect) if outputs]
    if judged:
        hyps = _core.Tokens([tokens[index] or [] for index in judged])
        # The translations of each segment stand side by side, as references do.
        columns = zip_longest(*(perfect[index] for index in judged))
        refs = [
            _core.Tokens([None if words is None else list(words) for words in column])
            for column in columns
        ]
        table[judged] = _core.edit_rows(_core.Hits(hyps, refs), "fixed", "best")
    return table
