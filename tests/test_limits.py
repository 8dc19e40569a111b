"""The limits of what a file may ask for: each refuses one sentence too much, and no less."""

import gzip
import io
import json
import lzma
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import metra
from metra import limits
from metra.errors import FormatError, MetraError, OptionError
from metra.formats.compression import check_member_name, read_zip
from metra.formats.lines import LineReader, read_lines
from metra.formats.resources import WORDNET_FILES, load_dictionaries
from metra.formats.stream import (
    ByteStream,
    check_values,
    load_json,
    parse_json,
    parse_toml,
    read_bytes,
)
from metra.formats.table import Dialect, read_table
from metra.formats.texts import parquet
from metra.formats.texts.parquet import read_batches, read_schema
from metra.formats.texts.sources import list_sources
from metra.formats.workbook import check_workbook
from metra.limits import (
    EXPLANATIONS,
    SERVED,
    LimitError,
    Limits,
    apply_variable,
    get_limits,
    use_limits,
)
from metra.metrics.llm.cache import AnswerCache
from metra.metrics.neural import checkpoints, comet
from metra.scoring.files import open_corpus


def refused(name: str) -> str:
    """The end of the message about a limit."""
    return f"{EXPLANATIONS[name]}; if you trust the file, .*METRA_LIMITS={name}=NUMBER"


@contextmanager
def expect(
    name: str | None,
    /,
    kind: type[Exception] = LimitError,
    where: str = "",
    **changes: int,
) -> Iterator[None]:
    """Apply limits, and expect that one of them refuses, or none."""
    refusal = nullcontext()
    if name:
        refusal = pytest.raises(kind, match=f"{re.escape(where)}.*{refused(name)}")
    with use_limits(Limits(**changes)), refusal:
        yield


PACK = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("suffix", PACK)
def test_unpacked_bytes(tmp_path, suffix):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](b"ab\n" * 1000))
    with use_limits(Limits(unpacked=3000)):
        assert read_bytes(str(path)) == b"ab\n" * 1000
    with expect("unpacked", unpacked=2999):
        read_bytes(str(path))


@pytest.mark.parametrize("suffix", PACK)
def test_ratio(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](b"ab\n" * 100_000))
    with use_limits(Limits(ratio=5)):
        assert len(read_bytes(str(path))) == 300_000
        monkeypatch.setattr(limits, "RATIO_FROM", 1000)
        with pytest.raises(LimitError, match=refused("ratio")):
            read_bytes(str(path))


def test_the_ratio_counts_from_some_bytes_on():
    packed = limits.RATIO_FROM // 4
    with use_limits(Limits(ratio=5)):
        limits.check_unpacked(limits.RATIO_FROM, 1, "a")
        limits.check_unpacked(5 * packed, packed, "a")
        with pytest.raises(LimitError, match=refused("ratio")):
            limits.check_unpacked(5 * packed + 1, packed, "a")


STREAMS = {
    "two streams": (lzma.compress(b"a\n") * 2, b"a\na\n"),
    "zeros after a stream": (lzma.compress(b"a\n") + bytes(8192), b"a\n"),
    "zeros between": (lzma.compress(b"a\n") + bytes(4) + lzma.compress(b"b"), b"a\nb"),
    "frames of zstd": (zstandard.compress(b"a") + zstandard.compress(b"b\n"), b"ab\n"),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams_in_one_file(tmp_path, name):
    packed, text = STREAMS[name]
    path = tmp_path / "a"
    path.write_bytes(packed)
    assert read_bytes(str(path)) == text
    with closing(ByteStream(str(path))) as stream:
        assert b"".join(iter(lambda: stream.read(1), b"")) == text


@pytest.mark.parametrize("garbage", [b"garbage", lzma.compress(b"a")[:9], b"\0\0\0x"])
def test_garbage_after_a_stream(tmp_path, garbage):
    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(b"a\n") + garbage)
    with pytest.raises(FormatError, match="is damaged or truncated"):
        read_bytes(str(path))


