"""Scores of whole texts between 0 and 100, as the ISLE workbook asks for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from statistics import fmean

from metra.human.files.one_line import one_line
from metra.human.judgement import Judgement, latest
from metra.judging.figures import Figure, figures_by_scorer

COLUMNS = (
    *("text", "translation", "metric", "evaluator"),
    *("items", "score", "native", "reason"),
)
NONE = "n/a"


@dataclass(frozen=True, slots=True)
class TextScore:
    """One judge's mean over the sentences of a text, or of all judges (no evaluator)."""

    text: str
    translation: str
    metric: str
    evaluator: str
    items: int
    #: Between 0 and 100, higher is better.
    score: float
    native: float
    #: Why there is no score, which then is not a number; empty where there is one.
    reason: str = ""


def text_scores(judgements: Iterable[Judgement]) -> list[TextScore]:
    """Mean of each judge for each text and translation, and below them the judges' mean.

    The judges' mean is the mean over sentences of the mean of a sentence's judges. Where a
    judge's sentences of a text have no score at all, the reason stands in its place.
    """
    counted = [one for one in latest(judgements) if one.counts]
    found = []
    for (metric, _), figures in figures_by_scorer(counted).items():
        cells: dict[tuple[str, str], list[Figure]] = {}
        for figure in figures:
            cells.setdefault((figure.document, figure.system), []).append(figure)
        for (text, system), mine in sorted(cells.items()):
            judges = sorted({figure.judge for figure in mine})
            for judge in judges:
                own = [figure for figure in mine if figure.judge == judge]
                found.append(_mean(text, system, metric, judge, own))
            found.append(_mean(text, system, metric, "", mine))
    known = set(map(_place, found))
    return found + [one for one in _without(counted) if _place(one) not in known]


def _place(one: TextScore) -> tuple[str, str, str, str]:
    return one.text, one.translation, one.metric, one.evaluator


def _without(judgements: Iterable[Judgement]) -> list[TextScore]:
    """A judge's scores that are not defined, by text and translation, with the reasons."""
    reasons: dict[tuple[str, str, str, str], dict[str, set[int]]] = {}
    for one in judgements:
        for system, scores in zip(one.systems, one.scores(), strict=True):
            for scored in scores:
                if not scored.defined:
                    place = one.document, system, scored.scorer, one.judge
                    said = reasons.setdefault(place, {})
                    said.setdefault(scored.reason, set()).add(one.segment)
    return [
        TextScore(
            *place, len(set[int]().union(*said.values())), nan, nan, _listed(said)
        )
        for place, said in sorted(reasons.items())
    ]


def _listed(reasons: Iterable[str]) -> str:
    return "; ".join(sorted(reasons))


def _mean(
    text: str, system: str, metric: str, judge: str, figures: list[Figure]
) -> TextScore:
    items: dict[int, list[Figure]] = {}
    for figure in figures:
        items.setdefault(figure.segment, []).append(figure)
    score = fmean(fmean(one.hundred for one in mine) for mine in items.values())
    native = fmean(fmean(one.native for one in mine) for mine in items.values())
    return TextScore(text, system, metric, judge, len(items), score, native)


def table(scores: Iterable[TextScore]) -> str:
    """Write the scores as a table with tabs; the judges' mean has the evaluator `all`."""
    lines = ["\t".join(COLUMNS)]
    for one in scores:
        names = one.text, one.translation, one.metric, one.evaluator or "all"
        figures = [NONE if one.reason else repr(f) for f in (one.score, one.native)]
        cells = [*map(one_line, names), str(one.items), *figures, one_line(one.reason)]
        lines.append("\t".join(cells))
    return "".join(f"{line}\n" for line in lines)
