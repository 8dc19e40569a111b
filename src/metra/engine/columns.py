"""From a batch of a table's rows to the columns that measures work on."""

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metra.corpus import Batch, Chunk, Column, Place
from metra.engine.plan import Plan
from metra.errors import CorpusError
from metra.text.arrow import packed

# So many rows at a time: their tokens stay in the processor's caches.
PIECE = 2048


class NullValueError(CorpusError):
    """A null where a text has to be; rows are counted from 0 in the batch."""

    def __init__(self, column: str, row: int, *, place: str | None = None) -> None:
        """Say where it is: by default, in which row of the batch."""
        self.column = column
        self.row = row
        place = place or f"Row {row + 1} of a batch"
        super().__init__(
            f"{place} is null in the column {column!r}, where a text has to be; give it "
            'one, leave the row out, or count nulls as empty texts (nulls="empty", '
            "--nulls empty)."
        )


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Cut a batch of any size into small ones, which share its memory."""
    for start in range(0, batch.num_rows, PIECE):
        yield batch.slice(start, PIECE)


def chunk_of(batch: pa.RecordBatch, plan: Plan, first: int = 0) -> Chunk:
    """Pack the texts of some rows; `first` is the number of the first one, if it is known."""
    outputs = {name: _required(batch, column, plan) for name, column in plan.outputs}
    source = _required(batch, plan.source, plan) if plan.source else None
    documents = None
    if plan.documents:
        documents = list(map(str, _required(batch, plan.documents, plan).to_pylist()))

    def column(values: pa.Array, name: str) -> Column:
        return Column(packed(values, f"the column {name!r}", first=first))

    columns = dict(plan.outputs)
    return Chunk(
        {name: column(values, columns[name]) for name, values in outputs.items()},
        [
            column(values, name)
            for name, values in zip(
                plan.references, _references(batch, plan), strict=True
            )
        ],
        column(source, plan.source) if source is not None and plan.source else None,
        documents,
        first,
    )


def batches_of(chunk: Chunk, *, numbered: bool) -> Iterator[tuple[str, Batch]]:
    """Give each system's batch; where rows have no numbers, measures must not ask for them."""
    for system in chunk.systems:
        batch = chunk.batch(system)
        if not numbered:
            place = _Unnumbered(system, 0, chunk.documents)
            batch = Batch.of(batch.hyps, batch.refs, batch.source, place)
        yield system, batch


class _Unnumbered(Place):
    """Where a batch stands that came without the numbers of its rows."""

    @property
    def first(self) -> int:
        """Refuse: a number made up would be looked up."""
        msg = (
            "A measure looks segments up by their numbers, which rows that are spread over "
            "machines do not have; score the files on this machine, in one piece."
        )
        raise CorpusError(msg)


def _required(batch: pa.RecordBatch, name: str, plan: Plan) -> pa.Array:
    """A column without nulls: they are refused, or made empty texts."""
    values = batch.column(name)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if values.null_count and plan.nulls == "refuse":
        _refuse(name, values.is_null())
    return values.cast(pa.large_string()).fill_null("") if values.null_count else values


def _references(batch: pa.RecordBatch, plan: Plan) -> list[pa.Array]:
    """Give the references; where all are null, that is refused, or the first made empty."""
    found = [batch.column(name) for name in plan.references]
    if not found or not all(values.null_count for values in found):
        return found
    gaps = found[0].is_null()
    for values in found[1:]:
        gaps = pc.and_(gaps, values.is_null())
    if not pc.any(gaps).as_py():
        return found
    if plan.nulls == "refuse":
        _refuse(plan.references[0], gaps)
    first = found[0]
    if pa.types.is_dictionary(first.type):
        first = first.dictionary_decode()
    return [pc.if_else(gaps, "", first.cast(pa.large_string())), *found[1:]]


def _refuse(name: str, gaps: pa.Array) -> NoReturn:
    flags = gaps.to_numpy(zero_copy_only=False)
    raise NullValueError(name, int(np.flatnonzero(flags)[0]))
