"""Flags that a command had once are answered with what to write instead."""

from pathlib import Path

import click
import pytest

import metra
from metra.cli import cli as commands

LIST = Path(metra.__file__).with_name("cli") / "removed_flags.txt"


def list_removed() -> list[tuple[str, str, str]]:
    """List command, flag and sentence of each line."""
    entries = []
    for line in LIST.read_text("utf-8").split("\n"):
        if line and not line.startswith("#"):
            command, _, rest = line.partition(" --")
            flag, _, sentence = rest.partition(" ")
            entries.append((command, f"--{flag}", sentence))
    return entries


def find_command(path: str) -> click.Command | None:
    """Find a command by its words, such as `meta rank`."""
    command: click.Command | None = commands
    for name in path.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    return command


@pytest.mark.parametrize(("path", "flag", "sentence"), list_removed())
def test_a_removed_flag_is_answered(path, flag, sentence, cli):
    command = "score" if path == "*" else path
    found = find_command(command)
    if isinstance(found, click.Group):
        command = f"{command} {found.list_commands(click.Context(found))[0]}"
        found = find_command(command)
    assert found is not None
    assert flag not in {name for param in found.params for name in param.opts}
    ran = cli(*command.split(), flag)
    assert ran.code == 2
    assert ran.err == f"metra: metra {command} no longer has {flag}: {sentence}\n"
    assert sentence.endswith(".")


def test_advice_for_several_commands_is_given_where_it_can_be_followed(cli):
    ran = cli("meta", "rank", "--caption", "x")
    assert ran.err.startswith("metra: metra meta rank has no option --caption")
    assert "--table caption=TEXT" in cli("score", "--caption", "x").err
