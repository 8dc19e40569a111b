"""Parquet, written: a column for each text and label; this format carries everything."""

from collections.abc import Iterable, Sequence
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from metra.io.carried import Chunk, check_names
from metra.io.fields import Field, column_name

ROW_GROUP = 64 * 1024


def write(file: IO[bytes], fields: Sequence[Field], chunks: Iterable[Chunk]) -> None:
    """Write the rows; what is missing is null."""
    check_names(fields, "parquet")
    schema = pa.schema([(column_name(field), pa.string()) for field in fields])
    with pq.ParquetWriter(file, schema) as writer:
        held: list[pa.RecordBatch] = []
        for chunk in chunks:
            columns = [pa.array(chunk.rows[field], pa.string()) for field in fields]
            held.append(pa.record_batch(columns, schema=schema))
            if sum(batch.num_rows for batch in held) >= ROW_GROUP:
                writer.write_table(pa.Table.from_batches(held))
                held = []
        if held:
            writer.write_table(pa.Table.from_batches(held))
