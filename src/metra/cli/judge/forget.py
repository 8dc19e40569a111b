"""`metra judge forget`: a judge's name and words out of the store, or all of her answers."""

import click

from metra.cli.judge.stores import (
    AT_KEYBOARD,
    open_store,
    store_option,
    this_moment,
)


@click.command()
@click.argument("campaign")
@click.argument("label", metavar="JUDGE")
@store_option
@click.option(
    "--answers",
    "everything",
    is_flag=True,
    help="Delete the answers too; without it they stay, under a name that tells nothing.",
)
@click.confirmation_option(prompt="This cannot be undone. Go on?")
def forget(campaign: str, label: str, url: str, everything: bool) -> None:
    """Forget who JUDGE of CAMPAIGN is: name, note, profile, comments, events, link.

    \b
    metra judge forget "market and brake" ann
    """
    from metra.store import campaigns, forgetting, judges

    store = open_store(url)
    now = this_moment()
    with store.transaction() as db:
        key = judges.labelled(db, campaigns.named(db, campaign).id, label).id
        name = forgetting.anonymise(db, key, now=now, who=AT_KEYBOARD)
        deleted = 0
        if everything:
            deleted = forgetting.delete_answers(db, key, now=now, who=AT_KEYBOARD)
    store.close()
    more = f", and {deleted} answers deleted" if everything else ""
    click.echo(f"{label} is forgotten; the answers are {name}'s now{more}.")
