"""`metra compare`: systems against a baseline or each other, with significance tests."""

from typing import TYPE_CHECKING, Any

import click

from metra.cli import options
from metra.cli.options import FiniteRange, option

if TYPE_CHECKING:
    from metra.analysis.findings import AnalysisOptions


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, metavar="[BASELINE OUTPUT]...")
@options.references
@options.source
@options.test_set
@options.metrics("bleu")
@options.documents
@option("--baseline NAME", "The system to compare with, if not the first.")
@option("--all-pairs", "Compare all pairs; gives clusters.", is_flag=True)
@options.add_test_options
@option(
    "--correction",
    "Whether that p-value is corrected for the number of comparisons.",
    choices=["holm", "bh", "none"],
)
@option(
    "--changes N",
    "Show the N segments that improved most and the N that worsened most.",
    0,
    least=0,
    show_default=False,
)
@option("--changes-by SPEC", "Which metric sorts them; the first if not given.")
@option(
    "--changes-order",
    "Sort by the change of the segment's score, or of the corpus score by it.",
    choices=["gain", "impact"],
)
@option(
    "--min-change POINTS",
    "Show only segments whose score changed by so much.",
    0.0,
    type=FiniteRange(0),
    show_default=False,
)
@option(
    "--min-words N",
    "Show only segments whose references have so many words.",
    5,
    least=0,
)
@option(
    "--ngrams N",
    "Show the N n-grams that were gained, lost, mended and broken most.",
    0,
    least=0,
    show_default=False,
)
@option(
    "--bucket buckets KIND",
    "Scores by length, source-length, frequency, document or score; with bounds as in "
    "length:10,20,40. May be given several times.",
    multiple=True,
)
@options.labels
@option(
    "--frequency-corpus FILE",
    "Where words are counted for --bucket frequency; the references if not given.",
)
@option("--profiles", "Describe each system's output.", is_flag=True)
@options.result_form
@options.out
@options.input_format
@options.tables
@options.SCORE_COLUMN
@options.result_digits
@options.add_paper_options
@option(
    "--differences",
    "Add a table of differences, intervals and p-values to a table for a paper.",
    is_flag=True,
)
@options.strict
def compare(
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    documents: str | None,
    form: str,
    out: str | None,
    input_format: str,
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
    metra compare old.txt new.txt -r ref.txt -m bleu --scores comet=comet.json
    """
    from dataclasses import fields, replace

    from metra.analysis.findings import prepare_analyses, run_analyses
    from metra.cli.output import (
        build_result_style,
        name_stages,
        show_progress,
        show_text_warnings,
        write_output,
    )
    from metra.report.writers.analysis import check_format, render_with_findings
    from metra.scoring.compare import (
        ComparisonSettings,
        choose_baseline,
        choose_trials,
        compare_statistics,
    )
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_scored
    from metra.scoring.guards import TextGuard, list_toks
    from metra.scoring.statistics import count_corpus

    names = [entry.name for entry in fields(ComparisonSettings)]
    settings = ComparisonSettings(**{name: given[name] for name in names})
    options.require_outputs(outputs, metrics)
    columns = given["score_columns"]
    named = metrics or (() if columns else ("bleu",))
    corpus, chosen = open_scored(
        outputs,
        make_metrics(named) if named else {},
        columns,
        references=references,
        source=source,
        documents=documents,
        input_format=input_format,
        columns=given["columns"],
        reading=given["reading"],
        test_set=given["test_set"],
    )
    choose_trials(
        corpus.systems, settings
    )  # what cannot be is refused before the work begins
    analyses = _read_analysis_options(given)
    if analyses.any and not outputs:
        msg = (
            "--changes, --ngrams, --bucket and --profiles look at texts; give outputs."
        )
        raise click.UsageError(msg)
    style = build_result_style(form, out, given)
    check_format(form, analyses)
    collected = prepare_analyses(corpus, chosen, analyses)
    guard = TextGuard(list_toks(chosen))
    visitors = [collected.visit, guard.visit]
    with show_text_warnings(strict=given["strict"]), show_progress() as progress:
        statistics = count_corpus(
            corpus, chosen, keep=True, visitors=visitors, progress=progress
        )
        guard.warn()
    with show_progress("trials") as progress:
        results = compare_statistics(statistics, settings, progress=progress)
    results = replace(results, layouts=corpus.layouts)
    with name_stages() as name_stage:
        findings = run_analyses(
            collected,
            statistics,
            analyses,
            baseline=choose_baseline(corpus.systems, settings),
            looking=name_stage,
        )
    content: str | bytes
    if given["methods"]:
        from metra.report.writers.methods import describe_methods

        content = describe_methods(results, form, style)
    elif form == "xlsx":
        from metra.report.writers.paper import render_xlsx

        content = render_xlsx(results, style)
    else:
        content = render_with_findings(results, findings, form, style)
    write_output(content, out)
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
