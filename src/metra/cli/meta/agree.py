"""`metra meta agree`: how far judges agree with each other."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


@click.command()
@shared.question
@shared.scorer
@click.option(
    "--within",
    type=float,
    default=1.0,
    show_default=True,
    help="Judgements this far apart still count as near.",
)
@shared.method
@click.option(
    "--pairs",
    "most_pairs",
    type=click.IntRange(0),
    default=15,
    show_default=True,
    help="Pairs of judges to show; 0 for all.",
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Units to list that judges disagree about most.",
)
@click.option("--no-ci", is_flag=True, help="Leave out the bootstrap intervals.")
@shared.trials
@shared.seed
@shared.plot
def agree(
    scores: "Scores",
    name: str | None,
    within: float,
    method: str,
    most_pairs: int,
    worst: int,
    no_ci: bool,
    trials: int,
    seed: int,
    plot: str | None,
) -> "Findings":
    """Say how far judges agree: pair by pair, as a whole, and with themselves.

    The table needs a column that names the judge. --plot draws the two judges who agree
    least (plot-1.svg) and how far judgements are apart (plot-2.svg).

    \b
    metra meta agree ratings.tsv
    metra meta agree mqm.tsv --scorer mqm --normalise z --plot judges.svg
    """
    from metra.meta.agreeing import agreed
    from metra.meta.ratings import ratings

    name = shared.one_scorer(scores, name)
    scores, name, notes = shared.on_one_scale(scores, name, method)
    findings, found = agreed(
        ratings(scores, name),
        name,
        within=within,
        trials=0 if no_ci else trials,
        seed=seed,
        most_pairs=most_pairs,
        worst=worst,
    )
    if plot:
        from metra.meta.judge_pictures import gap_histogram, judge_plot
        from metra.report import histogram
        from metra.report import judge_plot as judges

        pictures = [
            judges.render(judge_plot(found, name, seed=seed)),
            histogram.render(gap_histogram(found, name)),
        ]
        shared.draw(plot, pictures)
    return shared.noted(findings, notes)
