"""What one file holds: segments, or a test set with outputs."""

import gzip
from pathlib import Path

import pytest

import metra
from metra.errors import FormatError

ROWS = [("le chat", "the cat", "a cat"), ("un chien", "the dog", "the dog")]


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "test.tsv"
    lines = ["source\treference\toutput:ours\tdoc"]
    lines += ["\t".join((*row, f"d{at}")) for at, row in enumerate(ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_one_text_is_a_list_of_segments(tmp_path):
    path = tmp_path / "out.de"
    path.write_bytes("ein\u2028Satz\r\n\nnoch einer\n".encode())
    assert metra.read(path) == ["ein\u2028Satz", "", "noch einer"]
    packed = tmp_path / "out.txt.gz"
    packed.write_bytes(gzip.compress(b"a\nb\n"))
    assert metra.read(str(packed)) == ["a", "b"]


def test_one_text_in_another_format_is_a_list_too(tmp_path):
    path = tmp_path / "out.json"
    path.write_text('["ein Satz", "noch\\neiner"]', encoding="utf-8")
    assert metra.read(path) == ["ein Satz", "noch\neiner"]
    table = tmp_path / "out.csv"
    table.write_text('mt\n"eins, zwei"\ndrei\n', encoding="utf-8")
    assert metra.read(table) == ["eins, zwei", "drei"]
    source = tmp_path / "both.csv"
    source.write_text("source,mt\nun,eins\n", encoding="utf-8")
    evalset, outputs = metra.read(source)
    assert list(evalset.source) == ["un"]
    assert list(outputs.values()) == [["eins"]]


def test_a_table_is_a_test_set_and_outputs(table):
    evalset, outputs = metra.read(table)
    assert [list(row) for row in zip(evalset.source, *evalset.refs, strict=True)] == [
        list(row[:2]) for row in ROWS
    ]
    assert evalset.documents == ["d0", "d1"]
    assert list(outputs.values()) == [["a cat", "the dog"]]
    results = metra.evaluate(*metra.read(table), ["wer"])
    assert results.to_columns()["wer"] == [25]


def test_the_format_can_be_named(table):
    assert metra.read(table, input_format="plain")[1] == "le chat\tthe cat\ta cat\td0"


def test_results_are_refused(tmp_path, table):
    results = metra.evaluate(*metra.read(table), ["wer"])
    path = tmp_path / "results.json"
    path.write_text(results.to_json(), encoding="utf-8")
    with pytest.raises(
        FormatError, match=r"results\.json holds results of metra, not te"
    ):
        metra.read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(metra.MetraError, match=r"nothing\.txt"):
        metra.read(tmp_path / "nothing.txt")
