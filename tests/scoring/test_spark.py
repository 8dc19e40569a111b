"""Scoring on Spark: a real cluster of two executors on this machine, and what it may lose."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.patience import PATIENCE

from metra.errors import CorpusError, FormatError, MetraError, OptionError
from metra.metrics.registry import BUILT_IN, metric
from metra.scoring.plan import ScoringPlan
from metra.scoring.table_totals import (
    add_totals,
    count_totals,
    encode_weights,
    list_signatures,
    score_rows,
    score_totals,
)
from metra.scoring.tables import score_table

pyspark = pytest.importorskip("pyspark", reason="needs pyspark: metra[spark]")
if shutil.which("java") is None:
    pytest.skip("needs Java, such as openjdk-17-jre-headless", allow_module_level=True)

from pyspark.sql import SparkSession  # noqa: E402

from metra.scoring.executors import spark as engine  # noqa: E402, without pyspark there is no use
from metra.scoring.executors import spark_session as sessions  # noqa: E402
from metra.scoring.executors import spark_terms  # noqa: E402
from metra.scoring.executors.spark import read_files  # noqa: E402
from metra.scoring.executors.spark_session import (  # noqa: E402
    silence_warnings,
    spark_session,
)

# Short work on a small machine: no second compiler, one thread to collect garbage.
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    CONNECT_PORT = free.getsockname()[1]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two workers with an executor of one core each, all of them processes of their own."""
    home = tmp_path_factory.mktemp("spark")
    for part in ("bin", "jars", "python"):  # executors leave their logs in the home
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    settings = {
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.driver.extraJavaOptions": SMALL,
        "spark.executor.extraJavaOptions": SMALL,
        "spark.local.dir": str(home / "scratch"),
        "spark.sql.warehouse.dir": str(home / "warehouse"),
        "spark.sql.shuffle.partitions": "4",
        "spark.task.maxFailures": "2",  # one more try is what tests are about
        "spark.ui.liveUpdate.period": "0",  # every piece of news counts at once
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
        # A server of Spark Connect beside the classic session, on the same executors.
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(CONNECT_PORT),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_LOCAL_HOSTNAME", "localhost")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        with silence_warnings():
            session = builder.config(map=settings).getOrCreate()
        java = session.sparkContext._gateway.proc
        try:
            # Whoever came later would find the work done.
            wait_until(lambda: len(done_by_executor(session)) == 2)
            yield session
        finally:
            session.stop()
        java.stdin.close()
        java.wait(PATIENCE)


@pytest.fixture(params=["classic", "connect"])
def session(request: pytest.FixtureRequest) -> Any:
    """The same cluster by a session with Java in this process, and by Spark Connect."""
    fixtures = {"classic": "spark", "connect": "connect"}
    return request.getfixturevalue(fixtures[request.param])


over_connect = pytest.mark.parametrize("session", ["connect"], indirect=True)


@pytest.fixture(scope="module")
def connect(spark: Any) -> Iterator[Any]:
    assert spark is not None
    pytest.importorskip("grpc", reason="needs grpcio: metra[spark-connect]")
    with silence_warnings():
        from pyspark.sql.connect.session import SparkSession

        remote = SparkSession.builder.remote(f"sc://127.0.0.1:{CONNECT_PORT}").create()
    yield remote
    remote.stop()


WORDS = [*"abcdef", "the", "cat", "sat", "on", "mat", ".", "very", "é", "日本", "«x»"]


def table(rows: int, seed: int = 7) -> pa.Table:
    rng = np.random.default_rng(seed)

    def text(least: int = 0) -> str:
        return " ".join(rng.choice(WORDS, rng.integers(least, 12)))

    refs = [text(1) for _ in range(rows)]
    columns = {
        "hyp.a": [ref if rng.random() < 0.2 else text() for ref in refs],
        "other": [text() for _ in refs],
        "ref": refs,
        "ref2": [None if rng.random() < 0.1 else text() for _ in refs],
        "source": [text(1) for _ in refs],
        "lp": rng.choice(["en-de", "fr-de", "ja-en"], rows),
        "doc": [f"d{seed}.{at // 3}" for at in range(rows)],
    }
    kept = pa.array([{"at": at} for at in range(rows)], pa.struct([("at", pa.int32())]))
    return pa.table(
        {
            **{name: pa.array(texts, pa.string()) for name, texts in columns.items()},
            "year": pa.array([None, 2003, 2004] * rows, pa.int64())[:rows],
            "kept": kept,
        }
    )


# Large, tiny, none at all: files become partitions.
SIZES = (1500, 1, 0, 40, 300)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet files of very different sizes."""
    folder = tmp_path_factory.mktemp("data")
    for at, rows in enumerate(SIZES):
        pq.write_table(table(rows, at), folder / f"{at}.parquet", row_group_size=500)
    return folder


def decomposable() -> Iterator[str]:
    """All measures that need no file, as they are by default, and some variants."""
    for name in BUILT_IN:
        try:
            metric(name)
        except OptionError:
            continue  # it needs a file
        if name != "mwer":  # which looks segments up by their numbers
            yield name
    yield from ("gtm:e=2", "chrf:word_order=2", "untranslated:rule=copied")


def plan(**changed: object) -> ScoringPlan:
    known = {
        "metrics": ("bleu", "nist", "ter"),
        "outputs": (("A", "hyp.a"), ("B", "other")),
        "references": ("ref", "ref2"),
        "source": "source",
        "documents": "doc",
        "group_by": ("lp", "year"),
    }
    return ScoringPlan(**(known | changed))


def local(rows: pa.Table, wanted: ScoringPlan) -> tuple[pa.RecordBatch, bytes | None]:
    """What the functions give when they are called here, one batch after the other."""
    batches = rows.to_batches()
    weights = encode_weights(batches, wanted)
    return add_totals(
        count_totals(batch, wanted, weights) for batch in batches
    ), weights


def score(frame: Any, wanted: ScoringPlan, scores_out: str | None = None) -> Any:
    """Score a DataFrame by a plan that is known."""
    frame = engine.SparkFrame(frame)
    return engine.score_frame(frame, lambda *_: wanted, scores_out=scores_out)


def done_by_executor(session: Any) -> dict[str, int]:
    """How many tasks each executor has done, those that are gone included."""
    context = session.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty(1000 * PATIENCE)  # news come a little later
    found = context.statusStore().executorList(False)
    every = [found.apply(at) for at in range(found.size())]
    return {one.id(): one.completedTasks() for one in every if one.id() != "driver"}


@pytest.fixture
def small(monkeypatch):
    """Count terms in chunks of about 70 rows."""
    monkeypatch.setattr(spark_terms, "CHUNK_ROWS", 70)


@pytest.mark.usefixtures("small")
def test_all_measures_equal_those_counted_here(spark, data):
    wanted = plan(metrics=tuple(decomposable()))
    assert {"bleu", "chrf", "nist", "ltv", "meteor", "gtm", "wer"} < set(wanted.metrics)
    before = done_by_executor(spark)
    frame = read_files(spark, [str(data)])
    found = score(frame, wanted)
    after = done_by_executor(spark)
    expected, _ = local(pq.read_table(data), wanted)
    assert found.to_json() == score_totals(expected, wanted).to_json()
    assert len(after) == 2
    assert all(after[one] > before[one] for one in after)  # every worker has worked
    assert found.segments == sum(SIZES)


def struck(marker: Path, whom: str) -> Callable[[Any], Any]:
    """Let batches through; in the first try of one partition, then kill who works on it."""

    def call(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        if pyspark.TaskContext.get().partitionId() == 3 and not marker.exists():
            daemon = os.getppid()
            java = int(
                Path(f"/proc/{daemon}/stat").read_text().split(") ")[1].split()[1]
            )
            victim = {"executor": java, "worker": os.getpid()}[whom]
            marker.write_text(str(victim))
            os.kill(victim, signal.SIGKILL)
            time.sleep(60)

    return call


def is_dead(marker: Path) -> bool:
    """Whether the process that the marker names runs no more."""
    stat = Path(f"/proc/{marker.read_text()}/stat")
    return not stat.exists() or stat.read_text().split(") ")[1].startswith("Z")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
def test_who_dies_in_the_middle_changes_no_digit(spark, data, tmp_path):
    wanted = plan(outputs=(("A", "hyp"), ("B", "other")))
    names = [name.replace("hyp.a", "hyp") for name in table(0).schema.names]
    expected, _ = local(pq.read_table(data).rename_columns(names), wanted)
    frame = read_files(spark, [str(data)]).toDF(*names).repartition(6)

    def dying(whom: str) -> Any:
        with silence_warnings():
            return frame.mapInArrow(struck(tmp_path / whom, whom), frame.schema)

    before = done_by_executor(spark)
    for whom in ("worker", "executor"):
        found = score(dying(whom), wanted)
        assert is_dead(tmp_path / whom)
        assert found.to_json() == score_totals(expected, wanted).to_json()
    # Somebody comes in the place of the dead; the survivor may have done it all by then.
    wait_until(lambda: done_by_executor(spark).keys() - before.keys())


def test_segments_are_scored_and_written(session, data, tmp_path):
    wanted = plan(segments=True, metrics=("bleu:tok=intl", "nist"))
    where = tmp_path / "scores"
    frame = read_files(session, [str(data / "0.parquet"), str(data / "4.parquet")])
    results = score(frame, wanted, scores_out=str(where))
    rows = pa.concat_tables([pq.read_table(data / f"{at}.parquet") for at in (0, 4)])
    totals, weights = local(rows, wanted)
    assert results == score_totals(totals, wanted)
    expected = [
        row
        for batch in rows.to_batches()
        for row in score_rows(batch, wanted, weights).to_pylist()
    ]
    assert (where / "_SUCCESS").exists()
    found = pq.read_table(where)
    assert found.schema.names[-4:] == [
        "bleu:tok=intl/A",
        "nist/A",
        "bleu:tok=intl/B",
        "nist/B",
    ]

    def order(row: dict[str, Any]) -> tuple[str, int]:
        return row["doc"].partition(".")[0], row["kept"]["at"]

    assert sorted(found.to_pylist(), key=order) == sorted(expected, key=order)
    # Columns of scores say how they were computed.
    fields = {
        field.name: field.metadata for field in session.read.parquet(str(where)).schema
    }
    signatures = list_signatures(wanted)
    assert {name: fields[name][engine.SIGNATURE] for name in signatures} == signatures
    assert "|tok:intl|" in signatures["bleu:tok=intl/A"]
    assert "|eff:yes|" in signatures["bleu:tok=intl/A"]
    (file, *_) = where.glob("*.parquet")
    written = pq.read_schema(file).metadata[
        b"org.apache.spark.sql.parquet.row.metadata"
    ]
    assert signatures["nist/B"] in written.decode()


def test_what_is_there_is_not_overwritten(session, data, tmp_path):
    wanted = plan(segments=True, metrics=("bleu",))
    frame = read_files(session, [str(data / "3.parquet")])
    with pytest.raises(
        OptionError, match=f"{tmp_path} already exists; name a new folder"
    ):
        score(frame, wanted, scores_out=str(tmp_path))


def with_nulls(column: str, *rows: int) -> pa.Table:
    found = table(20)
    values = found[column].to_pylist()
    for at in rows:
        values[at] = None
    where = found.schema.get_field_index(column)
    return found.set_column(where, column, pa.array(values, pa.string()))


NULLS = [
    pytest.param("classic", "hyp.a", id="classic hyp"),
    pytest.param("connect", "ref", id="connect ref"),
]


@pytest.mark.parametrize(("session", "column"), NULLS, indirect=["session"])
def test_nulls_are_refused(session, tmp_path, column):
    wanted = plan(metrics=("bleu",), references=("ref",), group_by=())
    pq.write_table(table(20), tmp_path / "a.parquet")
    pq.write_table(with_nulls(column, 5, 8), tmp_path / "b.parquet")
    with pytest.raises(CorpusError) as caught:
        score(read_files(session, [str(tmp_path)]), wanted)
    place = f"A row of the table is null in the column {column!r}, which needs"
    assert str(caught.value).startswith(place)
    assert "\n" not in str(caught.value)


def damaged(folder: Path, what: str) -> Path:
    path = folder / "damaged é.parquet"
    whole = (folder / "a whole one.parquet").read_bytes()
    if what == "of another type":
        rows = table(5)
        numbers = pa.array(range(5), pa.int64())
        pq.write_table(rows.set_column(2, "ref", numbers), path)
        return path
    content = {
        "spoilt": whole[:8] + bytes(400) + whole[408:],
        "empty": b"",
    }
    path.write_bytes(content[what])
    return path


DAMAGED = [
    ("connect", "spoilt", "Spark failed: Encountered error while reading file {}"),
    ("connect", "empty", "{} cannot be read as Parquet: it is empty;"),
    (
        "connect",
        "of another type",
        "Spark failed: Encountered error while reading file {}",
    ),
]


@pytest.mark.parametrize(("session", "what", "message"), DAMAGED, indirect=["session"])
def test_damaged_files_are_named(session, tmp_path, what, message):
    pq.write_table(table(50), tmp_path / "a whole one.parquet")
    path = damaged(tmp_path, what)

    with pytest.raises(MetraError) as caught:
        # The whole file is the first by its name: Spark takes the columns from there.
        score(read_files(session, [str(tmp_path)]), plan(metrics=("bleu",)))
    assert str(caught.value).startswith(message.format(path))
    assert "\n" not in str(caught.value)
    assert "SQLSTATE" not in str(caught.value)


def test_what_is_named_twice_is_refused(spark, data):
    for paths in ([data, data / "0.parquet"], [data, data], [f"{data}/", data]):
        with pytest.raises(FormatError, match=r"is given twice, so its rows would"):
            read_files(spark, list(map(str, paths)))
    assert read_files(spark, [str(data / "0.parquet"), str(data / "4.parquet")])


@pytest.mark.usefixtures("spark")
def test_a_column_that_no_file_has_is_missed_in_the_table(data):
    with pytest.raises(
        FormatError, match=r"^The table that Spark makes of \d+ files has"
    ):
        score_table(
            [str(data)],
            ["bleu"],
            reference="nowhere",
            engine="spark",
        )


@over_connect
def test_a_file_that_is_not_there_is_named(session, tmp_path):
    with pytest.raises(
        OptionError, match=r"Spark failed: Path does not exist: .*nothing\.parquet"
    ):
        read_files(session, [str(tmp_path / "nothing.parquet")])


WRONG = [
    pytest.param(
        {"references": ("reff",)}, "no column 'reff'. Did you mean 'ref'", id="ref"
    ),
    pytest.param({"group_by": ("kept",)}, "which cannot be a group", id="struct"),
    pytest.param({"references": ("year",)}, "of type int64, where texts", id="type"),
    pytest.param(
        {"metrics": ("quality:model={}",)}, "needs whole documents", id="docs"
    ),
]


@pytest.mark.parametrize(("changed", "message"), WRONG)
def test_what_cannot_be_is_refused_before_spark_works(
    spark, data, root, changed, message
):
    if "metrics" in changed:
        model = root / "examples" / "models" / "technical.toml"
        changed = {"metrics": tuple(m.format(model) for m in changed["metrics"])}
    before = sum(done_by_executor(spark).values())
    frame = read_files(spark, [str(data)])
    after = sum(done_by_executor(spark).values())
    with pytest.raises(MetraError, match=message):
        score(frame, plan(**changed))
    assert before < after  # the files were looked at
    assert sum(done_by_executor(spark).values()) == after


@over_connect
def test_a_table_without_rows_has_no_score(session, data):
    frame = read_files(session, [str(data / "2.parquet")])
    with pytest.raises(CorpusError, match="The table has no rows; expected"):
        score(frame, plan(metrics=("bleu",)))


@over_connect
def test_workers_of_another_version_are_refused(session, data, monkeypatch):
    frame = read_files(session, [str(data / "3.parquet")])
    monkeypatch.setattr(sessions, "__version__", "99.1")
    with pytest.raises(MetraError, match=r"has metra \d\S+, but this is metra 99.1"):
        score(frame, plan(metrics=("bleu",)))


def test_an_active_session_is_used_and_left_alone(spark):
    with spark_session("local[1]") as session:
        assert session.sparkContext is spark.sparkContext
    assert spark.range(3).count() == 3


COLUMNS = ("--read", "hyp=A=hyp.a", "--read", "hyp=B=other", "--read", "ref=ref")


def test_the_command_line_prints_the_same(spark, data, cli):
    assert spark is not None
    asked = (
        "score",
        data,
        *COLUMNS,
        "-m",
        "bleu",
        "-m",
        "nist",
        "--group-by",
        "lp,year",
    )
    here = cli(*asked, "--format", "json")
    there = cli(*asked, "--format", "json", "--engine", "spark")
    assert (there.code, there.err) == (0, "")
    assert there.out == here.out


@pytest.fixture(scope="module")
def long_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Work for minutes."""
    path = tmp_path_factory.mktemp("long") / "rows.parquet"
    pq.write_table(pa.concat_tables([table(1000)] * 400).drop(["kept"]), path)
    return path


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
def test_interrupted_it_leaves_no_process_behind(long_table, tmp_path):
    where = ("--scores-out", tmp_path / "out")
    spark = ("--engine", "spark:local[1]")
    command = [sys.executable, "-m", "metra", "score", long_table, *COLUMNS, *where]
    running = subprocess.Popen(
        [*command, "-m", "ter", "-m", "gtm:e=2", "-m", "meteor", *spark],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    while running.poll() is None and not (tmp_path / "out").exists():
        time.sleep(0.05)  # until it writes
    assert members(running.pid)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (130, "")
    assert err.strip().endswith("metra: interrupted; nothing was written.")
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    wait_until(lambda: not members(running.pid))


def members(group: int) -> list[str]:
    """The processes of a session that are still there: Java, and what it started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            session = (
                process.joinpath("stat").read_text().rpartition(") ")[2].split()[3]
            )
            line = process.joinpath("cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue  # it has just ended
        if session == str(group) and ("java" in line or "pyspark" in line):
            found.append(line)
    return found


def wait_until(true: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_a_dataframe_is_scored_by_the_names_of_its_columns(session, tmp_path):
    rows = table(60).drop(["kept"])
    pq.write_table(rows, tmp_path / "0.parquet")
    metrics = ["bleu", "chrf", "ter", "nist", "meteor", "wer"]
    asked = {"hypothesis": {"A": "hyp.a", "B": "other"}, "group_by": "lp"}
    frame = session.read.parquet(str(tmp_path)).repartition(3)
    assert score_table(frame, metrics, **asked) == score_table(
        tmp_path, metrics, **asked
    )
    with pytest.raises(FormatError, match=r"^The DataFrame has no column 'mt'"):
        score_table(frame, metrics, hypothesis="mt")


def test_folders_named_after_columns(spark, tmp_path):
    assert spark is not None
    for lp in ("en-de", "fr%20de"):
        place = tmp_path / f"lp={lp}" / "year=007"
        place.mkdir(parents=True)
        pq.write_table(table(20).select(["other", "ref"]), place / "0.parquet")
    asked = {"metrics": ["bleu"], "group_by": ["lp", "year"]}
    here = score_table(tmp_path, **asked)
    assert [group.key for group in here.groups] == [
        {"lp": "en-de", "year": "007"},
        {"lp": "fr de", "year": "007"},
    ]
    assert score_table(str(tmp_path), **asked, engine="spark") == here
    parts = [str(tmp_path / "lp=en-de"), str(tmp_path / "lp=fr%20de")]
    assert score_table(parts, **asked, engine="spark") == here
