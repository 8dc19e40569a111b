"""Console blocks with the output that their commands really give."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
#: Commands that change the machine or take the network; shown, not run.
NOT_RUN = ("pip", "make", "git", "cargo", "apt", "apt-get", "source", "python")
TIMEOUT = 600
Run: TypeAlias = Callable[[str, Path], str]


class Call(NamedTuple):
    """A command of a block: its lines, the command that they are, and its output."""

    lines: str
    command: str
    output: str


def refreshed(page: str, examples: Path, run: Run | None = None) -> str:
    """Run the commands of a page, one after the other, in a folder with the example.

    Output that is still right stays as it is written, with the ellipses in it. `run` runs a
    command in a folder and returns its output; a shell does unless it is given.
    """
    if not BLOCK.search(page):
        return page
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(examples, Path(folder) / "examples")
        run_there = partial(run or run_command, folder=Path(folder))
        return BLOCK.sub(lambda match: _refresh_block(match[1], run_there), page)


def _refresh_block(block: str, run: Callable[[str], str]) -> str:
    calls = list_calls(block)
    return "".join(call.lines + _find_output(call, run) for call in calls) or block


def list_calls(block: str) -> list[Call]:
    """Return the commands of a block, each with the lines that follow it."""
    calls: list[Call] = []
    for line in block.removesuffix("\n").split("\n"):
        if line.startswith("$ "):
            calls.append(Call(f"{line}\n", line[2:], ""))
        elif calls and calls[-1].command.endswith("\\"):
            lines, command, _ = calls[-1]
            joined = command[:-1] + line.lstrip("> ")
            calls[-1] = Call(f"{lines}{line}\n", joined, "")
        elif calls:
            calls[-1] = calls[-1]._replace(output=f"{calls[-1].output}{line}\n")
    return calls


def _find_output(call: Call, run: Callable[[str], str]) -> str:
    if call.command.split()[0] in NOT_RUN:
        return call.output
    output = run(call.command)
    return call.output if is_like(output, call.output) else output


def is_like(output: str, written: str) -> bool:
    """Compare output; an ellipsis stands for anything, on a line of its own for lines."""
    pattern = "\n".join(
        "(?s:.*)" if line in ("…", "...") else re.escape(line).replace("…", ".*")
        for line in written.rstrip("\n").split("\n")
    )
    return re.fullmatch(pattern, output.rstrip("\n")) is not None


def run_command(command: str, folder: Path) -> str:
    """Return what a reader sees who types the command in a terminal of no colours."""
    # Whose terminal this is must not matter; readline tells its size to all programs.
    left_out = ("COLUMNS", "LINES")
    environment = {
        name: value for name, value in os.environ.items() if name not in left_out
    }
    done = subprocess.run(
        ["bash", "-c", f'metra() {{ "{sys.executable}" -m metra "$@"; }}\n{command}'],
        cwd=folder,
        # Test sets are registered in the folder, not for whoever builds the pages.
        env=environment | {"PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=TIMEOUT,
    )
    if done.returncode:
        msg = f"$ {command}\nended with {done.returncode}: {done.stdout}"
        raise SystemExit(msg)
    return done.stdout
