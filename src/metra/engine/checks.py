"""Whether a table has what a plan asks of it: the columns, of the right types."""

from collections.abc import Mapping

import pyarrow as pa

from metra.engine.plan import Plan
from metra.engine.segment_scores import scores_schema
from metra.engine.totals import OWN_COLUMNS, plain_type
from metra.errors import FormatError, OptionError
from metra.io.arrow_rows import check_keys, check_texts, check_there, kind_of_key


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


def check_same_groups(plan: Plan, schemas: Mapping[str, pa.Schema]) -> None:
    """Refuse files whose values to group by are of different kinds: 1 is not "1"."""
    first: dict[str, tuple[str, pa.DataType]] = {}
    for where, schema in schemas.items():
        for name in plan.group_by:
            kind = plain_type(schema.field(name).type)
            other, known = first.setdefault(name, (where, kind))
            if kind_of_key(kind) != kind_of_key(known):
                msg = (
                    f"{where} has the column {name!r} of type {kind}, but {other} of type "
                    f"{known}; groups need the same type in all files."
                )
                raise FormatError(msg)
