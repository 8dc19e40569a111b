"""`metra meta robust`: does agreement hang on a few systems?"""

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
    "--choice",
    type=click.Choice(["top", "window", "leave-one-out", "subsets"]),
    default="top",
    show_default=True,
    help="The best systems only, neighbours by quality, all but one, or so many drawn at "
    "random (200 times; the mean, and what holds 95 % of them).",
)
@click.option(
    "--window",
    type=click.IntRange(4),
    default=4,
    show_default=True,
    help="Systems in a window.",
)
@shared.seed
@shared.plot
def robust(
    scores: "Scores",
    gold: str,
    metrics: list[str],
    coef: str,
    choice: str,
    window: int,
    seed: int,
    plot: str | None,
) -> "Findings":
    """Show the agreement over fewer systems: the best, neighbours, all but one, or any.

    A metric that tells hopeless systems from good ones may still be blind among good ones.

    \b
    metra meta robust scores.tsv --gold mqm --metric BLEU,COMET --plot top.svg
    """
    from metra.meta.correlation import Options
    from metra.meta.robustness import robust as tried

    panels = shared.panels(scores, gold, metrics)
    findings, found = tried(
        panels,
        Options(coef=coef, seed=seed),
        kind=choice,  # type: ignore[arg-type]  # click has checked it
        window=window,
    )
    if plot:
        from metra.report.curves import Curves, render

        across = {
            "top": "best systems",
            "window": "systems by rank",
            "subsets": "systems drawn at random",
        }
        shared.draw(
            plot,
            [
                render(
                    Curves(
                        f"{coef} with {gold} over fewer systems",
                        panel.lang or f"{len(panel.systems)} systems",
                        across.get(choice, "system left out"),
                        coef,
                        [label.removeprefix("without ") for label in one.labels],
                        {
                            name: shared.plain([line])[0]
                            for name, line in one.curves.items()
                        },
                    )
                )
                for panel, one in zip(panels, found, strict=True)
            ],
        )
    return findings
