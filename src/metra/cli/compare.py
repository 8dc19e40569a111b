"""`metra compare`: systems against a baseline or each other, with significance tests."""

from typing import TYPE_CHECKING, Any

import click

from metra.cli import options
from metra.cli.derive import FiniteRange
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.analysis.findings import AnalysisOptions


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="BASELINE OUTPUT...")
@options.references
@options.source
@options.metrics
@options.documents
@click.option(
    "--baseline", metavar="NAME", help="The system to compare with, if not the first."
)
@click.option("--all-pairs", is_flag=True, help="Compare all pairs; gives clusters.")
@click.option(
    "--test",
    type=click.Choice(["ar", "bootstrap"]),
    default="ar",
    show_default=True,
    help="Paired approximate randomisation, or paired bootstrap.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    show_default=f"{defaults.TEST_TRIALS}, or as many as the comparisons need",
    help="Number of swaps or resamples.",
)
@options.seed
@click.option(
    "--unit",
    type=click.Choice(["auto", "segment", "document"]),
    default="auto",
    show_default=True,
    help="What is swapped or resampled; auto: documents where at least 20 are known.",
)
@click.option(
    "--alpha",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="A difference counts if its p-value is not above this.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "none"]),
    default="holm",
    show_default=True,
    help="Whether that p-value is corrected for the number of comparisons.",
)
@click.option(
    "--changes",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Show the N segments that improved most and the N that worsened most.",
)
@click.option(
    "--changes-by",
    metavar="SPEC",
    help="Which metric sorts them; the first if not given.",
)
@click.option(
    "--changes-order",
    type=click.Choice(["gain", "impact"]),
    default="gain",
    show_default=True,
    help="Sort by the change of the segment's score, or of the corpus score by it.",
)
@click.option(
    "--min-change",
    type=FiniteRange(0),
    default=0.0,
    metavar="POINTS",
    help="Show only segments whose score changed by so much.",
)
@click.option(
    "--min-words",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="Show only segments whose references have so many words.",
)
@click.option(
    "--ngrams",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Show the N n-grams that were gained, lost, mended and broken most.",
)
@click.option(
    "--bucket",
    "buckets",
    multiple=True,
    metavar="KIND",
    help="Scores by length, source-length, frequency, document or score; with bounds as in "
    "length:10,20,40. May be given several times.",
)
@options.labels
@click.option(
    "--frequency-corpus",
    metavar="FILE",
    help="Where words are counted for --bucket frequency; the references if not given.",
)
@click.option("--profiles", is_flag=True, help="Describe each system's output.")
@options.form
@options.out
@options.input_format
@options.digits
def compare(
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    docs: str | None,
    form: str,
    out: str | None,
    input_format: str,
    digits: int,
    **given: Any,
) -> None:
    """Compare one or more OUTPUTs with a BASELINE, and say whether it may be chance.

    Each difference comes with an interval and a p-value from a paired test, corrected for
    the number of systems. With --all-pairs every system meets every other one, and systems
    are parted into clusters. Files are given as for `metra score`.

    \b
    metra compare old.txt new.txt -r ref.txt
    metra compare old.txt new1.txt new2.txt -r ref.txt -m bleu -m chrf -m ter
    metra compare old.txt new.txt -r ref.txt --changes 5 --ngrams 10 --bucket length
    metra compare test.tsv --baseline online --all-pairs --test bootstrap
    """
    from dataclasses import fields

    from metra.analysis.findings import prepare_analyses, run_analyses
    from metra.cli.output import ProgressLine, build_style, write_output
    from metra.report.writers.analysis import check_format, render_with_findings
    from metra.scoring.compare import (
        ComparisonSettings,
        choose_baseline,
        choose_trials,
        compare_statistics,
    )
    from metra.scoring.evaluate import EvaluationOptions, count_statistics, make_metrics
    from metra.scoring.files import open_corpus

    names = [entry.name for entry in fields(ComparisonSettings)]
    settings = ComparisonSettings(**{name: given[name] for name in names})
    chosen = make_metrics(metrics or ["bleu"])
    corpus = open_corpus(outputs, references, source, docs, input_format=input_format)
    choose_trials(corpus, settings)  # what cannot be is refused before the work begins
    analyses = _read_analysis_options(given)
    check_format(form, analyses)
    collected = prepare_analyses(corpus, chosen, analyses)
    with ProgressLine() as progress:
        fitted, statistics = count_statistics(
            corpus,
            chosen,
            EvaluationOptions(),
            keep=True,
            visitors=[collected],
            progress=progress,
        )
    with ProgressLine("trials") as progress:
        results = compare_statistics(
            corpus, fitted, statistics, settings, progress=progress
        )
    with ProgressLine() as progress:
        findings = run_analyses(
            collected,
            fitted,
            statistics,
            analyses,
            baseline=choose_baseline(corpus, settings),
            looking=progress.name_stage,
        )
    style = build_style(digits, out)
    write_output(render_with_findings(results, findings, form, style), out)
    if style.width and form == "table" and not analyses.any:
        hint = "See what changed: add --changes 5, --ngrams 5, --bucket length or --profiles."
        click.secho(f"\n{hint}", dim=True, err=True)


def _read_analysis_options(given: dict[str, Any]) -> "AnalysisOptions":
    """Read the files that the options name, and say what is to be analysed."""
    from dataclasses import fields

    from metra.analysis.findings import AnalysisOptions
    from metra.formats.lines import read_lines
    from metra.scoring.files import read_labels

    # Trials are those of the comparison.
    names = {entry.name for entry in fields(AnalysisOptions)} - {"trials"}
    path = given["frequency_corpus"]
    return AnalysisOptions(
        **{name: value for name, value in given.items() if name in names}
        | {
            "labels": read_labels(given["labels"]),
            "frequency_corpus": read_lines(path) if path else None,
        }
    )
