"""`metra demo`: the main job on the shipped example."""

from typing import TYPE_CHECKING

import click

from metra.errors import MissingResourceError

if TYPE_CHECKING:
    from metra.corpus.examples import ExampleFiles

#: The systems of the short demonstration; the others are compared with the first.
SYSTEMS = ("solid", "polished", "rule-based", "terse")
METRICS = ("bleu", "chrf", "ter")


@click.command()
@click.argument("folder", default="metra-demo", type=click.Path(file_okay=False))
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Score all twelve systems of the example by every metric.",
)
def demo(folder: str, every: bool) -> None:
    """Compare four systems of the shipped example, and write a report about all twelve.

    The example is copied to FOLDER (metra-demo if not given), and report.html is written
    there; files that are already there are kept.

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
    click.echo(
        f"\nReport about all twelve systems, {size}: {page} (open it in a browser)"
    )
    click.echo("With your own files:\n" + "\n".join(f"  metra {c}" for c in NEXT))
    if every:
        references = " ".join(f"-r {path}" for path in example.references)
        click.echo("With the example:")
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
    from metra.report.writers.analysis import MetricHeadings, format_change
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
    metrics, analyses = make_metrics(METRICS), AnalysisOptions(changes=1)
    collected = prepare_analyses(corpus, metrics, analyses)
    statistics = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    results = compare_statistics(statistics, ComparisonSettings(baseline=SYSTEMS[0]))
    findings = run_analyses(collected, statistics, analyses, baseline=SYSTEMS[0])
    style = build_style()
    overview = build_comparison_tables(results)[0]
    size = f"{results.segments} segments, {results.references} references"
    click.echo(f"Two French texts in English, {size}:\n")
    click.echo(render_table(overview, style), color=True)
    legend, *_ = build_comparison_legend(results)
    sentence = describe_comparisons(results)[0]
    click.echo(f"\n{legend}\n{sentence}\n")
    changes = findings.changes[0]
    # There may be none in files that the user has changed.
    for change in changes.worsened:
        click.echo(f"Where {changes.system} is furthest below {changes.baseline}:")
        lines = format_change(change, "worse", 1, MetricHeadings(results), style)
        click.echo("\n".join(lines), color=True)


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
    metrics, missing = {}, [f"Left out {with_model}: they need models of yours."]
    for name in registry.list_metrics():
        if name in registry.WITH_MODEL:
            continue
        spec = examples.build_spec(name, Path(folder))
        try:
            metric = registry.metric(spec)
            if metric.estimate:
                missing.append(f"Left out {name}: it asks a machine of yours.")
            else:
                metrics[spec] = metric
        except MissingResourceError as error:
            missing.append(f"Left out {name}: {error}")
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
    "report old.txt new.txt -r reference.txt -o report.html",
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
