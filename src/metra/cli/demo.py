"""`metra demo`: the main job on the example that comes with metra."""

import click


@click.command()
@click.argument("folder", default="metra-demo", type=click.Path(file_okay=False))
def demo(folder: str) -> None:
    """Score the shipped example: twelve outputs of two short texts, every measure.

    The example is copied to FOLDER (metra-demo if not given) for you to play with; files
    that are already there stay as they are.
    """
    from pathlib import Path

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
    specs = [examples.spec(name, Path(folder)) for name in metrics.names()]
    measures, missing = _available(specs)
    results = evaluate_corpus(corpus, by_spec(measures), Questions(ci=True))
    click.echo(
        f"Two French texts, four English references each, {len(example.outputs)} outputs:\n"
    )
    style = Style(color=wants_color(), sort=True, width=screen_width() or 100)
    click.echo(render(results, "table", style), color=True)
    for message in missing:
        click.echo(f"\n{click.wrap_text(message, 88)}")
    remark = click.wrap_text(example.remark, 88)
    click.echo(f"\n{remark}\n\nThe files are in {folder}; try:\n")
    references = " ".join(f"-r {path}" for path in example.references)
    click.echo(f"  metra score {folder}/outputs/*.txt {references} --ci --sort")


def _available(specs: list[str]) -> tuple[list[str], list[str]]:
    """Part the measures that can be made here from those that lack a resource."""
    from metra import metrics
    from metra.errors import MissingResourceError

    found, missing = [], []
    for spec in specs:
        try:
            metrics.metric(spec)
        except MissingResourceError as error:
            missing.append(f"Left out {spec.partition(':')[0]}: {error}")
        else:
            found.append(spec)
    return found, missing
