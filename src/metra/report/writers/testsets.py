"""Test sets of this machine: which there are, and what one of them holds."""

from collections.abc import Sequence
from itertools import compress
from typing import Any

from metra.formats.testsets.record import NamedSet, SetLocation
from metra.report.table import Style
from metra.report.terminal import render_table
from metra.scoring.json import render_json
from metra.scoring.table import Cell, Column, make_table

_WORDS = ("pair", "from", "references", "others")
_LABELS = ("origlang", "domain")


def render_set_list(sets: Sequence[SetLocation], form: str, style: Style) -> str:
    """Render the sets by name and place, each with its language pairs."""
    if form == "json":
        return render_json({"testsets": [_describe_location(each) for each in sets]})
    pairs: dict[tuple[str, str], list[str]] = {}
    for each in sets:
        pairs.setdefault((each.name, each.origin), []).append(each.pair or "?")
    rows = [
        (name, [Cell(origin), Cell(", ".join(known))])
        for (name, origin), known in pairs.items()
    ]
    columns = [Column(title, "left") for title in ("from", "pairs")]
    return render_table(make_table("test set", columns, rows), style)


def render_set_details(
    sets: Sequence[tuple[SetLocation, NamedSet]], form: str, style: Style
) -> str:
    """Render what each language pair of a set holds: counts, references and labels."""
    if form == "json":
        described = [_describe_location(at) | _describe_texts(t) for at, t in sets]
        return render_json({"testsets": described})
    rows = []
    for location, texts in sets:
        about = _describe_texts(texts)
        usual = location.references or tuple(texts.references)
        others = [name for name in texts.references if name not in usual]
        labels = [", ".join(about["labels"].get(name, ())) for name in _LABELS]
        words = [location.pair or "?", location.origin]
        words += [", ".join(usual), ", ".join(others), *labels]
        counts = [Cell(about["segments"]), Cell(about["documents"])]
        rows.append((location.name, [*map(Cell, words), *counts]))
    columns = [Column(title, "left") for title in (*_WORDS, *_LABELS)]
    columns += [Column(title, digits=0) for title in ("segments", "documents")]
    # A column that is empty for all sets says nothing.
    listed = zip(*(cells for _, cells in rows), strict=True)
    shown = [any(cell.value != "" for cell in each) for each in listed]
    rows = [(name, [*compress(cells, shown)]) for name, cells in rows]
    return render_table(
        make_table("test set", [*compress(columns, shown)], rows), style
    )


def _describe_location(location: SetLocation) -> dict[str, Any]:
    return {
        "name": location.name,
        "pair": location.pair,
        "from": location.origin,
        "usual_references": list(location.references),
        "files": dict(location.files),
    }


def _describe_texts(texts: NamedSet) -> dict[str, Any]:
    documents = texts.documents
    return {
        "segments": texts.segments,
        "documents": None if documents is None else len(set(documents)),
        "references": list(texts.references),
        "labels": {
            name: sorted({value for value in column if value})
            for name, column in texts.labels.items()
        },
    }
