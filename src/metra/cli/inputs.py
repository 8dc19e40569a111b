"""Options for the files that commands read, the same in every command."""

import click

from metra.io.formats import FORMATS

references = click.option(
    "-r",
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    help="Reference, one segment a line or in any format. May be given several times.",
)

source = click.option(
    "-s",
    "--source",
    metavar="FILE",
    help="Source text, one segment a line or in any format.",
)

documents = click.option(
    "--docs",
    metavar="FILE",
    help="Document ids, one a line; a tab and the segment's id may follow.",
)

input_format = click.option(
    "--input-format",
    type=click.Choice(["auto", *FORMATS]),
    default="auto",
    show_default=True,
    help="Format of all input files; auto goes by name and content.",
)
