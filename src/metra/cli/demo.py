"""`metra demo`: the main job on the example that comes with metra."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from metra.corpus import Corpus
    from metra.examples import Example

BASELINE = "solid"


@click.command()
@click.argument("folder", default="metra-demo", type=click.Path(file_okay=False))
def demo(folder: str) -> None:
    """Score the shipped example: twelve outputs of two short texts, every measure.

    The example is copied to FOLDER (metra-demo if not given) for you to play with, and a
    report about it is written there, report.html, to be opened in a browser; files that
    are already there stay as they are.
    """
    from metra import examples, metrics
    from metra.cli.output import screen_width, wants_color
    from metra.evaluation import Questions, by_spec, evaluate_corpus
    from metra.io import open_corpus
    from metra.report import render
    from metra.report.layout import Style

    example = examples.copy_to(folder)
    corpus = open_corpus(
        example.outputs, example.references, example.source, example.docs
    )
    measures, missing = _available(metrics.names())
    results = evaluate_corpus(corpus, by_spec(measures), Questions(ci=True))
    click.echo(
        f"Two French texts, four English references each, {len(example.outputs)} outputs:\n"
    )
    style = Style(color=wants_color(), sort=True, width=screen_width() or 100)
    click.echo(render(results, "table", style), color=True)
    for message in missing:
        click.echo(f"\n{click.wrap_text(message, 88)}")
    remark = click.wrap_text(example.remark, 88)
    page = _report(folder, corpus, example)
    click.echo(f"\n{remark}\n\nOpen {page} in a browser: all of it, word by word.")
    click.echo(f"The files are in {folder}; try:\n")
    references = " ".join(f"-r {path}" for path in example.references)
    click.echo(f"  metra score {folder}/outputs/*.txt {references} --ci --sort")


def _report(folder: str, corpus: "Corpus", example: "Example") -> str:
    """Write the report, unless there is one."""
    from pathlib import Path

    from metra.cli.output import write
    from metra.cli.provenance import provenance
    from metra.evaluation import by_spec
    from metra.insight.study import study
    from metra.report.html.page import render

    path = Path(folder) / "report.html"
    if not path.exists():
        metrics = by_spec(["bleu", "chrf", "ter", "gtm:e=2"])
        found = study(corpus, metrics, baseline=BASELINE)
        files = [*example.outputs, *example.references, example.source, example.docs]
        title = "The market and the brake"
        write(render(found, provenance(files), title), str(path))
    return str(path)


def _available(names: list[str]) -> tuple[list[str], list[str]]:
    """Part the measures that can be made here from those that lack a resource."""
    from metra import metrics
    from metra.errors import MissingResourceError

    found, missing = [], []
    for name in names:
        try:
            metrics.metric(name)
        except MissingResourceError as error:
            missing.append(f"Left out {name}: {error}")
        else:
            found.append(name)
    return found, missing
