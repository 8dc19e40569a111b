"""A session of Spark for as long as it is needed, without its chatter."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Any

from metra.errors import MissingResourceError, OptionError

LOCAL = "local[*]"


@contextmanager
def spark_session(
    master: str = LOCAL, settings: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """Give the session that is active, or start one and stop it at the end.

    On this machine (`local…`) it talks to nobody else, and works with this Python. Elsewhere
    the workers' Python is what the cluster says (PYSPARK_PYTHON); metra must be there.
    """
    pyspark = load_pyspark()
    active = pyspark.sql.SparkSession.getActiveSession()
    if active is not None:
        with quietly():
            yield active
        return
    with TemporaryFile() as log:
        session = _started(pyspark, _settings(master) | dict(settings or {}), log)
        try:
            with quietly():
                yield session
        finally:
            session.stop()


def load_pyspark() -> Any:
    """Load pyspark, or say how to get it."""
    try:
        with quietly():
            import pyspark
            import pyspark.sql
    except ImportError:
        msg = (
            "Scoring on Spark needs the package 'pyspark', which is not installed; install "
            "it with: pip install 'metra[spark]'"
        )
        raise MissingResourceError(msg) from None
    return pyspark


@contextmanager
def quietly() -> Iterator[None]:
    """Keep what Spark thinks of pandas to itself: it gets no pandas from us."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


def _settings(master: str) -> dict[str, str]:
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


def _started(pyspark: Any, settings: Mapping[str, str], log: IO[bytes]) -> Any:
    """Start Java with its output in the log, where it can be looked up if it fails."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway

    _check_java()
    conf = pyspark.SparkConf().setAll(settings.items())
    try:
        with quietly():
            gateway = pyspark.SparkContext._gateway or launch_gateway(
                conf, {"stdout": log, "stderr": log}
            )
            context = pyspark.SparkContext(conf=conf, gateway=gateway)
            return pyspark.sql.SparkSession(context)
    except (PySparkException, Py4JError) as error:
        raise _reason(settings["spark.master"], error, log) from None


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else "java"
    if shutil.which(java) is None:
        where = f"JAVA_HOME, {home}, has none" if home else "there is none here"
        msg = (
            f"Spark needs Java 17 or newer, but {where}; install it, on Debian with: "
            "apt-get install openjdk-17-jre-headless"
        )
        raise MissingResourceError(msg)


def _reason(master: str, error: Exception, log: IO[bytes]) -> Exception:
    log.seek(0)
    said = f"{log.read().decode(errors='replace')}\n{error}"
    if "UnsupportedClassVersionError" in said:
        msg = (
            "Spark needs Java 17 or newer; an older one was found first: see JAVA_HOME."
        )
        return MissingResourceError(msg)
    lines = [line.strip() for line in said.split("\n")]
    told = [line for line in lines if "Exception" in line or line.startswith("Error")]
    last = (told or [line for line in lines if line])[0]
    msg = f"Spark could not be started with the master {master!r}: {last}"
    return OptionError(msg)
