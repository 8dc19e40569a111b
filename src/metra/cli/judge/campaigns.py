"""`metra judge init`, `links`, `status`, `settle`, `forget`, `admin`: commands on a store."""

import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metra.cli.options import option
from metra.errors import OptionError, format_count, no_such

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from metra.campaign.campaign import Campaign
    from metra.scoring.table import Column
    from metra.store.database import Store
    from metra.store.judges import Judge


#: The name under which the audit log records commands.
AT_KEYBOARD = "command line"

store_option = option(
    "--store url STORE",
    "Store: a file, or postgresql://USER@HOST/DATABASE; $METRA_STORE sets the default.",
    "judge.db",
    envvar="METRA_STORE",
)
#: Optional if the store has only one.
campaign_argument = click.argument("campaign", required=False)


def open_store(url: str, *, create: bool = False) -> "Store":
    """Open the store."""
    from metra import store

    return store.open(url, create=create)


@click.command()
@click.argument("files", nargs=-1, metavar="[CAMPAIGN.toml]...")
@store_option
@option(
    "--draft",
    "Keep the campaign closed to judges until an admin opens it.",
    is_flag=True,
)
@option("--admin NAME", "Name of the admin.", "admin")
@option(
    "--password-file",
    "File whose first line is the admin password; by default $METRA_ADMIN_PASSWORD, "
    "or a prompt.",
    type=click.Path(exists=True, dir_okay=False),
)
@option("--new-password", "Change the admin password.", is_flag=True)
def init(
    files: tuple[str, ...],
    url: str,
    draft: bool,
    admin: str,
    password_file: str | None,
    new_password: bool,
) -> None:
    """Create a store, set the admin password, and add campaigns.

    This freezes the campaign: its texts, protocol and settings, and the assignment of
    judges to items. Without a campaign file, only the store is created.

    \b
    metra judge init campaign.toml
    """
    from metra.campaign.creation import open_campaign
    from metra.store import access

    layouts: dict[str, str] = {}
    opened = [open_campaign(path, layouts) for path in files]
    for file, layout in layouts.items():
        click.echo(f"{file} ({layout})")
    # Ask before a file is created, so that nothing remains of a command that is given up.
    is_new = "://" not in url and not Path(url).exists()
    asked = new_password or (is_new and Path(url).parent.is_dir())
    password = read_password(admin, password_file) if asked else None
    store = open_store(url, create=True)
    now = time.time()
    with store.reading() as db:
        has_password = access.find_password_hash(db, admin) is not None
    if password is None and not has_password:
        password = read_password(admin, password_file)
    if password is not None:
        with store.transaction() as db:
            access.set_password(db, admin, password, now=now, who=AT_KEYBOARD)
        click.echo(f"The password of {admin} is set.")
    for campaign in opened:
        with store.transaction() as db:
            cost = _add_campaign(db, campaign, now, "draft" if draft else "open")
        click.echo(cost)
    store.close()
    place = _hide_password(url)
    click.echo(f"Stored in {place}. Next: metra judge links, then metra judge serve")


def _add_campaign(
    db: "Connection", campaign: "Campaign", now: float, state: str
) -> str:
    """Put a campaign into the store, and say what it costs."""
    from metra.campaign.assignment import describe_cost
    from metra.store import campaigns, tasks

    key = campaigns.create_campaign(db, campaign, now=now, who=AT_KEYBOARD, state=state)
    given = [one.task for one in tasks.list_campaign_tasks(db, key)]
    return f"{campaign.settings.name}: {describe_cost(campaign, given)}"


def read_password(admin: str, file: str | None) -> str:
    """Read the admin's password from a file, the environment or the terminal."""
    from metra.formats.lines import read_lines

    if file is not None:
        return next(iter(read_lines(file)), "")
    if (given := os.environ.get("METRA_ADMIN_PASSWORD")) is not None:
        return given
    if not sys.stdin.isatty():
        msg = (
            f"The password for {admin} is missing, and there is no terminal to ask for it; "
            "give --password-file, or set METRA_ADMIN_PASSWORD."
        )
        raise OptionError(msg)
    return click.prompt(
        f"Password for {admin}", hide_input=True, confirmation_prompt=True
    )


def _hide_password(url: str) -> str:
    """Return a store's URL without its password."""
    if "://" not in url:
        return url
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)


