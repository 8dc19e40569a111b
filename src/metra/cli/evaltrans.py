"""`metra evaltrans`: the collection of judged outputs for the metric evaltrans."""

import click

from metra.cli import Commands, options


@click.group(cls=Commands)
def evaltrans() -> None:
    """Keep judged outputs, for the measures evaltrans and mwer.

    A collection is a database file. In and out of it go tables, tabs between the columns:
    the source sentence's id (the number of the segment, or the sentence itself), an output,
    its score from 0 to 10, and, if you like, who judged it and when.

    \b
    source  output                    score  judge  time
    1       The halls finally reopen  8      anna   2026-11-15T10:00:00Z
    """


@evaltrans.command("import")
@click.argument("database", metavar="DATABASE")
@click.argument("tables", nargs=-1, required=True, metavar="FILE...")
def import_(database: str, tables: tuple[str, ...]) -> None:
    """Add the judgements of one or more tables; a judge's new score replaces the old one.

    The database is made where there is none. All judgements are added, or none.

    \b
    metra evaltrans import judged.db judged.tsv
    """
    from metra.formats.annotations.judged_outputs import (
        add_judged_outputs,
        format_current_time,
        read_judged_table,
    )

    now = format_current_time()
    judged = [entry for path in tables for entry in read_judged_table(path, now=now)]
    add_judged_outputs(database, judged)
    click.echo(f"{len(judged)} judgements added to {database}.")


@evaltrans.command()
@click.argument("database", metavar="DATABASE")
@options.out
def export(database: str, out: str | None) -> None:
    """Write all judgements as a table.

    \b
    metra evaltrans export judged.db -o judged.tsv
    """
    from metra.cli.output import write_output
    from metra.formats.annotations.judged_outputs import (
        format_judged_outputs,
        read_judged_outputs,
    )

    write_output("\n".join(format_judged_outputs(read_judged_outputs(database))), out)


@evaltrans.command()
@click.argument("database", metavar="DATABASE")
@options.option("--source ID", "Show the outputs of this source sentence.")
def show(database: str, source: str | None) -> None:
    """Say what is in a collection: in all, or for one source sentence.

    \b
    metra evaltrans show judged.db
    metra evaltrans show judged.db --source 12
    """
    from metra.formats.annotations.judged_outputs import (
        list_source_outputs,
        read_judged_outputs,
        summarise_judged_outputs,
    )

    judged = read_judged_outputs(database)
    click.echo(
        summarise_judged_outputs(judged)
        if source is None
        else list_source_outputs(judged, source)
    )
