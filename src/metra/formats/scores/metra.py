"""What `metra score --format json` writes.

What `metra score --format tsv` writes.
"""

import json

import numpy as np

from metra.errors import FormatError
from metra.formats.scores.long_table import ROLES, build_scores
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.formats.stream import format_path
from metra.formats.table import parse_numbers, read_packed_lines, read_rows


def read_metra_json(path: str) -> Scores:
    """Read the scores of systems, and of segments where they were asked for."""
    try:
        data = json.loads("\n".join(read_packed_lines(path)))
        return concatenate_scores(
            [_build_system_scores(entry) for entry in data["systems"]]
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, FormatError):
            raise
        msg = (
            f"{format_path(path)} is not what `metra score --format json` writes "
            f"({type(error).__name__}: {error})."
        )
        raise FormatError(msg) from None


def _build_system_scores(entry: dict) -> Scores:  # type: ignore[type-arg]
    name = entry["name"]
    tables = []
    for spec, score in entry["scores"].items():
        scorer = Scorer(spec, "metric", score["higher_is_better"])
        levels = [([ScoredItem()], [score["score"]])]
        segments = entry.get("segments", {}).get(spec, [])
        levels.append(
            ([ScoredItem(str(at)) for at in range(1, len(segments) + 1)], segments)
        )
        documents = entry.get("documents", {}).get(spec, {})
        levels.append(
            (
                [ScoredItem("", document) for document in documents],
                list(documents.values()),
            )
        )
        tables += [
            build_score_table(
                [name] * len(items), items, {scorer: np.array(values, np.float64)}
            )
            for items, values in levels
            if items
        ]
    return concatenate_scores(tables)


def read_metra_tsv(path: str) -> Scores:
    """Read the scores of all levels; a measure's direction comes from our own registry."""
    header, rows = read_rows(path)
    if "level" in header:
        # Scores of groups are neither a system's nor a document's.
        at = header.index("level")
        rows = [row for row in rows if row[at] != "group"]
    columns = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else {}
    level, item = columns.get("level", ()), columns.get("item", ())
    blank = [""] * len(rows)
    named = dict.fromkeys(ROLES, blank) | {
        "system": columns.get("system", ()),
        "scorer": columns.get("metric", ()),
        "segment": _select_items(level, item, "segment"),
        "document": _select_items(level, item, "document"),
        "kind": ["metric"] * len(rows),
        "direction": list(map(_find_direction, columns.get("metric", ()))),
    }
    return build_scores(
        named, parse_numbers(columns.get("score", ()), path, "score"), path
    )


def _select_items(
    levels: tuple[str, ...], items: tuple[str, ...], level: str
) -> list[str]:
    return [
        item if kind == level else "" for kind, item in zip(levels, items, strict=True)
    ]


_KNOWN: dict[str, str] = {}


def _find_direction(spec: str) -> str:
    if spec not in _KNOWN:
        from metra.metrics.registry import metric

        _KNOWN[spec] = "higher" if metric(spec).higher_is_better else "lower"
    return _KNOWN[spec]
