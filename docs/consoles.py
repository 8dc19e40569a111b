"""Console blocks with the output that their commands really give."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
PROMPT = "$ metra "


def refreshed(page: str, examples: Path) -> str:
    """Run the commands of a page, one after the other, in a folder with the example."""
    if not BLOCK.search(page):
        return page
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(examples, Path(folder) / "examples")
        return BLOCK.sub(lambda match: _block(match[1], folder), page)


def _block(block: str, folder: str) -> str:
    commands = [line for line in block.split("\n") if line.startswith(PROMPT)]
    return "".join(f"{line}\n{_output(line, folder)}" for line in commands)


def _output(line: str, folder: str) -> str:
    arguments = line.removeprefix(PROMPT)
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m metra {arguments}",
        shell=True,
        cwd=folder,
        # Test sets are registered in the folder, not for whoever builds the pages.
        env=_environment() | {"PYTHONUTF8": "1", "METRA_TESTSETS": "testsets.json"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if done.returncode:
        msg = f"{line}\nended with {done.returncode}: {done.stdout}"
        raise SystemExit(msg)
    return done.stdout


def _environment() -> dict[str, str]:
    """Whose terminal this is must not matter; readline tells its size to all programs."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "LINES")
    }
