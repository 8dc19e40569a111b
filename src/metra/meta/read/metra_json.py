"""What `metra score --format json` writes."""

import json

import numpy as np

from metra.errors import FormatError
from metra.io.stream import shown
from metra.meta.read.cells import lines_of
from metra.meta.scores import Item, Scorer, Scores, joined, table


def read(path: str) -> Scores:
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