def test_whole_files(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    with use_limits(Limits(whole=100)):
        assert read_bytes(str(path)) == b"x" * 100
    with expect("whole", whole=99):
        read_bytes(str(path))
    lines = tmp_path / "b"
    lines.write_text("x\n" * 100)
    with expect("whole", whole=99):
        LineReader(str(lines)).read(1000)


def test_lines(tmp_path):
    path = tmp_path / "a"
    path.write_text("short\n" * 9 + "x" * 3000 + "\nshort\n")
    with use_limits(Limits(line=3000)):
        assert len(read_lines(str(path))) == 11
    with (
        use_limits(Limits(line=1000)),
        pytest.raises(LimitError, match=rf"a, line 10 has .*{refused('line')}"),
    ):
        read_lines(str(path))
    with expect("rows", rows=10):
        read_lines(str(path))


TABLE = 'a,b\n"x y",2\n3,4\n'


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        pytest.param({}, None, id="all fits"),
        pytest.param(
            {"cell": 3, "rows": 2, "columns": 2, "tokens": 4}, None, id="just"
        ),
        pytest.param({"cell": 2}, "cell", id="cell"),
        pytest.param({"rows": 1}, "rows", id="rows"),
        pytest.param({"columns": 1}, "columns", id="columns"),
        pytest.param({"tokens": 3}, "tokens", id="cells"),
    ],
)
def test_tables(tmp_path, changes, name):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    with expect(name, FormatError, str(path), **changes):
        table = read_table(str(path), Dialect(",", quoted=True))
        assert [row.cells for row in table.rows] == [["x y", "2"], ["3", "4"]]


@pytest.mark.parametrize(
    ("text", "changes", "name"),
    [
        pytest.param("[[1]]", {"depth": 2}, None, id="just as deep"),
        pytest.param('[{"a": [1]}]', {"depth": 2}, "depth", id="deeper"),
        pytest.param("[" * 99_999, {}, "depth", id="very deep"),
        pytest.param("-123", {"digits": 4}, None, id="as many digits"),
        pytest.param("12345", {"digits": 4}, "digits", id="more digits"),
        pytest.param("9" * 9999, {}, "digits", id="very many"),
        pytest.param("[1, 2, [], {}]", {"tokens": 6}, None, id="as many values"),
        pytest.param("[1, 2, [], {}]", {"tokens": 5}, "tokens", id="more values"),
    ],
)
def test_json(text, changes, name):
    with expect(name, **changes):
        assert parse_json(text, "a.json") == json.loads(text)


def test_half_a_character():
    assert parse_json(r'"\ud83d\ude00"', "a.json") == "😀"
    with pytest.raises(FormatError, match=r"a.json holds \\ud800, half a character"):
        parse_json(r'["x", "\ud800"]', "a.json")


def test_what_is_no_json():
    with pytest.raises(json.JSONDecodeError):
        load_json("{", "a.json")
    with pytest.raises(FormatError, match=r"a.json is not JSON: Expecting"):
        parse_json("{", "a.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 9999, refused("depth")),
        ("a." * 150 + "b = 1", refused("depth")),
        ("a = " + "9" * 50, refused("digits")),
        ("a = " + "9" * 9999, "is not TOML"),
        ("a = ", "is not TOML: .*; expected lines"),
    ],
)
def test_toml(text, message):
    with pytest.raises(FormatError, match=message):
        parse_toml(text, "a.toml", "lines")


def test_values_that_are_parsed_already():
    check_values({"a": [1.5, None, "x", {"b": 10**40 - 1}]}, "x")
    with pytest.raises(LimitError, match=refused("digits")):
        check_values({"a": [10**40]}, "x")
    deep: list[object] = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(LimitError, match=refused("depth")):
        check_values(deep, "x")


def test_the_variable(monkeypatch):
    monkeypatch.setenv("METRA_LIMITS", "line=2GB, depth = 7,rows=5kb")
    changed = Limits()._replace(line=2 * 10**9, depth=7, rows=5000)
    assert get_limits() == changed
    assert apply_variable(SERVED) == SERVED._replace(line=2 * 10**9, depth=7, rows=5000)
    with use_limits(SERVED):
        assert get_limits() == SERVED
    for wrong, message in {
        "lime=3": "METRA_LIMITS has no limit named 'lime'. Did you mean 'line'",
        "line": "METRA_LIMITS has 'line'; expected a name and a whole number",
        "line=-1": "expected a name and a whole number, such as line=1GB",
    }.items():
        monkeypatch.setenv("METRA_LIMITS", wrong)
        with pytest.raises(OptionError, match=message):
            get_limits()


def test_every_limit_is_explained_and_the_server_is_stricter():
    assert [*EXPLANATIONS] == [*Limits._fields]
    assert all(mine >= its for mine, its in zip(Limits(), SERVED, strict=True))


