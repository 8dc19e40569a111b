"""`metra convert`: a corpus from one format to another."""

from typing import TYPE_CHECKING, Any

import click

from metra.cli import GroupedCommand, options, output
from metra.cli.options import option
from metra.formats.recognise import FORMATS

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles


@click.command(cls=GroupedCommand)
@click.argument("paths", nargs=-1, metavar="[IN]...")
@options.input_files(*options.CORPUS)
@option(
    "-o --out OUT",
    "File or folder to write; compressed if the name ends in .gz, .xz or .zst; - "
    "writes to the screen.",
    required=True,
)
@option(
    "--to",
    "Format to write; auto detects it from OUT; plain for a folder.",
    choices=["auto", *(form.name for form in FORMATS.values() if form.is_written)],
)
@option(
    "--only LABEL=VALUE",
    "Keep only segments with this label (LABEL= selects those without it).",
    multiple=True,
)
@option(
    "--drop COLUMN",
    "Omit a label, doc, source, ref:NAME or output:NAME.",
    multiple=True,
)
def convert(
    paths: tuple[str, ...],
    files: "CorpusFiles",
    out: str,
    **given: Any,
) -> None:
    """Convert a corpus to plain text, a table, JSON, a workbook or Parquet.

    IN is a file in any supported format, or NAME=FILE; plain text is read as the output of
    a system. Files without ids are parallel, line by line; SGML and XML files are matched
    by document and segment ids. If the new format cannot represent something, metra reports
    an error and writes nothing.

    \b
    metra convert newstest.de-en.all.xml -o newstest.jsonl
    metra convert sysA.txt sysB.txt -r ref.txt -s src.txt --docs docs.txt -o test.tsv
    metra convert test.jsonl -o test.xlsx
    metra convert test.sgm -o texts/                    source.txt, outputs/SYSTEM.txt, …
    metra convert all.xml --only collection=general --only testsuite= -o general.tsv
    metra convert -t wmt23 -l en-de --read subset=origlang=en -o wmt23.tsv
    """
    from metra.formats.convert import convert_files

    sources = files._replace(outputs=paths).list_sources("any")
    with output.show_progress() as progress:
        convert_files(sources, out, progress=progress, **given)
