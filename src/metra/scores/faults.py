"""Faults of score files: rows of totals, impossible values, repeated numbers of segments."""

from dataclasses import replace

import numpy as np

from metra.errors import CorpusError
from metra.formats.headed_table import is_number
from metra.scores.table import Scores

_TOTALS = {
    *("sum", "total", "totals", "avg", "average", "mean", "median", "std", "stdev"),
    *("count", "summe", "gesamt", "mittel", "mittelwert", "durchschnitt", "moyenne"),
    *("somme", "media", "promedio", "overall"),
}
#: Values of people of these kinds are from 0 to 100; those of models are fractions.
_HUNDRED, _FRACTIONS = ("esa", "da"), ("comet", "bleurt", "bertscore")


def leave_out_totals(scores: Scores, place: str) -> Scores:
    """Leave out totals beside numbered segments, and systems whose values are totals."""
    segments = {item.segment for item in scores.items} - {""}
    odd = {name for name in segments if name.casefold() in _TOTALS}
    numbers = segments - odd
    odd = odd if numbers and all(map(is_number, numbers)) else set()
    totals = [name for name in scores.systems if name.casefold() in _TOTALS]
    if len(scores.systems) < len(totals) + 2:
        totals = []
    _check_totals(scores, totals, place)
    if not odd and not totals:
        return scores
    is_odd = np.array([item.segment in odd for item in scores.items], bool)[scores.item]
    is_total = np.array([name in totals for name in scores.systems], bool)
    listed = ", ".join(sorted({*odd, *totals}))
    note = f"{place}: rows of totals ({listed}) are left out."
    kept = scores.keep_lines(~is_odd & ~is_total[scores.system]).compact()
    return replace(kept, notes=(*kept.notes, note))


def _check_totals(scores: Scores, totals: list[str], place: str) -> None:
    """Refuse a system with the name of a total but not the mean or sum of the others."""
    rows = np.bincount(scores.system, minlength=len(scores.systems))
    others = [at for at, name in enumerate(scores.systems) if name not in totals]
    # A row below the table is no system.
    totals = [n for n in totals if rows[scores.systems.index(n)] >= rows[others].min()]
    for scorer in scores.names if totals else ():
        for level in ("segment", "system"):
            values = scores.matrix(scorer, level=level)
            mean = values[others].mean(0)
            for name in totals:
                own = values[scores.systems.index(name)]
                # Totals are often rounded.
                pairs = (np.isclose(own, mean * n, 0.005) for n in (1, len(others)))
                if not (np.isnan(own) | np.logical_or(*pairs)).all():
                    msg = (
                        f"{place} has a system {name!r} that is not the mean or sum of the "
                        f"others by {scorer}; remove its rows, or rename it if it is a "
                        "system."
                    )
                    raise CorpusError(msg)


def refuse_faults(scores: Scores, place: str) -> None:
    """Refuse impossible values, mixed scales, and segments counted again from the start."""
    for scorer in scores.scorers:
        lines = scores.lines(scorer.name)
        value, name = lines.value, scorer.name.lower()
        beyond = np.flatnonzero((value < 0) | (value > 100))
        # Standardised values are about 0.
        if scorer.kind in _HUNDRED and len(beyond) and 5 < np.median(value) <= 100:
            cells = (
                (lines.value[at], lines.systems[lines.system[at]]) for at in beyond[:3]
            )
            first = ", ".join(f"{number:g} ({system})" for number, system in cells)
            msg = (
                f"{place}: of {len(value):,} values of {scorer.name}, {len(beyond):,} are "
                f"not from 0 to 100: {first}; leave cells of missing values empty, or "
                "write NA."
            )
            raise CorpusError(msg)
        sizes = [
            np.median(np.abs(value[lines.system == at]))
            for at in np.unique(lines.system)
        ]
        is_fraction = any(each in name for each in _FRACTIONS)
        if is_fraction and min(sizes, default=0) <= 1.5 and max(sizes, default=0) > 10:
            msg = (
                f"{place} has {scorer.name} from 0 to 1 for some systems and from 0 to 100 for "
                "others; give all on one scale."
            )
            raise CorpusError(msg)
        _refuse_restarts(lines, place, is_judged=scorer.human)


def _refuse_restarts(lines: Scores, place: str, *, is_judged: bool) -> None:
    """Refuse a metric with several values for most segments, none of which has a document."""
    lines = lines.keep_lines(np.isin(lines.item, lines.segments))
    if is_judged or lines.judges or any(item.document for item in lines.items):
        return
    cell = lines.system * len(lines.items) + lines.item
    cells, first, count = np.unique(cell, return_index=True, return_counts=True)
    if not len(cells) or (count > 1).mean() <= 0.5:
        return
    if len({*zip(cell.tolist(), lines.value.tolist(), strict=True)}) > 1.5 * len(cells):
        at = first[count.argmax()]
        msg = (
            f"{place}: segment {lines.items[lines.item[at]].segment} of "
            f"{lines.systems[lines.system[at]]} has {count.max()} values of "
            f"{lines.names[lines.scorer[at]]}; add a column document if segments are "
            "numbered within documents, or a column judge for repeated runs."
        )
        raise CorpusError(msg)
