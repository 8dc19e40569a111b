"""`metra judge init`: a campaign from its file into the store."""

import click

from metra.cli.judge.stores import AT_KEYBOARD, open_store, store_option, this_moment


@click.command()
@click.argument("files", nargs=-1, metavar="[CAMPAIGN.toml]...")
@store_option
@click.option(
    "--draft", is_flag=True, help="Keep it closed to judges until an admin opens it."
)
@click.option(
    "--admin",
    default="admin",
    show_default=True,
    help="The admin's name.",
    metavar="NAME",
)
@click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False),
    help="A file whose first line is the admin's password; else $METRA_ADMIN_PASSWORD, "
    "else it is asked for.",
)
@click.option("--new-password", is_flag=True, help="Change the admin's password.")
def init(
    files: tuple[str, ...],
    url: str,
    draft: bool,
    admin: str,
    password_file: str | None,
    new_password: bool,
) -> None:
    """Make a store, set its admin's password, and put campaigns into it.

    A campaign is frozen then: its texts, protocol and wishes, and who judges what in which
    order. Without a file only the store is made.

    \b
    metra judge init campaign.toml
    """
    from metra.human.cost import cost
    from metra.judging.opening import open_campaign
    from metra.store import admins, campaigns, tasks

    opened = [open_campaign(path) for path in files]
    store = open_store(url, create=True)
    now = this_moment()
    with store.reading() as db:
        known = admins.password_hash(db, admin) is not None
    if new_password or not known:
        password = _password(admin, password_file)
        with store.transaction() as db:
            admins.set_password(db, admin, password, now=now, who=AT_KEYBOARD)
        click.echo(f"The password of {admin} is set.")
    for campaign in opened:
        state = "draft" if draft else "open"
        with store.transaction() as db:
            key = campaigns.create(db, campaign, now=now, who=AT_KEYBOARD, state=state)
            given = [one.task for one in tasks.of_campaign(db, key)]
        name = campaign.settings.name
        click.echo(f"{name}: {cost(campaign, given)}")
    store.close()
    click.echo(f"Kept in {_shown(url)}. Next: metra judge links, metra judge serve")


def _password(admin: str, file: str | None) -> str:
    import os
    from pathlib import Path

    if file is not None:
        return Path(file).read_text(encoding="utf-8").split("\n")[0].rstrip("\r")
    if (given := os.environ.get("METRA_ADMIN_PASSWORD")) is not None:
        return given
    return click.prompt(
        f"Password for {admin}", hide_input=True, confirmation_prompt=True
    )


def _shown(url: str) -> str:
    """A store's address without its password."""
    if "://" not in url:
        return url
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)
