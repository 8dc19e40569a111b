"""`metra judge import` and `export`: judgements from and to files."""

import time
from contextlib import closing
from typing import Any

import click

from metra.cli.judge import campaigns as shared
from metra.cli.options import option
from metra.cli.output import write_output


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@option(
    "-o --out OUT",
    "File to write, compressed if the name ends in .gz, .xz or .zst; - writes to the "
    "screen.",
    "-",
    show_default=False,
)
@option(
    "--lang SOURCE-TARGET",
    "Language pair, such as en-de, if the files do not contain it.",
)
@option(
    "--protocol NAME",
    "Protocol, if Pearmut's results do not contain it: da, esa or mqm.",
)
def import_(
    files: tuple[str, ...],
    out: str,
    lang: str | None,
    protocol: str | None,
) -> None:
    """Import judgements from Pearmut, Appraise or metra.

    The judgements are written as JSON lines, which `metra meta` and `metra report
    --judgements` read.

    Formats are detected from the content. Appraise ESA exports also need their batches,
    which contain the texts.

    \b
    metra judge import export.csv batches.json --lang en-de -o judgements.jsonl
    """
    from metra.campaign import imports
    from metra.campaign.judgement import describe_counts, format_judgement_lines

    read = [imports.read_file(path) for path in files]
    pair = imports.split_language_pair(lang)
    judgements = imports.parse_judgements(read, languages=pair, protocol=protocol)
    click.echo(describe_counts(judgements), err=True)
    text = "".join(format_judgement_lines(judgements))
    write_output(text.removesuffix("\n"), out)


FORMATS = (
    *("jsonl", "tsv", "csv", "marot", "mt-metrics-eval"),
    *("texts", "annotations", "gold", "judged", "keys", "zip"),
)


@click.command()
@shared.campaign_argument
@shared.store_option
@option(
    "--format form",
    "Output format; `metra meta` and `metra report --judgements` read tsv; zip "
    "contains all formats.",
    choices=FORMATS,
)
@option(
    "-o --out OUT", "File to write; - writes to the screen.", "-", show_default=False
)
@option(
    "--unblind",
    "Show system names before the campaign is closed; this is logged.",
    is_flag=True,
)
@option(
    "--flagged",
    "Flagged judges: exclude them from system means, include them, or exclude them "
    "from all files.",
    "apart",
    choices=("apart", "count", "out"),
)
def export(
    campaign: str | None, url: str, form: str, out: str, unblind: bool, flagged: Any
) -> None:
    """Export the judgements of CAMPAIGN (optional if there is only one).

    Until a campaign is closed or unblinded, systems are called System 1, System 2, …

    \b
    metra judge export --format tsv -o scores.tsv
    metra judge export spring --format zip -o spring.zip
    """
    from metra.campaign.judgement import assign_blind_names, blind_judgements
    from metra.formats.atomic import write_file
    from metra.report import campaign_files
    from metra.store import audit, campaigns
    from metra.store.events import write_key_log
    from metra.store.second_looks import read_completed

    by: dict[str, Any] = {"now": time.time(), "who": shared.AT_KEYBOARD}
    store = shared.open_store(url)
    with store.transaction() as db:
        key = campaigns.find_by_name(db, campaign).id
        if unblind:
            campaigns.unblind_campaign(db, key, **by)
        stored = campaigns.get_campaign(db, key)
        judgements = read_completed(db, stored)
        keys = write_key_log(db, stored) if form in ("keys", "zip") else ""
    if stored.is_blind:
        systems = [system.name for system in stored.campaign.systems]
        names = assign_blind_names(systems, stored.secret)
        judgements = blind_judgements(judgements, names)
        click.echo(
            "Systems are called System 1, System 2, … until the campaign is closed; "
            "--unblind shows their names.",
            err=True,
        )
    campaign_record = None if stored.imported else stored.campaign
    exported = campaign_files.export_judgements(
        form, judgements, campaign_record, keys=keys, flagged=flagged
    )
    by |= {"campaign": key, "blind": stored.is_blind}
    with closing(store), store.transaction() as db:
        audit.add_export(db, form, exported.size, rows=len(judgements), **by)
    with write_file(out) as file:
        file.writelines(exported.read_parts())
