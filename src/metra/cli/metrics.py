"""`metra metrics`: the list of metrics, and each one explained."""

import click


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List all metrics, or explain NAME: its definition, options and sources.

    \b
    metra metrics
    metra metrics bleu
    """
    from metra.metrics.registry import describe_metric, format_overview

    click.echo(format_overview() if name is None else describe_metric(name))
