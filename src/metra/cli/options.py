"""Options that several commands share: files, metrics, formats, seeds, analyses."""

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import click

from metra.cli import GroupedCommand
from metra.errors import MissingReferenceError
from metra.formats.recognise import FORMATS
from metra.report import FORMATS as REPORT_FORMATS
from metra.report import RESULT_FORMATS
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
        settings["type"] = CountRange(least)
    if default is not None:
        settings = {"default": default, "show_default": True} | settings
    *flags, last = names.split()
    if last.isupper():
        return click.option(*flags, help=help_text, metavar=last, **settings)
    if isinstance(settings.get("type"), click.IntRange | click.FloatRange):
        settings.setdefault("metavar", "NUMBER")
    return click.option(*flags, last, help=help_text, **settings)


class CountRange(click.IntRange):
    """A whole number within limits, and below what any memory could hold."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Read the number."""
        number = super().convert(value, param, ctx)
        if number > _MOST and param is not None and param.name != "seed":
            self.fail(f"{value} is too large; expected at most {_MOST:,}.", param, ctx)
        return number


#: As many trials and the like may be asked for.
_MOST = 10_000_000


class FiniteFloat(click.types.FloatParamType):
    """A number; NaN and infinity are none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            reason = "NaN and infinity are not possible; expected a finite number."
            self.fail(reason, param, ctx)
        return number


class FiniteRange(FiniteFloat, click.FloatRange):
    """A number within limits; NaN and infinity lie within none."""


class FileCommand(GroupedCommand):
    """A command on outputs and references that knows what is often given in their places."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note the outputs that come after a reference, and read the arguments."""
        entries = [entry for entry in self.params if isinstance(entry, click.Option)]
        valued = [flag for entry in entries if not entry.is_flag for flag in entry.opts]
        ctx.meta[STRAY_OUTPUTS] = _list_stray_outputs(args, valued)
        rest = super().parse_args(ctx, args)
        _refuse_metric_names(ctx.params["outputs"], ctx.params.get("metrics", ()))
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; the last of several outputs may have been the reference."""
        outputs = ctx.params["outputs"]
        try:
            return super().invoke(ctx)
        except MissingReferenceError as error:
            if len(outputs) < 2:
                raise
            msg = f"{error} If {outputs[-1]} is the reference, write -r {outputs[-1]}."
            raise MissingReferenceError(msg) from None


def _refuse_metric_names(outputs: Sequence[str], metrics: Sequence[str]) -> None:
    """Refuse outputs that are no files but metrics, as after `-m bleu chrf ter`."""
    absent = [
        name for name in outputs if name.isidentifier() and not os.path.exists(name)
    ]
    if not absent:
        return
    from metra.metrics.registry import BUILT_IN

    named = [name for name in absent if name.lower() in BUILT_IN]
    if named:
        flags = " ".join(f"-m {name}" for name in (*metrics, *named))
        msg = (
            f"{named[0]} is a metric, not a file; give each metric its own -m: {flags}."
        )
        raise click.UsageError(msg)


def split_specs(_: object, __: object, given: Iterable[str]) -> tuple[str, ...]:
    """Split names of metrics that are given with commas between them.

    It is the callback of options; context and parameter do not matter. After a colon, a
    comma separates a metric's options.

    >>> split_specs(None, None, ["bleu,chrf", "bleu:n=2,tok=intl"])
    ('bleu', 'chrf', 'bleu:n=2,tok=intl')
    """
    return tuple(
        name
        for spec in given
        for name in ([spec] if re.search("[:@]", spec) else spec.split(","))
    )


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
    "Reference file, one segment per line or in any supported format. May be given "
    "several times.",
    multiple=True,
)
source = option(
    "-s --source FILE", "Source file, one segment per line or in any supported format."
)
_test_set_options = (
    option(
        "-t --test-set test_name NAME",
        "Test set on this machine; provides references, source and documents (see "
        "`metra testsets`).",
    ),
    option("-l --language-pair PAIR", "Language pair of the test set, such as en-de."),
    option(
        "--subset LABEL=VALUE",
        "Use only matching segments of the test set, such as origlang=en, "
        "domain=news or doc=bbc.*; != selects all others. May be given several "
        "times.",
        multiple=True,
    ),
    option(
        "--test-ref test_references NAME",
        "Reference of the test set, instead of the default ones. May be given "
        "several times.",
        multiple=True,
    ),
)


def test_set(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a test set; the command gets its texts as `test_set`."""

    @wraps(command)
    def call(*arguments: Any, **given: Any) -> None:
        names = ("test_name", "language_pair", "subset", "test_references")
        name, pair, subset, references = (given.pop(key) for key in names)
        given["test_set"] = None
        if name is not None:
            from metra.formats.testsets.lookup import describe_set, load_test_set

            chosen = {"references": references, "subset": subset}
            given["test_set"] = texts = load_test_set(name, pair or "", **chosen)
            click.echo(describe_set(texts), err=True)
        elif pair or subset or references:
            msg = (
                "-l, --subset and --test-ref select from a test set; give -t NAME "
                "as well."
            )
            raise click.UsageError(msg)
        command(*arguments, **given)

    return _add_options(call, _test_set_options)


