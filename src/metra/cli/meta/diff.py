"""`metra meta diff`: do differences between systems agree?"""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


@click.command()
@shared.question
@shared.own
@shared.gold
@shared.metrics
@click.option(
    "--orient",
    type=click.Choice(["gold", "both"]),
    default="gold",
    show_default=True,
    help="Which system stands first: the one people like better, or each in turn.",
)
@click.option("--no-ci", is_flag=True, help="Leave out the bootstrap intervals.")
@shared.trials
@shared.seed
@shared.plot
def diff(
    scores: "Scores",
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    specs: tuple[str, ...],
    gold: str,
    metrics: list[str],
    orient: str,
    no_ci: bool,
    trials: int,
    seed: int,
    plot: str | None,
) -> "Findings":
    """Correlate differences between systems, and count pairs in the right order.

    Differentials are Pearson's r of the differences of all pairs of systems. Accuracy is
    given for all pairs, and for those that people tell apart with p below .05, .01 and .001.
    --plot draws the pairs, a numbered picture for each metric where there are several.

    \b
    metra meta diff scores.tsv --gold mqm
    metra meta diff scores.tsv --gold mqm --metric BLEU --plot pairs.svg
    """
    from metra.meta.correlation import Options
    from metra.meta.differing import differing

    scores, statistics = shared.with_own(scores, outputs, references, specs)
    options = Options(orient=orient, trials=trials, seed=seed)  # type: ignore[arg-type]
    findings, clouds = differing(
        shared.panels(scores, gold, metrics, statistics), options, interval=not no_ci
    )
    if plot:
        from metra.report.scatter import render

        notes = shared.draw(plot, [render(cloud) for cloud in clouds])
        findings = shared.noted(findings, notes)
    return findings
