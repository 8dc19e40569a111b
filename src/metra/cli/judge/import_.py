"""`metra judge import`: other programs' judgements, as metra's own."""

import click

from metra.cli.output import write


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--out",
    default="-",
    metavar="OUT",
    help="File to write, packed if it ends in .gz, .xz or .zst; - is the screen.",
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
    files: tuple[str, ...], out: str, lang: str | None, protocol: str | None
) -> None:
    """Read judgements of Pearmut, Appraise, Marot or mt-metrics-eval; write JSON lines.

    The content tells what a file is. Appraise's ESA needs its batches beside it, which hold
    the texts. Files with texts alone (a campaign of Pearmut, batches of Appraise) become a
    corpus in JSON lines, which a campaign's file can name.

    \b
    metra judge import export.csv batches.json --lang en-de -o judgements.jsonl
    metra judge import campaign.json -o corpus.jsonl
    """
    from metra.human.files import jsonl
    from metra.human.files.judged_text import corpus_lines
    from metra.judging.importing import (
        TEXTS,
        language_pair,
        read_judgements,
        read_texts,
        recognised,
    )
    from metra.judging.results import counted

    if all(recognised(path).kind in TEXTS for path in files):
        lines, kept, lost = corpus_lines(read_texts(files))
        more = f"; {lost} that some systems lack are left out" if lost else ""
        click.echo(f"{kept} segments{more}.", err=True)
        write(lines.removesuffix("\n"), out)
        return
    judgements = read_judgements(
        files, languages=language_pair(lang), protocol=protocol
    )
    click.echo(counted(judgements), err=True)
    write(jsonl.write(judgements).removesuffix("\n"), out)
