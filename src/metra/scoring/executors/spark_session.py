"""Sessions of Spark, functions on its workers, and its errors in one sentence."""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias
from urllib.parse import unquote

import pyarrow as pa

from metra import __version__, errors
from metra.errors import (
    CorpusError,
    MetraError,
    MissingResourceError,
    OptionError,
    require_package,
)

LOCAL = "local[*]"
CONNECT = "sc://"

#: A pyspark.sql.DataFrame, classic or of Spark Connect, wherever its rows come from.
Table: TypeAlias = Any
Batches: TypeAlias = Iterator[pa.RecordBatch]


@contextmanager
def spark_session(master: str = LOCAL) -> Iterator[Any]:
    """Give the active session, or start one and stop it at the end.

    On this machine (`local…`) it talks to nobody else, and works with this Python. Elsewhere
    the workers' Python is what the cluster says (PYSPARK_PYTHON); metra must be there.
    `sc://HOST:PORT` is a server of Spark Connect, which needs no Java here. Other settings
    come from where Spark looks for them: spark-defaults.conf and PYSPARK_SUBMIT_ARGS.
    """
    with silence_warnings():
        session_class = _load_session_class()
        active = session_class.getActiveSession()
        if active is not None:
            yield active
            return
        with translate_errors():
            session = _configure(session_class.builder, master).getOrCreate()
        try:
            yield session
        except ConnectionError:
            msg = (
                "Spark's Java stopped during the work, perhaps for lack of memory; give it "
                "more, for example with spark.driver.memory 4g in spark-defaults.conf."
            )
            raise OptionError(msg) from None
        finally:
            with suppress(ConnectionError):
                session.stop()


def _load_session_class() -> Any:
    """Load pyspark, or say how to get it."""
    with require_package("Scoring on Spark", "pyspark", "spark"):
        from pyspark.sql import SparkSession
    return SparkSession


def _configure(builder: Any, master: str) -> Any:
    if master.startswith(CONNECT):
        return builder.remote(master)
    settings = {
        "spark.app.name": "metra",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
    }
    if master.startswith("local"):
        settings |= {
            "spark.ui.enabled": "false",
            "spark.driver.host": "localhost",
            "spark.driver.bindAddress": "127.0.0.1",
        }
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return builder.master(master).config(map=settings)


@contextmanager
def silence_warnings() -> Iterator[None]:
    """Keep what Spark thinks of pandas to itself: it gets no pandas from us."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


def map_batches(
    table: Table,
    columns: Sequence[str],
    function: Callable[[Batches], Batches],
    schema: Any,
) -> Table:
    """Have workers call a function of the batches of these columns, partition by partition.

    Columns travel under numbers, because Spark takes a dot in a name for a path into it.
    """
    numbers = dict(zip(table.columns, number_columns(table.columns), strict=True))
    here = __version__

    def call(batches: Batches) -> Batches:
        _check_version(here)
        return function(batch.rename_columns(list(columns)) for batch in batches)

    chosen = table.toDF(*numbers.values()).select(*(numbers[name] for name in columns))
    with silence_warnings():
        return chosen.mapInArrow(call, schema)


def number_columns(columns: Sequence[object]) -> list[str]:
    """Name columns by their numbers."""
    return [f"c{number}" for number in range(len(columns))]


def _check_version(expected: str) -> None:
    """Refuse to count by another version than the one that will close the formulas."""
    if __version__ != expected:
        msg = (
            f"A Spark worker has metra {__version__}, but this is metra {expected}; "
            "install the same version everywhere."
        )
        raise MissingResourceError(msg)


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
    for pattern, (kind, message) in _KNOWN.items():
        match = re.search(pattern, report)
        if match:
            return kind(message.format(*map(format_path, match.groups())))
    own = re.search(r"^metra\.(?:\w+\.)*(\w+): (.+)$", report, re.MULTILINE)
    if own:
        return getattr(errors, own[1], CorpusError)(format_path(own[2]))
    named = re.search(r"\[[A-Z_]+(?:\.[A-Z_]+)*\] (.+)", report)
    causes = re.findall(r"^(?:Caused )?(?:by)?: *[\w.$]+: (.+)$", report, re.MULTILINE)
    first = named[1] if named else (causes or [report.strip().split("\n")[0]])[-1]
    return OptionError(f"Spark failed: {format_path(first)}")


def format_path(text: str) -> str:
    """Write paths as people do, and leave out how databases number errors.

    >>> format_path("file:///data/my%20files/a.parquet. SQLSTATE: KD001")
    '/data/my files/a.parquet.'
    """
    text = re.sub(r"\bfile:/+(\S*)", lambda path: "/" + unquote(path[1]), text.strip())
    return re.sub(r" *SQLSTATE: \w+", "", text)


_KNOWN: dict[str, tuple[type[MetraError], str]] = {
    r"NullValueError: Row \d+ of a batch is null in the column '(.+?)', which": (
        CorpusError,
        "A row of the table is null in the column {0!r}, which needs a text; fill it in, "
        "if need be with an empty text, or remove the row (`{0}` IS NULL finds it).",
    ),
    r"ModuleNotFoundError: No module named '([\w.]+)'": (
        MissingResourceError,
        "The Python of Spark's workers has no module {0!r}; install metra[spark] on every "
        "worker, and set PYSPARK_PYTHON to the Python that has it.",
    ),
    r"\[JAVA_GATEWAY_EXITED\]": (
        MissingResourceError,
        "Spark's Java did not start; install Java 17 or newer, on Debian with apt-get "
        "install openjdk-17-jre-headless, or set JAVA_HOME.",
    ),
    r"\[PATH_ALREADY_EXISTS\] Path (.+?) already exists": (
        OptionError,
        "{0} already exists; name a new folder, or delete it first.",
    ),
    r"OutOfMemoryError": (
        OptionError,
        "Java ran out of memory; give it more, for example with spark.driver.memory 4g in "
        "spark-defaults.conf, or on a cluster with spark.executor.memory.",
    ),
}
