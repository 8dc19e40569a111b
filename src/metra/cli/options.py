"""Options that several commands share: files, metrics, formats, seeds, analyses."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from metra.cli import GroupedCommand
from metra.cli.settings import (
    check_choice,
    collect_settings,
    parse_settings,
    split_file_settings,
)
from metra.errors import MissingReferenceError, not_possible
from metra.formats.recognise import FORMATS
from metra.report import FORMATS as REPORT_FORMATS
from metra.report import RESULT_FORMATS
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.formats.testsets.record import NamedSet


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
    """A command on outputs and references that detects common slips in its arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note the outputs that come after a reference, and read the arguments."""
        entries = [entry for entry in self.params if isinstance(entry, click.Option)]
        valued = [flag for entry in entries if not entry.is_flag for flag in entry.opts]
        ctx.meta[STRAY_OUTPUTS] = _list_stray_outputs(args, valued)
        return super().parse_args(ctx, args)

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


def split_specs(_: object, __: object, given: Iterable[str]) -> tuple[str, ...]:
    """Split names of metrics at commas.

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
DOCUMENTS = (
    "Document ids, one per line, optionally followed by a tab and the segment id."
)
documents = option("--docs documents FILE", DOCUMENTS)
#: Settings of --read by their meaning.
READ_SETTINGS = {
    "hyp=[NAME=]COLUMN": "Table column with the outputs of a system; repeatable.",
    "ref=COLUMN": "Table column with references, or with -t a reference of the test set; "
    "repeatable.",
    "source=COLUMN": "Table column with the source.",
    "doc=COLUMN": "Table column with document ids.",
    "score=NAME[/SYSTEM]=COLUMN": "Table column with scores from another program; "
    "repeatable.",
    "sheet=NAME": "Sheet of a workbook, by name or number.",
    "delimiter=MARK": "tab, comma, semicolon, pipe or any character; otherwise detected.",
    "quotes=yes|no": "Double quotes around cells are quotes, or text; otherwise detected.",
    "encoding=NAME": "Encoding of text files, such as cp1252; otherwise UTF-8, or UTF-16 "
    "with a byte order mark.",
    "codes=drop|keep|placeholders": "Inline codes in files of translation tools.",
    "untranslated=refuse|empty": "Units without translation in such a file of outputs.",
    "format=NAME": "Format of all input files (see metra help formats); otherwise detected.",
    "clean=NAME+NAME": "Remove marks of tools from the lines of outputs: bom, encoding, "
    "lost, accents, invisible, colours, unknown, think, tags, preamble, json, lists, quotes, "
    "numbering, bpe, sentencepiece, joiner, wordpiece, entities, escapes or backslashes; "
    "--clean NAME+NAME for short.",
    "subset=LABEL=VALUE": "Matching segments of a test set only, such as origlang=en, "
    "domain=news or doc=bbc.*; != selects all others; repeatable.",
}
READ_KEYS = [key.partition("=")[0] for key in READ_SETTINGS]
_REPEATABLE = ("hyp", "ref", "score", "subset")
_INPUTS = {
    "references": [references],
    "source": [source],
    "test_set": [
        option(
            "-t --test-set test_name NAME",
            "Test set on this machine; provides references, source and documents (see "
            "`metra testsets`).",
        ),
        option(
            "-l --language-pair PAIR",
            "Language pair of a test set or table, as in en-de.",
        ),
    ],
    "documents": [documents],
}
#: The kinds of files of an evaluation.
CORPUS = ("references", "source", "test_set", "documents")
_read = option(
    "--read KEY=VALUE,…",
    "Settings of the input files: columns of a table (hyp, ref, source, doc, score), sheet, "
    "delimiter, quotes, encoding, format, marks to remove (clean), or a subset of a test "
    "set (see `metra help read`).",
    multiple=True,
)


