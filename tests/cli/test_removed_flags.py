"""Flags that a command had once are answered with what to write instead."""

import re
from pathlib import Path

import click
import pytest

import metra
from metra.cli import cli as commands

LIST = Path(metra.__file__).with_name("cli") / "removed_flags.txt"


def list_removed() -> list[tuple[str, str, str]]:
    """List command, flag and sentence of each line."""
    lines = re.findall(r"(?m)^([a-z* ]+?) (--\S+) (.+)$", LIST.read_text("utf-8"))
    assert len(lines) > 100
    return lines


def find_command(path: str) -> click.Command | None:
    """Find a command by its words, such as `meta rank`."""
    command: click.Command | None = commands
    for name in path.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    return command


def find_without(path: str, flag: str) -> str:
    """Find the first command of a group, or the command itself, that lacks the flag."""
    command = find_command(path)
    names = [""]
    if isinstance(command, click.Group):
        names = [f" {name}" for name in command.list_commands(click.Context(command))]
    for name in names:
        found = find_command(path + name)
        assert found is not None
        if flag not in {each for param in found.params for each in param.opts}:
            return path + name
    pytest.fail(f"{path} still has {flag}")


@pytest.mark.parametrize(("path", "flag", "sentence"), list_removed())
def test_a_removed_flag_is_answered(path, flag, sentence, cli):
    command = find_without("score" if path == "*" else path, flag)
    refused = cli.refusal(*command.split(), flag)
    assert refused == f"metra: metra {command} no longer has {flag}: {sentence}\n"
    assert sentence.endswith(".")


def test_advice_for_several_commands_is_given_where_it_can_be_followed(cli):
    ran = cli("meta", "rank", "--caption", "x")
    assert ran.err.startswith("metra: metra meta rank has no option --caption")
    assert "--table caption=TEXT" in cli("score", "--caption", "x").err


@pytest.mark.parametrize(
    "flag", [["--input-format", "plain"], ["--input-format=plain"]]
)
def test_the_input_format_is_a_setting_of_reading(flag, cli, tmp_path):
    path = tmp_path / "text.csv"
    path.write_text("a,b\nc d e f\n", "utf-8")
    written = cli.ok("score", str(path), "-r", str(path), *flag)
    assert written == cli.ok("score", path, "-r", path, "--read", "format=plain")
    assert "2 segments" in written.out
    refused = cli.refusal("score", str(path), "-r", str(path), "--input-format")
    assert refused.startswith("metra: --read format= is not possible; expected one of")
    automatic = cli("score", path, "-r", path, "--input-format", "auto")
    assert automatic == cli("score", path, "-r", path)


def test_a_removed_command_is_answered(cli):
    refused = cli.refusal("testsets", "check", "wmt23")
    assert refused.startswith(
        "metra: metra testsets no longer has check: metra testsets"
    )
    assert "has no command named 'chek'" in cli("testsets", "chek").err
