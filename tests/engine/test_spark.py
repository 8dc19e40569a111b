"""Spark as an engine: a real cluster of two executors on this machine, and what it may lose."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

pyspark = pytest.importorskip("pyspark", reason="needs pyspark: metra[spark]")
if shutil.which("java") is None:
    pytest.skip("needs Java, such as openjdk-17-jre-headless", allow_module_level=True)

# metra hands Spark no pandas; Spark looks at its version all the same.
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas"
)

# Short work on a small machine: no second compiler, one thread to collect garbage.
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Two workers with an executor of one core each, all of them processes of their own."""
    home = tmp_path_factory.mktemp("spark")
    for part in ("bin", "jars", "python"):  # executors leave their logs in the home
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_LOCAL_HOSTNAME", "localhost")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        from pyspark.sql import SparkSession

        settings = {
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.driver.extraJavaOptions": SMALL,
            "spark.executor.extraJavaOptions": SMALL,
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.log.level": "ERROR",
            "spark.local.dir": str(home / "scratch"),
            "spark.sql.warehouse.dir": str(home / "warehouse"),
            "spark.ui.showConsoleProgress": "false",
        }
        session = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config(map=settings)
            .getOrCreate()
        )
        java = session.sparkContext._gateway.proc
        yield session
        session.stop()
        java.stdin.close()
        java.wait(30)


def test_both_executors_work(spark):
    def who(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import metra

        count = sum(len(batch) for batch in batches)
        time.sleep(0.5)  # one executor must not be done before the other begins
        yield pa.RecordBatch.from_pydict(
            {"folder": [os.getcwd()], "version": [metra.__version__], "rows": [count]}
        )

    table = (
        spark.range(1000)
        .repartition(4)
        .mapInArrow(who, "folder string, version string, rows long")
        .toArrow()
    )
    assert len(set(table["folder"].to_pylist())) == 2
    assert sum(table["rows"].to_pylist()) == 1000
