"""Metrics with corpus weights over tables: on Spark, in parts, and up to a stated size."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metra.errors import CorpusError
from metra.metrics import record
from metra.metrics.record import CorpusTerms, TermCounts
from metra.metrics.registry import metric
from metra.scoring.tables import build_plan, score_table

SPECS = [
    "nist",
    "nist:style=mteval,n=3",
    "ltv",
    "ltv:weight=s,side=recall",
    "ltv:weight=s,floor=0.25,max_salience=2,oov=0.5",
    "bleu",
]
COLUMNS = {"hypothesis": {"A": "hyp", "B": "other"}, "document": "doc"}


@pytest.fixture
def shards(tmp_path):
    """Write three files of 120 rows; documents have words of their own and lie across files."""
    rng = np.random.default_rng(11)
    folder = tmp_path / "data"
    folder.mkdir()
    for number, rows in enumerate((50, 0, 70)):
        documents = rng.integers(0, 12, rows).tolist()

        def text(document: int) -> str:
            own = [f"w{document}{letter}" for letter in "abc"]
            return " ".join(rng.choice(["the", "0", "é", *own], rng.integers(1, 9)))

        refs = [text(document) for document in documents]
        table = {
            "hyp": [
                ref if rng.random() < 0.3 else text(d)
                for ref, d in zip(refs, documents, strict=True)
            ],
            "other": ["" if rng.random() < 0.1 else text(d) for d in documents],
            # A document whose references have no word.
            "ref": [
                "" if d == 3 else ref for ref, d in zip(refs, documents, strict=True)
            ],
            "ref2": [
                None if rng.random() < 0.2 or d == 3 else text(d % 2) for d in documents
            ],
            "doc": [f"d{d}" for d in documents],
        }
        kinds = pa.schema([(name, pa.string()) for name in table])
        pq.write_table(pa.table(table, kinds), folder / f"{number}.parquet")
    return sorted(map(str, folder.iterdir()))


@pytest.fixture(scope="module")
def session():
    """A session of two cores in this process."""
    pytest.importorskip("pyspark", reason="needs pyspark: metra[spark]")
    if shutil.which("java") is None:
        pytest.skip("needs Java, such as openjdk-17-jre-headless")
    from metra.scoring.executors.spark_session import spark_session

    with spark_session("local[2]") as session:
        session.conf.set("spark.sql.shuffle.partitions", "3")
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
        yield session


@pytest.fixture
def small_chunks(session, monkeypatch):
    """Cut rows into chunks of seven."""
    from metra.scoring.executors import spark_terms

    monkeypatch.setattr(spark_terms, "CHUNK_ROWS", 7)
    return session


@pytest.mark.usefixtures("small_chunks")
def test_the_digits_on_spark_are_those_of_one_memory(shards, tmp_path):
    asked = {"metrics": SPECS, **COLUMNS, "group_by": ["doc"]}
    outs = [str(tmp_path / name) for name in ("here", "there")]
    here = score_table(shards, **asked, scores_out=outs[0])
    there = score_table(shards, **asked, scores_out=outs[1], engine="spark")
    assert there.to_json() == here.to_json()
    rows = [pq.read_table(out).to_pylist() for out in outs]
    assert sorted(map(str, rows[0])) == sorted(map(str, rows[1]))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param("ltv", "All segments are of one document", id="one document"),
        pytest.param(
            "ltv:min_salience=50", "Every word has weight zero", id="no weights"
        ),
    ],
)
@pytest.mark.usefixtures("small_chunks")
def test_weights_that_say_nothing(shards, spec, message):
    table = pq.read_table(shards[0])
    if spec == "ltv":
        table = table.set_column(4, "doc", pa.array(["d"] * len(table)))
        pq.write_table(table, shards[0])
    for engine in ("local", "spark"):
        with pytest.raises(CorpusError, match=message):
            score_table(shards[:1], [spec], **COLUMNS, engine=engine)


def test_rows_that_change_when_a_task_is_repeated_are_refused(shards):
    from metra.scoring.executors.spark_terms import fit_rows, pack_rows

    rows = pq.read_table(shards[0]).to_batches()[0]
    packed = [*pack_rows(iter([rows]), 0, 7), *pack_rows(iter([rows[::-1]]), 0, 7)]
    assert packed[0]["chunk"] != packed[1]["chunk"]
    plan = build_plan(rows.schema, metrics=["nist"], **COLUMNS)
    nothing = pa.table({"metric": pa.array([], pa.int32())})
    with pytest.raises(CorpusError, match=r"^Rows came in another order when Spark"):
        fit_rows(pa.Table.from_batches(packed[:1]), nothing, plan)


@pytest.mark.usefixtures("small_chunks")
def test_rows_that_come_in_any_order_are_scored(session, shards):
    from metra.scoring.executors.spark_session import silence_warnings

    def shuffle(batches):
        for batch in batches:
            yield batch.take(pa.array(np.random.default_rng().permutation(len(batch))))

    frame = session.read.parquet(*shards)
    with silence_warnings():
        shuffled = frame.mapInArrow(shuffle, frame.schema)
    assert score_table(shuffled, SPECS, **COLUMNS) == score_table(
        shards, SPECS, **COLUMNS
    )


@pytest.fixture
def small_memory(monkeypatch):
    """Hold the weights of 239 references at most: the files have 240."""
    monkeypatch.setattr(record, "MOST_WEIGHED", 239)


TOO_LARGE = r"^nist and ltv keep .* in memory, for up to 239 references; score a larger"


@pytest.mark.usefixtures("small_memory")
def test_a_table_that_does_not_fit_is_refused(shards):
    with pytest.raises(CorpusError, match=TOO_LARGE):
        score_table(shards, ["nist"], **COLUMNS)
    with pytest.raises(CorpusError, match=TOO_LARGE):
        score_table(pq.read_table(shards), ["bleu", "ltv"], **COLUMNS)
    assert score_table(shards, ["bleu"], **COLUMNS)
    assert score_table(shards[:1], ["nist"], **COLUMNS)


@pytest.mark.usefixtures("small_memory")
def test_files_that_do_not_fit_are_refused_in_a_sentence(shards, cli):
    given = ("score", *shards, "--read", "hyp=hyp", "-m", "nist")
    ran = cli(*given)
    assert ran.code == 2
    assert "score a larger table on Spark (--engine spark)" in ran.err


def test_counts_that_weights_cannot_hold_are_refused():
    def weigh(count: int) -> object:
        terms = TermCounts(b"a", np.array([1], np.int64), np.array([count]))
        return metric("nist").fit.apply_some(CorpusTerms(terms, np.zeros(1), count))

    assert weigh(2**32 - 1)
    with pytest.raises(CorpusError, match=r"have an n-gram 4,294,967,296 times, but"):
        weigh(2**32)
