"""The collective exercise as tables: scales, means, agreement and correlations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any

from metra.formats.table import write_table
from metra.meta.exercise import ExerciseStudy
from metra.meta.findings import MetaReport, build_count, build_signature
from metra.meta.measures import (
    TEXT_COLUMNS,
    MetricCorrelation,
    Reliability,
    TextRow,
    list_rows,
)
from metra.report.writers.headings import shorten_specs
from metra.scoring.table import Cell, Column, Table, make_table, mark_best

UNITS = {"text": "translation", "system": "system"}
_RESULT_COLUMNS = ("metric", "evaluator", "text", "translation", "score", "reason")


def build_exercise_report(
    study: ExerciseStudy,
    notes: Sequence[str],
    remarks: Sequence[tuple[str, str, str]] = (),
) -> MetaReport:
    """Lay out everything that the organisers tell the participants, with these notes.

    `remarks` are comments: who says what of which metric.
    """
    tables = [
        build_means_table(study),
        build_deviation_table(study),
        build_reliability_table(study),
        build_human_table(study),
        *([build_matrix_table(study)] if len(study.metrics) > 1 else []),
        build_model_table(study),
        build_scales_table(study),
        _build_remarks_table(remarks),
    ]
    filled = [table for table in tables if table.rows]
    about = sign_exercise(study), notes, _list_data(study)
    return MetaReport(filled, *about, selection=study.selection)


def _build_remarks_table(remarks: Sequence[tuple[str, str, str]]) -> Table:
    """Build a row for each comment of a participant."""
    columns = [Column("metric", "left"), Column("comment", "left")]
    rows = [
        (who, [Cell(metric), Cell(" ".join(text.split()))])
        for who, metric, text in remarks
    ]
    about = {"caption": "Comments of participants", "name": "comments"}
    return make_table("participant", columns, rows, **about)


def sign_exercise(study: ExerciseStudy) -> str:
    """Return the line that says how the figures came about."""
    ends = {
        scale.metric: "protocol"
        if scale.worst is None or scale.best is None
        else f"{scale.worst:g}..{scale.best:g}"
        for scale in study.scales
    }
    signature = build_signature(
        level=study.level,
        evaluators=len(study.evaluators),
        systems=len(study.systems),
        metrics=len(study.metrics),
        sd="n-1, pooled over texts" if study.level == "text" else "n-1",
        alpha="interval",
        scales=";".join(map("=".join, ends.items())),
        model=study.model_name,
    )
    return f"exercise{signature.removeprefix('meta')}"


def build_means_table(study: ExerciseStudy) -> Table:
    """Build a row a system and a column a measure: means over evaluators, 0 to 100."""
    caption = "Mean over evaluators, 0 to 100, higher is better"
    return _build_system_table(study, "mean", caption, "means")


def build_deviation_table(study: ExerciseStudy) -> Table:
    """Build a row a system and a column a measure: standard deviations."""
    pooled = ", pooled over texts" if study.level == "text" else ""
    caption = f"Standard deviation over evaluators (n − 1{pooled})"
    return _build_system_table(study, "deviation", caption, "deviations")


def _build_system_table(
    study: ExerciseStudy, figure: str, caption: str, name: str
) -> Table:
    short = shorten_specs(study.metrics)
    cells = {
        (one.metric, one.system): Cell(getattr(one, figure))
        for one in study.evaluations
    }
    columns = [
        [cells.get((metric, system), Cell(None)) for system in study.systems]
        for metric in study.metrics
    ]
    if figure == "mean":
        columns = [mark_best(column) for column in columns]
    rows = [
        (system, [column[at] for column in columns])
        for at, system in enumerate(study.systems)
    ]
    heads = [short[metric] for metric in study.metrics]
    return make_table("system", heads, rows, caption=caption, name=name)


def build_reliability_table(study: ExerciseStudy) -> Table:
    """Build a row a measure: its evaluators, how far apart they are and how they agree."""
    short = shorten_specs(study.metrics)
    agreement = {one.metric: one for one in study.agreement}
    rows = []
    for one in study.reliability:
        pairs = agreement[one.metric]
        counts = map(build_count, (one.evaluators, one.translations, one.shared))
        figures = one.mean, one.deviation, one.agreement, pairs.pearson, pairs.spearman
        cells = [
            *counts,
            *map(Cell, figures),
            Cell("; ".join(filter(None, (one.reason, one.why)))),
        ]
        rows.append((short[one.metric], cells))
    units = f"{UNITS[study.level]}s"
    heads: list[str | Column] = [
        *("evaluators", units, "shared", "mean", "SD", "alpha", "r", "rho"),
        Column("remark", "left"),
    ]
    caption = "Agreement between evaluators by metric"
    return make_table("metric", heads, rows, caption=caption, name="reliability")


_INTERVALS = {
    "texts": "over texts",
    "systems": "over systems",
    "Fisher": "by Fisher's formula",
}


def build_human_table(study: ExerciseStudy) -> Table:
    """Build a row for each automated measure beside each human one."""
    short = shorten_specs(study.metrics)
    rows = []
    for one in study.human:
        figures = Cell(one.pearson, one.interval), Cell(one.spearman)
        pair = f"{short[one.automated]} – {short[one.human]}"
        rows.append((pair, [build_count(len(one.names)), *figures]))
    units = f"{UNITS[study.level]}s"
    methods = dict.fromkeys(one.method for one in study.human if one.interval)
    how = " or ".join(_INTERVALS[method] for method in methods)
    caption = "Correlation of automated with human metrics"
    caption += f", with 95 % intervals {how}" if how else ""
    heads = [units, "Pearson", "Spearman"]
    return make_table("metrics", heads, rows, caption=caption, name="human")


def build_matrix_table(study: ExerciseStudy) -> Table:
    """Build Pearson's r of every two measures."""
    names = list(shorten_specs(study.metrics).values())
    numbers = [str(number) for number in range(1, len(names) + 1)]
    rows = [
        (f"{number} {name}", list(map(Cell, row)))
        for number, name, row in zip(numbers, names, build_matrix(study), strict=True)
    ]
    about = {"caption": "Pearson's r between metrics", "name": "matrix"}
    return make_table("metric", numbers, rows, names=names, **about)


