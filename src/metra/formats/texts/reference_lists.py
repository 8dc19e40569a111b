"""Lists of references in a column of a table, and the columns made of them.

A list of references is a column for each of them, `ref:1`, `ref:2` and so on.
"""

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from metra.limits import check_limit
from metra.text.columns import is_text_type

#: Marks columns that are made of lists.
ELEMENT = {b"metra.added": b"element"}


def list_lists(schema: pa.Schema) -> list[str]:
    """Find the column that holds lists of references, as in JSON lines."""
    return [
        field.name
        for field in schema
        if field.name.lower() in ("refs", "references")
        and (pa.types.is_list(field.type) or pa.types.is_large_list(field.type))
        and is_text_type(field.type.value_type)
    ][:1]


def measure_lists(batch: pa.RecordBatch, name: str) -> int:
    """Return how many elements the longest list of a column has."""
    return pc.max(pc.list_value_length(batch.column(name))).as_py() or 0


def add_fields(
    schema: pa.Schema, names: Iterable[str], mark: Mapping[bytes, bytes]
) -> pa.Schema:
    """Return the columns, and behind them texts of these names, unless there are such."""
    for name in names:
        if name not in schema.names:
            schema = schema.append(pa.field(name, pa.string(), metadata=mark))
    return schema


def add_element_fields(
    schema: pa.Schema, count: int, where: str = "The table"
) -> pa.Schema:
    """Return the columns, and behind them one for each element of lists of references."""
    check_limit("columns", count, where)
    names = [f"ref:{number}" for number in range(1, count + 1)]
    return add_fields(schema, names, ELEMENT)


def add_elements(
    batch: pa.RecordBatch, lists: str, names: Sequence[str]
) -> pa.RecordBatch:
    """Return rows with columns for elements of lists, which are named `ref:1` and so on."""
    column = batch.column(lists)
    for name in names:
        field = pa.field(name, pa.string(), metadata=ELEMENT)
        batch = batch.append_column(field, _get_element(column, name))
    return batch


def _get_element(column: pa.Array, name: str) -> pa.Array:
    """Return one text of each list, null where the list is shorter."""
    place = int(name.partition(":")[2]) - 1
    parts = pc.list_slice(column, place, place + 1, return_fixed_size_list=True)
    # What stands for a list that is null is no text of it.
    texts = parts.values.cast(pa.string())
    return pc.if_else(column.is_valid(), texts, pa.scalar(None, pa.string()))
