"""`metra demo`: the main job on the shipped example."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from metra.corpus.examples import ExampleFiles
    from metra.corpus.outputs import Corpus

BASELINE = "solid"


@click.command()
@click.argument("folder", default="metra-demo", type=click.Path(file_okay=False))
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Measures that read more than the texts as well: names, parses, rules, models.",
)
def demo(folder: str, every: bool) -> None:
    """Score the shipped example: twelve outputs of two short texts, by many measures.

    The example is copied to FOLDER (metra-demo if not given) for you to play with, and a
    report about it is written there, report.html, to be opened in a browser; files that
    are already there stay as they are.
    """
    from pathlib import Path

    from metra.cli.output import build_style
    from metra.corpus import examples
    from metra.metrics import registry
    from metra.report.writers.results import render
    from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
    from metra.scoring.files import open_corpus

    example = examples.copy_example(folder)
    corpus = open_corpus(
        example.outputs, example.references, example.source, example.docs
    )
    specs = [
        examples.build_spec(name, Path(folder))
        for name in registry.list_metrics()
        if every or name not in examples.SETTINGS
    ]
    available, missing = _split_available(specs)
    results = evaluate_corpus(
        corpus, make_metrics(available), EvaluationOptions(ci=True)
    )
    click.echo(
        f"Two French texts, four English references each, {len(example.outputs)} outputs:\n"
    )
    style = build_style(sort=True)
    style = style._replace(width=style.width or 100)
    click.echo(render(results, "table", style), color=True)
    for message in missing:
        click.echo(f"\n{click.wrap_text(message, 88)}")
    remark = click.wrap_text(example.remark, 88)
    page = _write_report(folder, corpus, example)
    click.echo(f"\n{remark}\n\nOpen {page} in a browser: all of it, word by word.")
    click.echo(f"The files are in {folder}; try:\n")
    references = " ".join(f"-r {path}" for path in example.references)
    click.echo(f"  metra score {folder}/outputs/*.txt {references} --ci --sort")
    if every:
        _print_more(folder, references)


def _write_report(folder: str, corpus: "Corpus", example: "ExampleFiles") -> str:
    """Write the report, unless there is one."""
    from pathlib import Path

    from metra.cli.output import build_provenance, write_output
    from metra.report.html.page import render
    from metra.report.study import build_study
    from metra.scoring.evaluate import make_metrics

    path = Path(folder) / "report.html"
    if not path.exists():
        metrics = make_metrics(["bleu", "chrf", "ter", "gtm:e=2"])
        study = build_study(corpus, metrics, baseline=BASELINE)
        files = [*example.outputs, *example.references, example.source, example.docs]
        title = "The market and the brake"
        write_output(render(study, build_provenance(files), title), str(path))
    return str(path)


def _print_more(folder: str, references: str) -> None:
    """Name the commands that show the example from other sides."""
    outputs = f"{folder}/outputs/*.txt"
    models = " ".join(
        f"--model {folder}/models/{name}.toml" for name in ("gisting", "technical")
    )
    retrieval = f"{folder}/retrieval"
    for command in (
        f"score {outputs} {references} -s {folder}/source.fr.txt "
        f"--docs {folder}/docs.txt {models} --sort",
        f"rank {outputs} -m 'xscore:parses={folder}/parses/{{system}}.conllu' "
        f"--docs {folder}/docs.txt",
        f"clir {outputs} {references} --docs {retrieval}/passages.txt "
        f"--queries {retrieval}/queries.tsv --qrels {retrieval}/qrels.txt",
    ):
        click.echo(f"  metra {command}")


def _split_available(specs: list[str]) -> tuple[list[str], list[str]]:
    """Part the metrics that can be made here from those that lack a resource."""
    from metra.errors import MissingResourceError
    from metra.metrics import registry

    available, missing = [], []
    for spec in specs:
        try:
            registry.metric(spec)
        except MissingResourceError as error:
            missing.append(f"Left out {spec.partition(':')[0]}: {error}")
        else:
            available.append(spec)
    return available, missing
