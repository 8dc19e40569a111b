"""The command line: one file a command, each loaded when it is called."""

import os
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click

from metra import __version__
from metra.errors import MetraError

# numpy would start a thread for each core to multiply matrices with, at a third of the cost
# of loading it; we multiply none that are worth it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: The module of this package that holds each command.
COMMANDS = {
    "score": "score",
    "compare": "compare",
    "profile": "profile",
    "report": "report",
    "rank": "rank",
    "clir": "clir",
    "grid": "grid",
    "metrics": "metrics",
    "parse": "parse",
    "evaltrans": "evaltrans",
    "weights": "weights",
    "convert": "convert",
    "meta": "meta",
    "judge": "judge",
    "demo": "demo",
}


#: The flag for each parameter that messages of the library name in backticks.
FLAGS = {
    "references": "-r FILE",
    "source": "-s FILE",
    "documents": "--docs FILE",
    "input_format": "--input-format",
    "units": "--unit",
}


def name_flags(message: str) -> str:
    """Replace parameters in backticks by the flags that set them.

    >>> name_flags("No documents are known; give `documents`.")
    'No documents are known; give --docs FILE.'
    """
    return re.sub("`([a-z_]+)`", lambda name: FLAGS.get(name[1], name[0]), message)


class Commands(click.Group):
    """Commands whose list says in a whole sentence what each does."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List them, over two lines where one is too short."""
        commands = [
            (name, self.get_command(ctx, name)) for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=sys.maxsize))
                    for name, command in commands
                    if command is not None
                ]
            )


class LazyGroup(Commands):
    """Commands that are loaded when called."""

    modules: ClassVar[Mapping[str, str]] = COMMANDS
    package = "metra.cli"

    def list_commands(self, _: click.Context) -> list[str]:
        """List the commands in the order in which one meets them."""
        return list(self.modules)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Load a command."""
        if name not in self.modules:
            return None
        # A function cannot be called import.
        function = f"{name}_" if name == "import" else name
        return getattr(import_module(f"{self.package}.{self.modules[name]}"), function)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", message="metra %(version)s")
def cli() -> None:
    """Score, judge, compare and explain machine translation."""


def main() -> None:
    """Run the command line; what is wrong with the input is said in one message."""
    out = sys.stdout
    try:
        cli(prog_name="metra", standalone_mode=False)
    except MetraError as error:
        click.echo(f"metra: {name_flags(str(error))}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt) as stop:
        # click puts its own exception in the place of one that may say what is kept.
        said = str(stop.__cause__ or stop) or "interrupted; nothing was written."
        click.echo(f"metra: {said}", err=True)
        sys.exit(130)
    except SystemExit as ended:
        # click puts another stream in the place of one whose reader has gone, as `head`
        # does; that is no failure of ours.
        sys.exit(ended.code if sys.stdout is out else 0)
