"""`metra demo`: scores, a comparison and a report on the built-in example."""

from typing import TYPE_CHECKING

import click

from metra.cli import output
from metra.metrics import REPORT_METRICS

if TYPE_CHECKING:
    from metra.corpus.examples import ExampleFiles

#: The systems of the short demonstration; the others are compared with the first.
SYSTEMS = ("solid", "polished", "rule-based", "terse")
CHANGED_BY = "chrf"


@click.command()
@click.argument("folder", default="metra-demo", type=click.Path(file_okay=False))
def demo(folder: str) -> None:
    """Compare four systems of the built-in example, and write a report on all twelve.

    The example is copied to FOLDER (default: metra-demo), and the report is written to
    report.html in it. Existing files are kept.

    \b
    metra demo
    metra demo my-folder
    """
    from metra.corpus import examples

    example = examples.copy_example(folder)
    _compare_some(example)
    page, size = _write_report(folder, example)
    click.echo(f"\nReport  {page} ({size}); open it in a browser")
    lead = "Next"
    for command in NEXT:
        click.echo(f"{lead:6}  metra {command}")
        lead = ""


def _compare_some(example: "ExampleFiles") -> None:
    """Compare some systems, and show where the second is furthest below the first."""
    from pathlib import Path

    from metra.analysis.changes import find_changes, prepare_changes
    from metra.report.terminal import render_table
    from metra.report.writers import comparison
    from metra.report.writers.analysis import format_outputs
    from metra.scoring.compare import ComparisonSettings, compare_statistics
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus
    from metra.scoring.statistics import count_corpus

    by_name = {Path(path).stem: path for path in example.outputs}
    outputs = [by_name[name] for name in SYSTEMS]
    corpus = open_corpus(outputs, example.references, example.source, example.docs)
    metrics = make_metrics(REPORT_METRICS)
    collected = prepare_changes(corpus, metrics, CHANGED_BY)
    statistics = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    results = compare_statistics(statistics, ComparisonSettings(baseline=SYSTEMS[0]))
    style = output.build_style()
    overview = comparison.build_comparison_tables(results)[0]
    size = f"{results.segments} segments, {results.references} references"
    click.echo(f"French to English, {size}; compared with {SYSTEMS[0]}:\n")
    click.echo(render_table(overview, style), color=True)
    legend, *_ = comparison.build_comparison_legend(results)
    sentence = comparison.describe_comparisons(results)[0]
    click.echo(f"{legend}\n\n{sentence}")
    (changes, *_) = find_changes(
        collected, statistics, baseline=SYSTEMS[0], by=CHANGED_BY, most=1
    )
    # There may be none in files that the user has changed.
    for change in changes.worsened:
        scores = change.scores[CHANGED_BY]
        click.echo(
            f"Segment {change.number}, where {changes.system} loses most: "
            f"{CHANGED_BY} {scores.before:.2f} → {scores.after:.2f}"
        )
        names = (changes.baseline, changes.system)
        click.echo("\n".join(format_outputs(change, names, style)), color=True)


NEXT = (
    "score output.txt -r reference.txt -m bleu -m chrf --ci",
    "compare old.txt new.txt -r reference.txt --changes 5",
    "report old.txt new.txt -r reference.txt",
)


def _write_report(folder: str, example: "ExampleFiles") -> tuple[str, str]:
    """Write the report, unless there is one; say where it is, and how large."""
    from pathlib import Path

    from metra.report.html.page import render
    from metra.report.study import build_study
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus

    path = Path(folder) / "report.html"
    if not path.exists():
        files = (example.outputs, example.references, example.source, example.docs)
        metrics = make_metrics([*REPORT_METRICS, "gtm:e=2"])
        study = build_study(open_corpus(*files), metrics, baseline=SYSTEMS[0])
        named = [*example.outputs, *example.references, example.source, example.docs]
        title = "The market and the brake"
        page = render(study, title, output.format_command(), named)
        output.write_output(page, str(path))
    return str(path), output.format_size(path.stat().st_size)