def build_matrix(study: ExerciseStudy) -> list[list[float | None]]:
    """Return Pearson's r of every two measures, None if it is undefined."""
    values: dict[tuple[str, str], float | None]
    values = {(name, name): 1.0 for name in study.metrics}
    for one in study.correlations:
        values[one.one, one.other] = values[one.other, one.one] = one.pearson
    return [
        [values.get((row, column)) for column in study.metrics] for row in study.metrics
    ]


def build_model_table(study: ExerciseStudy) -> Table:
    """Build a row a system: the figure of the quality model, and its measures."""
    short = shorten_specs(study.metrics)
    specs = [spec for spec, *_ in study.model[0].parts] if study.model else []
    scores = mark_best([Cell(one.score) for one in study.model])
    rows = [
        (one.system, [score, *(Cell(mean) for _, mean, _ in one.parts)])
        for one, score in zip(study.model, scores, strict=True)
    ]
    weights = study.model[0].parts if study.model else []
    shares = [f"{short.get(spec, spec)} {share:.2f} %" for spec, _, share in weights]
    caption = f"Quality by the model {study.model_name}: {', '.join(shares)}"
    heads = ["quality", *(short.get(spec, spec) for spec in specs)]
    return make_table("system", heads, rows, caption=caption, name="model")


def build_scales_table(study: ExerciseStudy) -> Table:
    """Build a row a measure: the values that map to 0 and 100, and their origin."""
    short = shorten_specs(study.metrics)
    rows = []
    for scale in study.scales:
        cells = [
            *(Cell(scale.kind or None), *map(_build_end, (scale.worst, scale.best))),
            *(Cell(scale.origin), build_count(scale.values)),
            *(Cell(scale.lowest), Cell(scale.highest), build_count(scale.cut)),
        ]
        rows.append((short[scale.metric], cells))
    heads: list[str | Column] = [
        *(Column("kind", "left"), "maps to 0", "maps to 100", Column("by", "left")),
        *("values", "lowest", "highest", "clipped"),
    ]
    caption = "Scales: values that map to 0 and 100"
    return make_table("metric", heads, rows, caption=caption, name="scales")


def _build_end(value: float | None) -> Cell:
    return Cell(value, digits=0 if value is None or value == int(value) else None)


def write_exercise_tables(study: ExerciseStudy) -> dict[str, str]:
    """Return the tables to send in, by file name."""
    results = [_RESULT_COLUMNS, *(row.values() for row in _list_results(study))]
    tables: dict[str, Iterable[Iterable[object]]] = {"results.tsv": results}
    records: dict[str, tuple[Sequence[Any], Any]] = {
        "reliability.tsv": (study.reliability, Reliability),
        "correlations.tsv": (study.correlations, MetricCorrelation),
    }
    for name, (rows, kind) in records.items():
        tables[name] = [[one.name for one in fields(kind)], *map(astuple, rows)]
    matrix = zip(study.metrics, build_matrix(study), strict=True)
    tables["matrix.tsv"] = [
        ["metric", *study.metrics],
        *([metric, *values] for metric, values in matrix),
    ]
    return {name: write_table(rows) for name, rows in tables.items()}


def write_text_table(rows: Iterable[TextRow]) -> str:
    """Return the scores of texts as a table; the judges' mean has the evaluator `all`."""
    cells = ((*row[:3], row[3] or "all", *row[4:]) for row in rows)
    return write_table([TEXT_COLUMNS, *cells])


def _list_results(study: ExerciseStudy) -> list[dict[str, Any]]:
    return [
        dict(zip(_RESULT_COLUMNS, (*row[:4], *row[5:]), strict=True))
        for row in list_rows(study.scores)
    ]


def _list_data(study: ExerciseStudy) -> Mapping[str, Any]:
    """Return the records that JSON gets in full beside the tables."""
    return {
        "level": study.level,
        "results": _list_results(study),
        "systems": study.evaluations,
        "agreement": study.agreement,
        "correlations": study.correlations,
        "model": study.model,
    }
