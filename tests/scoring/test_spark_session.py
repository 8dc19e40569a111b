"""What Spark needs to be started, and what is said where it cannot."""

import socket
import sys

import pytest

from metra.errors import CorpusError, FormatError, MissingResourceError, OptionError
from metra.formats.texts.arrow_columns import NullValueError
from metra.scoring.executors.spark_session import spark_session, translate_error


def start(**settings: str) -> None:
    with spark_session("local[1]", settings):
        pass


def test_without_pyspark_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[spark\]'"):
        start()


def test_without_a_server_of_spark_connect_it_is_said_at_once():
    pytest.importorskip("pyspark")
    message = r"^No Spark Connect server answers at 127\.0\.0\.1:1: Connection refused;"
    with pytest.raises(OptionError, match=message), spark_session("sc://127.0.0.1:1"):
        pass


def test_without_grpc_it_is_said_how_to_get_it(monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(MissingResourceError, match=r"'\.\[spark-connect\]'"),
        spark_session(f"sc://127.0.0.1:{server.getsockname()[1]}"),
    ):
        pass


def test_without_java_it_is_said_how_to_get_it(monkeypatch, tmp_path):
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingResourceError, match="apt-get install openjdk-17-jre"):
        start()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        MissingResourceError, match=f"JAVA_HOME={tmp_path} contains none"
    ):
        start()


JAVAS = [
    pytest.param(
        "java.lang.UnsupportedClassVersionError: org/apache/spark/launcher/Main",
        "metra: Spark needs Java 17 or newer; an older version was found first: "
        "check JAVA_HOME.\n",
        id="too old",
    ),
    pytest.param(
        "Error: Could not find or load main class",
        "metra: Spark could not be started with the master 'local[*]': Error: Could not "
        "find or load main class\n",
        id="broken",
    ),
]


@pytest.mark.parametrize(("says", "message"), JAVAS)
def test_a_java_that_does_not_start_is_quoted(metra_command, tmp_path, says, message):
    pytest.importorskip("pyspark")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    java.chmod(0o755)
    ran = metra_command(
        "score", "x.parquet", "--engine", "spark", JAVA_HOME=str(tmp_path)
    )
    assert (ran.code, ran.out, ran.err) == (2, "", message)


SAID = [  # as Spark 4.3.0 says it, shortened in the middle
    pytest.param(
        "An exception was thrown from the Python worker:\nTraceback (most recent call "
        "last):\n  File \"x.py\", line 3, in f\nmetra.errors.OptionError: No, 'that'.\n",
        OptionError,
        "No, 'that'.",
        id="our own error",
    ),
    pytest.param(
        "Traceback (most recent call last):\nmetra.io.arrow_rows.NullValueError: Row "
        "3 of a batch is null in the column 'a.b', which needs a text; fill "
        "it in.\n",
        NullValueError,
        "Row 3 of a batch is null in the column 'a.b', which needs a text; fill it "
        "in, remove the row, or treat nulls as empty texts: `nulls` empty.",
        id="null",
    ),
    pytest.param(
        "Traceback (most recent call last):\nmetra.plugin.StrangeError: Odd.\n",
        CorpusError,
        "Odd.",
        id="an error of a kind that we do not know",
    ),
    pytest.param(
        "ModuleNotFoundError: No module named 'metra'",
        MissingResourceError,
        "The Python of Spark's workers has no module 'metra'; install metra[spark] on every "
        "worker, and set PYSPARK_PYTHON to the Python that has it.",
        id="workers without metra",
    ),
    pytest.param(
        "An error occurred while calling o298.parquet.\n: org.apache.spark.SparkException: "
        "Job aborted.\nCaused by: java.io.IOException: No space left on device\n",
        FormatError,
        "Spark stopped because a disk is full; partial output was removed.",
        id="full disk",
    ),
    pytest.param(
        "Job aborted due to stage failure: Total size of serialized results of 3 tasks (1.2 "
        "GiB) is bigger than spark.driver.maxResultSize (1024.0 MiB)",
        OptionError,
        "What Spark has to send back is larger than its limit; raise it, for example with "
        "`conf` spark.driver.maxResultSize=4g.",
        id="large weights",
    ),
    pytest.param(
        "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays",
        OptionError,
        "Java ran out of memory; give it more, for example with `conf` "
        "spark.driver.memory=4g, or on a cluster spark.executor.memory.",
        id="memory",
    ),
    pytest.param(
        "Job 3 cancelled because SparkContext was shut down",
        OptionError,
        "Spark stopped during the work; start again.",
        id="stopped",
    ),
    pytest.param(
        "[UNABLE_TO_INFER_SCHEMA] Unable to infer schema for Parquet. SQLSTATE: 42KD9",
        FormatError,
        "The input contains no Parquet data: only empty files, or no files.",
        id="no files",
    ),
    pytest.param(
        "Caused by: java.io.IOException: Mkdirs failed to create file:/proc/x/_temporary/0/"
        "_temporary/attempt_1 (exists=false, cwd=file:/a)",
        FormatError,
        "Folder /proc/x for scores cannot be created; name another.",
        id="nowhere to write",
    ),
    pytest.param(
        "An error occurred while calling o1.x.\n: org.apache.spark.SparkException: First.\n"
        "\tat org.apache\nCaused by: java.io.IOException: Last file:/a/b. SQLSTATE: X1\n",
        OptionError,
        "Spark failed: Last /a/b.",
        id="anything else",
    ),
    pytest.param("Oh.\nNo", OptionError, "Spark failed: Oh.", id="next to nothing"),
]


@pytest.mark.parametrize(("said", "kind", "message"), SAID)
def test_stack_traces_become_sentences(said, kind, message):
    error = translate_error(said)
    assert type(error) is kind
    assert str(error) == message
