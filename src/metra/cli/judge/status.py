"""`metra judge status`: how far the judges are."""

from typing import TYPE_CHECKING

import click

from metra.cli.judge.stores import (
    AT_KEYBOARD,
    campaign_argument,
    open_store,
    store_option,
    this_moment,
)

if TYPE_CHECKING:
    from metra.store.judges import Judge


@click.command()
@campaign_argument
@store_option
@click.option(
    "--set",
    "state",
    type=click.Choice(["open", "paused", "closed"]),
    help="Open, pause or close the campaign first.",
)
def status(campaign: str | None, url: str, state: str | None) -> None:
    """Show how far the judges of CAMPAIGN are; without one, which campaigns there are."""
    from metra.store import campaigns, judges, screens
    from metra.store.progress import progress

    store = open_store(url)
    if state is not None:
        with store.transaction() as db:
            key = campaigns.named(db, campaign).id
            campaigns.set_state(db, key, state, now=this_moment(), who=AT_KEYBOARD)
    with store.reading() as db:
        known = campaigns.listed(db)
        if campaign is None and len(known) != 1:
            rows: list[tuple[str, ...]] = [
                ("campaign", "state"),
                *((row[1], row[2]) for row in known),
            ]
        else:
            stored = campaigns.named(db, campaign)
            rows = [("judge", "done", "of", "minutes", "left", "")]
            for judge in judges.of_campaign(db, stored.id):
                far = progress(db, stored, judge.id, screens.way(db, judge.id))
                active, left = far.minutes_active, far.minutes_left
                rest = str(left) if far.done < far.of else "0"
                figures = str(far.done), str(far.of), str(active), rest
                rows.append((judge.label, *figures, _remark(judge)))
            click.echo(f"{stored.name}: {stored.state}\n")
    store.close()
    _show(rows)


def _show(rows: "list[tuple[str, ...]]") -> None:
    """Lay the rows out, figures to the right."""
    columns = []
    for column in zip(*rows, strict=True):
        width = max(map(len, column))
        figures = all(cell.isdecimal() for cell in column[1:])
        columns.append(
            [cell.rjust(width) if figures else cell.ljust(width) for cell in column]
        )
    for row in zip(*columns, strict=True):
        click.echo("  ".join(row).rstrip())


def _remark(judge: "Judge") -> str:
    for since, remark in (
        (judge.anonymised_at, "anonymised"),
        (judge.revoked_at, "link taken back"),
        (judge.released_at, "tasks released"),
    ):
        if since is not None:
            return remark
    if not judge.has_link:
        return "no link yet"
    return "" if judge.seen_at is not None else "not begun"
