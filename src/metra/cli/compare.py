"""`metra compare`: systems against a baseline or each other, with significance tests."""

from typing import TYPE_CHECKING, Any

import click

from metra.cli import options, output
from metra.cli.options import option
from metra.metrics import DEFAULT_METRIC

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


#: Changed segments have references of at least so many words.
MIN_WORDS = 5


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, metavar="[BASELINE OUTPUT]...")
@options.input_files(*options.CORPUS)
@options.metrics(DEFAULT_METRIC)
@option("--baseline NAME", "System to compare with; the first by default.")
@option(
    "--all-pairs",
    "Compare every pair of systems, and group systems into clusters.",
    is_flag=True,
)
@options.significance
@option(
    "--correction",
    "Correct p-values for the number of comparisons in the family.",
    choices=["holm", "bh", "none"],
)
@option(
    "--changes N[:METRIC]",
    "Show the N most improved and the N most worsened segments, by the first metric or "
    "the one named.",
    "0",
    callback=lambda *given: _split_changes(*given),
    show_default=False,
)
@options.result_form
@options.out
@options.result_digits
@options.paper
@options.strict
def compare(
    files: "CorpusFiles",
    metrics: tuple[str, ...],
    form: str,
    out: str | None,
    **given: Any,
) -> None:
    """Compare one or more OUTPUTs with a BASELINE and test the differences for significance.

    Each difference has a confidence interval and a p-value from a paired test. P-values
    are corrected for a family of comparisons by each metric: each OUTPUT against the
    BASELINE, or with --all-pairs every pair of systems, which also groups systems into
    clusters. Input files are the same as for `metra score`.

    \b
    metra compare old.txt new.txt -r ref.txt
    metra compare old.txt new1.txt new2.txt -r ref.txt -m bleu -m chrf -m ter
    metra compare old.txt new.txt -r ref.txt --changes 5
    metra compare test.tsv --baseline online --all-pairs --test bootstrap
    metra compare old.txt new.txt -r ref.txt -m bleu --scores comet=comet.json
    """
    from dataclasses import fields, replace

    from metra.analysis.changes import find_changes, prepare_changes
    from metra.report.writers.analysis import check_format, render_with_changes
    from metra.scoring.compare import (
        ComparisonSettings,
        choose_baseline,
        choose_trials,
        compare_statistics,
    )
    from metra.scoring.evaluate import count_guarded, make_metrics
    from metra.scoring.files import open_scored

    names = [entry.name for entry in fields(ComparisonSettings)]
    settings = ComparisonSettings(**{name: given[name] for name in names})
    options.require_outputs(files.outputs, metrics)
    named = metrics or (() if files.score_columns else (DEFAULT_METRIC,))
    corpus, chosen = open_scored(files, make_metrics(named) if named else {})
    choose_trials(
        corpus.systems, settings
    )  # what cannot be is refused before the work begins
    most, by = given["changes"]
    visitors = []
    if most:
        if not files.outputs:
            msg = "--changes needs the texts; give the output files."
            raise click.UsageError(msg)
        check_format(form)
        collected = prepare_changes(corpus, chosen, by)
        visitors = [collected.visit]
    style = output.build_result_style(form, out, given)
    with (
        output.show_text_warnings(strict=given["strict"]),
        output.show_progress() as progress,
    ):
        statistics = count_guarded(
            corpus, chosen, keep=True, visitors=visitors, progress=progress
        )
    with output.show_progress("trials") as progress:
        results = compare_statistics(statistics, settings, progress=progress)
    results = replace(results, layouts=corpus.layouts, joined=corpus.joined)
    changes = []
    if most:
        baseline = choose_baseline(corpus.systems, settings)
        listed = {"by": by, "most": most, "min_words": MIN_WORDS}
        changes = find_changes(collected, statistics, baseline=baseline, **listed)
    content: str | bytes
    if given["methods"]:
        from metra.report.writers.paper import describe_methods

        content = describe_methods(results, form, style)
    elif form == "xlsx":
        from metra.report.writers.paper import render_xlsx

        content = render_xlsx(results, style)
    else:
        content = render_with_changes(results, changes, form, style)
    output.write_output(content, out)
    if style.width and form == "table" and not most:
        hint = "To see what changed, add --changes 5, or run metra report."
        click.secho(f"\n{hint}", dim=True, err=True)


def _split_changes(
    ctx: click.Context, param: click.Parameter, given: str
) -> tuple[int, str | None]:
    """Split the number of segments from the metric that sorts them."""
    count, _, spec = given.partition(":")
    return options.CountRange(0).convert(count, param, ctx), spec or None
