"""`metra report`: everything about some outputs as one HTML file."""

from typing import TYPE_CHECKING

import click

from metra.cli import options, output
from metra.cli.options import option
from metra.cli.settings import split_file_settings
from metra.metrics import REPORT_METRICS

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files(*options.CORPUS)
@options.metrics(", ".join(REPORT_METRICS))
@option(
    "--judgements",
    "Human judgements: a table with the columns system, segment and score, an export "
    "of `metra judge`, or any other judgements that `metra meta` reads. If they have "
    "several questions, such as fluency, the last is used by default.",
    metavar="FILE[:question=NAME]",
)
@options.labels
@option(
    "--baseline NAME", "System that the others are compared with; the first by default."
)
@option("--title", "Title of the report.", "Translation report")
@option("-o --out FILE", "Write the report to this HTML file.", "report.html")
def report(
    files: "CorpusFiles",
    metrics: tuple[str, ...],
    judgements: str | None,
    labels: tuple[str, ...],
    baseline: str | None,
    title: str,
    out: str,
) -> None:
    """Write an HTML report on the OUTPUTs: scores, tests, segments, words and charts.

    The report is one self-contained file. It shows scores with intervals and significance
    tests, any two systems side by side with their differences highlighted, every segment,
    score distributions and correlations between metrics. With --judgements it also shows
    how metrics correlate with human judgements and how far the judges agree.

    \b
    metra report sysA.txt sysB.txt -r ref.txt -s source.txt
    metra report sys*.txt -r ref.txt -m bleu -m gtm:e=2 --baseline sysA -o news.html
    metra report test.tsv --judgements ratings.tsv
    metra report sys*.txt -r ref.txt --scores comet=comet.json
    """
    from metra.report.html.page import render
    from metra.report.html.relations import describe_left_out
    from metra.report.study import build_study
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_scored, read_labels

    labelled = read_labels(labels)
    judged = question = None
    if judgements:
        from metra.formats.stream import format_path
        from metra.meta.people import choose_question
        from metra.scores.registry import read_scores

        judgements, about = split_file_settings(
            "--judgements", judgements, ["question"]
        )
        judged = read_scores(judgements)
        named_question = about.get("question")
        question = choose_question(judged, named_question, format_path(judgements))
    named = metrics or REPORT_METRICS
    corpus, chosen = open_scored(files, make_metrics(named))
    with (
        output.show_text_warnings(strict=False),
        output.show_progress() as segments,
        output.show_progress("trials") as trials,
        output.name_stages() as name_stage,
    ):
        study = build_study(
            corpus,
            chosen,
            baseline=baseline,
            judgements=judged,
            question=question,
            labels=labelled,
            counting=segments,
            testing=trials,
            looking=name_stage,
        )
    if study.people and study.people.scores.left_out:
        click.echo(f"metra: {describe_left_out(study.people.scores)}", err=True)
    others = filter(None, (files.source, files.documents, judgements))
    read_files = [*files.outputs, *files.references, *others, *labels]
    read_files += [files.test_set.title] if files.test_set else []
    layouts = corpus.layouts
    read = [f"{n} ({layouts[n]})" if n in layouts else n for n in read_files]
    read += [corpus.joined] if corpus.joined else []
    page = render(study, title, output.format_command(), read)
    output.write_output(page, out)
    if out != "-":
        size = output.format_size(len(page.encode()) + 1)
        click.echo(f"metra: wrote {out}, {size}; open it in a browser.", err=True)