DOCUMENTS = (
    "Document ids, one per line, optionally followed by a tab and the segment id."
)
documents = option("--docs documents FILE", DOCUMENTS)
INPUT_FORMAT = "Format of all input files; auto detects it from name and content."
input_format = option("--input-format", INPUT_FORMAT, choices=["auto", *FORMATS])
METRICS = (
    "NAME or NAME:option=value,… (see `metra metrics`). May be given several times."
)
_SCORES = option(
    "--scores [NAME=]FILE",
    "Segment scores from another program, such as COMET; they become a metric like "
    "any other (NAME@FILE for short). Without NAME, every metric in the file. May be "
    "given several times.",
    multiple=True,
)
SCORE_COLUMN = option(
    "--score-column score_columns NAME[/SYSTEM]=COLUMN",
    "Table column with scores from another program. May be given several times.",
    multiple=True,
)


def _complete_metrics(*about: Any) -> list[str]:
    from metra.cli.completion import complete_metrics

    return complete_metrics(*about)


def metrics(default: str) -> Callable[..., Any]:
    """Make the options that name metrics, and scores made elsewhere.

    The command is given `metrics`, those of the files of scores last.
    """
    named = option(
        "-m --metric metrics SPEC",
        METRICS,
        multiple=True,
        callback=split_specs,
        shell_complete=_complete_metrics,
        show_default=default,
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(**given: Any) -> Any:
            files = given.pop("scores")
            if files:
                from metra.metrics.outside import list_specs

                defaults = default.split(", ") if len(default.split(", ")) > 1 else ()
                chosen = given["metrics"] or defaults
                given["metrics"] = (*chosen, *list_specs(files))
            return command(**given)

        return named(_SCORES(call))

    return decorate


def require_outputs(outputs: Sequence[str], metrics: Sequence[str]) -> None:
    """Refuse a call without outputs, unless scores made elsewhere stand for them."""
    if not outputs and not any("@" in spec for spec in metrics):
        raise click.MissingParameter(
            ctx=click.get_current_context(),
            param_hint="'OUTPUT...'",
            param_type="argument",
        )


tok = option("--tok", "Tokeniser.", "13a")
case = option(
    "--case",
    "Keep letter case, or lower-case the texts first.",
    choices=["mixed", "lower"],
)
seed = option("--seed", "Random seed.", defaults.SEED, least=0)
form = option("--format form", "Output format.", choices=REPORT_FORMATS)
result_form = option(
    "--format form",
    "Output format; markdown, latex, html and xlsx are tables for papers.",
    choices=RESULT_FORMATS,
)
table_or_json = option("--format form", "Output format.", choices=["table", "json"])
out = option("-o --out FILE", "Write to this file instead of the screen.")
DIGITS = "Decimal places in tables."
digits = option("--digits", DIGITS, 2, type=click.IntRange(0, 15))
result_digits = option(
    "--digits",
    "Decimal places in tables; two more for --scores between 0 and 1.",
    type=click.IntRange(0, 15),
    show_default="2; in tables for papers 1",
)
_PAPER = (
    option(
        "--caption TEXT",
        "Caption of a table for a paper; by default a description of what was scored.",
    ),
    option("--label", "Label of a table for a paper.", show_default="tab:scores"),
    option(
        "--rename OLD=NEW",
        "Rename a system or metric in a table for a paper. May be given several times.",
        multiple=True,
    ),
    option(
        "--column-group column_groups TITLE=METRIC[,METRIC]",
        "Common heading for several metrics in a table for a paper. May be given "
        "several times.",
        multiple=True,
    ),
    option(
        "--signature",
        "Print full signatures, only non-default settings, or sacreBLEU's format.",
        choices=["full", "short", "sacrebleu"],
    ),
    option(
        "--methods",
        "Print a methods paragraph for a paper with BibTeX entries instead of scores.",
        is_flag=True,
    ),
)


def add_paper_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of tables for papers."""
    return _add_options(command, _PAPER)


def _add_options(
    command: Callable[..., Any], added: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    for add in reversed(added):
        command = add(command)
    return command


_TEST = (
    option(
        "--test",
        "Paired approximate randomisation (ar) or paired bootstrap.",
        choices=["ar", "bootstrap"],
    ),
    option(
        "--trials",
        "Number of permutations or resamples.",
        least=1,
        show_default=f"{defaults.TEST_TRIALS}, or as many as the comparisons need",
    ),
    seed,
    option(
        "--unit",
        "Unit of swaps or resamples; auto: documents if there are at least 20, else "
        "segments.",
        choices=["auto", "segment", "document"],
    ),
    option(
        "--alpha",
        "Significance level: differences with a p-value up to this are significant.",
        0.05,
        type=FiniteRange(0, 1, min_open=True, max_open=True),
    ),
)


def add_test_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a significance test."""
    return _add_options(command, _TEST)


strict = option(
    "--strict",
    "Treat warnings about suspicious input as errors.",
    is_flag=True,
)
labels = option(
    "--labels NAME=FILE",
    "Score segments by label: a file with one label per line. May be given several "
    "times.",
    multiple=True,
)


_TABLE_OPTIONS = (
    option(
        "--hyp-column hyp_columns [NAME=]COLUMN",
        "Table column with the outputs of a system. May be given several times.",
        multiple=True,
    ),
    option(
        "--ref-column ref_columns COLUMN",
        "Table column with references. May be given several times.",
        multiple=True,
    ),
    option("--source-column COLUMN", "Table column with the source."),
    option("--doc-column COLUMN", "Table column with document ids."),
    option("--sheet NAME", "Sheet of a workbook, by name or number."),
    option(
        "--delimiter MARK",
        "Cell delimiter of tables: tab, comma, semicolon, pipe or any character; "
        "auto detects it.",
        "auto",
    ),
    option(
        "--quotes",
        "Double quotes around table cells: read them as quotes or as text; auto "
        "detects it.",
        choices=["auto", "yes", "no"],
    ),
    option(
        "--encoding NAME",
        "Encoding of text files, for example cp1252; auto: UTF-8, or UTF-16 if there "
        "is a byte order mark.",
        "auto",
    ),
)


def tables(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how tables are read.

    The command is given `columns`, which is None if no column was named, and `reading`.
    """

    @wraps(command)
    def call(**given: Any) -> Any:
        from metra.formats.texts.columns import (
            ColumnNames,
            ReadingOptions,
            split_output_column,
        )

        columns = ColumnNames(
            outputs=tuple(map(split_output_column, given.pop("hyp_columns"))),
            references=given.pop("ref_columns"),
            source=given.pop("source_column"),
            document=given.pop("doc_column"),
        )
        given["columns"] = None if columns == ColumnNames() else columns
        names = ReadingOptions._fields
        given["reading"] = ReadingOptions(*(given.pop(name) for name in names))
        return command(**given)

    return _add_options(call, _TABLE_OPTIONS)


#: Widths of pictures in print, in millimetres: a column and the text of A4 in ACL's style.
PICTURE_WIDTHS = {"column": 77.0, "page": 160.0}

_PICTURE = (
    option(
        "--plot FILE", "Draw a chart and write it to this file: .svg, .pdf or .png."
    ),
    option(
        "--plot-width WIDTH",
        "Width of the chart in print: column (77 mm), page (160 mm) or a number of "
        "millimetres. The font size does not change.",
    ),
    option(
        "--plot-points",
        "Font size in print, in points.",
        8.0,
        type=FiniteRange(3, 40),
    ),
    option(
        "--plot-font NAME",
        "Font: sans, serif or an installed font family.",
        "sans",
    ),
    option("--plot-no-title", "Omit title and caption.", is_flag=True),
)


def picture(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a picture; the command gets `plot` and `layout`.

    That the file can be written is checked before any work.
    """

    @wraps(command)
    def call(
        plot: str | None,
        plot_width: str | None,
        plot_points: float,
        plot_font: str,
        plot_no_title: bool,
        **given: Any,
    ) -> Any:
        layout = None
        if plot is not None:
            from metra.report.chart import PictureLayout
            from metra.report.picture_file import check_picture_path

            check_picture_path(plot)
            width = None if plot_width is None else _read_width(plot_width)
            layout = PictureLayout(width, plot_points, plot_font, not plot_no_title)
        return command(plot=plot, layout=layout, **given)

    for add_option in reversed(_PICTURE):
        call = add_option(call)
    return call


def _read_width(given: str) -> float:
    try:
        width = PICTURE_WIDTHS.get(given) or float(given)
    except ValueError:
        width = 0.0
    if not 30 <= width <= 1000:
        msg = f"--plot-width {given}: expected column, page or 30 to 1000 millimetres."
        raise click.UsageError(msg)
    return width
