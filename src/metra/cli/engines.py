"""The options that say where a table is scored: on this machine, or by Spark."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from metra.cli.progress import Progress
    from metra.cli.tables import Table
    from metra.results import Results

OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Who does the work: this machine, or Spark, for tables in Parquet.",
    ),
    click.option(
        "--master",
        metavar="URL",
        help="Where Spark is; local[*], if not given: all cores of this machine.",
    ),
    click.option(
        "--spark-conf",
        "spark_conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="Setting for Spark. May be given several times.",
    ),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of these options."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def check_options(
    engine: str,
    master: str | None,
    spark_conf: Sequence[str],
    others: Mapping[str, Any],
) -> None:
    """Refuse options that the engine has no use for, or no answer to."""
    if engine == "local" and (master or spark_conf):
        name = "--master" if master else "--spark-conf"
        msg = f"{name} is for Spark; give --engine spark as well, or leave it out."
        raise click.UsageError(msg)
    other = next((name for name, value in others.items() if value), None)
    if engine == "spark" and other:
        msg = (
            f"{other} and --engine spark cannot be given together; Spark scores tables in "
            "Parquet by their columns: leave one of them out."
        )
        raise click.UsageError(msg)


def score_on_spark(
    paths: Sequence[str],
    table: "Table",
    specs: Sequence[str],
    master: str | None,
    spark_conf: Sequence[str],
    progress: "Progress",
) -> "Results":
    """Score a table in Parquet wherever Spark finds it."""
    import logging

    from metra.text.arrow import pyarrow

    settings = dict(map(_setting, spark_conf))
    pyarrow("Scoring on Spark")
    from metra.engine.spark_files import score_parquet
    from metra.engine.spark_session import LOCAL, spark_session
    from metra.io.fields import ColumnNames

    # The bridge to Java logs in what it was interrupted; what happened is said by us.
    logging.disable()
    try:
        with spark_session(master or LOCAL, settings) as session:
            progress.begin()  # what Java took to start says nothing about the rest

            def say(done: int, share: float) -> None:
                progress.share = lambda: share
                progress(done)

            return score_parquet(
                session,
                paths,
                specs,
                table.names or ColumnNames(),
                group_by=table.group_by,
                scores_to=table.scores_out,
                progress=say,
            )
    finally:
        logging.disable(logging.NOTSET)


def _setting(given: str) -> tuple[str, str]:
    key, equals, value = given.partition("=")
    if not equals:
        msg = f"--spark-conf {given}: expected KEY=VALUE, as spark.executor.memory=4g."
        raise click.UsageError(msg)
    return key, value
