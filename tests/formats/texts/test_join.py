"""Rows of several files belong together by ids, documents or sources, in any order."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.errors import CorpusError
from metra.formats.recognise import FORMATS
from metra.formats.texts.columns import DOCUMENT, Field
from metra.formats.texts.join import RowKeys, match_rows
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.roles import recognise_fields
from metra.formats.texts.rows import RowChunk
from metra.formats.texts.sources import list_sources
from metra.limits import LimitError

REFS, OUTPUTS = ["r0", "r1", "r2", "r3"], ["o0", "o1", "o2", "o3"]
#: Another order of four rows.
MIXED = (2, 0, 3, 1)


def write_table(path: Path, columns: dict[str, list[str]], order=MIXED) -> str:
    """Write columns in the format of a file's name, rows in some order."""
    fields = recognise_fields([*columns], path.stem)
    rows = {
        field: [values[at] for at in order]
        for field, values in zip(fields, columns.values(), strict=True)
    }
    if path.suffix == ".tsv":  # with headings as they are
        lines = [[*columns], *zip(*rows.values(), strict=True)]
        path.write_text("".join("\t".join(line) + "\n" for line in lines))
    else:
        form = next(form for form in FORMATS.values() if path.suffix in form.suffixes)
        form.write(str(path), fields, [RowChunk(0, rows)])
    return str(path)


def join(outputs: list[str], references=(), source=None) -> tuple[list, str]:
    """Return the rows of outputs and references, two segments at a time, and the sentence."""
    table = ParallelTable(list_sources(outputs, references, source))
    wanted = [f for f in table.fields if f.role in ("output", "reference")]
    columns = {field: [] for field in wanted}
    for chunk in table.chunks(2, wanted):
        for field, values in chunk.items():
            columns[field] += [values[at] for at in range(len(values))]
    return [*zip(*columns.values(), strict=True)], table.joined


KEYS = load_cases("joined: keys")


@pytest.mark.parametrize(("keys", "others", "joined"), KEYS)
def test_keys(keys, others, joined, tmp_path):
    reference = write_table(tmp_path / "r.tsv", {**keys, "ref": REFS}, range(4))
    output = write_table(tmp_path / "o.tsv", {**others, "output": OUTPUTS})
    rows = [*zip(OUTPUTS, REFS, strict=True)]
    found, sentence = join([output], [reference])
    assert (sorted(found), sentence) == (rows, joined.format(o=output))


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "json", "xlsx", "parquet"])
@pytest.mark.parametrize("key", ["id", "unit_id", "doc", "index"])
def test_formats(suffix, key, tmp_path):
    keys = {key: ["7", "8", "9", "10"]}
    reference = write_table(tmp_path / f"r.{suffix}", keys | {"ref": REFS}, range(4))
    output = write_table(tmp_path / f"o.{suffix}", keys | {"output": OUTPUTS})
    rows, joined = join([output], [reference])
    assert rows == [*zip(OUTPUTS, REFS, strict=True)]
    assert joined.startswith(
        f"4 {'document' if key == 'doc' else 'segment'}s joined by"
    )


WRONG = load_cases("joined: refused")


@pytest.mark.parametrize(("keys", "others", "message"), WRONG)
def test_keys_that_do_not_agree(keys, others, message, tmp_path):
    reference = write_table(tmp_path / "r.tsv", {**keys, "ref": REFS}, range(4))
    rows = len(next(iter(others.values())))
    output = write_table(
        tmp_path / "o.tsv", {**others, "output": OUTPUTS[:rows]}, range(rows)
    )
    with pytest.raises(CorpusError) as raised:
        join([output], [reference])
    assert str(raised.value) == message.format(r=reference, o=output)


PLAIN = load_cases("joined: beside plain text")


@pytest.mark.parametrize(("keys", "problem"), PLAIN)
def test_ids_out_of_order_beside_plain_text(keys, problem, tmp_path):
    (tmp_path / "ref.txt").write_text("".join(f"{text}\n" for text in REFS))
    output = write_table(tmp_path / "o.tsv", {**keys, "output": OUTPUTS}, range(4))
    if not problem:
        rows, joined = join([output], [str(tmp_path / "ref.txt")])
        assert (rows, joined) == ([*zip(OUTPUTS, REFS, strict=True)], "")
        return
    with pytest.raises(CorpusError) as raised:
        join([output], [str(tmp_path / "ref.txt")])
    assert str(raised.value) == (
        f"{output} has {problem}, so that it may have been shuffled or sorted, but its rows "
        "cannot be matched with those of another file by ids; put the rows into order, or "
        "give all files ids."
    )


