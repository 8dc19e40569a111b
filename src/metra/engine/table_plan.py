"""From a table's columns, and what the user says of them, to a plan."""

from collections.abc import Sequence

import pyarrow as pa

from metra.engine.plan import Plan
from metra.errors import FormatError
from metra.io.fields import HELP, ColumnNames, Role
from metra.io.parquet_rows import columns_of


def plan_of(
    schema: pa.Schema,
    metrics: Sequence[str],
    names: ColumnNames,
    *,
    where: str = "The table",
    default_system: str = "",
    group_by: Sequence[str] = (),
    segments: bool = False,
) -> Plan:
    """Settle which columns are what: those that are named, and the rest by their names.

    A lone column of outputs goes by `default_system`, or by the column's name.
    """
    names = names._replace(labels=(*names.labels, *group_by))
    columns = columns_of(schema, where, default_system, names)

    def of(role: Role) -> list[tuple[str, str]]:
        return [(f.name, column) for f, column in columns.items() if f.role == role]

    outputs = of("output")
    if not outputs:
        msg = (
            f"{where} has no column for outputs; it has: {', '.join(schema.names)}. Name "
            f"one with --hyp-column. Columns are recognised by name: {HELP}."
        )
        raise FormatError(msg)
    return Plan(
        metrics=tuple(metrics),
        outputs=tuple(outputs),
        references=tuple(column for _, column in of("reference")),
        source=next((column for _, column in of("source")), None),
        documents=next((column for _, column in of("document")), None),
        group_by=tuple(group_by),
        segments=segments,
        nulls=names.nulls,
    )
