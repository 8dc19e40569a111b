"""Scoring tables of any size: functions of batches of rows, and who calls them.

All that an engine has to do is to call functions of an Arrow RecordBatch that give another
one, and to add up. They read no files, keep no state, and do not care how the table is cut
into batches: the totals of all batches, added in any order, are the same digit for digit.

    plan = Plan(metrics=("bleu", "nist"), outputs=(("A", "hyp"),), references=("ref",),
                group_by=("lp",))
    check_schema(plan, schema)                   # the columns are there, of usable types
    check_measures(plan)                         # the measures can be computed so
    weights = None
    if plan.two_passes:                          # NIST and salience weigh by the whole corpus
        weights = weights_of(term_rows(batch, plan) for batch in batches)
    totals = add_totals(total_rows(batch, plan, weights) for batch in batches)
    results = results_of(totals, plan)           # scores of all, and of each group
    scores = score_rows(batch, plan, weights)    # the batch with its segments' scores

`total_rows` gives rows with the columns of `totals_schema`, `score_rows` with those of
`scores_schema`, and `term_rows` with those of `TERMS`. Totals may be added by `add_totals`, in
several steps, or by the engine itself: `_segments`, `_lacking` and each number in `_sums` are
plain sums for each group, `_system` and `_metric`. Equal terms add up likewise. `Plan` and the
weights, which are bytes, can be pickled; a plan is also JSON (`to_json`, `from_json`).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.engine.checks import check_schema
    from metra.engine.measures import check_measures
    from metra.engine.plan import Plan
    from metra.engine.segment_scores import score_rows, scores_schema
    from metra.engine.terms import TERMS, term_rows, weights_of
    from metra.engine.totals import add_totals, results_of, total_rows, totals_schema

__all__ = [
    "TERMS",
    "Plan",
    "add_totals",
    "check_measures",
    "check_schema",
    "results_of",
    "score_rows",
    "scores_schema",
    "term_rows",
    "total_rows",
    "totals_schema",
    "weights_of",
]

_HOMES = {
    "Plan": "plan",
    "check_schema": "checks",
    "check_measures": "measures",
    "results_of": "totals",
    "score_rows": "segment_scores",
    "scores_schema": "segment_scores",
    "TERMS": "terms",
    "term_rows": "terms",
    "weights_of": "terms",
    "add_totals": "totals",
    "total_rows": "totals",
    "totals_schema": "totals",
}


def __getattr__(name: str) -> object:
    # Loaded when first used: most of it needs pyarrow, which is an extra.
    if name not in _HOMES:
        msg = f"module 'metra.engine' has no attribute {name!r}"
        raise AttributeError(msg)
    from metra.text.arrow import pyarrow

    if name != "Plan":
        pyarrow("Scoring tables")
    return getattr(import_module(f"metra.engine.{_HOMES[name]}"), name)