def _adapt(
    change: Callable[[dict[str, Any]], None], *added: Callable[..., Any]
) -> Callable[..., Any]:
    """Add options; `change` turns what was given into arguments of the command."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(**given: Any) -> Any:
            change(given)
            return command(**given)

        return add_options(*added)(call)

    return decorate


def add_options(*added: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds options in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for add in reversed(added):
            command = add(command)
        return command

    return decorate


def input_files(*kinds: str) -> Callable[..., Any]:
    """Add the options of some kinds of input files, and --read.

    The command gets `files`, a `CorpusFiles`, with its argument `outputs` if it has one.
    """

    def change(given: dict[str, Any]) -> None:
        from metra.formats.texts.columns import ReadingOptions
        from metra.scoring.files import CorpusFiles

        settings = {}
        if entries := given.pop("read"):
            settings = collect_settings("--read", entries, READ_KEYS, _REPEATABLE)
        pair, name = given.pop("language_pair", None), given.pop("test_name", None)
        files = {"outputs": given.pop("outputs", ()), "reading": ReadingOptions()}
        files |= {key: given.pop(key) for key in kinds if key != "test_set"}
        if name or "subset" in settings:
            files["test_set"] = _load_test_set(name, pair, settings)
        if settings:
            files |= _read_settings(settings)
        if pair:
            files["reading"] = files["reading"]._replace(pair=pair)
        given["files"] = CorpusFiles(**files)

    return _adapt(change, *chain(*map(_INPUTS.__getitem__, kinds)), _read)


def _load_test_set(
    name: str | None, pair: str | None, settings: dict[str, list[str]]
) -> "NamedSet":
    """Load a test set; of the settings, it takes its references and its subset."""
    if name is None:
        msg = "--read subset selects from a test set; give -t NAME as well."
        raise click.UsageError(msg)
    from metra.formats.testsets.lookup import describe_set, load_test_set

    references, subset = settings.pop("ref", []), settings.pop("subset", [])
    texts = load_test_set(name, pair or "", references=references, subset=subset)
    click.echo(describe_set(texts), err=True)
    return texts


def _read_settings(settings: dict[str, list[str]]) -> dict[str, Any]:
    """Return the arguments of `CorpusFiles` that the settings of --read give."""
    from metra.formats.texts.columns import ColumnNames, ReadingOptions
    from metra.formats.texts.roles import split_output_column

    single = {key: values[0] for key, values in settings.items()}
    columns = ColumnNames(
        outputs=tuple(map(split_output_column, settings.get("hyp", ()))),
        references=tuple(settings.get("ref", ())),
        source=single.get("source"),
        document=single.get("doc"),
    )
    form = check_choice("--read", single, "format", ("auto", *FORMATS))
    check_choice("--read", single, "quotes", ("auto", "yes", "no"))
    if "clean" in single:
        from metra.formats.texts.furniture import parse_names

        parse_names(single["clean"])
    check_choice("--read", single, "codes", ("drop", "keep", "placeholders"))
    check_choice("--read", single, "untranslated", ("refuse", "empty"))
    reading = {key: single[key] for key in ReadingOptions._fields if key in single}
    return {
        "columns": None if columns == ColumnNames() else columns,
        "reading": ReadingOptions(**reading),  # type: ignore[arg-type]
        "score_columns": tuple(settings.get("score", ())),
        "input_format": form,
    }


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


def _complete_metrics(_: object, __: object, word: str) -> list[str]:
    from metra.metrics.registry import list_metrics

    return [name for name in list_metrics() if name.startswith(word)]


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

    def change(given: dict[str, Any]) -> None:
        if files := given.pop("scores"):
            from metra.metrics.outside import list_specs

            defaults = default.split(", ") if ", " in default else ()
            chosen = given["metrics"] or defaults
            given["metrics"] = (*chosen, *list_specs(files))

    return _adapt(change, named, _SCORES)


def require_outputs(outputs: Sequence[str], metrics: Sequence[str]) -> None:
    """Refuse a call without outputs, unless scores made elsewhere stand for them."""
    if not outputs and not any("@" in spec for spec in metrics):
        raise click.MissingParameter(
            ctx=click.get_current_context(),
            param_hint="'OUTPUT...'",
            param_type="argument",
        )


def text_preparation(**defaults: str) -> Callable[..., Any]:
    """Add --text; the command gets `text`, a `Preparation`."""
    add = option(
        "--text KEY=VALUE,…",
        "Words of the texts: tok, case (mixed or lower) and stem (no, porter "
        "or a Snowball language).",
        multiple=True,
        show_default=",".join(f"{key}={value}" for key, value in defaults.items()),
    )

    def change(given: dict[str, Any]) -> None:
        from metra.text.preparation import make_preparation

        text = parse_settings("--text", given["text"], tuple(defaults))
        check_choice("--text", text, "case", ("mixed", "lower"))
        given["text"] = make_preparation(**defaults | text)

    return _adapt(change, add)


unit = option(
    "--unit",
    "Unit of swaps or resamples; auto: documents if there are at least 20, else "
    "segments.",
    choices=["auto", "segment", "document"],
)
seed = option("--seed", "Random seed.", defaults.SEED, least=0)
form = option("--format form", "Output format.", choices=REPORT_FORMATS)
result_form = option(
    "--format form",
    "Output format; markdown, latex and xlsx are tables for papers.",
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
#: Options of tables for papers.
paper = add_options(
    option(
        "--table paper KEY=VALUE,…",
        "Table for a paper: caption, label, or differences=yes for a second table with "
        "intervals and p-values.",
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
#: Options of a significance test.
significance = add_options(
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
    unit,
    option(
        "--alpha",
        "Significance level: differences with a p-value up to this are significant.",
        0.05,
        type=FiniteRange(0, 1, min_open=True, max_open=True),
    ),
)
strict = option(
    "--strict", "Treat warnings about suspicious input as errors.", is_flag=True
)
labels = option(
    "--labels NAME=FILE",
    "Score segments by label: a file with one label per line. May be given several "
    "times.",
    multiple=True,
)


#: Widths of pictures in print, in millimetres: a column and the text of A4 in ACL's style.
PICTURE_WIDTHS = {"column": 77.0, "page": 160.0}

_plot = option(
    "--plot FILE[:KEY=VALUE]",
    "Draw a chart and write it to this file: .svg, .pdf or .png. For print, without its "
    "title: width=column (77 mm), page (160 mm) or millimetres.",
)


def _read_plot(given: dict[str, Any]) -> None:
    width = None
    if given["plot"] is not None:
        from metra.report.picture_file import check_picture_path

        path, settings = split_file_settings("--plot", given["plot"], ["width"])
        check_picture_path(path)
        given["plot"], width = path, settings.get("width")
    given["print_width"] = None if width is None else _read_width(width)


#: The option of a picture; the command gets `plot` and `print_width`, in millimetres. That
#: the file can be written is checked before any work.
picture = _adapt(_read_plot, _plot)


def _read_width(given: str) -> float:
    try:
        width = PICTURE_WIDTHS.get(given) or float(given)
    except ValueError:
        width = 0.0
    if not 30 <= width <= 1000:
        expected = "column, page or 30 to 1000 millimetres"
        raise click.UsageError(not_possible(f"--plot width={given}", expected))
    return width
