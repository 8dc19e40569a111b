"""Run every case in a folder of its own and compare or store what it prints and writes.

    python tests/golden_run/record.py               tell which cases differ
    python tests/golden_run/record.py --write       accept: store what the cases give now
    python tests/golden_run/record.py --keep DIR    also write every output in full to DIR
    python tests/golden_run/record.py --only meta   cases whose name begins so

To see what changed inside an output that is stored by its hash, run with --keep on both
versions and diff the two folders.
"""

import argparse
import glob
import hashlib
import io
import json
import multiprocessing  # noqa: F401, it draws random bytes as those below do
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

# These draw random bytes when they are imported first, which would shift those that a case
# draws if it happened inside of one.
import fastapi  # noqa: F401
import numpy.random  # noqa: F401
import scipy.stats  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.golden_run import inside  # noqa: E402, run as a file it has to find itself

EXPECTED = Path(__file__).parent / "expected"
#: The moment at which everything is recorded: 2027-01-15 08:00 UTC.
NOW = 1_800_000_000.0
#: Outputs with more characters than this are stored as an extract and a hash.
LIMIT = 2500
ENVIRONMENT = {
    "SOURCE_DATE_EPOCH": str(int(NOW)),
    "METRA_ADMIN_PASSWORD": "correct horse battery",
    "NO_COLOR": "1",
    # Relative to the folder of the case.
    "SACREBLEU": "cache",
}
FORGOTTEN = ("COLUMNS", "LINES", "METRA_STORE", "METRA_BASE_URL", "FORCE_COLOR")
#: Stores and databases, whose content is asked for by commands.
BINARY = (".db", ".db-wal", ".db-shm")

Step = str | Callable[["Run"], None]


@dataclass(frozen=True)
class Case:
    """Steps that run one after the other in one folder, and what the folder starts with."""

    name: str
    steps: list[Step]
    #: Names of prepared material (see `MATERIAL`), copied into the folder.
    needs: tuple[str, ...] = ()
    limit: int = LIMIT


@dataclass
class Run:
    """A case that is running: its folder, and what it has written so far."""

    case: Case
    folder: Path
    keep: Path | None = None
    blocks: list[str] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.shipped = set(list_files(self.folder / "examples").values())

    def command(self, line: str, *, record: bool = True) -> str:
        """Run a command line, record everything that it leaves, and give its output."""
        before = list_files(self.folder)
        code, out, err = self.call(expand_words(line))
        if record:
            self.blocks.append(f"$ {line}\nexit {code}\n")
            self.add("stdout", out)
            self.add("stderr", err)
            for path, stamp in sorted(list_files(self.folder).items()):
                if before.get(path) == stamp:
                    continue
                if stamp in self.shipped:
                    self.blocks.append(f"--- file {path}\n(a file of the example)\n")
                    continue
                content = (self.folder / path).read_bytes()
                for name, text, limit in read_content(path, content):
                    self.add(f"file {name}", text, limit)
        return out

    def call(self, words: list[str]) -> tuple[int, str, str]:
        """Run the command line in this process."""
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
        err = io.StringIO()
        argv, stdin = sys.argv, sys.stdin
        sys.argv = words
        sys.stdin = io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8")
        code = 0
        try:
            with self.stand_still(), redirect_stdout(out), redirect_stderr(err):
                inside.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        except Exception as error:
            code = 1
            print(f"crashed: {type(error).__name__}: {error}", file=err)
        finally:
            sys.argv, sys.stdin = argv, stdin
            inside.forget_standard_input()
        return code, out.buffer.getvalue().decode(), err.getvalue()

    @contextmanager
    def stand_still(self) -> Iterator[None]:
        """Stop the clock and draw the same random bytes in the same step of a case."""
        self.count += 1
        step = f"{self.case.name} {self.count}"
        drawn = 0

        def draw(size: int) -> bytes:
            nonlocal drawn
            drawn += 1
            return hashlib.shake_256(f"{step} {drawn}".encode()).digest(size)

        kept = os.urandom, random._urandom, time.time  # type: ignore[attr-defined]
        os.urandom = random._urandom = draw  # type: ignore[attr-defined]
        time.time = lambda: NOW
        try:
            yield
        finally:
            os.urandom, random._urandom, time.time = kept  # type: ignore[attr-defined]

    def add(self, title: str, text: str, limit: int | None = None) -> None:
        """Record a text, in full or as an extract with its hash; nothing if it is empty."""
        if not text:
            return
        title, text = normalise(title, self.folder), normalise(text, self.folder)
        if self.case.name.startswith("meta/"):
            text = round_numbers(text)
        number = len(self.blocks)
        if self.keep is not None:
            name = re.sub(r"[^\w.-]+", "_", title)[-80:]
            path = self.keep / self.case.name / f"{number:03} {name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        end = "" if text.endswith("\n") else "\n(no newline at the end)\n"
        shown = shorten(text, self.case.limit if limit is None else limit)
        self.blocks.append(f"--- {title}\n{shown}{end if shown == text else ''}")


