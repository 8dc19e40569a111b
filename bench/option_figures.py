"""Options of the command line: how many each command has, and how many flags differ."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from source_tree import Figure

COUNT = """
import json, click
from metra.cli import cli

def walk(command, path, context):
    if isinstance(command, click.Group):
        inside = click.Context(command, info_name=path, parent=context)
        for name in command.list_commands(inside):
            yield from walk(command.get_command(inside, name), f"{path} {name}", inside)
    else:
        options = [one for one in command.params if isinstance(one, click.Option)]
        yield path, [*(option.opts[-1] for option in options), "--help"]

print(json.dumps(dict(walk(cli, "metra", None))))
"""


def list_options(checkout: Path) -> dict[str, list[str]]:
    """List the flags of each command of a checkout, its kernels built."""
    path = os.pathsep.join([str(checkout / "src"), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-c", COUNT],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    commands: dict[str, list[str]] = json.loads(ran.stdout)
    return commands


def measure_options(checkout: Path) -> list[Figure]:
    """Count options, different flags, and the options of `metra score`."""
    commands = list_options(checkout)
    flags = Counter(flag for options in commands.values() for flag in options)
    return [
        Figure("commands", len(commands), "commands, those of groups one by one"),
        Figure(
            "options", flags.total(), "options of all commands, each with its --help"
        ),
        Figure("flags", len(flags), "different flags among them"),
        Figure("options_of_score", len(commands["metra score"]), "of metra score"),
    ]
