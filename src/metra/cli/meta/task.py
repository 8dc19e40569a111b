"""`metra meta task`: the protocol of a WMT metrics task in one word."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


@click.command()
@click.argument("protocol", type=click.Choice(["wmt23", "wmt24", "wmt25"]))
@shared.question
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
def task(
    scores: "Scores",
    protocol: str,
    gold: str,
    metrics: list[str],
    wmt: bool,
    test: bool,
    trials: int,
    seed: int,
) -> "Findings":
    """Score metrics by the protocol of a WMT metrics task.

    wmt23: accuracy of systems over all language pairs, and for each of them Pearson's r of
    systems and of segments and acc*_eq. wmt24, wmt25: soft pairwise accuracy and acc*_eq.

    \b
    metra meta task wmt23 en-de=ende.tsv he-en=heen.tsv zh-en=zhen.tsv --gold mqm
    """
    from metra.meta.correlation import Options
    from metra.meta.tasks import task as done

    options = Options(trials=trials, seed=seed, wmt=wmt)
    return done(protocol, shared.panels(scores, gold, metrics), options, test=test)
