"""Whether a table has what a plan asks of it: the columns, of the right types."""

from typing import Any

import pyarrow as pa

from metra.engine.plan import Plan
from metra.engine.segment_scores import scores_schema
from metra.engine.totals import OWN_COLUMNS
from metra.errors import FormatError, OptionError
from metra.text.arrow import is_text


def check_schema(plan: Plan, schema: pa.Schema, where: str = "The table") -> None:
    """Refuse a table that lacks a column, or has one of a type that cannot be used.

    Before the first row is counted: on a cluster, a failure there is costly and hard to read.
    """
    for name in plan.columns:
        if schema.names.count(name) != 1:
            raise FormatError(_not_one(name, schema, where))
    for name in plan.text_columns:
        kind = schema.field(name).type
        if not is_text(kind):
            msg = (
                f"{where} has the column {name!r} of type {kind}, where a text is expected; "
                "name another column, or make strings of it."
            )
            raise FormatError(msg)
    keys = [*plan.group_by, *([plan.documents] if plan.documents else [])]
    for name in keys:
        kind = schema.field(name).type
        if not _can_be_a_key(kind):
            msg = (
                f"{where} has the column {name!r} of type {kind}, whose values make no "
                "groups; expected strings, whole numbers, dates or yes and no."
            )
            raise FormatError(msg)
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


def _not_one(name: str, schema: pa.Schema, where: str) -> str:
    if schema.names.count(name) > 1:
        return f"{where} has two columns {name!r}; give each a name of its own."
    from difflib import get_close_matches

    near = get_close_matches(name, schema.names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return f"{where} has no column {name!r}.{guess} It has: {', '.join(schema.names)}."


def _can_be_a_key(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return is_text(kind) or any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_integer,
            pa.types.is_boolean,
            pa.types.is_date,
            pa.types.is_timestamp,
        )
    )
