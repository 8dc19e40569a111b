"""Options that several commands share: files, metrics, formats, seeds, analyses."""

from collections.abc import Callable
from typing import Any

import click

from metra.formats.recognise import FORMATS
from metra.report import FORMATS as REPORT_FORMATS
from metra.stats import defaults

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


def input_format_of(*formats: str) -> Callable[..., Any]:
    """Make the option that names the format of files, for what the command can read."""
    return click.option(
        "--input-format",
        type=click.Choice(["auto", *formats]),
        default="auto",
        show_default=True,
        help="Format of all input files; auto goes by name and content.",
    )


input_format = input_format_of(*FORMATS)


def metrics_of(*default: str) -> Callable[..., Any]:
    """Make the option that names measures; a command that is given none takes these."""
    return click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        metavar="SPEC",
        show_default=", ".join(default),
        help="NAME or NAME:option=value,… (see `metra metrics`). May be given several times.",
    )


metrics = metrics_of("bleu")

seed = click.option(
    "--seed",
    type=click.IntRange(0),
    default=defaults.SEED,
    show_default=True,
    help="Seed of the random draws.",
)

form = click.option(
    "--format",
    "form",
    type=click.Choice(REPORT_FORMATS),
    default="table",
    show_default=True,
    help="How the results are written.",
)

table_or_json = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How the results are written.",
)

out = click.option(
    "-o", "--out", metavar="FILE", help="Write here instead of to the screen."
)


def digits_of(default: int) -> Callable[..., Any]:
    """Make the option that says how many digits tables have."""
    return click.option(
        "--digits",
        type=click.IntRange(0, 15),
        default=default,
        show_default=True,
        help="Digits after the point in tables.",
    )


digits = digits_of(2)

labels = click.option(
    "--labels",
    multiple=True,
    metavar="NAME=FILE",
    help="Scores by label, one a line for each segment. May be given several times.",
)