def make_zip(**members: bytes) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name.replace("__", "/"), content)
    return out


def test_members_of_archives():
    out = make_zip(a=b"x" * 60, b__c=b"y" * 60, d=b"z")
    wanted = lambda name: name != "d"  # noqa: E731
    assert read_zip(out, "z.zip", wanted) == {"a": b"x" * 60, "b/c": b"y" * 60}
    with expect("whole", whole=119):
        read_zip(out, "z.zip", wanted)
    with pytest.raises(
        FormatError, match=r"z.zip cannot be unpacked: .*a complete zip"
    ):
        read_zip(io.BytesIO(out.getvalue()[:-5]), "z.zip", wanted)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "..\\x", "C:x/y", "a\0b"])
def test_names_that_lead_out_of_a_folder(name):
    with pytest.raises(
        FormatError, match=r"z.zip contains .* which points outside its folder"
    ):
        check_member_name(name, "z.zip")
    for fine in ("a/b.score", "..a", "en-de/x..y"):
        check_member_name(fine, "z.zip")


def write_workbook(sheet: bytes, shared: bytes = b"") -> bytes:
    """An archive with the parts that are measured, and no more."""
    parts = {"xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": shared}
    return make_zip(
        **{name.replace("/", "__"): part for name, part in parts.items()}
    ).getvalue()


def sheet(*cells: str) -> bytes:
    rows = "".join(f"<row><c {cell}><v>0</v></c></row>" for cell in cells)
    return f"<sheetData>{rows}</sheetData>".encode()


TEXTS = b"<sst><si><t>" + b"x" * 100 + b"</t></si></sst>"
SHEETS = [
    pytest.param(
        sheet('r="A1"', 'r="C9"'), b"", {"rows": 9, "columns": 3}, None, id="fits"
    ),
    pytest.param(sheet('r="A1"', "r='c10'"), b"", {"rows": 9}, "rows", id="rows"),
    pytest.param(sheet('r="AB1"'), b"", {"columns": 27}, "columns", id="columns"),
    pytest.param(sheet('r="C1"', 'r="A9"'), b"", {"tokens": 26}, "tokens", id="cells"),
    pytest.param(sheet('t="x"', 't="x"'), b"", {"rows": 1}, "rows", id="no names"),
    pytest.param(
        sheet(*['t="s"'] * 9), TEXTS, {"whole": 1044}, None, id="shared texts"
    ),
    pytest.param(sheet(*['t="s"'] * 9), TEXTS, {"whole": 1043}, "whole", id="more"),
    pytest.param(sheet('t="s"'), TEXTS, {"cell": 99}, "cell", id="a long text"),
]


@pytest.mark.parametrize(("part", "shared", "changes", "name"), SHEETS)
def test_workbooks(part, shared, changes, name):
    with expect(name, **changes):
        check_workbook(write_workbook(part, shared), "a.xlsx")


OTHER_WORKBOOKS = [
    pytest.param(b"\xd0\xcf\x11\xe0" + b"\0" * 600, id="Excel 97"),
    pytest.param(make_zip(**{"content.xml": b"<d/>"}).getvalue(), id="LibreOffice"),
    pytest.param(make_zip(xl__worksheets__sheet1=b"").getvalue(), id="binary"),
]


@pytest.mark.parametrize("content", OTHER_WORKBOOKS)
def test_other_workbooks_are_refused(content):
    with pytest.raises(FormatError, match=r"not a workbook in .xlsx; save it as .xlsx"):
        check_workbook(content, "a.xlsx")


def write_parquet(path, **columns):
    pq.write_table(pa.table({"ref": ["y"] * 50} | columns), path, compression="none")
    return str(path)


def test_parquet(tmp_path):
    words = ["x" * (at % 7) for at in range(50)]
    path = write_parquet(tmp_path / "a.parquet", a=words)
    with use_limits(Limits(cell=6, columns=2)):
        rows = [
            row for batch in read_batches(path) for row in batch.column("a").to_pylist()
        ]
    assert rows == words
    with (
        use_limits(Limits(cell=5)),
        pytest.raises(LimitError, match=r"a.parquet, column 'a'"),
    ):
        list(read_batches(path))
    with expect("columns", columns=1):
        read_schema(path)
    # What nobody asks for is not unpacked.
    path = write_parquet(tmp_path / "b.parquet", a=["x" * at for at in range(50)])
    with use_limits(Limits(unpacked=300)):
        assert len(list(read_batches(path, ["ref"]))) == 1
        with pytest.raises(LimitError, match=refused("unpacked")):
            list(read_batches(path, ["ref", "a"]))


