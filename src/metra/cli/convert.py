"""`metra convert`: a corpus from one format to another."""

from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand, options
from metra.cli.options import option
from metra.formats.recognise import FORMATS

if TYPE_CHECKING:
    from metra.formats.testsets.record import NamedSet
    from metra.formats.texts.columns import ColumnNames, ReadingOptions


@click.command(cls=GroupedCommand)
@click.argument("files", nargs=-1, metavar="[IN]...")
@options.references
@options.source
@options.test_set
@options.documents
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
@options.input_format
@options.tables
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
@option("--set-id setid ID", "Name of the test set (sgml and wmt-xml).")
@option("--source-lang srclang LANG", "Source language (sgml and wmt-xml).")
@option("--target-lang trglang LANG", "Target language (sgml and wmt-xml).")
def convert(
    files: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    documents: str | None,
    out: str,
    to: str,
    input_format: str,
    only: tuple[str, ...],
    drop: tuple[str, ...],
    columns: "ColumnNames | None",
    reading: "ReadingOptions",
    test_set: "NamedSet | None",
    **about: str | None,
) -> None:
    """Convert a corpus between plain text, tables, JSON, workbooks, NIST SGML and WMT XML.

    IN is a file in any supported format, or NAME=FILE; plain text is read as the output of
    a system. Files without ids are parallel, line by line; SGML and XML files are matched
    by document and segment ids. If the new format cannot represent something, metra reports
    an error and writes nothing.

    \b
    metra convert newstest.de-en.all.xml -o newstest.jsonl
    metra convert sysA.txt sysB.txt -r ref.txt -s src.txt --docs docs.txt -o test.sgm
    metra convert test.jsonl -o test.xlsx
    metra convert test.tsv --to sgml -o for-mteval/     src.sgm, ref.sgm, SYSTEM.sgm
    metra convert test.sgm -o texts/                    source.txt, outputs/SYSTEM.txt, …
    metra convert all.xml --only collection=general --only testsuite= -o general.xml
    metra convert -t wmt23 -l en-de --subset origlang=en -o wmt23.tsv
    """
    from metra.cli.output import show_progress
    from metra.formats.convert import ConversionSettings, convert_files
    from metra.formats.texts.sources import list_sources

    known = {key: value for key, value in about.items() if value}
    settings = ConversionSettings(to=to, drop=drop, only=only, about=known)
    sources = list_sources(
        files,
        references,
        source,
        documents,
        input_format=input_format,
        use="any",
        columns=columns,
        reading=reading,
        test_set=test_set,
    )
    with show_progress() as progress:
        convert_files(sources, out, settings, progress=progress)