def shorten(text: str, limit: int) -> str:
    """Keep the beginning and the end of a long text, and the hash of all of it.

    >>> shorten("short", 10)
    'short'
    """
    if len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    lines = text.count("\n")
    noun = "line" if lines == 1 else "lines"
    told = f"[… {len(text)} characters, {lines} {noun}, sha256 {digest} …]\n"
    if limit < 200:
        return told
    return f"{text[: limit // 2]}\n{told}{text[-(limit // 8) :]}\n"


def normalise(text: str, folder: Path) -> str:
    """Replace what may differ between two runs: folders, the version, secrets, today."""
    import metra

    for path, name in (
        (folder, "FOLDER"),
        (folder.resolve(), "FOLDER"),
        (ROOT, "ROOT"),
    ):
        text = text.replace(str(path), name)
    version = re.escape(metra.__version__)
    text = re.sub(
        rf'(version[:=]|metra(?:"?:)? "?|version": "){version}', r"\1VERSION", text
    )
    text = re.sub(r"/j/[\w-]{43}(?![\w-])", "/j/TOKEN", text)
    text = re.sub(r"(password: )\S+", r"\1PASSWORD", text)
    text = re.sub(
        r"(PyStemmer|simplemma|pyarrow|spaCy|bm25s) \d+(\.\d+)+", r"\1 N", text
    )
    text = re.sub(r"(\?v=)[\w.-]+", r"\1HASH", text)
    text = re.sub(r'(name="csrf(?:-token)?" (?:content|value)=")[^"]+', r"\1CSRF", text)
    text = re.sub(r'(nonce[=-]"?)[\w+/=-]+', r"\1NONCE", text)
    # Kept totals are named by a hash of the files' times.
    text = re.sub(r"-[0-9a-f]{24}(\.weights|\.totals)", r"-HASH\1", text)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    text = re.sub(rf"{today}(T\d\d:\d\d:\d\dZ)?", "TODAY", text)
    # Characters that editors and git would change or hide.
    return text.replace("\r", "␍").replace("\x00", "␀")


def round_numbers(text: str) -> str:
    """Round numbers in full to twelve digits: the last ones depend on the processor.

    numpy takes logarithms and sums with the vector instructions that it finds.

    >>> round_numbers("0.9999965286189285 0.125 -1.3e-17 3.0000000000000004,")
    '0.999996528619 0.125 0 3,'
    """

    def round_number(found: re.Match[str]) -> str:
        number = float(found[0])
        return f"{number:.12g}" if abs(number) > 1e-12 else "0"

    return re.sub(r"-?\d+\.\d+e-1[3-9]|-?\d+\.\d{13,}(?:e-?\d+)?", round_number, text)


def list_files(folder: Path) -> dict[str, str]:
    """Give the hash of every file under a folder, stores left out."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(BINARY)
    }


def expand_words(line: str) -> list[str]:
    """Split a command line as a shell does, patterns of file names included."""
    words = []
    for word in shlex.split(line):
        found = sorted(glob.glob(word)) if re.search(r"[*?]", word) else []
        words += found or [word]
    return words


def read_content(name: str, content: bytes) -> list[tuple[str, str, int | None]]:
    """Turn a file's content into texts that people can compare, each with its limit."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return [
                (inner, text, 120)
                for member in packed.namelist()
                for inner, text, _ in read_content(
                    f"{name}/{member}", packed.read(member)
                )
            ]
    if name.endswith((".gz", ".xz", ".zst")):
        return [(f"{name} (unpacked)", unpack(name, content), None)]
    if name.endswith(".parquet"):
        return [(name, show_parquet(content), None)]
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return [(name, "(not a text)\n", None)]
    if name.endswith((".html", ".svg")):
        return [(f"{name} (what it says)", show_page(text), None), (name, text, 0)]
    return [(name, text, None)]


def unpack(name: str, content: bytes) -> str:
    """Unpack a file by what its name says."""
    import gzip
    import lzma

    import zstandard

    if name.endswith(".gz"):
        return gzip.decompress(content).decode()
    if name.endswith(".xz"):
        return lzma.decompress(content).decode()
    return (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content)).read().decode()
    )


def show_parquet(content: bytes) -> str:
    """Write the columns' types and the rows of a Parquet file, a line each."""
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    lines = [f"{column.name}: {column.type}" for column in table.schema]
    lines += [
        json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()
    ]
    return "".join(f"{line}\n" for line in lines)


