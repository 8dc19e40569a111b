"""`metra judge links`: each judge's own way in, shown once."""

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
    "--judge",
    "labels",
    multiple=True,
    metavar="NAME",
    help="Make this judge's link anew; the old one stops working.",
)
@click.option("--revoke", is_flag=True, help="Take the links of --judge back instead.")
@click.option(
    "--base-url",
    default="http://127.0.0.1:8000",
    show_default=True,
    envvar="METRA_BASE_URL",
    help="How judges reach the server.",
)
def links(
    campaign: str | None,
    url: str,
    labels: tuple[str, ...],
    revoke: bool,
    base_url: str,
) -> None:
    """Make links for the judges of CAMPAIGN who have none, and show them this once.

    The store keeps no more than a hash of a link, so none can be shown again: lost ones are
    made anew with --judge. What a judge has done stays.

    \b
    metra judge links --base-url https://judge.example.org
    """
    from metra.errors import OptionError
    from metra.store import campaigns, judges

    if revoke and not labels:
        msg = "--revoke takes links of named judges back; name them with --judge."
        raise OptionError(msg)
    store = open_store(url)
    from metra.web.serving import refuse_no_address

    refuse_no_address(base_url)
    now = this_moment()
    with store.transaction() as db:
        stored = campaigns.named(db, campaign)
        wanted = [judges.labelled(db, stored.id, label) for label in labels] or [
            one
            for one in judges.of_campaign(db, stored.id)
            if not one.has_link and one.revoked_at is None and one.anonymised_at is None
        ]
        lines = []
        for one in wanted:
            if revoke:
                judges.revoke(db, one.id, now=now, who=AT_KEYBOARD)
                lines.append(f"{one.label}\trevoked")
            else:
                token = judges.issue(db, one.id, now=now, who=AT_KEYBOARD)
                lines.append(f"{one.label}\t{base_url.rstrip('/')}/j/{token}")
    store.close()
    click.echo("\n".join(lines) or "Every judge has a link; --judge makes one anew.")
