"""`metra judge settle`: a campaign that settles what another left open."""

import click

from metra.cli.judge.stores import (
    AT_KEYBOARD,
    campaign_argument,
    open_store,
    store_option,
    this_moment,
)


@click.command()
@campaign_argument
@store_option
@click.option(
    "-j",
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="NAME",
    help="Who looks again; may be given several times.",
)
@click.option(
    "--each",
    default=1,
    show_default=True,
    help="How many of them see each answer.",
)
@click.option("--name", default="", help="What the new campaign is called.")
def settle(
    campaign: str | None, url: str, judges: tuple[str, ...], each: int, name: str
) -> None:
    """Let somebody settle what CAMPAIGN left open, blind to systems and judges.

    Answers in gaps that are not the exact word, and free answers to questions that no list
    accepts, become a campaign of verdicts; tags of several raters become one in which
    somebody keeps, drops or corrects them. Scores and exports of CAMPAIGN then follow.

    \b
    metra judge settle cloze -j zoe -j yan --each 2
    """
    from metra.human.cost import cost
    from metra.judging.second_looks import completed, follow_up
    from metra.store import campaigns, tasks

    store = open_store(url)
    now = this_moment()
    with store.transaction() as db:
        stored = campaigns.named(db, campaign)
        made = follow_up(
            stored, completed(db, stored), judges=judges, each=each, name=name
        )
        key = campaigns.create(db, made, now=now, who=AT_KEYBOARD, state="open")
        given = [one.task for one in tasks.of_campaign(db, key)]
    store.close()
    click.echo(f"{made.settings.name}: {cost(made, given)}")
    click.echo(f"Next: metra judge links {made.settings.name!r}")