@click.command()
@campaign_argument
@store_option
@option(
    "--set state",
    "First open, pause or close the campaign.",
    type=click.Choice(["open", "paused", "closed"]),
)
def status(campaign: str | None, url: str, state: str | None) -> None:
    """Show the progress of CAMPAIGN; without one, list all campaigns.

    \b
    metra judge status
    metra judge status news --set paused
    """
    from metra.scoring.table import Column
    from metra.store import campaigns, judges, tasks

    store = open_store(url)
    if state is not None:
        with store.transaction() as db:
            key = campaigns.find_by_name(db, campaign).id
            campaigns.set_state(db, key, state, now=time.time(), who=AT_KEYBOARD)
    with store.reading() as db:
        stored_campaigns = campaigns.list_campaigns(db)
        rows: list[tuple[str, ...]]
        if campaign is None and len(stored_campaigns) != 1:
            columns = [Column("campaign", "left"), Column("state", "left")]
            rows = [(row[1], row[2]) for row in stored_campaigns]
        else:
            stored = campaigns.find_by_name(db, campaign)
            figures = [Column(name) for name in ("done", "of", "minutes", "left")]
            columns = [Column("judge", "left"), *figures, Column("", "left")]
            rows = []
            for judge in judges.list_judges(db, stored.id):
                seen = tasks.list_screens(db, judge.id)
                far = tasks.compute_progress(db, judge.id, seen, stored.screen_seconds)
                active, left = far.minutes_active, far.minutes_left
                rest = str(left) if far.done < far.of else "0"
                numbers = str(far.done), str(far.of), str(active), rest
                rows.append((judge.label, *numbers, _describe_judge(judge)))
            click.echo(f"{stored.name}: {stored.state}\n")
    store.close()
    _echo_table(columns, rows)


def _echo_table(columns: "list[Column]", rows: list[tuple[str, ...]]) -> None:
    from metra.report.table import Style
    from metra.report.terminal import render_table
    from metra.scoring.table import Cell, Table

    table = Table(columns, [[Cell(cell) for cell in row] for row in rows])
    click.echo(render_table(table, Style()))


def _describe_judge(judge: "Judge") -> str:
    remarks = {
        "anonymised": judge.anonymised_at is not None,
        "link revoked": judge.revoked_at is not None,
        "tasks released": judge.released_at is not None,
        "no link yet": not judge.has_link,
        "not begun": judge.seen_at is None,
    }
    return next(filter(remarks.get, remarks), "")


@click.command()
@campaign_argument
@store_option
@option(
    "--judge labels NAME",
    "Create a new link for this judge; the old one stops working.",
    multiple=True,
)
@option("--revoke", "Revoke the links of --judge instead.", is_flag=True)
@option(
    "--base-url",
    "Public address of the server.",
    "http://127.0.0.1:8000",
    envvar="METRA_BASE_URL",
)
def links(
    campaign: str | None, url: str, labels: tuple[str, ...], revoke: bool, base_url: str
) -> None:
    """Create and print links for the judges of CAMPAIGN who have none.

    The store keeps only a hash of each link, so a link cannot be printed again; --judge
    replaces a lost one. Judgements are kept.

    \b
    metra judge links --base-url https://judge.example.org
    """
    from metra.store import campaigns, judges

    if revoke and not labels:
        msg = "--revoke needs the judges; name them with --judge."
        raise OptionError(msg)
    store = open_store(url)
    from metra.web.server import check_base_url

    check_base_url(base_url)
    now = time.time()
    with closing(store), store.transaction() as db:
        stored = campaigns.find_by_name(db, campaign)
        wanted = [judges.find_by_label(db, stored.id, label) for label in labels] or [
            one
            for one in judges.list_judges(db, stored.id)
            if not one.has_link and one.revoked_at is None and one.anonymised_at is None
        ]
        lines = []
        for one in wanted:
            if revoke:
                judges.revoke_link(db, one.id, now=now, who=AT_KEYBOARD)
                lines.append(f"{one.label}\trevoked")
            else:
                token = judges.issue_link(db, one.id, now=now, who=AT_KEYBOARD)
                lines.append(f"{one.label}\t{base_url.rstrip('/')}/j/{token}")
    click.echo("\n".join(lines) or "Every judge has a link; --judge replaces one.")


