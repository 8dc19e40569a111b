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
    """Make an option by its flags, its parameter and its METAVAR, with blanks between them.

    Its default is shown. Of `choices` the first is the default; `least` is the smallest
    whole number that may be given.
    """
    if choices:
        default, settings["type"] = choices[0], click.Choice(choices)
    if least is not None:
        settings["type"] = click.IntRange(least)
    if default is not None:
        settings = {"default": default, "show_default": True} | settings
    *flags, last = names.split()
    if last.isupper():
        return click.option(*flags, help=help_text, metavar=last, **settings)
    return click.option(*flags, last, help=help_text, **settings)


class FileCommand(click.Command):
    """A command on outputs and references that notes outputs where references stand."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note the outputs that come after a reference, and read the arguments."""
        entries = [entry for entry in self.params if isinstance(entry, click.Option)]
        valued = [flag for entry in entries if not entry.is_flag for flag in entry.opts]
        ctx.meta[STRAY_OUTPUTS] = _list_stray_outputs(args, valued)
        return super().parse_args(ctx, args)


#: The key in a context's `meta` of outputs that come right after a reference.
STRAY_OUTPUTS = "metra.stray_outputs"


def _list_stray_outputs(args: Sequence[str], valued: Sequence[str]) -> list[str]:
    """List outputs right after a reference, where outputs came before the reference.

    >>> _list_stray_outputs(["a", "-r", "refA", "refB"], ["-r"])
    ['refB']
    >>> _list_stray_outputs(["-r", "refA", "a", "b"], ["-r"])
    []
    """
    strays = []
    has_outputs = follows_reference = False
    remaining = iter(args)
    for argument in remaining:
        if argument == "--":
            break
        if argument.startswith("-") and argument != "-":
            follows_reference = argument.startswith(("-r", "--reference"))
            if argument in valued:
                next(remaining, None)
        elif follows_reference and has_outputs:
            strays.append(argument)
        else:
            has_outputs, follows_reference = True, False
    return strays


references = option(
    "-r --reference references FILE",
    "Reference, one segment a line or in any format. May be given several times.",
    multiple=True,
)
source = option("-s --source FILE", "Source text, one segment a line or in any format.")
DOCUMENTS = "Document ids, one a line; a tab and the segment's id may follow."
documents = option("--docs documents FILE", DOCUMENTS)
INPUT_FORMAT = "Format of all input files; auto goes by name and content."
input_format = option("--input-format", INPUT_FORMAT, choices=["auto", *FORMATS])
METRICS = (
    "NAME or NAME:option=value,… (see `metra metrics`). May be given several times."
)
metrics = option(
    "-m --metric metrics SPEC", METRICS, multiple=True, show_default="bleu"
)
tok = option("--tok", "How text is cut into words.", "13a")
case = option("--case", "Whether letter case counts.", choices=["mixed", "lower"])
seed = option("--seed", "Seed of the random draws.", defaults.SEED, least=0)
form = option("--format form", "How the results are written.", choices=REPORT_FORMATS)
table_or_json = option(
    "--format form", "How the results are written.", choices=["table", "json"]
)
out = option("-o --out FILE", "Write here instead of to the screen.")
DIGITS = "Digits after the point in tables."
digits = option("--digits", DIGITS, 2, type=click.IntRange(0, 15))
strict = option(
    "--strict",
    "Fail where the texts look like a mistake, instead of a warning.",
    is_flag=True,
)
labels = option(
    "--labels NAME=FILE",
    "Scores by label, one a line for each segment. May be given several times.",
    multiple=True,
)
