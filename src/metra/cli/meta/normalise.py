"""`metra meta normalise`: judges' values on one scale."""

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
    "--method",
    type=click.Choice(["z", "min-max", "rank", "none"]),
    default="z",
    show_default=True,
    help="z: mean 0, deviation 1; min-max and rank: 0 to 1; none: only quality control.",
)
@shared.names("--without-judge", "left_out", "Judges to leave out.")
@click.option(
    "--bad",
    metavar="SYSTEM",
    help="The system of degraded outputs: judges who do not see that it is worse, by a "
    "paired t-test with p below .05, are left out, and the system too.",
)
@click.option(
    "--scores", "to", metavar="FILE", help="Write the new scorer here, as a long table."
)
def normalise(
    scores: "Scores",
    name: str | None,
    method: str,
    left_out: list[str],
    bad: str | None,
    to: str | None,
) -> "Findings":
    """Put each judge's values on one scale, and report on the judges.

    The new scorer is called NAME-METHOD, such as mqm-z. Judges who always gave the same
    value are left out and listed.

    \b
    metra meta normalise ratings.tsv --scores z.tsv
    metra meta normalise da.csv --method rank --bad BAD_REF --scores ranks.tsv
    """
    from metra.cli.output import write
    from metra.meta.long_lines import long_table
    from metra.meta.normalising import failing_judges, normalised

    name = shared.one_scorer(scores, name)
    failed: dict[str, str] = {}
    if bad:
        failed = failing_judges(scores, name, bad)
        scores = scores.only(without_systems=[bad])
    made, findings = normalised(
        scores,
        name,
        method,  # type: ignore[arg-type]  # click has checked it
        # A judge of degraded outputs only has gone with them.
        left_out=[*left_out, *(j for j in failed if j in scores.judges)],
    )
    if failed:
        told = ", ".join(f"{judge} ({why})" for judge, why in failed.items())
        note = f"Did not tell {bad} from the rest: {told}."
        findings = shared.noted(findings, [note])
    if to:
        write(long_table(made), to)
    return findings
