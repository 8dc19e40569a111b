"""Output of `metra score`, read as scores: JSON and TSV."""

from typing import Any

import numpy as np

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path, load_json
from metra.scores.columns import parse_numbers, read_score_table
from metra.scores.long_table import ROLES, build_scores
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.stats.direction import find_direction


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
    """Read the scores of systems, documents and segments."""
    table = read_score_table(path)
    rows = [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]
    rows = [row for row in rows if row["level"] in ("system", "document", "segment")]
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    values = parse_numbers([row["score"] for row in rows], path, "score")
    for row in rows:
        if not row.get("better"):
            msg = (
                f"{format_path(path)} does not give the direction of {row['metric']!r}, "
                "because an older version wrote it; add a column better with true or "
                "false."
            )
            raise FormatError(msg)
    columns = dict.fromkeys(ROLES, [""] * len(rows)) | {
        "system": [row["system"] for row in rows],
        "scorer": [row["metric"] for row in rows],
        "kind": ["metric"] * len(rows),
        "direction": [row["better"] for row in rows],
    }
    for level in ("segment", "document"):
        columns[level] = [row["item"] if row["level"] == level else "" for row in rows]
    return build_scores(columns, values, path)


def is_printed_table(head: FileHead) -> bool:
    """Tell a table of systems that `metra score` printed for a terminal."""
    lines = (line.split() for line in head.text.split("\n"))
    return any(line[:1] == ["system"] and {*"↑↓"} & {*line} for line in lines)
