"""What the tests share: the folder of gold data, the command line, readers of files."""

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent

# A deadline measures the machine, not the code. The same examples are drawn every time, so
# that a change is judged by what it changes; METRA_TEST_DRAW=new draws others, to search.
settings.register_profile(
    "same",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
settings.register_profile(
    "new", settings.get_profile("same"), derandomize=False, print_blob=True
)
settings.load_profile(os.environ.get("METRA_TEST_DRAW", "same"))


# The longest first, so that several workers end at about the same time. A worker that has two
# tests or fewer left takes the next file along; so something short follows the files that
# have no more.
LONG = (
    "test_spark.py",
    "test_frames.py",
    "test_strings.py",
    "test_odd_forms.py",
    "test_large_report.py",
    "test_real_server.py",
    "test_end_to_end.py",
)
# In the browser; what is not named here is shorter.
LONG_IN_BROWSER = (
    "test_report.py",
    "test_languages.py",
    "test_pages.py",
    "test_measures_for_everybody.py",
    "test_nothing_is_lost.py",
    "test_protocols_by_keyboard.py",
    "test_measures.py",
    "test_marking.py",
    "test_hostile_texts.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is quick first, then servers, then browsers: mistakes show as early as they can.

    With pytest-xdist this needs --dist loadfile --no-loadscope-reorder.
    """

    def place(item: pytest.Item) -> tuple[int, int]:
        name, last = item.path.name, len(LONG_IN_BROWSER)
        if name in LONG:
            return 1, LONG.index(name)
        if "browser" not in item.path.parts:
            return 0, 0
        return 2, LONG_IN_BROWSER.index(name) if name in LONG_IN_BROWSER else last

    items.sort(key=place)


@pytest.fixture(autouse=True)
def no_screen() -> None:
    """Forget how wide the screen is: the readline library tells every child process."""
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
        os.unsetenv(name)


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real outputs, and what the original programs print for them; not in the repository."""
    folder = ROOT.parent / "shared"
    if not (folder / "gold").is_dir():
        pytest.skip(f"needs the gold data, which is not at {folder}")
    return folder


@pytest.fixture(scope="session")
def read_lines() -> Callable[[Path], list[str]]:
    """Read a text file, packed or not, as lines that end at a newline and nowhere else."""
    return _lines


@pytest.fixture(scope="session")
def read_table() -> Callable[[Path], list[dict[str, str]]]:
    """Read tab-separated values with a header and without quoting, packed or not."""

    def read(path: Path) -> list[dict[str, str]]:
        header, *rows = (line.split("\t") for line in _lines(path))
        return [dict(zip(header, row, strict=True)) for row in rows]

    return read


def _lines(path: Path) -> list[str]:
    packed = path.with_name(path.name + ".gz")
    if not path.exists() and packed.exists():
        path = packed
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    lines = content.decode("utf-8").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@pytest.fixture(scope="session")
def metra_command() -> Callable[..., Ran]:
    """Run the command line as users do: another process, its output in pipes."""

    def run(
        *arguments: str | Path,
        stdin: bytes = b"",
        cwd: Path | None = None,
        **environment: str,
    ) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "metra", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env=os.environ | environment,
            timeout=PATIENCE,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run the command line in this process, which is quicker."""

    def run(*arguments: str | Path, stdin: bytes = b"", merge: bool = False) -> Ran:
        """Run a command; `merge` puts both streams into one, as a terminal shows them."""
        from metra.cli import main
        from metra.formats import stream

        out = io.StringIO()
        err = out if merge else io.StringIO()
        source = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["metra", *map(str, arguments)])
            patch.setattr(sys, "stdin", source)
            with redirect_stdout(out), redirect_stderr(err):
                try:
                    main()
                    code = 0
                except SystemExit as ended:
                    code = int(ended.code or 0)
        stream.PIPES.clear()
        return Ran(code, out.getvalue(), err.getvalue())

    def ok(*arguments: str | Path, **more: object) -> Ran:
        """Run a command that succeeds."""
        ran = run(*arguments, **more)
        assert ran.code == 0, ran.err
        return ran

    def refusal(*arguments: str | Path, **more: object) -> str:
        """Return the message of a command that refuses its input and prints nothing else."""
        ran = run(*arguments, **more)
        assert (ran.code, ran.out) == (2, "")
        return ran.err

    run.ok, run.refusal = ok, refusal
    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of lines (each gets its newline), or of bytes as they are."""

    def make(name: str, content: Sequence[str] | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes):
            content = "".join(f"{line}\n" for line in content).encode()
        path.write_bytes(content)
        return path

    return make


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server, as Debian packages it, for this session."""
    pytest.importorskip("psycopg", reason="needs psycopg (the group test)")
    from tests import databases

    if (reason := databases.missing()) is not None:
        pytest.skip(reason)
    # Whoever runs tests in many processes starts one server for all of them.
    if folder := os.environ.get("METRA_TEST_POSTGRESQL"):
        yield databases.PostgreSQL(Path(folder))
        return
    with databases.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a new, empty store, of each kind in turn."""
    if request.param == "sqlite":
        yield str(tmp_path / "judge.db")
        return
    server = request.getfixturevalue("postgresql")
    url = server.new_database()
    yield url
    server.take_back(url)


@pytest.fixture
def sqlite_store(tmp_path: Path):
    """A new store in a file, for what has nothing to do with the kind of store."""
    store = pytest.importorskip("metra.store", reason="needs the extra judge")
    opened = store.open(str(tmp_path / "judge.db"))
    yield opened
    opened.close()


@pytest.fixture
def store(store_url: str):
    """A new store, of each kind in turn."""
    store = pytest.importorskip("metra.store", reason="needs the extra judge")
    opened = store.open(store_url)
    yield opened
    opened.close()
