"""Tables of other libraries: the digits of files on this machine, errors with their rows."""

import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import metra
from metra.errors import (
    CorpusError,
    FormatError,
    MetraError,
    OptionError,
)
from metra.scoring.executors.frames import FAN
from metra.scoring.tables import score_table

METRICS = ["bleu", "chrf", "ter", "nist", "meteor", "wer"]
WORDS = [*"abcdefgh", ",", "é", "日本", "house", "very"]
ROWS = 240


def build_table(rows: int = ROWS) -> pa.Table:
    draw = random.Random(11)

    def write_text() -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(1, 12)))

    refs = [write_text() for _ in range(rows)]
    return pa.table(
        {
            "mt": [ref if draw.random() < 0.3 else write_text() for ref in refs],
            "other": [write_text() for _ in refs],
            "ref": refs,
            "ref2": [write_text() if draw.random() < 0.5 else None for _ in refs],
            "lp": draw.choices(["en-de", "fr-de", None], k=rows),
            "year": pa.array(draw.choices([2023, 2024], k=rows), pa.int64()),
            "length": [0.5] * rows,
        }
    )


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return build_table()


@pytest.fixture(scope="module")
def folder(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The table in three files, one of them in a folder of its own kind."""
    place = tmp_path_factory.mktemp("table")
    for at, (first, rows) in enumerate([(0, 100), (100, 1), (101, ROWS - 101)]):
        pq.write_table(table.slice(first, rows), place / f"{at}.parquet")
    return str(place)


ASKED: dict[str, Any] = {
    "metrics": METRICS,
    "hypothesis": {"A": "mt", "B": "other"},
    "reference": ["ref", "ref2"],
    "group_by": ["lp", "year"],
}


@pytest.fixture(scope="module")
def expected(folder: str) -> metra.Results:
    results = score_table(folder, **ASKED)
    assert results.segments == ROWS
    assert results.references == 2
    assert [entry.name for entry in results.systems] == ["A", "B"]
    assert len(results.groups) == 6
    return results


@pytest.fixture(scope="module")
def ray_data() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="needs ray: metra[ray]")
    with warnings.catch_warnings():  # about its own settings
        warnings.simplefilter("ignore")
        from ray import data

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        data.DataContext.get_current().enable_progress_bars = False
    yield data
    ray.shutdown()


def make_lazy_polars(table: pa.Table) -> Any:
    return pytest.importorskip("polars").from_arrow(table).lazy()


def make_duckdb(table: pa.Table) -> Any:
    return pytest.importorskip("duckdb").arrow(table)


def make_dask(table: pa.Table) -> Any:
    frames = pytest.importorskip("dask.dataframe")
    pandas = table.to_pandas()
    return frames.concat([frames.from_pandas(pandas[at : at + 50]) for at in (0, 50)])


KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: pytest.importorskip("polars").from_arrow(table),
    "lazy polars": make_lazy_polars,
    "duckdb": make_duckdb,
}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_in_this_process(table, expected, kind):
    assert score_table(KINDS[kind](table), **ASKED) == expected


def test_queries_over_files(folder, expected):
    """Read by the libraries themselves, in batches."""
    duckdb = pytest.importorskip("duckdb")
    polars = pytest.importorskip("polars")
    pattern = f"{folder}/*.parquet"
    assert score_table(duckdb.sql(f"from '{pattern}'"), **ASKED) == expected
    assert score_table(polars.scan_parquet(pattern), **ASKED) == expected


def test_more_rows_than_are_read_at_a_time(tmp_path):
    rows = 9000
    name = 'the "mt"'
    table = pa.table({"ref": ["b a"] * rows, name: ["a b"] * rows})
    broken = table.set_column(1, name, pa.array(["a b"] * (rows - 1) + [None]))
    pq.write_table(table, tmp_path / "0.parquet")
    asked = {"metrics": ["wer"], "hypothesis": name}
    query = pytest.importorskip("duckdb").sql(f"from '{tmp_path}/0.parquet'")
    here = score_table(tmp_path, **asked)
    assert here.segments == rows
    assert score_table(table, **asked) == score_table(query, **asked) == here
    with pytest.raises(CorpusError, match=r"^Row 9000 of the table is null in"):
        score_table(broken, **asked)


def test_a_stream_of_batches(table, folder):
    asked = {"hypothesis": "mt", "reference": "other", "group_by": "lp"}
    found = score_table(table.to_reader(max_chunksize=7), ["chrf", "ter"], **asked)
    assert found == score_table(folder, ["chrf", "ter"], **asked)
    with pytest.raises(
        OptionError, match=r"^The stream of batches can be read only once"
    ):
        score_table(table.to_reader(), ["nist"], **asked)


# Dask calls pandas in ways that pandas warns about.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_dask_dataframes(folder, expected):
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.read_parquet(folder)
    assert frame.npartitions == 3
    assert score_table(frame, **ASKED, scheduler="synchronous") == expected


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_more_partitions_than_one_task_adds_up(table, expected, scheduler):
    frames = pytest.importorskip("dask.dataframe")
    parts = frames.from_pandas(table.to_pandas(), npartitions=FAN + 2)
    assert score_table(parts, **ASKED, scheduler=scheduler) == expected


def test_references_in_lists_are_refused(table):
    lists = [[text] for text in table["ref"].to_pylist()]
    given = table.append_column("refs", pa.array(lists))
    with pytest.raises(FormatError, match=r"has lists of references in the column"):
        score_table(given, ["bleu"], hypothesis="mt")
    assert score_table(given, ["bleu"], hypothesis="mt", reference="ref")


about_ray = pytest.mark.filterwarnings("ignore::Warning")


@about_ray
def test_ray_datasets(table, expected, ray_data):
    parts = [table.slice(first, 90) for first in (0, 90, 180)]
    assert score_table(ray_data.from_arrow(parts), **ASKED) == expected
    assert score_table(ray_data.from_pandas(table.to_pandas()), **ASKED) == expected


def with_null(table: pa.Table, row: int) -> pa.Table:
    texts = table["mt"].to_pylist()
    texts[row] = None
    return table.set_column(0, "mt", pa.array(texts, pa.string()))


NULL = "Row {} of {} is null in the column 'mt', which needs a text; fill it in"


@pytest.mark.parametrize("kind", KINDS)
def test_a_null_is_named_by_its_row(table, kind):
    broken = KINDS[kind](with_null(table, 207))
    with pytest.raises(CorpusError, match=NULL.format(208, "the table")):
        score_table(broken, **ASKED)


def test_dask_names_the_place_of_a_null(table):
    frames = pytest.importorskip("dask.dataframe")
    broken = with_null(table, 207)
    frame = frames.from_pandas(broken.to_pandas(), npartitions=4)  # of 60 rows
    with pytest.raises(CorpusError, match=NULL.format(28, "partition 4")):
        score_table(frame, **ASKED, scheduler="processes")


@about_ray
def test_ray_names_the_place_of_a_null(table, ray_data):
    broken = with_null(table, 207)
    parts = [broken.slice(first, 90) for first in (0, 90, 180)]
    with pytest.raises(CorpusError, match=NULL.format(208, "the dataset")):
        score_table(ray_data.from_arrow(parts), **ASKED)


@pytest.mark.parametrize("kind", [*KINDS, "dask"])
def test_what_a_table_lacks_is_said(table, kind):
    given = (KINDS | {"dask": make_dask})[kind](table)
    with pytest.raises(FormatError, match="The table has no column 'mtt'"):
        score_table(given, ["bleu"], hypothesis="mtt")
    with pytest.raises(
        FormatError, match=r"'length' of type double, which cannot be a group"
    ):
        score_table(given, ["bleu"], hypothesis="mt", group_by="length")


@pytest.mark.parametrize("kind", [*KINDS, "dask"])
def test_a_table_without_rows(table, kind):
    if kind == "dask":
        frame = make_dask(table)
        empty = frame[frame.year > 3000]
    else:
        empty = KINDS[kind](table.slice(0, 0))
    with pytest.raises(CorpusError, match="The table has no rows; expected"):
        score_table(empty, ["bleu"], hypothesis="mt", reference="other")


def test_a_query_that_fails(tmp_path):
    polars = pytest.importorskip("polars")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    with pytest.raises(CorpusError, match=r"^The polars table cannot be read: .+\.$"):
        score_table(polars.scan_parquet(broken), ["bleu"])


def test_a_query_of_duckdb_that_fails(folder):
    query = pytest.importorskip("duckdb").sql(f"from '{folder}/0.parquet'")
    broken = query.select("mt, error('no ' || mt) as ref")
    with pytest.raises(CorpusError, match=r"^The duckdb table cannot be read: .+\.$"):
        score_table(broken, ["bleu"])


def test_a_file_that_is_given_twice_is_refused(folder):
    with pytest.raises(FormatError, match=r"0\.parquet is given twice"):
        score_table([folder, f"{folder}/0.parquet"], ["bleu"])


REFUSED = [
    pytest.param(
        {}, {}, "A dict is not a table that can be scored; expected", id="dict"
    ),
    pytest.param([3], {}, "has an entry of type int; expected paths", id="number"),
    pytest.param([], {}, "No files were given; give at least one", id="none"),
    pytest.param(
        build_table(1),
        {"resume": "kept"},
        "A table of pyarrow has no `resume`",
        id="kept",
    ),
    pytest.param(
        build_table(1), {"scores_out": "x"}, "of pyarrow has no `scores_out`", id="out"
    ),
]


@pytest.mark.parametrize(("given", "options", "message"), REFUSED)
def test_what_is_refused(given, options, message):
    with pytest.raises(MetraError, match=message) as caught:
        score_table(given, ["bleu"], **options)
    assert "\n" not in str(caught.value)


def test_folders_named_after_columns(table, tmp_path):
    for lp in ("en-de", "fr-de"):
        place = Path(tmp_path, f"lp={lp}", "year=007")
        place.mkdir(parents=True)
        pq.write_table(table.drop(["lp", "year"]).slice(0, 60), place / "0.parquet")
    asked = ASKED | {"metrics": ["bleu", "nist"]}
    here = score_table(tmp_path, **asked)
    assert [group.key["year"] for group in here.groups] == ["007", "007"]
