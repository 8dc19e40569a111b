"""Files side by side: names, lengths, and what cannot be joined."""

from itertools import accumulate
from random import Random
from threading import Event, get_ident
from time import sleep

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metra.formats.texts import parquet
from metra.formats.texts.columns import ColumnNames
from metra.scoring.evaluate import make_metrics
from metra.scoring.files import open_corpus
from metra.scoring.guards import TextGuard
from metra.scoring.statistics import _Walk, count_corpus
from metra.text.columns import RepeatedValues


@pytest.fixture
def files(write):
    return {
        "a": write("a.txt", ["one", "two"]),
        "b": write("runs/b.en.txt", ["one", "deux"]),
        "ref": write("ref.txt", ["one", "two"]),
        "long": write("long.txt", ["one", "two", "three"]),
    }


def test_systems_are_named_after_their_files(files):
    outputs = [str(files["a"]), f"mine={files['a']}", str(files["b"])]
    corpus = open_corpus(outputs, [str(files["ref"])])
    assert corpus.systems == ("a", "mine", "b.en")
    assert not corpus.has_source
    assert not corpus.has_documents


@pytest.mark.parametrize(
    ("given", "name", "path"),
    [
        pytest.param("a=b.txt", "a", "b.txt", id="NAME=FILE"),
        pytest.param("a=b=c.txt", "a", "b=c.txt", id="the first sign counts"),
        pytest.param("./x=y.txt", "x=y", "./x=y.txt", id="a folder is no name"),
        pytest.param("=b.txt", "=b", "=b.txt", id="no name"),
    ],
)
def test_names_on_the_command_line(given, name, path, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(path, ["x"])
    write("ref.txt", ["x"])
    assert open_corpus([given], ["ref.txt"]).systems == (name,)


def test_two_systems_of_one_name(files, cli):
    ran = cli("score", files["a"], files["a"], "-r", files["ref"])
    assert ran == (
        2,
        "",
        "metra: Two outputs are named 'a'; give each its own name: NAME=FILE.\n",
    )


@pytest.mark.parametrize(
    ("output", "reference", "longer", "shorter"),
    [("a", "long", (1, 3), (0, 2)), ("long", "a", (1, 2), (0, 3))],
)
@pytest.mark.parametrize("chunk", [1, 2, 3, 1000])
def test_unequal_lengths(output, reference, longer, shorter, chunk, files):
    paths = [str(files[output]), str(files[reference])]
    corpus = open_corpus(paths[:1], paths[1:])
    with pytest.raises(ValueError, match="segments but") as caught:
        list(corpus.chunks(chunk))
    (first, count), (other, expected) = longer, shorter
    assert str(caught.value) == (
        f"{paths[first]} has {count} segments but {paths[other]} has {expected}; "
        "each line must be one segment, in the same order in every file."
    )


def test_unequal_standard_input(files, cli):
    ran = cli("score", "-", "-r", files["ref"], stdin=b"one\n")
    assert f"{files['ref']} has 2 segments but standard input has 1; " in ran.err


def test_an_empty_line_of_a_plain_reference_is_an_empty_reference(write, cli):
    output = write("out.txt", ["a b c d", "x"])
    reference = write("ref.txt", ["a b c d", ""])
    ran = cli("score", output, "-r", reference, "--format", "json")
    assert ran.code == 0
    assert '"nrefs:1|' not in ran.err
    assert "|nrefs:1|" in ran.out


def test_chunks_are_consecutive(write):
    paths = [
        str(write(f"{name}.txt", [f"{name}{at}" for at in range(7)])) for name in "or"
    ]
    corpus = open_corpus(paths[:1], paths[1:])
    for size in (1, 2, 3, 7, 100):
        chunks = list(corpus.chunks(size))
        found = [c.systems["o"].text[at] for c in chunks for at in range(len(c))]
        assert found == [f"o{at}" for at in range(7)]
        assert max(map(len, chunks)) == min(size, 7)


WORDS = list("abcdefgh")
ROWS = 60


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table in three files of several row groups, which three threads can share."""
    monkeypatch.setenv("METRA_THREADS", "3")
    monkeypatch.setattr(parquet, "LEAST_SPAN", 1)
    monkeypatch.setattr(parquet, "_FOOTER_ROWS", 0)
    rng = Random(5)
    rows = {
        "hyp": [" ".join(rng.choices(WORDS, k=6)) for _ in range(ROWS)],
        "ref": [" ".join(rng.choices(WORDS, k=6)) for _ in range(ROWS)],
        "doc": [f"d{number // 7}" for number in range(ROWS)],
        "topic": [rng.choice(["news", "sport"]) for _ in range(ROWS)],
    }
    folder = tmp_path / "table"
    folder.mkdir()
    for number, (first, last) in enumerate([(0, 25), (25, 26), (26, ROWS)]):
        part = {name: values[first:last] for name, values in rows.items()}
        pq.write_table(pa.table(part), folder / f"{number}.parquet", row_group_size=6)
    return folder, rows


def test_sections_are_the_corpus(table):
    folder, rows = table
    corpus = open_corpus([str(folder)], columns=ColumnNames(labels=("topic",)))
    sections = [[*section] for section in corpus.sections(4, ["topic"])]
    assert [len(chunk) for section in sections for chunk in section] == [
        *(4, 2) * 4,
        *(1, 1),
        *(4, 2) * 5,
        4,
    ]
    whole = [*corpus.chunks(ROWS, ["topic"])]
    for given in (whole, [chunk for section in sections for chunk in section]):
        assert [chunk.first for chunk in given] == [
            0,
            *accumulate(len(chunk) for chunk in given[:-1]),
        ]
        texts = [chunk.systems["hyp"].text for chunk in given]
        assert [text[at] for text in texts for at in range(len(text))] == rows["hyp"]
        assert [name for chunk in given for name in chunk.documents] == rows["doc"]
        assert [label for chunk in given for label in chunk.labels[0]] == rows["topic"]


@pytest.fixture
def watched(monkeypatch):
    """The threads that count sections."""
    threads = set()
    count = _Walk.count_section

    def note(self, parts):
        threads.add(get_ident())
        # On a busy machine one thread is done with all before the other begins.
        sleep(0.05)
        count(self, parts)

    monkeypatch.setattr(_Walk, "count_section", note)
    return threads


def test_sections_give_the_same_as_lines(table, cli, write, watched):
    folder, rows = table
    scores = write("scores.txt", [f"{number}.5" for number in range(ROWS)])
    metrics = [
        "-m",
        "bleu",
        "-m",
        "nist",
        "-m",
        "ltv",
        "-m",
        f"mine@{scores}:better=higher",
    ]
    names = ["hyp", "ref", "doc"]
    paths = [write(f"{name}.txt", rows[name]) for name in names]
    made = [
        cli("score", *given, *metrics, "--format", "json")
        for given in (
            [folder, "--read", "hyp=hyp"],
            [paths[0], "-r", paths[1], "--docs", paths[2]],
        )
    ]
    assert made[0] == made[1]
    assert made[0][0] == 0, made[0]
    assert len(watched) > 1


@pytest.mark.parametrize(
    "options", [["--level", "segment"], ["--ci"], ["-m", "wer", "--details"]]
)
def test_what_needs_the_order_of_segments_is_read_in_order(
    options, table, cli, watched
):
    code, _, _ = cli("score", table[0], "--read", "hyp=hyp", *options)
    assert code == 0
    assert not watched


SPANS = [
    pytest.param([[8192, 8192]], [0, 8192], id="two spans"),
    pytest.param([[8191, 1, 8192]], [0, 8192], id="together they are large enough"),
    pytest.param([[8191, 8192]], [], id="one small"),
    pytest.param([[8192]], [], id="one"),
    pytest.param([[]], [], id="no rows"),
    pytest.param([[8192], [], [5, 8200], [1]], [0, 8192, 16397], id="several files"),
    pytest.param([[4000], [4000], [4000], [4000]], [0, 12000], id="small files"),
    pytest.param([[1024] * 100], [0, 51200], id="a large footer"),
]


@pytest.mark.parametrize(("files", "firsts"), SPANS)
def test_sections_are_neither_small_nor_are_footers_read_for_little(
    files, firsts, tmp_path
):
    texts = pa.table({"hyp": ["a"] * 8200, "ref": ["b"] * 8200})
    for number, sizes in enumerate(files):
        with pq.ParquetWriter(tmp_path / f"{number}.parquet", texts.schema) as writer:
            for size in sizes:
                writer.write_table(texts.slice(0, size))
    sections = open_corpus([str(tmp_path)]).sections(2048)
    chunks = [[*section] for section in sections]
    assert [section[0].first for section in chunks] == firsts
    total = sum(len(chunk) for section in chunks for chunk in section)
    assert total == (sum(map(sum, files)) if firsts else 0)


def test_the_first_chunk_is_visited_first_even_if_others_are_counted_before(
    table, monkeypatch
):
    others = Event()
    count, visited = _Walk.count, []

    def count_first_last(self, part):
        counted = count(self, part)
        if part.first:
            others.set()
        else:
            assert others.wait(10)
            sleep(0.2)
        return counted

    monkeypatch.setattr(_Walk, "count", count_first_last)
    corpus = open_corpus([str(table[0])])
    metrics = make_metrics(["bleu"])
    visitors = [lambda chunk: visited.append(chunk.first)]
    found = count_corpus(
        corpus, metrics, keep=False, visitors=visitors, in_order=False, chunk=4
    )
    assert visited[0] == 0
    assert found.segments == ROWS
    assert sorted(visited) == sorted({*visited})


def test_an_error_in_the_first_section_ends_the_wait_of_the_others(table, cli):
    folder, rows = table
    part = {name: values[:25] for name, values in rows.items()}
    part["hyp"] = [None, *part["hyp"][1:]]
    pq.write_table(pa.table(part), folder / "0.parquet", row_group_size=6)
    code, _, error = cli("score", folder, "--read", "hyp=hyp")
    assert code == 2
    assert "Row 1 of" in error


@pytest.mark.parametrize("is_section", [True, False])
def test_a_file_without_rows_is_checked_as_well(
    is_section, table, cli, watched, monkeypatch
):
    if not is_section:
        monkeypatch.setattr(parquet, "LEAST_SPAN", 1000)
    path = table[0] / "1.parquet"
    pq.ParquetWriter(path, pa.schema([("hyp", pa.string())])).close()
    code, _, message = cli("score", table[0], "--read", "hyp=hyp")
    assert code == 2
    assert f"{path} has no column 'ref'" in message
    assert is_section or not watched


@pytest.mark.parametrize("given", [', "doc": null', ""])
def test_a_segment_without_a_document_is_in_the_one_without_a_name(given, write):
    lines = [
        '{"hyp": "a", "ref": "b", "doc": "d"}',
        f'{{"hyp": "a", "ref": "b"{given}}}',
    ]
    corpus = open_corpus([str(write("t.jsonl", lines))])
    assert [chunk.documents for chunk in corpus.chunks(5)] == [["d", ""]]


def test_the_text_checks_see_the_same_chunks_on_any_number_of_threads(
    table, cli, monkeypatch
):
    seen = []
    visit = TextGuard.visit

    def note(self, chunk):
        seen[-1].append((chunk.first, len(chunk)))
        visit(self, chunk)

    monkeypatch.setattr(TextGuard, "visit", note)
    for threads in "123":
        monkeypatch.setenv("METRA_THREADS", threads)
        seen.append([])
        assert cli("score", table[0], "--read", "hyp=hyp").code == 0
    assert [chunks[0] for chunks in seen] == [(0, 6)] * 3
    assert sorted(seen[0]) == sorted(seen[1]) == sorted(seen[2])


def test_a_null_in_a_section_is_named(table, cli, watched):
    folder, rows = table
    part = {name: values[26:] for name, values in rows.items()}
    for row in (20, 30):
        part["hyp"][row] = None
    path = folder / "2.parquet"
    pq.write_table(pa.table(part), path, row_group_size=6)
    code, _, message = cli("score", folder, "--read", "hyp=hyp")
    assert code == 2
    assert f"Row 21 of {path} is null in the column 'hyp'" in message
    assert watched


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_documents_of_a_table_without_a_name_are_one(kept, kind, tmp_path, write):
    names = [None, "d", "", "d", "e", None]
    rows = {"src": ["a"] * 6, "ref": ["b"] * 6, "doc": pa.array(names, kind)}
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(rows), path)
    output = write("out.txt", ["a"] * 6)
    corpus = open_corpus([str(output)], [str(path)], str(path), str(path))
    found = count_corpus(corpus, make_metrics(["bleu"]), keep=kept, chunk=4)
    filled = [name or "" for name in names]
    if kept:
        assert found.documents == filled
    else:
        assert sorted(found.documents) == sorted({*filled})


def test_repeated_values_are_a_sequence():
    values = RepeatedValues(["b", "a"], np.array([1, 0, 0], np.int32))
    assert [*values] == values[:] == ["a", "b", "b"]
    assert (len(values), values[0], values[-1], values[1:]) == (3, "a", "b", ["b"] * 2)
    assert ("b" in values, values.index("b"), values.count("b")) == (True, 1, 2)
    assert not RepeatedValues([], np.array([], np.int32))
