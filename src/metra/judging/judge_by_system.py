"""What each judge gave each system: where a ranking hangs on one person, it shows here."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from metra.human.judgement import Judgement, latest
from metra.judging.figures import Figures, figures_by_scorer, that_count


@dataclass(frozen=True, slots=True)
class Cell:
    """The mean of a judge's scores of a system, native and between 0 and 100."""

    items: int
    native: float
    hundred: float


@dataclass(frozen=True, slots=True)
class JudgeBySystem:
    """One scorer's means; a judge who never saw a system has no cell."""

    scorer: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]


def judge_by_system(judgements: Iterable[Judgement]) -> list[JudgeBySystem]:
    """Average what counts for systems, by judge and system."""
    return cells_of(that_count(figures_by_scorer(latest(judgements))))


def cells_of(every: Figures) -> list[JudgeBySystem]:
    """The same from scores that have been read out."""
    found = []
    for (scorer, _), figures in every.items():
        groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for one in figures:
            groups.setdefault((one.judge, one.system), []).append(
                (one.native, one.hundred)
            )
        cells = {
            key: Cell(len(mine), *(fmean(column) for column in zip(*mine, strict=True)))
            for key, mine in groups.items()
        }
        found.append(
            JudgeBySystem(
                scorer,
                tuple(sorted({judge for judge, _ in cells})),
                tuple(sorted({system for _, system in cells})),
                cells,
            )
        )
    return found
