"""Options that several commands share: files, metrics, formats, seeds, analyses."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from metra.formats.recognise import FORMATS
from metra.report import FORMATS as REPORT_FORMATS
from metra.stats import defaults


def option(
    names: str,
    help_text: str | None = None,
    default: Any = None,
    *,
    choices: Sequence[str] = (),
    least: int | None = None,
    **settings: Any,
) -> Callable[..., Any]:
    """Make an option by its flags and its parameter, with blanks between them.

    Its default is shown. Of `choices` the first is the default; `least` is the smallest
    whole number that may be given.
    """
    if choices:
        default, settings["type"] = choices[0], click.Choice(choices)
    if least is not None:
        settings["type"] = click.IntRange(least)
    if default is not None:
        settings = {"default": default, "show_default": True} | settings
    return click.option(*names.split(), help=help_text, **settings)


references = option(
    "-r --reference references",
    "Reference, one segment a line or in any format. May be given several times.",
    multiple=True,
    metavar="FILE",
)
source = option(
    "-s --source", "Source text, one segment a line or in any format.", metavar="FILE"
)
DOCUMENTS = "Document ids, one a line; a tab and the segment's id may follow."
documents = option("--docs documents", DOCUMENTS, metavar="FILE")


def input_format_of(*formats: str) -> Callable[..., Any]:
    """Make the option that names the format of files, for what the command can read."""
    text = "Format of all input files; auto goes by name and content."
    return option("--input-format", text, choices=["auto", *formats])


input_format = input_format_of(*FORMATS)


def metrics_of(*default: str) -> Callable[..., Any]:
    """Make the option that names measures; a command that is given none takes these."""
    return option(
        "-m --metric metrics",
        "NAME or NAME:option=value,… (see `metra metrics`). May be given several times.",
        multiple=True,
        metavar="SPEC",
        show_default=", ".join(default),
    )


metrics = metrics_of("bleu")
tok = option("--tok", "How text is cut into words.", "13a")
case = option("--case", "Whether letter case counts.", choices=["mixed", "lower"])
seed = option("--seed", "Seed of the random draws.", defaults.SEED, least=0)
form = option("--format form", "How the results are written.", choices=REPORT_FORMATS)
table_or_json = option(
    "--format form", "How the results are written.", choices=["table", "json"]
)
out = option("-o --out", "Write here instead of to the screen.", metavar="FILE")


def digits_of(default: int) -> Callable[..., Any]:
    """Make the option that says how many digits tables have."""
    limits = click.IntRange(0, 15)
    return option("--digits", "Digits after the point in tables.", default, type=limits)


digits = digits_of(2)
labels = option(
    "--labels",
    "Scores by label, one a line for each segment. May be given several times.",
    multiple=True,
    metavar="NAME=FILE",
)
