"""Sessions of Spark: without its chatter, with progress, and errors in one sentence."""

import os
import re
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from tempfile import TemporaryFile
from threading import Event, Thread
from typing import IO, Any, TypeAlias
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from metra import errors
from metra.errors import (
    CorpusError,
    FormatError,
    MetraError,
    MissingResourceError,
    OptionError,
    missing_package,
)
from metra.formats.texts.arrow_columns import NullValueError
from metra.scoring.tables import TableProgress

LOCAL = "local[*]"
CONNECT = "sc://"

_EVERY = 0.5  # seconds
_PATIENCE = 240  # times that; a second Ctrl-C is always quicker
_TRY = 10  # seconds


@contextmanager
def spark_session(
    master: str = LOCAL, settings: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """Give the session that is active, or start one and stop it at the end.

    On this machine (`local…`) it talks to nobody else, and works with this Python. Elsewhere
    the workers' Python is what the cluster says (PYSPARK_PYTHON); metra must be there.
    `sc://HOST:PORT` is a server of Spark Connect, which needs no Java here.
    """
    pyspark = load_pyspark()
    active = pyspark.sql.SparkSession.getActiveSession()
    if active is not None:
        with silence_warnings():
            yield active
        return
    if master.startswith(CONNECT):
        session = _connect(pyspark, master, settings or {})
        try:
            with silence_warnings():
                yield session
        finally:
            session.stop()
        return
    with TemporaryFile() as log, _convert_no_arrays():
        session = _start_session(
            pyspark, _build_settings(master) | dict(settings or {}), log
        )
        try:
            with silence_warnings():
                yield session
        finally:
            session.stop()


def find_context(session: Any) -> Any | None:
    """Return the session's SparkContext; None for Spark Connect, which has none here."""
    return getattr(session, "sparkContext", None)


def load_pyspark() -> Any:
    """Load pyspark, or say how to get it."""
    try:
        with silence_warnings():
            import pyspark
            import pyspark.sql
    except ImportError:
        msg = missing_package("Scoring on Spark", "pyspark", "spark")
        raise MissingResourceError(msg) from None
    return pyspark


@contextmanager
def silence_warnings() -> Iterator[None]:
    """Keep what Spark thinks of pandas to itself: it gets no pandas from us."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


def _build_settings(master: str) -> dict[str, str]:
    settings = {
        "spark.master": master,
        "spark.app.name": "metra",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local"):
        settings |= {
            "spark.ui.enabled": "false",
            "spark.driver.host": "localhost",
            "spark.driver.bindAddress": "127.0.0.1",
        }
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return settings


def _start_session(pyspark: Any, settings: Mapping[str, str], log: IO[bytes]) -> Any:
    """Start Java with its output in the log, where it can be looked up if it fails."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway

    _check_java()
    conf = pyspark.SparkConf().setAll(settings.items())
    try:
        with silence_warnings():
            gateway = pyspark.SparkContext._gateway or launch_gateway(
                conf, {"stdout": log, "stderr": log}
            )
            context = pyspark.SparkContext(conf=conf, gateway=gateway)
            return pyspark.sql.SparkSession(context)
    except (PySparkException, Py4JError) as error:
        raise _explain_failure(settings["spark.master"], error, log) from None


@contextmanager
def skip_pandas_check() -> Iterator[None]:
    """Have pyspark not load pandas to see its version, where only Arrow's batches are used."""
    functions: Any = import_module("pyspark.sql.pandas.functions")
    check = functions.require_minimum_pandas_version
    functions.require_minimum_pandas_version = lambda: None
    try:
        yield
    finally:
        functions.require_minimum_pandas_version = check


@contextmanager
def _convert_no_arrays() -> Iterator[None]:
    """Have py4j not ask pyspark whether arguments are arrays: Java gets none from us.

    To answer, pyspark loads its helpers for tests, and these load pandas, which takes 30 MB.
    """
    from py4j.protocol import INPUT_CONVERTER

    kept = [*INPUT_CONVERTER]
    INPUT_CONVERTER[:] = [
        entry for entry in kept if not type(entry).__name__.startswith("Numpy")
    ]
    try:
        yield
    finally:
        INPUT_CONVERTER[:] = kept


def _connect(pyspark: Any, address: str, settings: Mapping[str, str]) -> Any:
    """Connect to a server of Spark Connect; one that is absent Spark would try for minutes."""
    place = urlsplit(address)
    try:
        socket.create_connection((place.hostname, place.port or 15002), _TRY).close()
    except OSError as error:
        msg = (
            f"No Spark Connect server answers at {place.netloc}: "
            f"{error.strerror or error}; check the address that `master` gives."
        )
        raise OptionError(msg) from None
    if find_spec("grpc") is None:
        msg = missing_package("Spark Connect", "grpcio", "spark-connect")
        raise MissingResourceError(msg)
    with silence_warnings(), translate_errors():
        builder = pyspark.sql.SparkSession.builder.remote(address)
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else "java"
    if shutil.which(java) is None:
        where = f"JAVA_HOME={home} contains none" if home else "none was found"
        msg = (
            f"Spark needs Java 17 or newer, but {where}; install it, on Debian with: "
            "apt-get install openjdk-17-jre-headless"
        )
        raise MissingResourceError(msg)


def _explain_failure(master: str, error: Exception, log: IO[bytes]) -> Exception:
    log.seek(0)
    report = f"{log.read().decode(errors='replace')}\n{error}"
    if "UnsupportedClassVersionError" in report:
        msg = (
            "Spark needs Java 17 or newer; an older version was found first: check "
            "JAVA_HOME."
        )
        return MissingResourceError(msg)
    lines = [line.strip() for line in report.split("\n")]
    errors_told = [
        line for line in lines if "Exception" in line or line.startswith("Error")
    ]
    first = (errors_told or [line for line in lines if line])[0]
    msg = f"Spark could not be started with the master {master!r}: {first}"
    return OptionError(msg)


def run_steps(
    session: Any, steps: Sequence[Callable[[], None]], progress: TableProgress | None
) -> None:
    """Have steps done that wait for Spark, and cancel them if they are interrupted.

    They wait in a thread of its own: Ctrl-C reaches the main thread, and finds it free to
    tell Spark.
    """
    context = find_context(session)
    jobs = _ConnectJobs(session) if context is None else _ContextJobs(context)
    # Each step has its own group of jobs, so that it can be told how far it is.
    groups = [f"metra-{uuid4().hex}" for _ in steps]
    done = Event()
    failed: list[BaseException] = []

    def attempt() -> None:
        try:
            for group, step in zip(groups, steps, strict=True):
                with jobs.begin(group):
                    step()
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threads = [Thread(target=attempt, daemon=True)]
    if progress is not None:
        following = (jobs, groups, progress, done)
        threads.append(Thread(target=_follow_progress, args=following, daemon=True))
    for thread in threads:
        thread.start()
    try:
        while not done.wait(_EVERY):
            pass
        # Nobody is told of work that is over, nor asks a session that may be stopped.
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        _cancel_jobs(jobs, groups, done)
        # Else it was finished before Spark could be told.
        if failed or not done.is_set():
            raise
    if failed:
        raise failed[0]


class _ContextJobs:
    """Groups of jobs of a session that has its Java here."""

    def __init__(self, context: Any) -> None:
        self._context = context

    @contextmanager
    def begin(self, group: str) -> Iterator[None]:
        """Put the jobs that this thread starts into a group."""
        self._context.setJobGroup(group, "metra", interruptOnCancel=True)
        yield

    def cancel(self, group: str) -> None:
        """Cancel the jobs of a group."""
        self._context.cancelJobGroup(group)

    def count_tasks(self, group: str) -> tuple[int, int]:
        """Return how many tasks of a group are done, and how many there are so far."""
        tracker = self._context.statusTracker()
        stages = [
            tracker.getStageInfo(stage)
            for job in tracker.getJobIdsForGroup(group)
            for stage in getattr(tracker.getJobInfo(job), "stageIds", ())
        ]
        known = [stage for stage in stages if stage is not None]
        finished = sum(stage.numCompletedTasks for stage in known)
        return finished, sum(stage.numTasks for stage in known)


class _ConnectJobs:
    """Groups of jobs of a session on a server of Spark Connect, which tells how far it is."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._tasks: dict[str, tuple[int, int]] = {}

    @contextmanager
    def begin(self, group: str) -> Iterator[None]:
        """Put the jobs that this thread starts into a group."""

        def note(stages: Any, **_: Any) -> None:
            known = [*stages]
            finished = sum(stage.num_completed_tasks for stage in known)
            self._tasks[group] = finished, sum(stage.num_tasks for stage in known)

        self._session.addTag(group)
        self._session.registerProgressHandler(note)
        try:
            yield
        finally:
            self._session.removeProgressHandler(note)
            self._session.removeTag(group)

    def cancel(self, group: str) -> None:
        """Cancel the jobs of a group."""
        self._session.interruptTag(group)

    def count_tasks(self, group: str) -> tuple[int, int]:
        """Return how many tasks of a group are done, and how many there are so far."""
        return self._tasks.get(group, (0, 0))


_Jobs: TypeAlias = _ContextJobs | _ConnectJobs


def _cancel_jobs(jobs: _Jobs, groups: Sequence[str], done: Event) -> None:
    """Cancel groups of jobs, repeatedly: Spark cannot cancel what has not begun."""
    for _ in range(_PATIENCE):
        for group in groups:
            jobs.cancel(group)
        if done.wait(_EVERY):
            return


def _follow_progress(
    jobs: _Jobs, groups: Sequence[str], progress: TableProgress, done: Event
) -> None:
    total, share = 0, 0.0
    while not done.wait(_EVERY):
        tasks = [jobs.count_tasks(group) for group in groups]
        begun = [pair for pair in tasks if pair[1]]
        if not begun:
            continue
        finished, known = begun[-1]
        # A step may turn out to have more tasks than it had so far: what was said stands.
        share = max(share, (len(begun) - 1 + finished / known) / len(groups))
        # Spark Connect counts anew for each query of a step.
        total = max(total, sum(finished for finished, _ in tasks))
        progress(total, share)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise what Spark raises inside as an error of ours, told in one sentence."""
    from pyspark.errors import PySparkException

    kinds: list[type[Exception]] = [PySparkException]
    with suppress(ImportError):  # pyspark-client has no Java
        from py4j.protocol import Py4JError

        kinds.append(Py4JError)
    try:
        yield
    except tuple(kinds) as error:
        raise translate_error(str(error)) from None


def translate_error(report: str) -> MetraError:
    """Find out what happened from all that Spark says about it."""
    null = re.search(_NULL, report)
    if null:
        return NullValueError(null[2], int(null[1]) - 1)
    own = re.search(r"^metra\.(?:\w+\.)*(\w+): (.+)$", report, re.MULTILINE)
    if own:
        return getattr(errors, own[1], CorpusError)(format_path(own[2]))
    for pattern, kind, message in _KNOWN:
        match = re.search(pattern, report, re.MULTILINE)
        if match:
            groups = [format_path(group).rstrip(".") for group in match.groups()]
            return kind(message.format(*groups))
    causes = re.findall(r"^(?:Caused )?(?:by)?: *[\w.$]+: (.+)$", report, re.MULTILINE)
    first = (causes or [report.strip().split("\n")[0]])[-1]
    return OptionError(f"Spark failed: {format_path(first)}")


def format_path(text: str) -> str:
    """Write paths as people do, and leave out how databases number errors.

    >>> format_path("file:///data/my%20files/a.parquet. SQLSTATE: KD001")
    '/data/my files/a.parquet.'
    """
    text = re.sub(r"\bfile:/+(\S*)", lambda path: "/" + unquote(path[1]), text.strip())
    return re.sub(r" *SQLSTATE: \w+", "", text)


_NULL = r"NullValueError: Row (\d+) of a batch is null in the column '(.+?)', which"

# In this order: what went wrong first is often followed by what came of it.
_KNOWN: list[tuple[str, type[MetraError], str]] = [
    (
        r"ModuleNotFoundError: No module named '([\w.]+)'",
        MissingResourceError,
        "The Python of Spark's workers has no module {0!r}; install metra[spark] on "
        "every worker, and set PYSPARK_PYTHON to the Python that has it.",
    ),
    (
        r"No space left on device|Disk quota exceeded",
        FormatError,
        "Spark stopped because a disk is full; partial output was removed.",
    ),
    (
        r"_TYPE_MISMATCH\] Encountered error while reading file (\S+)\. (.+)$",
        FormatError,
        "{0} does not fit the other files: {1}; a column must have the same type in all "
        "of them.",
    ),
    (
        r"\[FAILED_READ_FILE[\w.]*\] Encountered error while reading file (\S+)\. ",
        FormatError,
        "{0} cannot be read as Parquet: it is damaged or cut off, or is something else; "
        "write it again, or leave it out.",
    ),
    (
        r"\[PATH_NOT_FOUND\] Path does not exist: (.+?)\. SQLSTATE",
        FormatError,
        "{0} cannot be read: there is no such file or folder.",
    ),
    (
        r"\[UNABLE_TO_INFER_SCHEMA\]",
        FormatError,
        "The input contains no Parquet data: only empty files, or no files.",
    ),
    (
        r"\[PATH_ALREADY_EXISTS\] Path (.+?) already exists",
        OptionError,
        "{0} already exists; name a new folder, or delete it first.",
    ),
    (
        r"Mkdirs failed to create (\S+?)/_temporary",
        FormatError,
        "Folder {0} for scores cannot be created; name another.",
    ),
    (
        r"spark\.driver\.maxResultSize",
        OptionError,
        "What Spark has to send back is larger than its limit; raise it, for example with "
        "`conf` spark.driver.maxResultSize=4g.",
    ),
    (
        r"OutOfMemoryError",
        OptionError,
        "Java ran out of memory; give it more, for example with `conf` "
        "spark.driver.memory=4g, or on a cluster spark.executor.memory.",
    ),
    (
        r"SparkContext was shut down|Answer from Java side is empty",
        OptionError,
        "Spark stopped during the work; start again.",
    ),
]
