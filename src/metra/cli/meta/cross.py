"""`metra meta cross`: how scorers agree with each other."""

from typing import TYPE_CHECKING

import click

from metra.cli.meta import options as shared

if TYPE_CHECKING:
    from metra.meta.findings import Findings
    from metra.meta.scores import Scores


LEVELS = {"sys": "systems", "seg": "segments", "doc": "documents"}


@click.command()
@shared.question
@shared.names(
    "--scorer", "scorers", "Scorers to compare, people's too; all by default."
)
@shared.level
@click.option(
    "--coef",
    default="pearson",
    show_default=True,
    metavar="NAME[:GROUP]",
    help="The coefficient, for segments with its grouping.",
)
@shared.plot
def cross(
    scores: "Scores",
    scorers: list[str],
    level: str,
    coef: str,
    plot: str | None,
) -> "Findings":
    """Correlate every scorer with every other; alike ones stand side by side.

    \b
    metra meta cross scores.tsv --level seg --plot cross.svg
    metra meta cross scores.tsv --scorer BLEU,chrF,mqm --coef spearman
    """
    from metra.meta.correlating import asked
    from metra.meta.correlation import Options
    from metra.meta.crossing import crossed

    scores = shared.one_language(scores)
    if level == "doc":
        from metra.meta.documents import by_document

        scores = by_document(scores)
    options = asked([coef], level, Options())[0].options
    findings, found = crossed(scores, scorers or scores.names, level, options)
    if plot:
        from metra.report.heatmap import Heat, render

        caption = f"{coef} of {LEVELS[level]}"
        heat = Heat(
            "How the scorers agree",
            caption,
            found.names,
            shared.plain(found.values),
            "r",
        )
        shared.draw(plot, [render(heat)])
    return findings
