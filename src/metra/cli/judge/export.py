"""`metra judge export`: a campaign's judgements as files."""

import click

from metra.cli.judge.stores import (
    AT_KEYBOARD,
    campaign_argument,
    open_store,
    store_option,
    this_moment,
)

FORMATS = (
    *("jsonl", "tsv", "csv", "appraise", "marot", "mt-metrics-eval"),
    *("texts", "annotations", "judged", "keys", "zip"),
)


@click.command()
@campaign_argument
@store_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="tsv is what `metra meta` and `metra report --judgements` read; zip is all of it.",
)
@click.option(
    "-o", "--out", default="-", metavar="OUT", help="File to write; - is the screen."
)
@click.option(
    "--unblind",
    is_flag=True,
    help="Show the systems' names before the campaign is closed; that is written to the log.",
)
def export(campaign: str | None, url: str, form: str, out: str, unblind: bool) -> None:
    """Write the judgements of CAMPAIGN, which is not needed where there is only one.

    Until a campaign is closed or unblinded, systems are called System 1, System 2, …

    \b
    metra judge export --format tsv -o scores.tsv
    metra judge export spring --format zip -o spring.zip
    """
    from metra.io.whole import whole_file
    from metra.judging import exporting
    from metra.judging.blinding import blind_names, blinded
    from metra.judging.key_log import key_log
    from metra.judging.second_looks import completed
    from metra.store import audit, campaigns

    store = open_store(url)
    now = this_moment()
    with store.transaction() as db:
        key = campaigns.named(db, campaign).id
        if unblind:
            campaigns.unblind(db, key, now=now, who=AT_KEYBOARD)
        stored = campaigns.existing(db, key)
        judgements = completed(db, stored)
        keys = key_log(db, stored) if form in ("keys", "zip") else ""
        audit.note(db, AT_KEYBOARD, "export", {"format": form}, now=now, campaign=key)
    store.close()
    if stored.unblinded_at is None and stored.state != "closed":
        systems = [system.name for system in stored.campaign.systems]
        judgements = blinded(judgements, blind_names(systems, stored.secret))
        click.echo(
            "Systems are called System 1, System 2, … until the campaign is closed; "
            "--unblind shows their names.",
            err=True,
        )
    known = None if stored.imported else stored.campaign
    found = exporting.export(form, judgements, known, keys=keys)
    with whole_file(out) as file:
        file.write(found.content)
