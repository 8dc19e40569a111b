"""The command line: one module per command, loaded when the command is called.

This file has the list of commands, the flags that messages name (`FLAGS`) and the exit codes.

clir: `metra clir`, retrieval of documents through their translations
compare: `metra compare`, systems against a baseline or each other; changed segments (5 words)
completion: completion of commands, metrics and files in shells
convert: `metra convert`, a corpus from one format to another
demo: `metra demo`, the main job on the shipped example
derive: click options derived from the fields of an options record
evaltrans: `metra evaltrans`, the collection of judged outputs for the metric evaltrans
exercise: `metra exercise`, evaluators compared, and people with metrics, from 0 to 100
exercise_setup: `metra exercise init`: campaigns, links and automatic scores for a class
gate: `metra gate`, outputs checked against a saved baseline, for continuous integration
grid: `metra grid`, the words of a segment against those of its references
help: `metra help` and `metra metrics`: topics (topics.toml); groups of options in help pages
judge: `metra judge`, campaigns of human judgement
meta: `metra meta`, meta-evaluation of metrics and judges
open: `metra open`, the workbench in the browser; where its store is kept
options: options that several commands share; settings of --read; the most trials; picture sizes
output: files and screen for results, progress on standard error, provenance; --strict warnings
parse: `metra parse`, dependency parses of a text
profile: `metra profile`, length, repetition, copied words and more of each system
push: `metra push`, outputs sent to a workbench
report: `metra report`, everything about some outputs as one HTML file
sacrebleu: `metra sacrebleu`, sacreBLEU's command line with its flags, output and signatures
segment: `metra segment`, sentences, and outputs segmented like their references
settings: settings that one flag takes, as KEY=VALUE
testsets: `metra testsets`, test sets by name: list
usage: usage errors in one sentence each; answers to removed flags (removed_flags.txt)
score: `metra score`, outputs against references, by any metrics; flags that exclude each other
weights: `metra weights`, lists of the salience of each word in each document
"""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from metra import __version__
from metra.errors import MetraError, TextWarning, UnknownNameError, no_such

# numpy would start a thread for each core to multiply matrices with, at a third of the cost
# of loading it; we multiply none that are worth it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Arrow's own allocator keeps a third more of the memory that tables leave, and is no faster.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

#: The commands, each in the module of its name, in the order in which one meets them.
COMMANDS = (
    *("score", "compare", "gate", "profile", "report", "open", "push", "clir", "grid"),
    *("metrics", "parse", "evaltrans", "weights", "convert", "segment", "testsets"),
    *("meta", "judge", "exercise", "sacrebleu", "demo", "help"),
)

#: Parameters that messages of the library name in backticks and that have flags of the
#: same name.
_SAME = (
    *("automated", "drop", "engine", "folds", "gold", "good", "group_by"),
    *("human", "lang", "level", "like"),
    *("name", "only", "replace", "resume", "scores_out", "scorer", "store"),
    *("to", "trials", "wmt"),
)

#: The flag for each parameter that messages of the library name in backticks.
FLAGS = {name: f"--{name.replace('_', '-')}" for name in _SAME} | {
    "references": "-r FILE",
    "refs": "-r FILE",
    "source": "-s FILE",
    "documents": "--docs FILE",
    "pair": "-l PAIR",
    "scales": "--scale",
    "columns.outputs": "--read hyp",
    "columns.references": "--read ref",
    "columns.source": "--read source",
    "columns.document": "--read doc",
    **{key: f"--read {key}" for key in ("delimiter", "encoding", "quotes", "sheet")},
    "clean": "--clean",
    "untranslated": "--read untranslated=empty",
    "assumed": "--sd",
    "out": "-o",
    "outputs": "--output",
}


def name_flags(message: str, flags: Mapping[str, str] = FLAGS) -> str:
    """Replace parameters in backticks by the flags that set them.

    >>> name_flags("No documents are known; give `documents`, or `input_format` tsv.")
    'No documents are known; give --docs FILE, or --read format=tsv.'
    """
    text = re.sub(
        r"`input_format`(?: (\w+)(?=[,.]))?",
        lambda form: f"--read format={form[1] or 'NAME'}",
        message,
    )
    return re.sub("`([a-z_.]+)`", lambda name: flags.get(name[1], name[0]), text)


