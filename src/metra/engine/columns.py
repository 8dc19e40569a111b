"""From a batch of a table's rows to the columns that measures work on."""

from collections.abc import Iterator

import pyarrow as pa

from metra.corpus import Batch, Chunk, Column, Place
from metra.engine.plan import Plan
from metra.errors import CorpusError
from metra.io.arrow_rows import references, required
from metra.text.arrow import packed

# So many rows at a time: their tokens stay in the processor's caches.
PIECE = 2048


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Cut a batch of any size into small ones, which share its memory."""
    for start in range(0, batch.num_rows, PIECE):
        yield batch.slice(start, PIECE)


def chunk_of(rows: pa.RecordBatch, plan: Plan) -> Chunk:
    """Pack the texts of some rows."""

    def column(values: pa.Array, name: str) -> Column:
        return Column(packed(values, f"the column {name!r}"))

    refs = references(rows, plan.references, plan.nulls)
    source = documents = None
    if plan.source:
        source = column(required(rows, plan.source, plan.nulls), plan.source)
    if plan.documents:
        names = required(rows, plan.documents, plan.nulls)
        documents = list(map(str, names.to_pylist()))
    return Chunk(
        {
            system: column(required(rows, name, plan.nulls), name)
            for system, name in plan.outputs
        },
        [column(*pair) for pair in zip(refs, plan.references, strict=True)],
        source,
        documents,
    )


def batches_of(chunk: Chunk) -> Iterator[tuple[str, Batch]]:
    """Give each system's batch. Its rows have no numbers; measures must not ask for them."""
    for system, hyps in chunk.systems.items():
        place = _Unnumbered(system, 0, chunk.documents)
        yield system, Batch.of(hyps, chunk.refs, chunk.source, place)


class _Unnumbered(Place):
    """Where a batch stands that came without the numbers of its rows."""

    @property
    def first(self) -> int:
        """Refuse: a number made up would be looked up."""
        msg = (
            "A measure looks segments up by their numbers, which rows of a table that is "
            "scored in parts do not have; score it in one piece, on this machine."
        )
        raise CorpusError(msg)
