"""Output of `metra score`, read as scores: JSON, TSV, and tables for a terminal."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path, load_json
from metra.scores.columns import parse_numbers, read_score_table
from metra.scores.long_table import ROLES, build_scores
from metra.scores.model_scores import find_direction as find_known_direction
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.stats.arrays import Array
from metra.stats.direction import HIGHER, LOWER, find_direction


def read_metra_json(path: str) -> Scores:
    """Read the scores of systems, and of segments and documents where there are any."""
    try:
        data = load_json("\n".join(read_lines(path)), format_path(path))
        return concatenate_scores([*map(_build_system_scores, data["systems"])])
    except FormatError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{format_path(path)} is not what `metra score --format json` writes "
            f"({type(error).__name__}: {error})."
        )
        raise FormatError(msg) from None


def _build_system_scores(entry: dict[str, Any]) -> Scores:
    tables = []
    for spec, score in entry["scores"].items():
        direction = find_direction(score["higher_is_better"], score.get("target"))
        scorer = Scorer(spec, "metric", direction)
        segments = entry.get("segments", {}).get(spec, [])
        documents = entry.get("documents", {}).get(spec, {})
        for items, values in (
            ([ScoredItem()], [score["score"]]),
            ([ScoredItem(str(n)) for n in range(1, len(segments) + 1)], segments),
            ([ScoredItem("", name) for name in documents], list(documents.values())),
        ):
            if items:
                column = {scorer: np.array(values, np.float64)}
                systems = [entry["name"]] * len(items)
                tables.append(build_score_table(systems, items, column))
    return concatenate_scores(tables)


def read_metra_tsv(path: str) -> Scores:
    """Read the scores of systems, documents and segments.

    Files of older versions lack the column `better`: there, the direction of well-known
    metrics is taken from their names.
    """
    table = read_score_table(path)
    rows = [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]
    rows = [row for row in rows if row["level"] in ("system", "document", "segment")]
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    values = parse_numbers([row["score"] for row in rows], path, "score")
    specs = np.array([row["metric"] for row in rows])
    better = {row["metric"]: row.get("better", "") for row in rows}
    for spec, stated in better.items():
        if not stated:
            better[spec] = _find_direction(spec, values[specs == spec], path)
    columns = dict.fromkeys(ROLES, [""] * len(rows)) | {
        "system": [row["system"] for row in rows],
        "scorer": specs.tolist(),
        "kind": ["metric"] * len(rows),
        "direction": [better[spec] for spec in specs.tolist()],
    }
    for level in ("segment", "document"):
        columns[level] = [row["item"] if row["level"] == level else "" for row in rows]
    return build_scores(columns, values, path)


def _find_direction(spec: str, values: Array, path: str) -> str:
    higher = find_known_direction(spec, values[np.isfinite(values)])
    if higher is None:
        msg = (
            f"{format_path(path)} does not give the direction of {spec!r}, because an "
            "older version wrote it; add a column better with true or false."
        )
        raise FormatError(msg)
    return "true" if higher else "false"


#: An interval beside a score.
_INTERVAL = re.compile(r"\[[-\d.]+, [-\d.]+\]")
_ARROWS = {"↑": HIGHER, "↓": LOWER}


def is_printed_table(head: FileHead) -> bool:
    """Tell a table of systems that `metra score` printed for a terminal."""
    return bool(_cut_tables(head.text.split("\n")))


def read_printed_table(path: str) -> Scores:
    """Read the scores of systems from printed tables, with the digits that they have.

    A table that was too wide for a screen has several parts. Tables of documents and
    segments are left out.
    """
    tables = _cut_tables(read_lines(path))
    return concatenate_scores([_build_printed(table, path) for table in tables])


def _build_printed(table: list[list[str]], path: str) -> Scores:
    header, *rows = table
    place = format_path(path)
    scorers = []
    for cell in header[1:]:
        name, arrow = cell[:-1].strip(), cell[-1:]
        if not name or arrow not in _ARROWS:
            msg = f"{place} has a column {cell!r}; expected a metric with an arrow."
            raise FormatError(msg)
        scorers.append(Scorer(name, "metric", _ARROWS[arrow]))
    for row in rows:
        if len(row) != len(header):
            problem = f"{place} has {len(row)} cells for {row[0]}"
            msg = f"{problem}; expected {len(header)}, as many as the header."
            raise FormatError(msg)
    if not rows:
        msg = f"{place} has a header but no scores."
        raise FormatError(msg)
    columns = [
        parse_numbers([row[at].replace("–", "") for row in rows], path, scorer.name)
        for at, scorer in enumerate(scorers, 1)
    ]
    values = dict(zip(scorers, columns, strict=True))
    systems = [row[0] for row in rows]
    return build_score_table(systems, [ScoredItem()] * len(rows), values)


def _cut_tables(lines: Sequence[str]) -> list[list[list[str]]]:
    """Cut the tables of systems into cells: the header first, without what adorns them."""
    tables: list[list[list[str]]] = []
    is_inside = False
    for line in lines:
        cells = _cut_cells(line)
        if cells[:1] == ["system"] and any(cell[-1:] in _ARROWS for cell in cells):
            tables.append([])
            is_inside = True
        is_inside = is_inside and bool(cells)
        is_rule = set(line) <= set("─ ")
        if is_inside and not is_rule:
            tables[-1].append(cells)
    return tables


def _cut_cells(line: str) -> list[str]:
    """Cut a line into cells; a star marks the best of a column and is left out."""
    name, *scores = re.split(r" {2,}", _INTERVAL.sub("", line).strip())
    return [*filter(None, [name]), *(score.removesuffix("*") for score in scores)]
