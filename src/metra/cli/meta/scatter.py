"""`metra meta scatter`: systems by people and metric, in a picture."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


@click.command()
@shared.question
@shared.gold
@shared.metrics
@click.option(
    "--coef",
    default="pearson",
    show_default=True,
    metavar="NAME",
    help="The coefficient.",
)
@click.option(
    "--outliers",
    metavar="mad|FILE",
    default="mad",
    show_default=True,
    help="By 2.5 robust deviations of the gold, or the systems a file names, one a line.",
)
@click.option(
    "--classes",
    metavar="FILE",
    help="A class for each system: its name, a tab, the class, one system a line.",
)
@shared.plot
def scatter(
    scores: "Scores",
    gold: str,
    metrics: list[str],
    coef: str,
    outliers: str,
    classes: str | None,
    plot: str | None,
) -> "Findings":
    """Plot systems by gold and metric, with a fitted line, its band and the outliers.

    Outliers are marked and the coefficient is given with and without them. With several
    metrics the pictures are numbered: plot-1.svg, plot-2.svg and so on.

    \b
    metra meta scatter scores.tsv --gold mqm --metric BLEU --plot bleu.svg
    """
    from metra.meta.correlation import Options
    from metra.meta.read.cells import lines_of
    from metra.meta.read.pairs import named_pairs
    from metra.meta.scattering import scatter as scattered

    scores = shared.one_language(scores)
    panel = shared.panels(scores, gold, metrics)[0]
    findings, clouds = scattered(
        panel,
        Options(coef=coef),
        classes=named_pairs(classes) if classes else None,
        outliers=None if outliers == "mad" else [*filter(None, lines_of(outliers))],
    )
    if plot:
        from metra.report.scatter import render

        notes = shared.draw(plot, [render(cloud) for cloud in clouds])
        findings = shared.noted(findings, notes)
    return findings
