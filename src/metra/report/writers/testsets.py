"""Test sets of this machine, and the contents of one of them."""

from collections.abc import Sequence

from metra.formats.testsets.record import NamedSet, SetLocation
from metra.meta.findings import MetaReport
from metra.scoring.table import Cell, Column, make_table

_LABELS = ("origlang", "domain")


def build_set_list(sets: Sequence[SetLocation]) -> MetaReport:
    """List the sets by name and place, each with its language pairs."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for each in sets:
        pairs.setdefault((each.name, each.origin), []).append(each.pair or "?")
    rows = [
        (name, [Cell(origin), Cell(", ".join(listed))])
        for (name, origin), listed in pairs.items()
    ]
    columns = [Column(title, "left") for title in ("from", "pairs")]
    return MetaReport([make_table("test set", columns, rows, name="testsets")], "")


def build_set_details(sets: Sequence[tuple[SetLocation, NamedSet]]) -> MetaReport:
    """List the contents of each language pair of a set: counts, references and labels."""
    rows = []
    for location, texts in sets:
        usual = location.references or tuple(texts.references)
        others = [name for name in texts.references if name not in usual]
        labels = [sorted(set(filter(None, texts.labels.get(n, ())))) for n in _LABELS]
        listed = [[location.pair or "?"], [location.origin], usual, others, *labels]
        names = texts.documents
        documents = None if names is None else len(set(names))
        counts = [Cell(texts.segments), Cell(documents)]
        rows.append((location.name, [*(Cell(", ".join(n)) for n in listed), *counts]))
    words = ("pair", "from", "references", "others", *_LABELS)
    columns = [Column(title, "left") for title in words]
    columns += [Column(title, digits=0) for title in ("segments", "documents")]
    return MetaReport([make_table("test set", columns, rows, name="testsets")], "")
