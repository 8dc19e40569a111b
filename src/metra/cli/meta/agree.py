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
@click.option(
    "--normalise",
    "method",
    type=click.Choice(["none", "z", "min-max", "rank"]),
    default="none",
    show_default=True,
    help="Put each judge's values on one scale first.",
)
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
    from metra.meta.normalising import normalise
    from metra.meta.ratings import ratings

    name = shared.one_scorer(scores, name)
    gone: list[str] = []
    if method != "none":
        scores, reports = normalise(scores, name, method)  # type: ignore[arg-type]
        gone = [f"{r.judge} ({r.left_out})" for r in reports if r.left_out]
        name = scores.names[0]
    findings, found = agreed(
        ratings(scores, name),
        name,
        within=within,
        trials=0 if no_ci else trials,
        seed=seed,
        most_pairs=most_pairs,
        worst=worst,
    )
    if gone:
        from dataclasses import replace

        note = f"Judges left out: {', '.join(gone)}."
        findings = replace(findings, notes=[*findings.notes, note])
    if plot:
        from metra.meta.judge_pictures import gap_histogram, judge_plot
        from metra.report import histogram
        from metra.report import judge_plot as judges

        pictures = [
            judges.render(judge_plot(found, name, seed=seed)),
            histogram.render(gap_histogram(found, name)),
        ]
        shared.draw(plot, pictures)
    return findings
