"""Whether a table has what a plan asks of it: the columns, of the right types."""

import pyarrow as pa

from metra.engine.plan import Plan
from metra.engine.segment_scores import scores_schema
from metra.engine.totals import OWN_COLUMNS
from metra.errors import FormatError, OptionError
from metra.io.arrow_rows import check_keys, check_texts, check_there


def check_schema(plan: Plan, schema: pa.Schema, where: str = "The table") -> None:
    """Refuse a table that lacks a column, or has one of a type that cannot be used.

    Before the first row is counted: on a cluster, a failure there is costly and hard to read.
    """
    check_there(schema, plan.columns, where)
    check_texts(schema, plan.text_columns, where)
    keys = [*plan.group_by, *([plan.documents] if plan.documents else [])]
    check_keys(schema, keys, where)
    for name in keys:
        if name in OWN_COLUMNS:
            msg = f"The column {name!r} cannot be grouped by: totals have one of that name."
            raise OptionError(msg)
    if plan.segments:
        names = scores_schema(plan, schema).names
        taken = [name for name in names if names.count(name) > 1]
        if taken:
            msg = (
                f"{where} has a column {taken[0]!r} already; leave it out, or rename it, "
                "before scores are written there."
            )
            raise FormatError(msg)