def test_the_same_source_counts_once(tmp_path):
    texts = {"source": ["a", "b", "b", "c"]}
    outputs = [
        write_table(tmp_path / f"{name}.tsv", texts | {"output": OUTPUTS}, range(4))
        for name in "xy"
    ]
    plain = tmp_path / "source.txt"
    plain.write_text("a\nb\nb\nc\n")
    rows = [*zip(OUTPUTS, OUTPUTS, strict=True)]
    for source in (None, str(plain)):
        assert join(outputs, (), source)[0] == rows
    plain.write_text("a\nb\nc\nb\n")
    with pytest.raises(CorpusError, match="repeats 1 segment"):
        join(outputs, (), str(plain))


def test_documents_of_several_outputs_count_once(tmp_path):
    columns = {"doc_id": ["d1", "d2", "d3", "d4"], "hypothesis": OUTPUTS}
    outputs = [
        write_table(tmp_path / "x.jsonl", columns, range(4)),
        write_table(tmp_path / "y.jsonl", columns),
    ]
    table = ParallelTable(list_sources(outputs))
    assert table.read_columns(table.fields) == {
        Field("output", "x"): OUTPUTS,
        DOCUMENT: ["d1", "d2", "d3", "d4"],
        Field("output", "y"): OUTPUTS,
    }
    assert table.joined == "4 documents joined by doc"


def test_reordered_files_have_limits(tmp_path, monkeypatch):
    columns = {"id": ["1", "2", "3", "4"]}
    reference = write_table(tmp_path / "r.jsonl", columns | {"ref": REFS}, range(4))
    output = write_table(tmp_path / "o.jsonl", columns | {"output": OUTPUTS})
    monkeypatch.setenv("METRA_LIMITS", "whole=5")
    with pytest.raises(
        LimitError, match=r"o\.jsonl has more than 5 bytes, read at once"
    ):
        join([output], [reference])


@given(
    st.permutations(range(6)),
    st.permutations(range(6)),
    st.sampled_from(
        [
            {"id": list("abcdef")},
            {"doc": list("abcdef")},
            {"source": list("abcdef")},
            {"doc": list("aabbcc"), "seg": list("121212")},
        ]
    ),
    st.sampled_from(["", "drop", "double"]),
)
def test_any_order_is_the_same_corpus(first, second, keys, fault):
    """Shuffle both files; a row that one of them lacks or repeats is refused."""
    texts = [f"t{at}" for at in range(6)]
    if fault:
        second = second[1:] if fault == "drop" else [*second, second[0]]
    with TemporaryDirectory() as folder:
        reference = write_table(Path(folder, "r.tsv"), keys | {"ref": texts}, first)
        output = write_table(Path(folder, "o.tsv"), keys | {"output": texts}, second)
        if fault:
            with pytest.raises(CorpusError, match=r"lacks|repeats|has 1 segment"):
                join([output], [reference])
        else:
            rows, _ = join([output], [reference])
            assert all(row[0] == row[1] for row in rows)
            assert len(rows) == 6


def make_keys(place, numbers):
    return RowKeys(place, ["id"], [f"segment {number}" for number in numbers])


@pytest.mark.parametrize("count", [9, 300])
def test_many_rows_are_matched_as_few_are(count, monkeypatch):
    # From 20 rows on by their hashes.
    monkeypatch.setattr("metra.formats.texts.join._MANY", 20)
    ids = Random(count).sample(range(count), count)
    first, second = make_keys("a.tsv", range(count)), make_keys("b.tsv", ids)
    assert match_rows(first, second) == [ids.index(number) for number in range(count)]
    for other, part in ((0, "b.tsv repeats"), (count, "b.tsv lacks")):
        ids[ids.index(1)] = other
        with pytest.raises(CorpusError, match=part):
            match_rows(first, make_keys("b.tsv", ids))
        ids[ids.index(other)] = 1


def test_rows_whose_hashes_agree_are_compared(monkeypatch):
    monkeypatch.setattr("metra.formats.texts.join._MANY", 1)
    monkeypatch.setattr("metra.formats.texts.join.hash", len, raising=False)
    first, second = (
        RowKeys(place, ["id"], ["a", "bc", last])
        for place, last in (("a.tsv", "def"), ("b.tsv", "xyz"))
    )
    with pytest.raises(CorpusError, match=r"b\.tsv lacks"):
        match_rows(first, second)