def test_a_text_that_many_rows_of_parquet_share(tmp_path, monkeypatch):
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * 50), ["x" * 1000])
    for column in (shared, shared.cast(pa.string())):
        path = write_parquet(tmp_path / "a.parquet", a=column)
        with use_limits(Limits(unpacked=49_999)), pytest.raises(LimitError):
            list(read_batches(path))
        monkeypatch.setattr(parquet, "_BATCH", 10_500)
        assert [len(batch) for batch in read_batches(path)] == [10] * 5
        monkeypatch.undo()
        assert [len(batch) for batch in read_batches(path)] == [50]


def test_segments_of_marked_up_files(tmp_path):
    xml = '<dataset><doc id="d"><hyp system="a"><seg id="1">{}</seg></hyp></doc></dataset>'
    sgml = '<tstset setid="s" srclang="a" trglang="b"><doc docid="d" sysid="a">' \
        '<seg id="1">{}</seg></doc></tstset>'  # fmt: skip
    for name, frame in (("a.xml", xml), ("a.sgm", sgml)):
        path = tmp_path / name
        path.write_text(frame.format("x&amp;<y" if name == "a.sgm" else "x" * 200))
        list_sources([str(path)])
        path.write_text(
            frame.format("x < y " * 2000 if name == "a.sgm" else "x" * 2000)
        )
        with expect("cell", cell=1000):
            open_corpus([str(path)], [str(path)])


RESOURCES = [
    pytest.param("words.txt", "untranslated:dictionary={}", id="list of words"),
    pytest.param("en.dic", "untranslated:dictionary={}", id="spelling dictionary"),
    pytest.param("index.noun", "meteor:wordnet={folder}", id="WordNet"),
    pytest.param(
        "table.txt",
        "meteor:variant=2005,lang=other,paraphrase={},modules=exact+paraphrase",
        id="paraphrases",
    ),
    pytest.param("hparams.yaml", "comet:model={folder}", id="settings of COMET"),
    pytest.param("prompt.txt", "llm:model=m,prompt={}", id="prompt"),
]


@pytest.mark.parametrize(("name", "spec"), RESOURCES)
def test_resources_are_read_within_the_limits(tmp_path, name, spec):
    for other in ("en.aff", *WORDNET_FILES, "checkpoints/model.ckpt", name):
        path = tmp_path / other
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"1\n" * (10 if other == name else 1))
    filled = spec.format(path, folder=tmp_path)
    with (
        use_limits(Limits(whole=19)),
        pytest.raises(MetraError, match=f"{name} has more than 19 bytes"),
    ):
        metra.metric(filled)


def test_a_dictionary_that_asks_for_too_much_memory(tmp_path):
    (tmp_path / "en.aff").write_bytes(b"SET UTF-8\n")
    path = tmp_path / "en.dic"
    path.write_bytes(b"9999999999\nroad\n")
    with pytest.raises(LimitError, match=refused("rows")):
        load_dictionaries(str(path))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("hparams.yaml", "[" * 5000),
        ("hparams.yaml", "class_identifier: xcomet_metric\nerror_labels: null"),
        ("hparams.yaml", "class_identifier: [1]"),
        ("config.json", "[1]"),
        ("tokenizer_config.json", '{"model_max_length": "x"}'),
        ("model.safetensors.index.json", '{"weight_map": [1]}'),
        ("answers.jsonl", '{"key": {}, "text": "1"}\n'),
    ],
)
def test_files_of_models_that_are_damaged(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    readers = {
        "hparams.yaml": lambda: comet._read_settings(str(path)),
        "config.json": lambda: checkpoints.read_config("x", str(tmp_path)),
        "tokenizer_config.json": lambda: checkpoints._read_longest(str(tmp_path)),
        "answers.jsonl": lambda: AnswerCache(str(path)).refresh(),
    }
    read = readers.get(name, lambda: checkpoints.list_weight_files("x", str(tmp_path)))
    if name == "answers.jsonl":
        read()  # a line that was torn
    else:
        with pytest.raises(FormatError, match=name):
            read()
