"""Error span annotation (Kocmi et al. 2024): Appraise's export with spans in column ten."""

from metra.meta.read.appraise import judgements
from metra.meta.read.cells import csv_rows
from metra.meta.scores import Scores


def read(path: str) -> Scores:
    """Read the overall scores, 0 to 100, as the scorer `esa`; the spans are not weighed.

    Tampered texts that check attention become `esa-bad`, so that none is taken for a system's.
    """
    return judgements(csv_rows(path), "esa", path)
