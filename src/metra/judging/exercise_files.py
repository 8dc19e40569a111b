"""Results of evaluators as files: the table of the exercise."""

from metra.annotations.table import Row, Table, read_table
from metra.judging.exercise import Result

COLUMNS = ("metric", "evaluator", "text", "translation", "score")


def read_results(path: str) -> list[Result]:
    """Read a table with the columns metric, evaluator, text, translation and score."""
    table = read_table(path, COLUMNS, {*COLUMNS, "items", "native"})
    return [
        Result(
            row.cells["metric"],
            row.cells["evaluator"],
            row.cells["text"],
            row.cells["translation"],
            _score(table, row),
        )
        for row in table.rows
        if row.cells["evaluator"] != "all"
    ]


def _score(table: Table, row: Row) -> float:
    cell = row.cells["score"]
    try:
        score = float(cell)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 100:
        raise table.refuse(
            row, f"the score is {cell!r}", "expected a number from 0 to 100"
        )
    return score
