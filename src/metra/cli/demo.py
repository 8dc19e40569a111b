"""`metra demo`: scores, a comparison and a report on the built-in example."""

from typing import TYPE_CHECKING

import click

from metra.errors import MissingResourceError

if TYPE_CHECKING:
    from metra.corpus.examples import ExampleFiles

#: The systems of the short demonstration; the others are compared with the first.
SYSTEMS = ("solid", "polished", "rule-based", "terse")
METRICS = ("bleu", "chrf", "ter")
#: The metric that chooses the segment to show.
CHANGED_BY = "chrf"


@click.command()
@click.argument("folder", default="metra-demo", type=click.Path(file_okay=False))
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Score all twelve systems of the example with every metric.",
)
def demo(folder: str, every: bool) -> None:
    """Compare four systems of the built-in example, and write a report on all twelve.

    The example is copied to FOLDER (default: metra-demo), and the report is written to
    report.html in it. Existing files are kept.

    \b
    metra demo
    metra demo my-folder --all
    """
    from metra.corpus import examples

    example = examples.copy_example(folder)
    if every:
        _score_all(folder, example)
    else:
        _compare_some(example)
    page, size = _write_report(folder, example)
    click.echo(f"\nReport  {page} ({size}); open it in a browser")
    lead = "Next"
    for command in NEXT:
        click.echo(f"{lead:6}  metra {command}")
        lead = ""
    if every:
        references = " ".join(f"-r {path}" for path in example.references)
        click.echo("\nMore commands for the example:")
        for command in COMMANDS:
            click.echo(
                f"  metra {command.format(folder=folder, references=references)}"
            )


def _compare_some(example: "ExampleFiles") -> None:
    """Compare some systems, and show where the second is furthest below the first."""
    from pathlib import Path

    from metra.analysis.findings import AnalysisOptions, prepare_analyses, run_analyses
    from metra.cli.output import build_style
    from metra.report.terminal import render_table
    from metra.report.writers.analysis import format_outputs
    from metra.report.writers.comparison import (
        build_comparison_legend,
        build_comparison_tables,
        describe_comparisons,
    )
    from metra.scoring.compare import ComparisonSettings, compare_statistics
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus
    from metra.scoring.statistics import count_corpus

    by_name = {Path(path).stem: path for path in example.outputs}
    outputs = [by_name[name] for name in SYSTEMS]
    corpus = open_corpus(outputs, example.references, example.source, example.docs)
    metrics = make_metrics(METRICS)
    analyses = AnalysisOptions(changes=1, changes_by=CHANGED_BY)
    collected = prepare_analyses(corpus, metrics, analyses)
    statistics = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    results = compare_statistics(statistics, ComparisonSettings(baseline=SYSTEMS[0]))
    findings = run_analyses(collected, statistics, analyses, baseline=SYSTEMS[0])
    style = build_style()
    overview = build_comparison_tables(results)[0]
    size = f"{results.segments} segments, {results.references} references"
    click.echo(f"French to English, {size}; compared with {SYSTEMS[0]}:\n")
    click.echo(render_table(overview, style), color=True)
    legend, *_ = build_comparison_legend(results)
    sentence = describe_comparisons(results)[0]
    click.echo(f"{legend}\n\n{sentence}")
    changes = findings.changes[0]
    # There may be none in files that the user has changed.
    for change in changes.worsened:
        scores = change.scores[CHANGED_BY]
        click.echo(
            f"Segment {change.number}, where {changes.system} loses most: "
            f"{CHANGED_BY} {scores.before:.2f} → {scores.after:.2f}"
        )
        names = (changes.baseline, changes.system)
        click.echo("\n".join(format_outputs(change, names, style)), color=True)


def _score_all(folder: str, example: "ExampleFiles") -> None:
    """Score all systems by every metric that can be had."""
    from pathlib import Path

    from metra.cli.output import build_style
    from metra.corpus import examples
    from metra.metrics import registry
    from metra.report.writers.results import render
    from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus
    from metra.scoring.files import open_corpus

    files = (example.outputs, example.references, example.source, example.docs)
    with_model = ", ".join(sorted(registry.WITH_MODEL))
    metrics, missing = {}, [f"Not shown: {with_model}, which need a model."]
    for name in registry.list_metrics():
        if name in registry.WITH_MODEL:
            continue
        spec = examples.build_spec(name, Path(folder))
        try:
            metric = registry.metric(spec)
            if metric.notes.estimate:
                missing.append(f"Not shown: {name}, which needs an endpoint.")
            else:
                metrics[spec] = metric
        except MissingResourceError as error:
            missing.append(f"Not shown: {name}. {error}")
    results = evaluate_corpus(open_corpus(*files), metrics, EvaluationOptions(ci=True))
    style = build_style(sort=True)
    style = style._replace(width=style.width or 100)
    click.echo(render(results, "table", style), color=True)
    for message in [*missing, example.remark]:
        click.echo(f"\n{click.wrap_text(message, 88)}")


#: What to do next.
NEXT = (
    "score output.txt -r reference.txt -m bleu -m chrf --ci",
    "compare old.txt new.txt -r reference.txt --changes 5",
    "report old.txt new.txt -r reference.txt",
)

#: Other sides of the example.
COMMANDS = (
    "score {folder}/outputs/*.txt {references} -s {folder}/source.fr.txt "
    "--docs {folder}/docs.txt --model {folder}/models/gisting.toml "
    "--model {folder}/models/technical.toml --sort",
    "rank {folder}/outputs/*.txt -m 'xscore:parses={folder}/parses/{{system}}.conllu' "
    "--docs {folder}/docs.txt",
    "clir {folder}/outputs/*.txt {references} --docs {folder}/retrieval/passages.txt "
    "--queries {folder}/retrieval/queries.tsv --qrels {folder}/retrieval/qrels.txt",
)


def _write_report(folder: str, example: "ExampleFiles") -> tuple[str, str]:
    """Write the report, unless there is one; say where it is, and how large."""
    from pathlib import Path

    from metra.cli.output import build_provenance, format_size, write_output
    from metra.report.html.page import render
    from metra.report.study import build_study
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus

    path = Path(folder) / "report.html"
    if not path.exists():
        files = (example.outputs, example.references, example.source, example.docs)
        metrics = make_metrics([*METRICS, "gtm:e=2"])
        study = build_study(open_corpus(*files), metrics, baseline=SYSTEMS[0])
        named = [*example.outputs, *example.references, example.source, example.docs]
        title = "The market and the brake"
        write_output(render(study, build_provenance(named), title), str(path))
    return str(path), format_size(path.stat().st_size)
