"""`metra evaltrans`: the collection of judged outputs for the metric evaltrans."""

from typing import TYPE_CHECKING

import click

from metra.cli import Commands, options, output
from metra.errors import format_count, not_possible

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.group(cls=Commands)
def evaltrans() -> None:
    """Manage a collection of judged outputs for the metrics evaltrans and mwer.

    A collection is a database file. It imports and exports tab-separated tables with the
    source sentence's id (the segment number, or the sentence itself), an output, its score
    from 0 to 10, and optionally the judge and the time.

    \b
    source  output                    score  judge  time
    1       The halls finally reopen  8      anna   2026-11-15T10:00:00Z
    """


@evaltrans.command("import")
@click.argument("database", metavar="DATABASE")
@click.argument("tables", nargs=-1, required=True, metavar="FILE...")
def import_(database: str, tables: tuple[str, ...]) -> None:
    """Add the judgements of one or more tables; a judge's new score replaces the earlier one.

    The database is created if it does not exist. If a table has an error, nothing is added.

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
    click.echo(f"{format_count(len(judged), 'judgement')} added to {database}.")


@evaltrans.command()
@click.argument("database", metavar="DATABASE")
@options.out
def export(database: str, out: str | None) -> None:
    """Write all judgements as a table.

    \b
    metra evaltrans export judged.db -o judged.tsv
    """
    from metra.formats.annotations.judged_outputs import (
        format_judged_outputs,
        read_judged_outputs,
    )

    output.write_output(
        "\n".join(format_judged_outputs(read_judged_outputs(database))), out
    )


@evaltrans.command()
@click.argument("database", metavar="DATABASE")
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files("references", "source")
@options.option(
    "-m --metric spec SPEC",
    "Metric with its options, such as evaltrans:k=3 (see `metra metrics evaltrans`).",
    "evaltrans",
)
@options.form
@options.out
def index(
    database: str, files: "CorpusFiles", spec: str, form: str, out: str | None
) -> None:
    """List every sentence with its score and the evidence for it.

    For each output: the score; whether it was judged (exact), extrapolated or unjudged; its
    word error rate against the nearest perfect translation (mWER); the number of perfect
    translations; the edits to the nearest judged output (distance); and these edits per
    word of the output (relative). DATABASE may also be a table of judged outputs.

    \b
    metra evaltrans index judged.db sysA.txt -r ref.txt
    metra evaltrans index judged.tsv sysA.txt sysB.txt -r ref.txt --format tsv -o index.tsv
    """
    from metra.metrics.evaltrans import index_sentences
    from metra.metrics.options import parse_spec
    from metra.metrics.registry import metric as make_metric
    from metra.report.writers.details import build_sentence_index
    from metra.report.writers.meta import render
    from metra.scoring.statistics import count_corpus

    name, given = parse_spec(spec)
    if name != "evaltrans":
        raise click.UsageError(not_possible(f"-m {spec}", "evaltrans:option=value,…"))
    metric = make_metric(name, **given | {"db": database})
    corpus = files.open()
    counted = count_corpus(corpus, {"evaltrans": metric}, keep=True)
    sentences = {
        system: index_sentences(counted.tallies[system, "evaltrans"].rows)
        for system in corpus.systems
    }
    signature = metric.signature(nrefs=counted.references)
    report = build_sentence_index(sentences, signature)
    output.write_output(render(report, form, output.build_style(out)), out)
