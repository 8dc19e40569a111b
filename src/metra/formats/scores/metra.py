"""What `metra score --format json` and `--format tsv` write, read as scores."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.scores import record
from metra.formats.scores.columns import parse_numbers
from metra.formats.scores.long_table import ROLES, build_scores
from metra.formats.scores.record import ScoredItem, Scorer, Scores
from metra.formats.stream import format_path
from metra.formats.table import read_table


def read_metra_json(path: str) -> Scores:
    """Read the scores of systems, and of segments and documents where there are any."""
    try:
        data = json.loads("\n".join(read_lines(path)))
        return record.concatenate_scores([*map(_build_system_scores, data["systems"])])
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
        scorer = Scorer(spec, "metric", score["higher_is_better"])
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
                tables.append(record.build_score_table(systems, items, column))
    return record.concatenate_scores(tables)


def read_metra_tsv(
    path: str, *, direction_of: Callable[[str], bool] | None = None
) -> Scores:
    """Read the scores of all levels but groups.

    The file does not say whether higher scores of a metric are better: `direction_of`
    does, by the metric's spec.
    """
    if direction_of is None:
        problem = f"{format_path(path)} does not say whether higher scores are better"
        msg = f"{problem}; give `direction_of`, or write the scores as JSON."
        raise FormatError(msg)
    table = read_table(path)
    rows = [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]
    # Scores of groups are neither a system's nor a document's.
    rows = [row for row in rows if row["level"] != "group"]
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    specs = dict.fromkeys(row["metric"] for row in rows)
    directions = {spec: "higher" if direction_of(spec) else "lower" for spec in specs}
    columns = dict.fromkeys(ROLES, [""] * len(rows)) | {
        "system": [row["system"] for row in rows],
        "scorer": [row["metric"] for row in rows],
        "kind": ["metric"] * len(rows),
        "direction": [directions[row["metric"]] for row in rows],
    }
    for level in ("segment", "document"):
        columns[level] = [row["item"] if row["level"] == level else "" for row in rows]
    values = parse_numbers([row["score"] for row in rows], path, "score")
    return build_scores(columns, values, path)