class GroupedCommand(click.Command):
    """A command whose help lists many options in groups."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; settings of `--read` may have flags of their own."""
        if any(param.name == "read" for param in self.params):
            args = list(_replace_read_flags(args))
        return super().parse_args(ctx, args)

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the options, those of the command alone first."""
        shown = [
            (option, record)
            for option in self.get_params(ctx)
            if isinstance(option, click.Option)
            and (record := option.get_help_record(ctx)) is not None
        ]
        if len(shown) <= MOST_UNGROUPED:
            super().format_options(ctx, formatter)
            return
        from metra.cli.help import GROUPS, find_group

        groups: dict[str, list[tuple[str, str]]]
        groups = {title: [] for title in ("Options", *GROUPS)}
        *entries, (_, for_help) = shown
        for option, record in entries:
            groups[find_group(option.name or "") or "Options"].append(record)
        last = [title for title, records in groups.items() if records][-1]
        groups[last].append(for_help)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class CommandWithInit(GroupedCommand):
    """A command of files; `init` as the first argument is another command."""

    #: The module with the function `init`.
    init_module: str

    def load_init(self) -> click.Command:
        """Import the other command."""
        command: click.Command = import_module(self.init_module).init
        return command

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Let the other command parse its own arguments."""
        if args[:1] != ["init"]:
            return super().make_context(info_name, args, *rest, **extra)
        init = self.load_init()
        return init.make_context(f"{info_name} init", args[1:], *rest, **extra)


class CommandWithViews(GroupedCommand):
    """A command with several answers, of which an option chooses one with its own options."""

    #: The option, and the command of each of its values: first this one, which is the
    #: default. A value in capitals stands for any other value.
    chooser: str
    views: Mapping[str, "CommandWithViews"]

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Let the command of the chosen answer parse the arguments."""
        value = _find_value(args, self.chooser)
        other = next((self.views[each] for each in self.views if each.isupper()), self)
        view = self if value is None else self.views.get(value, other)
        if view is self:
            return super().make_context(info_name, args, *rest, **extra)
        name = f"{info_name} {self.chooser} {value}"
        return view.make_context(name, args, *rest, **extra)

    def find_views(self, flag: str) -> list[str]:
        """Return the other answers that have an option, as they are chosen."""
        return [
            f"{self.chooser} {value}"
            for value, view in self.views.items()
            if any(flag in param.opts for param in view.params)
        ]

    def list_views(
        self, ctx: click.Context
    ) -> Iterator[tuple[str, str, list[click.Option]]]:
        """Yield the other answers of the default: choice, help, and options of their own."""
        own = [(p.opts, p.get_help_record(ctx)) for p in self.params]
        for value, view in [*self.views.items()][1:] if self.is_default else ():
            params = (param for param in view.params if self.chooser not in param.opts)
            yield (
                f"{self.chooser} {value}",
                view.help or "",
                [
                    param
                    for param in params
                    if isinstance(param, click.Option)
                    and (param.opts, param.get_help_record(ctx)) not in own
                ],
            )

    @property
    def is_default(self) -> bool:
        """True for the answer without the option."""
        return next(iter(self.views.values())) is self

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the options of the default, then those of each other answer."""
        super().format_options(ctx, formatter)
        for choice, about, options in self.list_views(ctx):
            with formatter.section(f"With {choice}"):
                formatter.write_text(about)
                records = [option.get_help_record(ctx) for option in options]
                if options:
                    formatter.write_paragraph()
                    formatter.write_dl([record for record in records if record])


def _find_value(args: Iterable[str], flag: str) -> str | None:
    """Return the last value of an option among arguments."""
    value, rest = None, iter(args)
    for arg in rest:
        name, is_joined, joined = arg.partition("=")
        if name == flag:
            value = joined if is_joined else next(rest, None)
    return value


MOST_UNGROUPED = 9


#: Flags that stand for settings of --read.
_READ_FLAGS = {"--input-format": "format", "--clean": "clean"}


def _replace_read_flags(args: Iterable[str]) -> Iterator[str]:
    rest = iter(args)
    for arg in rest:
        flag, is_joined, value = arg.partition("=")
        if flag not in _READ_FLAGS:
            yield arg
        elif (value := value if is_joined else next(rest, "")) != "auto":
            yield from ("--read", f"{_READ_FLAGS[flag]}={value}")


