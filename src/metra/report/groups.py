"""Scores of groups: a sheet of all measures for one system, a sheet a measure for several."""

from collections.abc import Iterable, Sequence

from metra.report.headings import short_names
from metra.report.layout import Cell, Sheet, Style, best_of, heading, number, ordered
from metra.results import GroupScores, Results, Score

NONE = "–"


def group_name(group: GroupScores) -> str:
    """Name a group by its columns and their values."""
    return ",".join(f"{name}={_shown(value)}" for name, value in group.key.items())


def group_sheets(results: Results, style: Style) -> Iterable[Sheet]:
    """Lay out the groups in the order of their keys, with how many segments each has."""
    groups = results.groups or ()
    specs = results.specs
    named = short_names(specs)
    systems = [entry.name for entry in ordered(results, style)]
    first = results.systems[0].scores
    headings = [heading(named[spec], first[spec]) for spec in specs]
    if len(systems) == 1:
        rows = [
            (
                _title(group),
                [
                    _count(group),
                    *(
                        Cell(number(group.systems[0].scores[spec].score, style.digits))
                        for spec in specs
                    ),
                ],
            )
            for group in groups
        ]
        yield Sheet(_corner(groups), ["segments", *headings], rows)
        return
    for spec, title in zip(specs, headings, strict=True):
        rows = []
        for group in groups:
            by_name = {entry.name: entry.scores[spec] for entry in group.systems}
            scores = [by_name[name] for name in systems]
            rows.append((_title(group), [_count(group), *_cells(scores, style)]))
        yield Sheet(_corner(groups), ["segments", *systems], rows, title)


def _cells(scores: Sequence[Score], style: Style) -> list[Cell]:
    top = best_of(scores)
    several = len({score.score for score in scores}) > 1
    return [
        Cell(number(score.score, style.digits), "", several and score.score == top)
        for score in scores
    ]


def _corner(groups: Sequence[GroupScores]) -> str:
    return " · ".join(groups[0].key)


def _title(group: GroupScores) -> str:
    return " · ".join(_shown(value) for value in group.key.values())


def _count(group: GroupScores) -> Cell:
    return Cell(f"{group.segments:,}")


def _shown(value: object) -> str:
    return NONE if value is None else str(value)
