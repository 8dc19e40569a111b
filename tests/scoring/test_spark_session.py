"""What Spark needs to be started, and what is said where it cannot."""

import sys
from types import SimpleNamespace

import pytest

from metra.errors import CorpusError, MissingResourceError, OptionError
from metra.scoring.executors import spark_session as spark_session_module
from metra.scoring.executors.spark_session import spark_session, translate_error


def test_without_pyspark_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    message = r"pip install '\.\[spark\]'"
    with (
        pytest.raises(MissingResourceError, match=message),
        spark_session("local[1]"),
    ):
        pass


def test_without_java_it_is_said_how_to_get_it(metra_command, tmp_path):
    pytest.importorskip("pyspark")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho too old >&2\nexit 1\n")
    java.chmod(0o755)
    ran = metra_command(
        "score", "x.parquet", "--engine", "spark", JAVA_HOME=str(tmp_path)
    )
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(
        "metra: Spark's Java did not start; install Java 17 or newer, on Debian with "
        "apt-get install openjdk-17-jre-headless, or set JAVA_HOME.\n"
    )


def test_java_that_ends_during_the_work(monkeypatch):
    def refuse() -> None:
        raise ConnectionRefusedError

    builder = SimpleNamespace(getOrCreate=lambda: SimpleNamespace(stop=refuse))
    known = SimpleNamespace(getActiveSession=lambda: None, builder=builder)
    monkeypatch.setattr(spark_session_module, "_load_session_class", lambda: known)
    monkeypatch.setattr(spark_session_module, "_configure", lambda made, _: made)
    pytest.importorskip("pyspark")
    with (
        pytest.raises(OptionError, match=r"^Spark's Java stopped during the work"),
        spark_session("local[1]"),
    ):
        refuse()


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
        CorpusError,
        "A row of the table is null in the column 'a.b', which needs a text; fill it in, if "
        "need be with an empty text, or remove the row (`a.b` IS NULL finds it).",
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
        "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays",
        OptionError,
        "Java ran out of memory; give it more, for example with spark.driver.memory 4g in "
        "spark-defaults.conf, or on a cluster with spark.executor.memory.",
        id="memory",
    ),
    pytest.param(
        "An error occurred while calling o1.x.\n: org.apache.spark.sql.AnalysisException: "
        "[PATH_NOT_FOUND] Path does not exist: file:/a/b%20c. SQLSTATE: 42K03\n\tat x",
        OptionError,
        "Spark failed: Path does not exist: /a/b c.",
        id="what Spark has a name for",
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
