"""What `metra score --format tsv` writes."""

from metra.meta.read.cells import numbers, rows_of
from metra.meta.read.long_table import ROLES, assembled
from metra.meta.scores import Scores


def read(path: str) -> Scores:
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
        from metra.metrics import metric

        _KNOWN[spec] = "higher" if metric(spec).higher_is_better else "lower"
    return _KNOWN[spec]
