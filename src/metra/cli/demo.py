"""`metra demo`: the main job on the shipped example."""

from typing import TYPE_CHECKING

import click

from metra.errors import MissingResourceError

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
    from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus
    from metra.scoring.files import open_corpus

    example = examples.copy_example(folder)
    files = (example.outputs, example.references, example.source, example.docs)
    corpus = open_corpus(*files)
    metrics, missing = {}, []
    for name in registry.list_metrics():
        if every or name not in examples.SETTINGS:
            spec = examples.build_spec(name, Path(folder))
            try:
                metric = registry.metric(spec)
                if metric.estimate:
                    missing.append(f"Left out {name}: it asks a machine of yours.")
                else:
                    metrics[spec] = metric
            except MissingResourceError as error:
                missing.append(f"Left out {name}: {error}")
    results = evaluate_corpus(corpus, metrics, EvaluationOptions(ci=True))
    count = len(example.outputs)
    click.echo(f"Two French texts, four English references each, {count} outputs:\n")
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
    for command in COMMANDS if every else COMMANDS[:1]:
        click.echo(f"  metra {command.format(folder=folder, references=references)}")


#: What to try; all but the first show the example from other sides.
COMMANDS = (
    "score {folder}/outputs/*.txt {references} --ci --sort",
    "score {folder}/outputs/*.txt {references} -s {folder}/source.fr.txt "
    "--docs {folder}/docs.txt --model {folder}/models/gisting.toml "
    "--model {folder}/models/technical.toml --sort",
    "rank {folder}/outputs/*.txt -m 'xscore:parses={folder}/parses/{{system}}.conllu' "
    "--docs {folder}/docs.txt",
    "clir {folder}/outputs/*.txt {references} --docs {folder}/retrieval/passages.txt "
    "--queries {folder}/retrieval/queries.tsv --qrels {folder}/retrieval/qrels.txt",
)


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
