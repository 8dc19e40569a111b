"""The question `cross`: how far the scorers agree with each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metra.errors import CorpusError
from metra.meta.findings import MetaReport, build_matrix, build_signature
from metra.scores.table import Scores
from metra.scores.views import average_systems, orient_scores
from metra.stats.arrays import Array, Codes
from metra.stats.correlation import Options, correlate_all


@dataclass(frozen=True)
class CrossCorrelation:
    """Scorers in the order in which alike ones are neighbours, and their coefficients."""

    names: list[str]
    values: Array
    counts: Codes


def cross_correlate(
    scores: Scores, names: Sequence[str], level: str, options: Options
) -> CrossCorrelation:
    """Correlate each scorer with each, on the cells that the two share."""
    if len(names) < 2:
        msg = "Only one scorer was found; give at least two."
        raise CorpusError(msg)
    read_values = average_systems if level == "sys" else orient_scores
    by_name = {name: read_values(scores, name) for name in names}
    size = len(names)
    values, counts = np.eye(size), np.zeros((size, size), np.int64)
    for i, one in enumerate(names):
        others = {name: by_name[name] for name in names[i:]}
        results = correlate_all(by_name[one], others, options)
        for j, name in enumerate(names[i:], i):
            counts[i, j] = counts[j, i] = results[name].n
            if i != j:
                values[i, j] = values[j, i] = results[name].value
    order = order_by_similarity(values)
    return CrossCorrelation(
        [names[at] for at in order],
        values[np.ix_(order, order)],
        counts[np.ix_(order, order)],
    )


def report_cross(
    scores: Scores, cross: CrossCorrelation, level: str, options: Options
) -> MetaReport:
    """Lay out the matrix, with what it was computed from."""
    title = f"{options.coef} between scorers, similar ones next to each other"
    between = cross.counts[np.triu_indices(len(cross.names), 1)]
    notes = [f"Each pair shares {between.min():,} to {between.max():,} values."]
    missing = int((~np.isfinite(cross.values)).sum()) // 2
    if missing:
        notes.append(
            f"{missing} pairs share fewer than two values or are constant and have no "
            "coefficient."
        )
    signature = build_signature(
        level=level,
        coef=options.coef,
        group=options.group if level != "sys" else None,
        order="average linkage",
        sys=len(scores.systems),
    )
    table = build_matrix(
        "scorer", cross.names, cross.values, caption=title, name="cross"
    )
    return MetaReport([table], signature, notes)


def order_by_similarity(r: Array) -> list[int]:
    """Order by average linkage: the two nearest groups become one, again and again.

    >>> order_by_similarity(np.array([[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]]))
    [1, 0, 2]
    """
    distance = 1 - np.nan_to_num(r, nan=0.0)
    groups = [[at] for at in range(len(r))]
    while len(groups) > 1:
        _, i, j = min(
            (float(distance[np.ix_(groups[i], groups[j])].mean()), i, j)
            for i, j in combinations(range(len(groups)), 2)
        )
        joined = sorted((groups[i], groups[j]), key=len)
        groups = [group for at, group in enumerate(groups) if at not in (i, j)]
        groups.append(joined[0] + joined[1])
    return groups[0]
