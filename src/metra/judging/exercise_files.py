"""Results of evaluators as files: the table of the exercise."""

from math import nan

from metra.annotations.table import Row, Table, read_table
from metra.judging.exercise import Result
from metra.judging.text_scores import NONE

COLUMNS = ("metric", "evaluator", "text", "translation", "score")


def read_results(path: str) -> list[Result]:
    """Read a table with the columns metric, evaluator, text, translation and score."""
    table = read_table(path, COLUMNS, {*COLUMNS, "items", "native", "reason"})
    return [
        Result(
            row.cells["metric"],
            row.cells["evaluator"],
            row.cells["text"],
            row.cells["translation"],
            *_score(table, row),
        )
        for row in table.rows
        if row.cells["evaluator"] != "all"
    ]


def _score(table: Table, row: Row) -> tuple[float, str]:
    cell = row.cells["score"]
    if cell == NONE:
        return nan, row.cells.get("reason", "") or "no reason is given"
    try:
        score = float(cell)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 100:
        raise table.refuse(
            row, f"the score is {cell!r}", f"expected a number from 0 to 100, or {NONE}"
        )
    return score, ""