@click.command()
@campaign_argument
@store_option
@option(
    "-j --judge judges NAME",
    "Judge of the new campaign. May be given several times.",
    multiple=True,
    required=True,
)
@option("--each", "Number of judges per answer.", 1)
def settle(campaign: str | None, url: str, judges: tuple[str, ...], each: int) -> None:
    """Create a follow-up campaign that resolves the open cases of CAMPAIGN.

    Its judges see neither the systems nor the earlier judges. Cloze answers other than the
    exact word, and free answers outside of a list, are judged in a campaign of verdicts;
    tags from several raters are kept, dropped or corrected. Scores and exports of CAMPAIGN
    then include the decisions.

    \b
    metra judge settle cloze -j zoe -j yan --each 2
    """
    from metra.campaign.second_look import build_follow_up
    from metra.store import campaigns
    from metra.store.second_looks import read_completed

    with closing(open_store(url)) as store, store.transaction() as db:
        stored = campaigns.find_by_name(db, campaign)
        first, answers = stored.campaign, read_completed(db, stored)
        made = build_follow_up(first, stored.id, answers, judges=judges, each=each)
        cost = _add_campaign(db, made, time.time(), "open")
    click.echo(cost)
    place = f" --store {url}" * (url != "judge.db")
    click.echo(f"Next: metra judge links {made.settings.name!r}{place}")


@click.command()
@click.argument("campaign")
@click.argument("label", metavar="JUDGE")
@store_option
@option(
    "--answers everything",
    "Also delete the answers; by default they are kept under a neutral name.",
    is_flag=True,
)
@click.confirmation_option(prompt="This cannot be undone. Continue?")
def forget(campaign: str, label: str, url: str, everything: bool) -> None:
    """Anonymise JUDGE of CAMPAIGN: delete name, note, profile, comments, events and link.

    \b
    metra judge forget "market and brake" ann
    """
    from metra.store import campaigns, judges

    now, more = time.time(), ""
    with closing(open_store(url)) as store, store.transaction() as db:
        stored = campaigns.find_by_name(db, campaign)
        key = judges.find_by_label(db, stored.id, label).id
        name = judges.anonymise_judge(db, key, now=now, who=AT_KEYBOARD)
        if everything:
            deleted = judges.delete_answers(db, key, now=now, who=AT_KEYBOARD)
            more = f", and {format_count(deleted, 'answer')} deleted"
    click.echo(f"{label} is forgotten; the answers are {name}'s now{more}.")


@click.command()
@click.argument("name", required=False)
@store_option
@option(
    "--reset-second-factor reset",
    "Remove the second factor of NAME; the password alone then suffices.",
    is_flag=True,
)
@option("--end-sessions", "Sign NAME out in all browsers.", is_flag=True)
@option(
    "--end-waits",
    "Lift the waiting times after wrong passwords or links.",
    is_flag=True,
)
def admin(
    name: str | None, url: str, reset: bool, end_sessions: bool, end_waits: bool
) -> None:
    """List the admins of a store, or restore access for NAME.

    To replace a forgotten password, run `metra judge init --new-password --admin NAME`.

    \b
    metra judge admin
    metra judge admin ann --reset-second-factor
    """
    from metra.scoring.table import Column
    from metra.store import access, audit

    if (reset or end_sessions) and name is None:
        flag = "--reset-second-factor" if reset else "--end-sessions"
        msg = f"{flag} needs an admin; write: metra judge admin NAME {flag}"
        raise OptionError(msg)
    now, rows = time.time(), list[tuple[str, ...]]()
    with closing(open_store(url)) as store, store.transaction() as db:
        admins = access.list_admins(db)
        if name is not None and name not in admins:
            raise OptionError(no_such("admin", name, admins))
        if name is not None and reset:
            access.disable_second_factor(db, name, now=now, who=AT_KEYBOARD)
        if name is not None and end_sessions:
            ended = {"admin": name, "sessions": access.end_sessions(db, name)}
            audit.add_entry(db, AT_KEYBOARD, "end sessions", ended, now=now)
        if end_waits:
            access.forget_attempts(db)
            audit.add_entry(db, AT_KEYBOARD, "end waits", now=now)
        for one in admins if name is None else [name]:
            factor = "on" if access.has_second_factor(db, one) else "off"
            codes = str(access.count_recovery_codes(db, one))
            sessions = str(len(access.list_sessions(db, one, now=now)))
            rows.append((one, factor, codes, sessions))
    figures = [Column("recovery codes"), Column("sessions")]
    _echo_table([Column("admin", "left"), Column("second factor"), *figures], rows)
