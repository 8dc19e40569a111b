"""Scoring tables in files and DataFrames on any engine, and what a table must have for it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import pyarrow as pa

from metra.errors import FormatError, OptionError, UnknownNameError, no_such
from metra.formats.stream import name_system
from metra.formats.texts.arrow_columns import check_columns, get_key_kind
from metra.formats.texts.columns import ColumnNames, Role
from metra.formats.texts.parquet import map_fields, read_schema, read_union
from metra.formats.texts.roles import HELP, name_output_column
from metra.formats.texts.sources import list_shards
from metra.scoring.plan import ScoringPlan, check_metrics
from metra.scoring.results import Results
from metra.scoring.table_totals import OWN_COLUMNS, scores_schema, unwrap_type

#: Where files are scored.
ENGINES = ("local", "spark")

#: Told how much is done (rows, or tasks), and what share of the work that is, from 0 to 1.
TableProgress: TypeAlias = Callable[[int, float], None]

#: Columns of outputs, or columns by system.
Outputs: TypeAlias = str | Sequence[str | tuple[str, str]] | Mapping[str, str]

#: `build_plan` for options that are known: from the schema, the place of the table for
#: messages, and the system that a lone column of outputs belongs to.
PlanBuilder: TypeAlias = Callable[[pa.Schema, str, str], ScoringPlan]


def score_table(
    table: Any,
    metrics: Sequence[str],
    *,
    hypothesis: Outputs = (),
    reference: str | Sequence[str] = (),
    source: str | None = None,
    document: str | None = None,
    group_by: str | Sequence[str] = (),
    scores_out: str | None = None,
    resume: str | None = None,
    engine: str = "local",
    system: str | None = None,
    progress: TableProgress | None = None,
    **settings: Any,
) -> Results:
    """Score a table: Parquet files or a data frame of another library.

    `table` is a Parquet file, a folder or a list of them, or a data frame of pandas, polars,
    pyarrow, DuckDB (a relation or query), Spark, Dask or Ray Data. `hypothesis` names the
    output columns, or maps systems to them (`{"ours": "mt"}`); other columns are recognised
    by name. A single output column belongs to `system`, by default named after the file or
    the column. A null in a text column is an error.
    `group_by` names columns; each combination of their values is also scored separately.

    `engine` selects where files are scored: "local" or "spark". `scores_out` is a folder for
    copies of the files with segment scores. `resume` is a folder for the totals of finished
    files, from which the same call resumes. `settings` are passed to the engine: `master`
    to Spark, the options of `dask.compute` to Dask.
    """
    if engine not in ENGINES:
        raise UnknownNameError(no_such("engine", engine, ENGINES))
    build = partial(
        build_plan,
        metrics=metrics,
        hypothesis=hypothesis,
        reference=reference,
        source=source,
        document=document,
        group_by=group_by,
        system=system,
        segments=scores_out is not None,
    )
    given = {"scores_out": scores_out, "resume": resume}
    paths = _list_paths(table)
    _refuse_options(given, engine if paths is not None else _name_library(table))
    settings |= {name: value for name, value in given.items() if value}
    settings["progress"] = progress
    if paths is None:
        return _score_dataframe(table, build, **settings)
    if engine == "spark":  # which finds the files, and their columns, by itself
        from metra.scoring.executors import spark

        return spark.score_files(paths, build, **settings)
    from metra.scoring.executors import local

    paths = list_shards(paths)
    default_system = name_system(paths[0]) if len(paths) == 1 else ""
    plan = build(read_union(paths), paths[0], default_system)
    return local.score_files(paths, plan, **settings)


def _list_names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _name_outputs(given: Outputs) -> tuple[tuple[str, str], ...]:
    """Return pairs of a system and its column; a column alone names its system."""
    if isinstance(given, Mapping):
        return tuple(given.items())
    entries = [given] if isinstance(given, str) else given
    return tuple(
        (name_output_column(entry), entry) if isinstance(entry, str) else entry
        for entry in entries
    )


def _list_paths(table: Any) -> list[str] | None:
    """Return paths as a list, None for a table of another kind."""
    if isinstance(table, str | os.PathLike):
        table = [table]
    if not isinstance(table, list | tuple):
        return None
    for path in table:
        if not isinstance(path, str | os.PathLike):
            msg = (
                f"The list of files has an entry of type {type(path).__name__}; expected "
                "paths of Parquet files."
            )
            raise OptionError(msg)
    return [os.fspath(path) for path in table]


def _score_dataframe(
    table: Any,
    build: PlanBuilder,
    progress: TableProgress | None,
    scores_out: str | None = None,
    **settings: Any,
) -> Results:
    """Score a DataFrame on the engine of its library."""
    from metra.scoring.executors import frames

    frame: frames.Frame
    library = _name_library(table)
    if settings and library != "dask":
        msg = f"A table of {library} has no `{next(iter(settings))}`; leave it out."
        raise OptionError(msg)
    if library == "pyspark":
        from metra.scoring.executors import spark

        return spark.score_frame(spark.SparkFrame(table), build, progress, scores_out)
    if library == "dask":
        frame = frames.open_dataframe(table, **settings)
    elif library == "ray":
        frame = frames.RayFrame(table)
    elif hasattr(table, "__arrow_c_stream__") or library == "polars":
        frame = frames.ArrowFrame(table)
    else:
        msg = (
            f"A {type(table).__name__} is not a table that can be scored; expected "
            "Parquet files, or a DataFrame of pandas, polars, pyarrow, DuckDB, "
            "Spark, Dask or Ray."
        )
        raise OptionError(msg)
    return frames.score_frame(frame, build, progress)


def _name_library(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


#: Names of engines and libraries in messages, and which of the options they have.
_OPTIONS = {
    "local": ("This machine", ("scores_out", "resume")),
    "spark": ("Spark", ("scores_out",)),
    "pyspark": ("A DataFrame of Spark", ("scores_out",)),
    "dask": ("Dask", ()),
    "ray": ("Ray", ()),
}


def _refuse_options(given: Mapping[str, Any], engine: str) -> None:
    """Refuse options that an engine, or a library of DataFrames, does not have."""
    who, options = _OPTIONS.get(engine, (f"A table of {engine}", ()))
    for name, value in given.items():
        if value and name not in options:
            msg = (
                f"{who} has no `{name}`; leave it out, or score files on this machine."
            )
            raise OptionError(msg)


def check_files(paths: Sequence[str], plan: ScoringPlan) -> None:
    """Refuse files that a plan cannot score, before the first row is counted."""
    check_metrics(plan)
    schemas = {path: read_schema(path) for path in paths}
    for path, schema in schemas.items():
        # References that other files have are missing in this one.
        own = tuple(name for name in plan.references if name in schema.names)
        check_schema(replace(plan, references=own or plan.references), schema, path)
    first: dict[str, tuple[str, pa.DataType]] = {}
    for path, schema in schemas.items():
        for name in plan.group_by:
            kind = unwrap_type(schema.field(name).type)
            other, first_kind = first.setdefault(name, (path, kind))
            if get_key_kind(kind) != get_key_kind(first_kind):  # 1 is not "1"
                msg = (
                    f"{path} has the column {name!r} of type {kind}, but {other} of type "
                    f"{first_kind}; groups need the same type in all files."
                )
                raise FormatError(msg)


def check_schema(
    plan: ScoringPlan, schema: pa.Schema, where: str = "The table"
) -> None:
    """Refuse a table that lacks a column, or has one of a type that cannot be used.

    Before the first row is counted: on a cluster, a failure there is costly and hard to read.
    """
    check_columns(schema, plan.text_columns, plan.key_columns, where)
    for name in plan.key_columns:
        if name in OWN_COLUMNS:
            msg = (
                f"The column {name!r} cannot be a group: the totals have a column "
                "of the same name."
            )
            raise OptionError(msg)
    if plan.segments:
        names = scores_schema(plan, schema).names
        taken = [name for name in names if names.count(name) > 1]
        if taken:
            msg = (
                f"{where} has a column {taken[0]!r} already; leave it out, or rename it, "
                "before scores are written there."
            )
            raise FormatError(msg)


def build_plan(
    schema: pa.Schema,
    where: str = "The table",
    default_system: str = "",
    *,
    metrics: Sequence[str],
    hypothesis: Outputs = (),
    reference: str | Sequence[str] = (),
    source: str | None = None,
    document: str | None = None,
    group_by: str | Sequence[str] = (),
    system: str | None = None,
    segments: bool = False,
) -> ScoringPlan:
    """Assign columns to roles: by the names given, and the rest by recognition.

    A lone column of outputs belongs to `system`, by default to `default_system` or a system
    with the name of the column. See `score_table`.
    """
    groups = _list_names(group_by)
    names = ColumnNames(
        outputs=_name_outputs(hypothesis),
        references=_list_names(reference),
        source=source,
        document=document,
        labels=groups,
    )
    system = default_system if system is None else system
    columns = map_fields(schema, where, system, names)

    def of(role: Role) -> list[tuple[str, str]]:
        return [(f.name, column) for f, column in columns.items() if f.role == role]

    outputs = of("output")
    if not outputs:
        msg = (
            f"{where} has no output column; it has: {', '.join(schema.names)}. Name "
            f"one with `columns.outputs`. Columns are recognised by name: {HELP}."
        )
        raise FormatError(msg)
    return ScoringPlan(
        metrics=tuple(metrics),
        outputs=tuple(outputs),
        references=tuple(column for _, column in of("reference")),
        source=next((column for _, column in of("source")), None),
        documents=next((column for _, column in of("document")), None),
        group_by=groups,
        segments=segments,
    )
