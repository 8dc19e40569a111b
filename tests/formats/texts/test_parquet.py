"""Parquet as a corpus: which columns are what, shards, nulls, types, and the way back."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metra.errors import CorpusError, FormatError, MissingResourceError
from metra.formats.recognise import PARQUET, choose_format
from metra.formats.texts.columns import ColumnNames
from metra.formats.texts.parquet import map_fields
from metra.formats.texts.roles import recognise_fields
from metra.scoring.files import open_corpus

ROWS = {
    "src": ["un", "deux", "trois"],
    "ref": ["one", "two", None],
    "ref2": ["a", None, "c"],
    "mt_a": ["1", "2", ""],
    "mt_b": ["x", "y", "z"],
    "doc": ["d1", "d1", "d2"],
    "year": [2003, 2003, 2004],
    "score": [0.5, 0.25, 0.125],
    "tags": [["x"], [], ["y"]],
}


EMPTY = pa.schema([("hyp", pa.string()), ("ref", pa.string())]).empty_table()


@pytest.fixture
def parquet(tmp_path):
    """Write columns as a Parquet file; give its path."""

    def write(columns, name="test.parquet", **options):
        path = tmp_path / name
        rows = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(rows, path, **options)
        return str(path)

    return write


def contents(corpus, size=2):
    found = {}
    for chunk in corpus.chunks(size):
        columns = {**chunk.systems, **{f"ref {n}": r for n, r in enumerate(chunk.refs)}}
        if chunk.source is not None:
            columns["source"] = chunk.source
        for name, column in columns.items():
            text = column.text
            found.setdefault(name, []).extend(text[at] for at in range(len(text)))
        found.setdefault("documents", []).extend(chunk.documents or [])
    return found


def test_columns_go_by_their_names(parquet):
    corpus = open_corpus([parquet(ROWS)])
    assert corpus.systems == ("mt_a", "mt_b")
    assert contents(corpus) == {
        "mt_a": ["1", "2", ""],
        "mt_b": ["x", "y", "z"],
        "ref 0": ["one", "two", None],
        "ref 1": ["a", None, "c"],
        "source": ["un", "deux", "trois"],
        "documents": ["d1", "d1", "d2"],
    }


@pytest.mark.parametrize("ending", ["parquet", "tsv", "jsonl"])
def test_or_by_the_names_that_are_given(parquet, write, ending):
    rows = {name: ROWS[name] for name in ("src", "mt_a", "mt_b", "ref", "ref2", "doc")}
    if ending == "parquet":
        path = parquet(rows)
    elif ending == "tsv":
        cells = [[cell or "" for cell in column] for column in rows.values()]
        lines = zip(*cells, strict=True)
        path = str(write("a.tsv", ["\t".join(cells) for cells in [rows, *lines]]))
    else:
        lines = pa.table(rows).to_pylist()
        path = str(write("a.jsonl", [json.dumps(line) for line in lines]))
    names = ColumnNames(
        outputs=(("A", "mt_a"),), references=("mt_b",), source="doc", document="src"
    )
    assert contents(open_corpus([path], columns=names)) == {
        "A": ["1", "2", ""],
        "ref 0": ["x", "y", "z"],
        "source": ["d1", "d1", "d2"],
        "documents": ["un", "deux", "trois"],
    }


def test_names_that_are_given_leave_no_others():
    header = ["hyp", "ref", "ref2", "out"]
    names = ColumnNames(outputs=(("A", "out"),), references=("ref2",))
    found = [
        f"{field.role} {field.name}" for field in recognise_fields(header, "f", names)
    ]
    assert found == ["label hyp", "label ref", "reference ref2", "output A"]


def test_several_files_are_one_table(parquet, tmp_path):
    paths = [
        parquet({"hyp": ["a", "b"], "ref": ["a", "b"]}, "p-1.parquet"),
        parquet({"ref": ["c"], "hyp": ["C"], "more": ["x"]}, "p-2.parquet"),
        parquet(EMPTY, "p-3.parquet"),
    ]
    expected = {"hyp": ["a", "b", "C"], "ref 0": ["a", "b", "c"], "documents": []}
    assert contents(open_corpus(paths)) == expected
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".p-0.parquet").write_bytes(b"half")
    assert contents(open_corpus([str(tmp_path)])) == expected


def test_a_file_with_a_name_is_a_system_of_its_own(parquet):
    a = parquet({"hyp": ["a"], "ref": ["r"]}, "a.parquet")
    b = parquet({"hyp": ["b"]}, "b.parquet")
    found = contents(open_corpus([f"A={a}", f"B={b}"]))
    assert found == {"A": ["a"], "B": ["b"], "ref 0": ["r"], "documents": []}


def test_it_is_known_by_name_and_by_content(parquet):
    path = parquet({"hyp": ["a"], "ref": ["a"]}, "without-ending")
    assert choose_format(path).name == "parquet"
    assert choose_format("x.parquet") is choose_format("x.pq") is PARQUET


def test_only_what_is_wanted_is_read(parquet, monkeypatch):
    from metra.formats.texts import parquet as files

    asked = []
    plain = files.read_batches

    def watched(path, columns=None, row_groups=None):
        asked.append(columns)
        return plain(path, columns, row_groups)

    monkeypatch.setattr(files, "read_batches", watched)
    rows = {**ROWS, "label:long": ["x" * 99] * 3}
    contents(open_corpus([parquet(rows)]))
    assert sorted(asked[-1]) == ["doc", "mt_a", "mt_b", "ref", "ref2", "src"]


def test_columns_of_folders_are_marked_wherever_they_are():
    from metra.formats.texts.parquet import list_added, mark_partitions

    schema = pa.schema([("lp", pa.string()), ("hyp", pa.string()), ("x", pa.string())])
    for names, path in (
        (["lp"], "t/lp=en-de/0.parquet"),
        (["lp", "x"], "t/x=1/lp=en-de/none=1/0.parquet"),
        ([], "t/0.parquet"),
    ):
        assert list_added(mark_partitions(schema, path)) == names


REFUSED = [
    pytest.param({"hyp": ["a", None], "ref": ["a", "b"]}, CorpusError,
                 "Row 2 of {path} is null in the column 'hyp'", id="null output"),
    pytest.param({"hyp": ["a", "b"], "ref": [None, "b"]}, CorpusError,
                 "Row 1 of {path} is null in the column 'ref'", id="null reference"),
    pytest.param({"hyp": ["a"], "ref": ["b"], "doc": [None]}, CorpusError,
                 "Row 1 of {path} is null in the column 'doc'", id="null document"),
    pytest.param({"hyp": [1], "ref": ["b"]}, FormatError,
                 "{path} has the column 'hyp' of type int64, where texts", id="number"),
    pytest.param({"hyp": [["a"]], "ref": ["b"]}, FormatError,
                 "{path} has no column for the output", id="nested"),
    pytest.param({"output:a": ["a"], "hyp:a": ["a"]}, FormatError,
                 "two columns for the output 'a'", id="two of a kind"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "kind", "message"), REFUSED)
def test_tables_that_do_not_fit(parquet, rows, kind, message):
    path = parquet(rows)
    with pytest.raises(kind) as found:
        contents(open_corpus([path]))
    assert message.format(path=path) in str(found.value)


def test_documents_that_are_given_make_groups():
    names = ColumnNames(document="doc", labels=("score",))
    texts = [("hyp", pa.string()), ("ref", pa.string()), ("score", pa.float64())]
    for kind in (pa.string(), pa.int32(), pa.date32(), pa.bool_()):
        fields = map_fields(pa.schema([*texts, ("doc", kind)]), "a", names=names)
        assert [field.role for field in fields][-2:] == ["label", "document"]
    message = "a has the column 'doc' of type double, which cannot be a group"
    with pytest.raises(FormatError, match=message):
        map_fields(pa.schema([*texts, ("doc", pa.float64())]), "a", names=names)


def test_columns_are_named_in_tables_only(write):
    path = str(write("a.txt", ["a"]))
    with pytest.raises(FormatError, match="is plain, which has no column names"):
        open_corpus([path], columns=ColumnNames(references=("ref",)))


def test_a_column_for_two_purposes(parquet):
    names = ColumnNames(outputs=(("A", "hyp"),), references=("hyp",))
    with pytest.raises(FormatError, match="The column 'hyp' is given two roles"):
        open_corpus([parquet({"hyp": ["a"]})], columns=names)


def test_standard_input_is_refused(cli, parquet):
    path = parquet({"hyp": ["a"], "ref": ["a"]})
    with open(path, "rb") as file:
        ran = cli("score", "-", stdin=file.read())
    assert ran.code == 2
    assert "Parquet cannot be read from standard input" in ran.err


def test_the_way_there_and_back(cli, tmp_path):
    start = tmp_path / "a.jsonl"
    rows = [
        {"doc": "d", "seg": "1", "source": "é\u2028x", "ref:A": None, "output:B": ""},
        {"doc": "d", "seg": "2", "source": "\t", "ref:A": "", "output:B": "日本"},
    ]
    start.write_text("".join(json.dumps(row) + "\n" for row in rows))
    there, back = tmp_path / "b.parquet", tmp_path / "c.jsonl"
    assert cli("convert", start, "-o", there).code == 0
    assert pq.read_table(there).to_pylist() == rows
    # A reference that is missing is refused in scoring, and kept in converting.
    assert cli("convert", there, "-o", back).err == ""
    assert [json.loads(line) for line in back.read_text().split("\n")[:-1]] == rows


def test_the_package_that_is_missing_is_named(monkeypatch):
    import sys

    from metra.text.columns import import_pyarrow

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingResourceError) as found:
        import_pyarrow("Reading Parquet")
    assert str(found.value) == (
        "Reading Parquet needs the package 'pyarrow', which is not installed; install it "
        "with: pip install '.[parquet]' in metra's source folder"
    )
