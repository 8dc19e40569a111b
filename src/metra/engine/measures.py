"""The measures of a plan, made from their specs wherever rows are counted."""

from collections.abc import Mapping
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from metra.engine.plan import Plan
from metra.errors import OptionError, UnfittedError
from metra.measure import Metric, Terms
from metra.metrics import metric


def measures(plan: Plan, weights: bytes | None = None) -> Mapping[str, Metric]:
    """Make the plan's measures, those of two passes with their weights.

    The answer is kept: on a worker, weights are unpacked once and not for each batch.
    """
    check_measures(plan)
    if plan.two_passes and weights is None:
        listed = ", ".join(plan.two_passes)
        msg = (
            f"{listed}: what is weighed has to be counted first; give the weights that "
            "`weights_of` makes of all that `term_rows` counted."
        )
        raise UnfittedError(msg)
    return _made(plan.metrics, weights if plan.two_passes else None)


def unweighed(plan: Plan) -> Mapping[str, Metric]:
    """Make the measures as they are before the first pass; closing formulas need no weights."""
    return {spec: metric(spec) for spec in plan.metrics}


def check_measures(plan: Plan) -> None:
    """Refuse measures that rows spread over machines cannot answer, or what they lack."""
    for spec, made in unweighed(plan).items():
        if made.whole_documents:
            msg = (
                f"{spec} looks at whole documents, whose rows may lie in different parts "
                "of the table; score the files without groups, shards or an engine."
            )
            raise OptionError(msg)
        if made.fit and not made.weighing:
            msg = (
                f"{spec} looks through the whole test set before it scores, which no engine "
                "can do for it; score the files without groups, shards or an engine."
            )
            raise OptionError(msg)
        check_columns(spec, made, plan)


def check_columns(spec: str, made: Metric, plan: Plan) -> None:
    """Refuse a measure whose columns are not there."""
    lacking = (
        ("references", "--ref-column", made.needs_reference and not plan.references),
        ("the source", "--source-column", made.needs_source and not plan.source),
        ("documents", "--doc-column", made.needs_documents and not plan.documents),
    )
    for what, option, missing in lacking:
        if missing:
            msg = f"{spec} needs {what}, but no column of the table is; give {option}."
            raise OptionError(msg)


@lru_cache(maxsize=4)
def _made(specs: tuple[str, ...], weights: bytes | None) -> dict[str, Metric]:
    made = {spec: metric(spec) for spec in specs}
    if weights is None:
        return made
    table = pa.ipc.open_stream(pa.py_buffer(weights)).read_all()
    return {
        spec: entry.weighing.weighed(_terms(table, spec)) if entry.weighing else entry
        for spec, entry in made.items()
    }


def _terms(table: pa.Table, spec: str) -> Terms:
    import numpy as np

    mine = table.filter(pc.equal(table["metric"], spec))
    keys = mine["term"].cast(pa.large_binary()).combine_chunks()
    counts = mine["count"].combine_chunks()
    if isinstance(keys, pa.ChunkedArray):  # none, or one
        keys = pa.concat_arrays(keys.chunks) if keys.chunks else pa.array([], keys.type)
    _, bounds, values = keys.buffers()
    ends = np.frombuffer(bounds, np.int64)[keys.offset : keys.offset + len(keys) + 1]
    first, last = int(ends[0]), int(ends[-1])
    data = values.to_pybytes()[first:last] if values else b""
    return Terms(data, ends[1:] - first, np.asarray(counts, np.int64))
