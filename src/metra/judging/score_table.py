"""Judgements as the table of scores that meta-evaluation works on."""

from collections.abc import Iterable

from metra.human.judgement import Judgement
from metra.judging.figures import Figure, Figures, figures_by_scorer
from metra.meta.scores import Item, Scorer, Scores, joined, table


def score_table(judgements: Iterable[Judgement], lang: str = "") -> Scores | None:
    """Put all scores on their native scales into one table; None if there are none."""
    return table_of(figures_by_scorer(judgements), lang)


def table_of(every: Figures, lang: str = "") -> Scores | None:
    """The same from scores that have been read out."""
    found = [
        _table(
            figures, Scorer(name, name, higher), [one.native for one in figures], lang
        )
        for (name, higher), figures in every.items()
    ]
    return joined(found) if found else None


def worth_table(figures: list[Figure], name: str) -> Scores:
    """Put one scorer's figures into a table in which higher is better."""
    return _table(figures, Scorer(name, name), [one.worth for one in figures])


def _table(
    figures: list[Figure], scorer: Scorer, values: list[float], lang: str = ""
) -> Scores:
    # Segments have many figures: each is named once.
    places = dict.fromkeys((one.segment, one.document) for one in figures)
    items = {place: Item(str(place[0]), place[1], lang=lang) for place in places}
    return table(
        [one.system for one in figures],
        [items[one.segment, one.document] for one in figures],
        {scorer: values},
        [one.judge for one in figures],
    )
