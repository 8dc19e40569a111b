"""The options for tables: which columns are what, groups, and work in parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

if TYPE_CHECKING:
    from metra.cli.progress import Progress
    from metra.io.fields import ColumnNames
    from metra.results import Results

OPTIONS = (
    click.option(
        "--hyp-column",
        "hyp_columns",
        multiple=True,
        metavar="[NAME=]COLUMN",
        help="Column with a system's outputs, in a table. May be given several times.",
    ),
    click.option(
        "--ref-column",
        "ref_columns",
        multiple=True,
        metavar="COLUMN",
        help="Column with references, in a table. May be given several times.",
    ),
    click.option(
        "--source-column", metavar="COLUMN", help="Column with the source, in a table."
    ),
    click.option(
        "--doc-column", metavar="COLUMN", help="Column with documents, in a table."
    ),
    click.option(
        "--group-by",
        "group_by",
        multiple=True,
        metavar="COLUMN[,COLUMN]",
        help="Scores of each group of segments beside the total: by language pair, domain …",
    ),
    click.option(
        "--nulls",
        type=click.Choice(["refuse", "empty"]),
        default="refuse",
        show_default=True,
        help="A null where a text has to be, in Parquet: an error, or an empty text.",
    ),
    click.option(
        "--scores-out",
        metavar="FOLDER",
        help="Write each Parquet file here with a column of segment scores for each metric.",
    ),
    click.option(
        "--resume",
        metavar="FOLDER",
        help="Keep the totals of each finished Parquet file here; go on from what is kept.",
    ),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of these options."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


class Table(NamedTuple):
    """What was said about the table to be scored."""

    #: None where no column was named.
    names: "ColumnNames | None"
    group_by: tuple[str, ...]
    scores_out: str | None
    resume: str | None

    @property
    def in_parts(self) -> bool:
        """Whether each file is to be finished by itself."""
        return bool(self.scores_out or self.resume)


def table_of(
    *,
    hyp_columns: tuple[str, ...],
    ref_columns: tuple[str, ...],
    source_column: str | None,
    doc_column: str | None,
    group_by: tuple[str, ...],
    nulls: Literal["refuse", "empty"],
    scores_out: str | None,
    resume: str | None,
) -> Table:
    """Make sense of the options."""
    from metra.io.fields import ColumnNames

    groups = [name.strip() for entry in group_by for name in entry.split(",")]
    names = ColumnNames(
        outputs=tuple(map(_named, hyp_columns)),
        references=ref_columns,
        source=source_column,
        document=doc_column,
        labels=tuple(groups),
        nulls=nulls,
    )
    given = names if names != ColumnNames() else None
    return Table(given, tuple(dict.fromkeys(groups)), scores_out, resume)


def _named(column: str) -> tuple[str, str]:
    """Give the system whose outputs are in a column, and the column.

    >>> _named("online=hyp_a"), _named("hyp_a"), _named("output:ours")
    (('online', 'hyp_a'), ('hyp_a', 'hyp_a'), ('ours', 'output:ours'))
    """
    from metra.io.fields import fields_of

    name, equals, rest = column.partition("=")
    if equals and name and rest:
        return name, rest
    return fields_of([column], column)[0].name, column


def is_parquet(outputs: Sequence[str], input_format: str) -> bool:
    """Whether all that is to be scored is Parquet."""
    from metra.io.sources import sources

    files = sources(outputs, input_format=input_format)
    return all(file.format == "parquet" for file in files)


def refuse_together(table: Table, unwanted: Mapping[str, object]) -> None:
    """Refuse options that groups and parts have no answer to."""
    mine = {
        "--group-by": table.group_by,
        "--scores-out": table.scores_out,
        "--resume": table.resume,
    }
    one = next((name for name, value in mine.items() if value), None)
    other = next((name for name, value in unwanted.items() if value), None)
    if one and other:
        msg = f"{other} and {one} cannot be given together; leave one of them out."
        raise click.UsageError(msg)


def score_in_parts(
    outputs: Sequence[str],
    table: Table,
    specs: Sequence[str],
    input_format: str,
    progress: "Progress",
) -> "Results":
    """Score a table in Parquet file by file."""
    from metra.errors import OptionError
    from metra.io.fields import ColumnNames
    from metra.io.sources import sources
    from metra.text.arrow import pyarrow

    files = sources(outputs, input_format=input_format)
    if len(files) != 1 or files[0].format != "parquet":
        msg = (
            "--scores-out and --resume are for a table in Parquet files, with a column for "
            "each system; `metra convert` makes one of files in other formats."
        )
        raise OptionError(msg)
    pyarrow("Scoring Parquet in parts")
    from metra.engine.local import Work, score_shards
    from metra.engine.table_plan import plan_of
    from metra.io.parquet import schema_of

    paths = files[0].shards or (files[0].path,)
    plan = plan_of(
        schema_of(paths[0]),
        specs,
        table.names or ColumnNames(),
        where=paths[0],
        default_system=files[0].name,
        group_by=table.group_by,
        segments=table.scores_out is not None,
    )

    def say(work: Work) -> None:
        progress.share = lambda: work.done / max(work.rows, 1)
        progress(work.done)

    return score_shards(
        paths, plan, resume=table.resume, scores_out=table.scores_out, progress=say
    )
