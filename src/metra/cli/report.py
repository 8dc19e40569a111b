"""`metra report`: everything about some outputs as one HTML file."""

import click

from metra.cli import options

METRICS = ("bleu", "chrf", "ter")


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@options.metrics_of(*METRICS)
@options.documents
@click.option(
    "--judgements",
    metavar="FILE",
    help="What people thought: a table with the columns system, segment and score, what "
    "`metra judge export` writes, or any other judgements that `metra meta` reads.",
)
@click.option(
    "--question",
    metavar="NAME",
    help="Which of several questions counts, say fluency; the last if not given.",
)
@options.labels
@click.option(
    "--baseline",
    metavar="NAME",
    help="The system that the others are compared with; the first if not given.",
)
@click.option(
    "--grids",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="How many segments, the most changed first, come with a grid.",
)
@options.seed
@click.option(
    "--title", default="Translation report", show_default=True, help="The heading."
)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    help="HTML file to write; it is whole or not there.",
)
@options.input_format
def report(
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    docs: str | None,
    judgements: str | None,
    question: str | None,
    labels: tuple[str, ...],
    baseline: str | None,
    grids: int,
    seed: int,
    title: str,
    out: str,
    input_format: str,
) -> None:
    """Write one HTML file about some OUTPUTs: scores, segments, words, plots.

    The file needs nothing else: open it from disk, send it by mail. It has the scores with
    their intervals, any two systems side by side with every word that differs, each
    segment with all that is known about it, distributions, how the metrics go together,
    and, where --judgements are given, how they go with people and how far metrics and
    judges can be trusted.

    \b
    metra report sysA.txt sysB.txt -r ref.txt -s source.txt -o report.html
    metra report sys*.txt -r ref.txt -m bleu -m gtm:e=2 --baseline sysA -o report.html
    metra report test.tsv --judgements ratings.tsv -o report.html
    """
    from metra.cli.output import ProgressLine, build_provenance, write_output
    from metra.report.html.page import render
    from metra.report.study import build_study
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus, read_labels

    chosen = make_metrics(metrics or METRICS)
    labelled = read_labels(labels)
    judged = None
    if judgements:
        from metra.campaign.judgement_files import read_question

        judged = read_question(judgements, question)
    corpus = open_corpus(outputs, references, source, docs, input_format=input_format)
    with (
        ProgressLine() as segments,
        ProgressLine("trials") as trials,
        ProgressLine() as stages,
    ):
        study = build_study(
            corpus,
            chosen,
            baseline=baseline,
            judgements=judged,
            labels=labelled,
            most_grids=grids,
            seed=seed,
            counting=segments,
            testing=trials,
            looking=stages.name_stage,
        )
    files = [*outputs, *references, *filter(None, (source, docs, judgements)), *labels]
    write_output(render(study, build_provenance(files), title), out)
