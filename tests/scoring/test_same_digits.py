"""The same digits on every path: in memory, from files, in parts, by groups, on engines."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import metra
from metra.formats.texts.columns import ColumnNames
from metra.scoring.evaluate import EvaluationOptions, evaluate_corpus, make_metrics
from metra.scoring.files import open_corpus
from metra.scoring.tables import score_table

# NIST's weights, METEOR's chunks and GTM's sizes are fractions, whose sums depend on the
# order in which they are added.
SPECS = ["bleu", "nist", "meteor", "gtm:e=2"]
WORDS = [*"abcdefghij", ",", ".", "é", "日本", "house", "very"]


@pytest.fixture(scope="module")
def columns() -> dict[str, list[str]]:
    draw = random.Random(7)

    def write_text() -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(1, 14)))

    refs = [write_text() for _ in range(5000)]
    hyps = [ref if draw.random() < 0.3 else write_text() for ref in refs]
    return {"hyp": hyps, "ref": refs, "part": draw.choices(["en-de", "fr-de"], k=5000)}


@pytest.fixture(scope="module")
def expected(columns) -> dict[str, float]:
    results = metra.evaluate(
        metra.EvalSet([columns["ref"]]), {"hyp": columns["hyp"]}, SPECS
    )
    return {spec: score.score for spec, score in results["hyp"].items()}


@pytest.fixture(scope="module")
def shards(columns, tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("shards")
    table = pa.table(columns)
    bounds = [0, 700, 3100, 5000]
    paths = [str(folder / f"{at}.parquet") for at in range(3)]
    for at, path in enumerate(paths):
        pq.write_table(table.slice(bounds[at], bounds[at + 1] - bounds[at]), path)
    return paths


def read_scores(results: metra.Results) -> dict[str, float]:
    (system,) = results.systems
    return {spec: score.score for spec, score in system.scores.items()}


@pytest.mark.parametrize("chunk", [99, 700, 1024, 2048, 9000])
def test_chunks_of_any_size(shards, expected, chunk):
    results = evaluate_corpus(
        open_corpus(shards), make_metrics(SPECS), EvaluationOptions(), chunk=chunk
    )
    assert read_scores(results) == expected


def test_rows_that_are_kept(shards, expected):
    asked = EvaluationOptions(segments=True)
    results = evaluate_corpus(open_corpus(shards), make_metrics(SPECS), asked)
    assert read_scores(results) == expected


def test_one_metric_at_a_time(columns, expected):
    for spec, score in expected.items():
        assert metra.score(columns["hyp"], [columns["ref"]], spec).score == score


def test_groups_of_a_corpus(shards, expected):
    corpus = open_corpus(shards, columns=ColumnNames(labels=("part",)))
    results = evaluate_corpus(
        corpus, make_metrics(SPECS), EvaluationOptions(), group_by=["part"]
    )
    assert read_scores(results) == expected
    assert [group.key for group in results.groups] == [
        {"part": "en-de"},
        {"part": "fr-de"},
    ]


def test_groups_in_memory(columns, expected):
    results = metra.evaluate(
        metra.EvalSet([columns["ref"]]),
        {"hyp": columns["hyp"]},
        SPECS,
        group_by={"part": columns["part"]},
    )
    assert read_scores(results) == expected
    assert sum(group.segments for group in results.groups) == 5000


@pytest.mark.parametrize("group_by", [(), ("part",)])
def test_tables(shards, expected, group_by):
    results = score_table(shards, SPECS, group_by=group_by)
    assert read_scores(results) == expected


def test_work_that_is_resumed(shards, expected, tmp_path):
    first = score_table(shards, SPECS, resume=str(tmp_path))
    again = score_table(shards, SPECS, resume=str(tmp_path))
    assert read_scores(first) == read_scores(again) == expected


def test_shards_in_any_order(shards, expected):
    assert read_scores(score_table(shards[::-1], SPECS)) == expected