class Commands(click.Group):
    """Commands whose list says in a whole sentence what each does."""

    command_class = GroupedCommand

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names, or say which ones there are."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from metra.cli.usage import find_advice

            owner, names = ctx.command_path, self.list_commands(ctx)
            if advice := find_advice(owner, name, ()):
                msg = f"{owner} no longer has {name}: {advice}"
                raise UnknownNameError(msg)
            raise UnknownNameError(no_such("command", name, names, owner=owner))
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List them, over two lines where one is too short."""
        commands = {
            name: self.get_command(ctx, name) for name in self.list_commands(ctx)
        }
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=sys.maxsize))
                    for name, command in commands.items()
                    if command is not None
                ]
            )


class LazyGroup(Commands):
    """Commands, each loaded when called."""

    def __init__(
        self, *args: Any, package: str, modules: Mapping[str, str], **given: Any
    ) -> None:
        super().__init__(*args, **given)
        self.package = package
        self.modules = modules

    def list_commands(self, _: click.Context) -> list[str]:
        """List the commands in the order in which one meets them."""
        return list(self.modules)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Load a command."""
        if name not in self.modules:
            return None
        # A function cannot be called import, and should not be called help.
        function = f"{name}_" if name in ("import", "help") else name
        return getattr(import_module(f"{self.package}.{self.modules[name]}"), function)


@click.group(
    cls=LazyGroup,
    package="metra.cli",
    modules={name: "help" if name == "metrics" else name for name in COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", message="metra %(version)s")
def cli() -> None:
    """Evaluate machine translation with metrics, tests and human judgements."""


#: The exit code of a fault of metra itself, as in sysexits.h.
INTERNAL = 70


def _report_fault(error: Exception) -> str:
    """Write down what happened where the user can send it from, and say so."""
    import platform
    import tempfile
    import traceback

    name = f"{type(error).__name__}: {error}".split("\n")[0][:200]
    fault = f"Internal error in metra ({name})"
    lines = traceback.format_exception(error)
    about = f"metra {__version__}, Python {platform.python_version()}, {platform.platform()}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="metra-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(f"{about}\n\n{''.join(lines)}")
    except OSError:
        return f"{fault}; please report it with these lines:\n{''.join(lines)}"
    return f"{fault}; please report it with the file {file.name}."


def _make_display() -> Callable[..., None]:
    """Return a function that shows warnings about texts in a line each, once."""
    shown, show_other = set[str](), warnings.showwarning

    def show(message: Warning | str, *details: Any, **more: Any) -> None:
        text = f"metra: warning: {name_flags(str(message))}"
        if not isinstance(message, TextWarning):
            show_other(message, *details, **more)
        elif text not in shown:
            shown.add(text)
            click.echo(text, err=True)

    return show


def main() -> None:
    """Run the command line; report wrong input in one message."""
    out = sys.stdout
    if "_METRA_COMPLETE" in os.environ:
        from metra.cli.completion import add_file_names

        add_file_names()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", TextWarning)
            warnings.showwarning = _make_display()
            cli(prog_name="metra", standalone_mode=False)
    except MetraError as error:
        click.echo(f"metra: {name_flags(str(error))}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        # The message of a command without arguments is its help.
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            error.show()
        else:
            from metra.cli.usage import describe_usage_error

            click.echo(f"metra: {describe_usage_error(error)}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt) as stop:
        # click puts its own exception in the place of one that may say what is kept.
        said = str(stop.__cause__ or stop) or "interrupted; nothing was written."
        click.echo(f"metra: {name_flags(said)}", err=True)
        sys.exit(130)
    except MemoryError:
        msg = "Not enough memory; nothing more was written."
        click.echo(f"metra: {msg}", err=True)
        sys.exit(INTERNAL)
    except Exception as error:
        click.echo(f"metra: {_report_fault(error)}", err=True)
        sys.exit(INTERNAL)
    except SystemExit as ended:
        # click puts another stream in the place of one whose reader has gone, as `head`
        # does; that is no failure of ours.
        sys.exit(ended.code if sys.stdout is out else 0)
