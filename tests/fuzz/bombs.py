"""Small files that ask for much: how long they are read, and with how much memory."""

import gzip
import io
import lzma
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import zstandard

ROOT = Path(__file__).resolve().parents[2]


class Bomb(NamedTuple):
    """A file: what it is, its name, and what writes it."""

    title: str
    name: str
    make: Callable[[], bytes]


class Measured(NamedTuple):
    """How a bomb was read: exit code, seconds, megabytes, the message."""

    title: str
    packed: int
    code: int
    seconds: float
    memory: int
    message: str


def _pack_lines() -> bytes:
    return gzip.compress(b"a b\n" * 500_000_000, 9)


def _pack_line() -> bytes:
    return zstandard.compress(b"ab " * 333_000_000)


def _write_parquet(column: object) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    size = len(column)
    table = pa.table({"ref": ["y"] * size, "output:a": column})
    parquet.write_table(
        table, out, compression="zstd", dictionary_pagesize_limit=1 << 28
    )
    return out.getvalue()


def _write_cell() -> bytes:
    import pyarrow as pa

    return _write_parquet(pa.array(["ab " * 100_000_000], pa.large_string()))


def _write_shared() -> bytes:
    import pyarrow as pa

    indices = pa.array([0] * 100_000, pa.int32())
    return _write_parquet(pa.DictionaryArray.from_arrays(indices, ["ab " * 300_000]))


def _write_workbook() -> bytes:
    import xlsxwriter

    first, out = io.BytesIO(), io.BytesIO()
    book = xlsxwriter.Workbook(first)
    sheet = book.add_worksheet()
    for row, cells in enumerate((("ref", "output:a"), ("x", "y"))):
        for column, cell in enumerate(cells):
            sheet.write(row, column, cell)
    book.close()
    with zipfile.ZipFile(first) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'r="B2"', b'r="XFD1048576"'))
    return out.getvalue()


BOMBS = (
    Bomb("2 GB of short lines, gzip", "a.txt.gz", _pack_lines),
    Bomb("1 GB on one line, zstd", "a.txt.zst", _pack_line),
    Bomb("garbage after an xz stream", "a.txt.xz", lambda: lzma.compress(b"a\n") + b"x"),
    Bomb("a cell of 300 MB, Parquet", "a.parquet", _write_cell),
    Bomb("100,000 cells that share a text of 900 kB, Parquet", "a.parquet", _write_shared),
    Bomb("a cell in the last row and column, workbook", "a.xlsx", _write_workbook),
    Bomb("JSON nested 100,000 deep", "a.json", lambda: b"[" * 10**5 + b"]" * 10**5),
    Bomb("JSON with 30 million empty lists", "a.json",
         lambda: b"[" + b"[]," * 30_000_000 + b"[]]"),
    Bomb("a number of a million digits, JSON", "a.jsonl",
         lambda: b'{"output": "a", "doc": ' + b"9" * 10**6 + b"}\n"),
    Bomb("a table of 300,000 columns", "a.tsv", lambda: b"\t".join([b"a"] * 300_000)),
    Bomb("entities within entities, TMX", "a.tmx",
         lambda: b'<!DOCTYPE tmx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tmx>&b;</tmx>'),
)  # fmt: skip

#: Reads one file as the server reads an upload.
_UPLOAD = """
import sys
from pathlib import Path
from metra.campaign.uploads import Upload, pair_uploads
from metra.limits import SERVED, apply_variable, use_limits
with use_limits(apply_variable(SERVED)):
    path = Path(sys.argv[1])
    paired = pair_uploads([Upload("output", path.name, path.read_bytes())])
print(paired.problem, file=sys.stderr)
sys.exit(2 if paired.problem else 0)
"""


def measure_bombs(folder: Path) -> list[tuple[Measured, Measured]]:
    """Read every bomb by the command line and as an upload."""
    measured = []
    for bomb in BOMBS:
        path = folder / bomb.name
        # In a process of its own: children begin with the memory of their parent.
        subprocess.run([sys.executable, __file__, bomb.title, str(path)], check=True)
        command = ("-m", "metra", "score", str(path), "-r", str(path))
        measured.append(
            (_run(bomb, path, command), _run(bomb, path, ("-c", _UPLOAD, str(path))))
        )
        path.unlink()
    return measured


def _run(bomb: Bomb, path: Path, arguments: tuple[str, ...]) -> Measured:
    started = time.monotonic()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    message = process.stderr.read() if process.stderr else ""
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - started
    size = path.stat().st_size
    memory = usage.ru_maxrss // 1024
    return Measured(bomb.title, size, code, seconds, memory, message.strip())


def format_bombs(measured: list[tuple[Measured, Measured]]) -> str:
    """Return the section of the page in Markdown."""
    lines = [
        "`metra score` reads each file with the limits of the command line, and with those",
        "of the server, as for an upload. Times include the start of Python. Exit code 2",
        "means that metra refused the file in one sentence. Written by `python",
        "tests/fuzz/run.py --write`.",
        "",
        "| file | bytes | command line | server |",
        "| :-- | --: | :-- | :-- |",
    ]
    for by_command, by_server in measured:
        cells = [
            f"exit {one.code}, {one.seconds:.1f} s, {one.memory:,} MB"
            for one in (by_command, by_server)
        ]
        lines.append(
            f"| {by_command.title} | {by_command.packed:,} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    [chosen] = [bomb for bomb in BOMBS if bomb.title == sys.argv[1]]
    Path(sys.argv[2]).write_bytes(chosen.make())
