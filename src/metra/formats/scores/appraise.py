"""Appraise's export of scores: comma-separated, without a header.

The columns are login, system, item, type (TGT, BAD, REF or CHK), source language, target
language, score, document, whether the document as a whole was scored, and times.

Error span annotation (Kocmi et al. 2024): Appraise's export with spans in column ten.
"""

from collections.abc import Sequence

from metra.errors import FormatError
from metra.formats.scores.record import ScoredItem, Scorer, Scores, build_score_table
from metra.formats.stream import format_path
from metra.formats.table import parse_numbers, read_csv_rows

#: What each type of line becomes; only TGT judges a system's real output.
TYPES = {"TGT": "", "BAD": "-bad", "REF": "-ref", "CHK": "-repeat"}


def read_appraise(path: str) -> Scores:
    """Read direct assessments as the scorer `da`; checks become `da-bad` and so on."""
    return build_judgement_scores(read_csv_rows(path), "da", path)


def build_judgement_scores(
    rows: Sequence[Sequence[str]], name: str, path: str
) -> Scores:
    """Make a table of Appraise's lines; a system's prefix before the first dot stays."""
    if not rows:
        msg = f"{format_path(path)} is empty; expected lines of Appraise's export."
        raise FormatError(msg)
    for at, row in enumerate(rows, 1):
        if len(row) < 9 or row[3] not in TYPES:
            msg = (
                f"{format_path(path)}, line {at} is no line of Appraise's export; "
                "expected login, "
                f"system, item, one of {'/'.join(TYPES)}, two languages, score, document, …"
            )
            raise FormatError(msg)
    scores = parse_numbers([row[6] for row in rows], path, "the score", 1)
    items = [_parse_item(row) for row in rows]
    nothing = float("nan")
    values = {
        Scorer(f"{name}{ending}", name): [
            value if row[3] == kind else nothing
            for row, value in zip(rows, scores.tolist(), strict=True)
        ]
        for kind, ending in TYPES.items()
        if any(row[3] == kind for row in rows)
    }
    return build_score_table(
        [row[1] for row in rows], items, values, [row[0] for row in rows]
    )


def _parse_item(row: Sequence[str]) -> ScoredItem:
    """Name what was judged: the document's part of the id, and the item if it is one."""
    document = row[7].partition("#")[0]
    whole = row[8].strip().lower() == "true"
    return ScoredItem("" if whole else row[2], document, lang=f"{row[4]}-{row[5]}")


def read_esa(path: str) -> Scores:
    """Read the overall scores, 0 to 100, as the scorer `esa`; the spans are not weighed.

    Tampered texts that check attention become `esa-bad`, so that none is taken for a system's.
    """
    return build_judgement_scores(read_csv_rows(path), "esa", path)