class _Page(HTMLParser):
    """The words of a page, where its links and forms lead, and the data in its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.inside: list[str] = []
        self.data: list[str] = []
        self.is_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "style"):
            self.inside.append(tag)
            self.is_data = "json" in (given.get("type") or "")
        names = ("href", "action", "name", "value", "aria-label", "alt", "title")
        if given.get("name") == "csrf":
            given["value"] = "CSRF"
        told = [f"{name}={given[name]}" for name in names if given.get(name)]
        if told and tag not in ("meta", "link", "path", "rect", "g", "td", "th"):
            self.lines.append(f"<{tag} {' '.join(told)}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style") and self.inside:
            self.inside.pop()
            self.is_data = False

    def handle_data(self, data: str) -> None:
        if self.is_data:
            self.data.append(data)
        elif not self.inside and data.strip():
            self.lines.append(" ".join(data.split()))


def show_page(page: str) -> str:
    """Write what a page says, and its data with sorted keys."""
    parser = _Page()
    parser.feed(page)
    parser.close()
    lines = list(parser.lines)
    for data in parser.data:
        try:
            lines.append(
                json.dumps(json.loads(data), sort_keys=True, ensure_ascii=False)
            )
        except ValueError:
            lines.append(data)
    return "".join(f"{line}\n" for line in lines)


def plain(value: Any) -> Any:
    """Turn what the Python API gives into JSON, floats in full."""
    if hasattr(value, "__dataclass_fields__"):
        return {
            name: plain(getattr(value, name)) for name in value.__dataclass_fields__
        }
    if hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "items"):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(part) for part in value]
    if value is None or isinstance(value, (bool, int, str, float)):
        return value
    return repr(value)


def as_json(value: Any) -> str:
    """Write a value of the Python API as JSON, a line for each entry of the outer record."""
    value = plain(value)
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) + "\n"
    entries = (
        f" {json.dumps(key)}: {json.dumps(entry, ensure_ascii=False)}"
        for key, entry in value.items()
    )
    return "{\n" + ",\n".join(entries) + "\n}\n"


#: Folders that many cases start from: made once, copied into each case that needs them.
MATERIAL: dict[str, list[Step]] = {}
_made: dict[str, Path] = {}


@contextmanager
def settled(folder: Path) -> Iterator[None]:
    """Work in a folder, with an environment that does not depend on who runs this."""
    kept, where = dict(os.environ), Path.cwd()
    for name in FORGOTTEN:
        os.environ.pop(name, None)
    os.environ.update(ENVIRONMENT)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(kept)


def material(name: str, home: Path) -> Path:
    """Make a folder of material, unless it is there."""
    if name not in _made:
        folder = home / "material" / name
        run_steps(Run(Case(f"material-{name}", MATERIAL[name]), fill_folder(folder)))
        _made[name] = folder
    return _made[name]


def fill_folder(folder: Path) -> Path:
    """Make a folder and copy the example into it."""
    shutil.copytree(
        ROOT / "examples",
        folder / "examples",
        ignore=shutil.ignore_patterns("*.py*", "__*"),
    )
    return folder


def run_steps(run: Run) -> None:
    """Run the steps of a case in its folder."""
    with settled(run.folder):
        for step in run.case.steps:
            if isinstance(step, str):
                run.command(step)
            else:
                step(run)


def run_case(case: Case, home: Path, keep: Path | None = None) -> str:
    """Run a case and give the text that is stored for it."""
    prepared = [material(name, home) for name in case.needs]
    folder = Path(tempfile.mkdtemp(dir=home))
    try:
        run = Run(case, fill_folder(folder / "case"), keep)
        for source in prepared:
            shutil.copytree(source, run.folder, dirs_exist_ok=True)
        run_steps(run)
    finally:
        shutil.rmtree(folder)
    return "\n".join(run.blocks)


def all_cases() -> dict[str, Case]:
    """Collect the cases of every group by their names."""
    from tests.golden_run import api, campaigns, commands, tables

    found: dict[str, Case] = {}
    for group in (commands, tables, api, campaigns):
        MATERIAL.update(getattr(group, "MATERIAL", {}))
        for case in group.CASES:
            assert case.name not in found, case.name
            found[case.name] = case
    return found


def place_of(name: str) -> Path:
    """Say where what is expected of a case is stored."""
    return EXPECTED / f"{name}.txt"


def main() -> None:
    """Compare all cases with what is stored, or store them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--write", action="store_true", help="store what the cases give"
    )
    parser.add_argument("--keep", type=Path, help="folder for all outputs in full")
    parser.add_argument("--only", default="", help="cases whose name begins so")
    wished = parser.parse_args()
    keep = wished.keep.resolve() if wished.keep else None
    different = 0
    cases = all_cases()
    with tempfile.TemporaryDirectory() as home:
        for case in cases.values():
            if not case.name.startswith(wished.only):
                continue
            begun = time.perf_counter()
            text = run_case(case, Path(home), keep)
            place = place_of(case.name)
            same = place.exists() and place.read_text(encoding="utf-8") == text
            different += not same
            if wished.write and not same:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            spent = time.perf_counter() - begun
            print(f"{'same' if same else 'DIFFERENT':9} {spent:5.1f} s  {case.name}")
    if wished.write and not wished.only:
        known = {place_of(name) for name in cases}
        for place in sorted(EXPECTED.rglob("*.txt")):
            if place not in known:
                print(f"removed   {place.relative_to(EXPECTED)}")
                place.unlink()
    sys.exit(bool(different) and not wished.write)


if __name__ == "__main__":
    # The cases import this module by its name; it must not be there twice.
    from tests.golden_run.record import main as main_once

    main_once()
