"""Dabbadie et al. 2002: the collective exercise, on the example that comes with metra."""

from functools import cache
from pathlib import Path

import numpy as np
from study_page import Claim, Section, StudyTable

from metra.campaign.protocols.registry import list_question_scales
from metra.corpus import examples
from metra.formats.annotations.quality_model import read_quality_model
from metra.meta.charts import ScatterPoints
from metra.meta.exercise import ExerciseStudy, run_exercise
from metra.report.pictures.heatmap import Heatmap
from metra.report.writers.exercise import build_matrix
from metra.scores.registry import read_evaluator_files
from metra.stats.curves import fit_line

FOLDER = examples.HOME / "exercise"
#: Who computed or measured what; files with judges name them.
FILES = (
    "ann=ann.json",
    "dan=dan.tsv",
    "clarity.tsv",
    "adequacy.tsv",
    "correction-time.tsv",
)


@cache
def hold_exercise() -> ExerciseStudy:
    """Hold the exercise on the example."""
    paths = []
    for given in FILES:
        evaluator, _, file = given.rpartition("=")
        paths.append(
            f"{evaluator}={FOLDER / file}" if evaluator else str(FOLDER / file)
        )
    model = read_quality_model(str(FOLDER / "leaflet.toml"))
    return run_exercise(
        read_evaluator_files(paths),
        protocol_scales=list_question_scales(),
        model=model,
    )


def make_results(data: Path) -> Section:
    """Mean and standard deviation over evaluators, of each system by each metric."""
    del data
    study = hold_exercise()
    cells = {(one.metric, one.system): one for one in study.evaluations}
    rows = []
    for system in study.systems:
        row = [system]
        for metric in study.metrics:
            one = cells[metric, system]
            row.append(_show_pair(one.mean, one.deviation))
        rows.append(tuple(row))
    heads = ("system", *study.metrics)
    caption = "Mean over evaluators from 0 to 100 ± standard deviation over evaluators:"
    return Section(tables=(StudyTable(heads, tuple(rows), caption=caption),))


def _show_pair(mean: float | None, deviation: float | None) -> str:
    if mean is None:
        return "–"
    return f"{mean:.2f}" if deviation is None else f"{mean:.2f} ± {deviation:.2f}"


def make_reliability(data: Path) -> Section:
    """How far evaluators of each metric differ."""
    del data
    study = hold_exercise()
    rows = tuple(
        (
            one.metric,
            str(one.evaluators),
            str(one.shared),
            *(_show(figure) for figure in (one.mean, one.deviation, one.agreement)),
        )
        for one in study.reliability
    )
    kinds = {scale.metric: scale.kind for scale in study.scales}
    spread = {
        kind: {
            one.metric: one.deviation
            for one in study.reliability
            if kinds[one.metric] == kind and one.deviation is not None
        }
        for kind in ("human", "automated")
    }
    listed = "; ".join(
        f"{metric} ({kind}) {value:.2f}"
        for kind, each in spread.items()
        for metric, value in each.items()
    )
    claim = Claim(
        "automated metrics always give a translation the same score; human judges do not.",
        f"standard deviations over evaluators, in points: {listed}. A program "
        "gives the same score for the same references; our two evaluators chose different "
        "references and got different scores. (One small example, so there is no interval.)",
    )
    heads = ("metric", "evaluators", "shared", "mean", "SD", "alpha")
    return Section((claim,), (StudyTable(heads, rows),))


def _show(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def make_correlations(data: Path) -> Section:
    """Correlate automated with human metrics, and every metric with every other."""
    del data
    study = hold_exercise()
    rows = tuple(
        (
            one.automated,
            one.human,
            str(len(one.names)),
            _show(one.pearson),
            _show(one.spearman),
        )
        for one in study.human
    )
    claim = Claim(
        "automated metrics must correlate well with some aspect of human metrics.",
        "[`metra exercise`](../exercise.md) prints the correlations. "
        f"{len(study.systems)} systems are too few to resample, so there is no interval.",
    )
    best = max(
        (one for one in study.human if one.pearson is not None),
        key=lambda one: abs(one.pearson or 0),
    )
    unit = "translations" if study.level == "text" else "systems"
    plot = ScatterPoints(
        f"{best.automated} and {best.human}",
        best.human,
        best.automated,
        list(best.names),
        list(best.x),
        list(best.y),
        [False] * len(best.names),
        fit_line(np.array(best.x), np.array(best.y)),
        f"Pearson {best.pearson:.3f}, {len(best.names)} {unit}, 0 to 100",
        points=unit,
    )
    values = [
        [np.nan if value is None else value for value in row]
        for row in build_matrix(study)
    ]
    heat = Heatmap(
        "Correlation between metrics",
        f"Pearson's r over {unit}, means over evaluators",
        study.metrics,
        values,
        "r",
    )
    heads = ("automated", "human", unit, "Pearson", "Spearman")
    table = StudyTable(heads, rows, text=2)
    return Section((claim,), (table,), {"human": plot, "matrix": heat})


#: Sections that read no set: all of them.
OWN = ("results", "reliability", "correlations")
SECTIONS = {
    "results": make_results,
    "reliability": make_reliability,
    "correlations": make_correlations,
}
