"""`metra meta task`: the protocol of a WMT metrics task in one word."""

import click

from metra.cli.meta import options as shared


@click.command()
@click.argument("protocol", type=click.Choice(["wmt23", "wmt24", "wmt25"]))
@shared.inputs
@shared.gold
@shared.metrics
@click.option(
    "--wmt", is_flag=True, help="Soft pairwise accuracy as WMT's scorer has it."
)
@click.option(
    "--test",
    is_flag=True,
    help="Test the averages of all pairs of metrics; gives clusters.",
)
@shared.trials
@shared.seed
@shared.outputs
def task(
    protocol: str,
    paths: tuple[str, ...],
    lower: list[str],
    without: list[str],
    lang: str | None,
    domain: str | None,
    input_format: str,
    gold: str,
    metrics: list[str],
    wmt: bool,
    test: bool,
    trials: int,
    seed: int,
    form: str,
    out: str | None,
    digits: int,
) -> None:
    """Score metrics by the protocol of a WMT metrics task.

    wmt23: accuracy of systems over all language pairs, and for each of them Pearson's r of
    systems and of segments and acc*_eq. wmt24, wmt25: soft pairwise accuracy and acc*_eq.

    \b
    metra meta task wmt23 en-de=ende.tsv he-en=heen.tsv zh-en=zhen.tsv --gold mqm
    """
    from metra.meta.correlation import Options
    from metra.meta.tasks import task as done

    scores = shared.read_scores(
        paths,
        lower=lower,
        without=without,
        lang=lang,
        domain=domain,
        input_format=input_format,
    )
    options = Options(trials=trials, seed=seed, wmt=wmt)
    found = done(protocol, shared.panels(scores, gold, metrics), options, test=test)
    shared.show(found, form, out, digits)
