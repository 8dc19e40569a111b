"""`metra compare`: systems against a baseline or each other, with significance tests."""

from typing import Any

import click

from metra.cli import options
from metra.cli.derive import FiniteRange


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
    show_default="10000, or as many as the comparisons need",
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
@options.add_options(options.ANALYSIS_OPTIONS)
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
    baseline: str | None,
    all_pairs: bool,
    test: str,
    trials: int | None,
    seed: int,
    unit: str,
    alpha: float,
    correction: str,
    form: str,
    out: str | None,
    input_format: str,
    digits: int,
    **analysis_options: Any,
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
    from metra.analysis.findings import prepare_analyses, run_analyses
    from metra.cli.output import (
        ProgressLine,
        Stages,
        get_screen_width,
        wants_color,
        write_output,
    )
    from metra.report.table import Style
    from metra.report.writers.analysis import check_format, render_with_findings
    from metra.scoring.compare import (
        ComparisonSettings,
        choose_baseline,
        choose_trials,
        compare_statistics,
    )
    from metra.scoring.evaluate import EvaluationOptions, count_statistics, make_metrics
    from metra.scoring.files import open_corpus

    contest = ComparisonSettings(
        baseline=baseline,
        all_pairs=all_pairs,
        test=test,  # type: ignore[arg-type]  # click has checked it
        trials=trials,
        seed=seed,
        unit=unit,
        alpha=alpha,
        correction=correction,
    )
    chosen = make_metrics(metrics or ["bleu"])
    corpus = open_corpus(outputs, references, source, docs, input_format=input_format)
    choose_trials(corpus, contest)  # what cannot be is refused before the work begins
    analyses = options.read_analysis_options(**analysis_options, seed=seed)
    check_format(form, analyses)
    collected = prepare_analyses(corpus, chosen, analyses)
    with ProgressLine() as progress:
        fitted, sheets = count_statistics(
            corpus,
            chosen,
            EvaluationOptions(),
            keep=True,
            visitors=[collected],
            progress=progress,
        )
    with ProgressLine("trials") as progress:
        results = compare_statistics(corpus, fitted, sheets, contest, progress=progress)
    with Stages() as stages:
        findings = run_analyses(
            collected,
            fitted,
            sheets,
            analyses,
            baseline=choose_baseline(corpus, contest),
            looking=stages,
        )
    style = Style(
        digits=digits,
        color=wants_color() and not out,
        width=None if out else get_screen_width(),
    )
    write_output(render_with_findings(results, findings, form, style), out)
    if style.width and form == "table" and not analyses.any:
        hint = "See what changed: add --changes 5, --ngrams 5, --bucket length or --profiles."
        click.secho(f"\n{hint}", dim=True, err=True)
