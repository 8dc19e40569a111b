"""Scoring tables on Ray: blocks of a dataset of Ray Data, each counted by a task."""

import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from metra.errors import MetraError
from metra.formats.texts.arrow_columns import NullValueError
from metra.scoring.executors.frames import Counting

_ANSWER = "answer"


class RayFrame:
    """A dataset of Ray Data."""

    fits_metrics, where, system = False, "The table", ""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.schema = _read_schema(dataset)

    def reduce(self, counting: Counting) -> Any:
        """Count each block by a task, and add the answers up here."""
        blocks = self._dataset.select_columns([*counting.columns]).map_batches(
            count_block,
            fn_kwargs={"counting": counting},
            batch_size=None,
            batch_format="pyarrow",
        )
        # In the order of the blocks, so that rows have their numbers.
        blocks.context.execution_options.preserve_order = True
        answers = blocks.iter_batches(batch_size=None, batch_format="pyarrow")
        return counting.add(_read_answers(answers))


def count_block(block: pa.Table, counting: Counting) -> pa.Table:
    """Count a block; give the answer as a table of one row. Errors of ours are answers, too."""
    try:
        answer = counting.run(block.to_batches(), "")
    except MetraError as error:
        answer = error
    return pa.table({_ANSWER: [pickle.dumps((block.num_rows, answer))]})


def _read_answers(tables: Iterable[pa.Table]) -> Iterator[Any]:
    first = 0
    for table in tables:
        for pickled in table.column(_ANSWER).to_pylist():
            rows, answer = pickle.loads(pickled)
            if isinstance(answer, NullValueError):
                row = first + answer.row
                raise NullValueError(answer.column, row, "the dataset")
            if isinstance(answer, MetraError):
                raise answer
            first += rows
            yield answer


def _read_schema(dataset: Any) -> pa.Schema:
    """Return a dataset's columns as Arrow's."""
    given = dataset.schema()
    schema = given.base_schema if given is not None else pa.schema([])
    if isinstance(schema, pa.Schema):
        return schema
    # Blocks of pandas: the first rows tell.
    return next(iter(dataset.limit(1).iter_batches(batch_format="pyarrow"))).schema
