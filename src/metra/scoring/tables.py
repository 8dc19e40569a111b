"""Whether a table has what a plan asks of it: the columns, of the right types.

From a table's columns, and what the user says of them, to a plan.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from metra.errors import FormatError, OptionError
from metra.formats.texts.columns import HELP, ColumnNames, Role
from metra.formats.texts.parquet import (
    check_columns_exist,
    check_key_columns,
    check_text_columns,
    get_key_kind,
    map_fields,
)
from metra.scoring.plan import ScoringPlan
from metra.scoring.table_totals import OWN_COLUMNS, scores_schema, unwrap_type


def check_schema(
    plan: ScoringPlan, schema: pa.Schema, where: str = "The table"
) -> None:
    """Refuse a table that lacks a column, or has one of a type that cannot be used.

    Before the first row is counted: on a cluster, a failure there is costly and hard to read.
    """
    check_columns_exist(schema, plan.columns, where)
    check_text_columns(schema, plan.text_columns, where)
    keys = [*plan.group_by, *([plan.documents] if plan.documents else [])]
    check_key_columns(schema, keys, where)
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


def check_same_groups(plan: ScoringPlan, schemas: Mapping[str, pa.Schema]) -> None:
    """Refuse files whose values to group by are of different kinds: 1 is not "1"."""
    first: dict[str, tuple[str, pa.DataType]] = {}
    for where, schema in schemas.items():
        for name in plan.group_by:
            kind = unwrap_type(schema.field(name).type)
            other, known = first.setdefault(name, (where, kind))
            if get_key_kind(kind) != get_key_kind(known):
                msg = (
                    f"{where} has the column {name!r} of type {kind}, but {other} of type "
                    f"{known}; groups need the same type in all files."
                )
                raise FormatError(msg)


def build_plan(
    schema: pa.Schema,
    metrics: Sequence[str],
    names: ColumnNames,
    *,
    where: str = "The table",
    default_system: str = "",
    group_by: Sequence[str] = (),
    segments: bool = False,
) -> ScoringPlan:
    """Settle which columns are what: those that are named, and the rest by their names.

    A lone column of outputs goes by `default_system`, or by the column's name.
    """
    names = names._replace(labels=(*names.labels, *group_by))
    columns = map_fields(schema, where, default_system, names)

    def of(role: Role) -> list[tuple[str, str]]:
        return [(f.name, column) for f, column in columns.items() if f.role == role]

    outputs = of("output")
    if not outputs:
        msg = (
            f"{where} has no column for outputs; it has: {', '.join(schema.names)}. Name "
            f"one with --hyp-column. Columns are recognised by name: {HELP}."
        )
        raise FormatError(msg)
    return ScoringPlan(
        metrics=tuple(metrics),
        outputs=tuple(outputs),
        references=tuple(column for _, column in of("reference")),
        source=next((column for _, column in of("source")), None),
        documents=next((column for _, column in of("document")), None),
        group_by=tuple(group_by),
        segments=segments,
        nulls=names.nulls,
    )
