"""What `metra score --format json` writes.

What `metra score --format tsv` writes.
"""

import json

import numpy as np

from metra.errors import FormatError
from metra.formats.scores.long_table import ROLES, assembled
from metra.formats.scores.record import Item, Scorer, Scores, joined, table
from metra.formats.stream import shown
from metra.formats.table import lines_of, numbers, rows_of


def read_metra_json(path: str) -> Scores:
    """Read the scores of systems, and of segments where they were asked for."""
    try:
        data = json.loads("\n".join(lines_of(path)))
        return joined([_system(entry) for entry in data["systems"]])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, FormatError):
            raise
        msg = (
            f"{shown(path)} is not what `metra score --format json` writes "
            f"({type(error).__name__}: {error})."
        )
        raise FormatError(msg) from None


def _system(entry: dict) -> Scores:  # type: ignore[type-arg]
    name = entry["name"]
    tables = []
    for spec, score in entry["scores"].items():
        scorer = Scorer(spec, "metric", score["higher_is_better"])
        levels = [([Item()], [score["score"]])]
        segments = entry.get("segments", {}).get(spec, [])
        levels.append(([Item(str(at)) for at in range(1, len(segments) + 1)], segments))
        documents = entry.get("documents", {}).get(spec, {})
        levels.append(
            ([Item("", document) for document in documents], list(documents.values()))
        )
        tables += [
            table([name] * len(items), items, {scorer: np.array(values, np.float64)})
            for items, values in levels
            if items
        ]
    return joined(tables)


def read_metra_tsv(path: str) -> Scores:
    """Read the scores of all levels; a measure's direction comes from our own registry."""
    header, rows = rows_of(path)
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
        "segment": _where(level, item, "segment"),
        "document": _where(level, item, "document"),
        "kind": ["metric"] * len(rows),
        "direction": list(map(_direction, columns.get("metric", ()))),
    }
    return assembled(named, numbers(columns.get("score", ()), path, "score"), path)


def _where(levels: tuple[str, ...], items: tuple[str, ...], level: str) -> list[str]:
    return [
        item if kind == level else "" for kind, item in zip(levels, items, strict=True)
    ]


_KNOWN: dict[str, str] = {}


def _direction(spec: str) -> str:
    if spec not in _KNOWN:
        from metra.metrics.registry import metric

        _KNOWN[spec] = "higher" if metric(spec).higher_is_better else "lower"
    return _KNOWN[spec]
