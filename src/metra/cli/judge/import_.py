"""`metra judge import`: other programs' judgements, as metra's own."""

from typing import TYPE_CHECKING

import click

from metra.cli.judge.stores import AT_KEYBOARD, open_store, this_moment
from metra.cli.output import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metra.human.judgement import Judgement


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--out",
    metavar="OUT",
    help="File to write, packed if it ends in .gz, .xz or .zst; - is the screen, which is "
    "what is written to without --store.",
)
@click.option(
    "--store",
    "url",
    metavar="STORE",
    help="Put the judgements into this store, as a campaign that is closed.",
)
@click.option(
    "--name", metavar="NAME", help="What the campaign is called in the store."
)
@click.option(
    "--lang",
    metavar="SOURCE-TARGET",
    help="The languages, such as en-de, where the files do not say them.",
)
@click.option(
    "--protocol",
    metavar="NAME",
    help="How judges were asked, where Pearmut's results do not tell: da, esa or mqm.",
)
def import_(
    files: tuple[str, ...],
    out: str | None,
    url: str | None,
    name: str | None,
    lang: str | None,
    protocol: str | None,
) -> None:
    """Read judgements of Pearmut, Appraise, Marot, mt-metrics-eval or metra.

    They are written as JSON lines, or put into a store, where the admin's pages, `status` and
    `export` work on them as on campaigns that were judged there. The same judgements again
    change nothing.

    The content tells what a file is. Appraise's ESA needs its batches beside it, which hold
    the texts. Files with texts alone (a campaign of Pearmut, batches of Appraise) become a
    corpus in JSON lines, which a campaign's file can name.

    \b
    metra judge import export.csv batches.json --lang en-de -o judgements.jsonl
    metra judge import judgements.jsonl --store judge.db
    metra judge import campaign.json -o corpus.jsonl
    """
    from metra.errors import OptionError
    from metra.human.files import jsonl
    from metra.human.files.judged_text import corpus_lines
    from metra.judging.importing import (
        TEXTS,
        judgements_of,
        language_pair,
        read_texts,
        recognised,
    )
    from metra.judging.results import counted

    if name is not None and url is None:
        msg = "--name is what a campaign is called in a store; add --store."
        raise OptionError(msg)
    found = [recognised(path) for path in files]
    if all(file.kind in TEXTS for file in found):
        if url is not None:
            msg = f"{files[0]} holds texts without judgements; leave --store out."
            raise OptionError(msg)
        lines, kept, lost = corpus_lines(read_texts(files))
        more = f"; {lost} that some systems lack are left out" if lost else ""
        click.echo(f"{kept} segments{more}.", err=True)
        write(lines.removesuffix("\n"), out or "-")
        return
    judgements = judgements_of(found, languages=language_pair(lang), protocol=protocol)
    click.echo(counted(judgements), err=True)
    if url is not None:
        _keep(url, judgements, files, name)
    if out is not None or url is None:
        write(jsonl.write(judgements).removesuffix("\n"), out or "-")


def _keep(
    url: str,
    judgements: "Sequence[Judgement]",
    files: tuple[str, ...],
    name: str | None,
) -> None:
    from pathlib import Path

    store = open_store(url, create=True)
    from metra.store import imported

    with store.transaction() as db:
        kept = imported.add_all(
            db,
            judgements,
            files=[Path(file).name for file in files],
            now=this_moment(),
            who=AT_KEYBOARD,
            name=name,
        )
    store.close()
    for campaign, one in kept.items():
        said = "is in the store" if one.is_new else "was in the store; nothing changed"
        click.echo(f"{campaign} {said}.", err=True)
