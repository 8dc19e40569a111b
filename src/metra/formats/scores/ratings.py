"""The judgements of a table of scores, collected by the output that was judged."""

import numpy as np

from metra.errors import CorpusError
from metra.formats.scores.record import Scores
from metra.stats.ratings import Ratings, sort_ratings


def collect_ratings(scores: Scores, name: str) -> Ratings:
    """Gather a scorer's judgements, which must name their judges."""
    lines = scores.lines(name)
    if not len(lines):
        msg = f"There are no values of {name!r}."
        raise CorpusError(msg)
    nameless = int((lines.judge < 0).sum())
    if nameless:
        msg = (
            f"{nameless:,} of {len(lines):,} values of {name!r} name no judge; "
            "agreement takes a column that says who judged."
        )
        raise CorpusError(msg)
    cells, unit = np.unique(
        lines.item * len(lines.systems) + lines.system, return_inverse=True
    )
    units = []
    for cell in cells.tolist():
        item = lines.items[cell // len(lines.systems)]
        place = item.segment or item.document
        system = lines.systems[cell % len(lines.systems)]
        units.append(" ".join(filter(None, (item.lang, system, place))))
    return sort_ratings(lines.judges, units, lines.judge, unit, lines.value)
