"""Files that once ended in a traceback: each is refused in one sentence, with exit code 2."""

import gzip
import json
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

LINE = json.dumps(
    {"system": "A", "segment": "1", "scorer": "da", "score": 1, "judge": "a"}
)
XLIFF = "<xliff><trans-unit><source>a</source><target>b</target></trans-unit></xliff>"
AGREE, SCORE = ("meta", "judges"), ("score",)
CASES = [
    pytest.param(
        *("a.jsonl", f"{LINE}\n".encode() + b'{"x": "\xff"}\n', AGREE),
        "line 2: byte 8 of the line is 0xff, which is not UTF-8",
        id="JSON lines that are not UTF-8",
    ),
    pytest.param(
        *("a.jsonl", f'{LINE}\n{{"a": {"[" * 9999}\n'.encode(), AGREE),
        "a.jsonl, line 2 has more than 100 levels of nesting",
        id="deep JSON lines",
    ),
    pytest.param(
        *(
            "a.jsonl",
            LINE.replace('"score": 1', f'"score": {"9" * 500}').encode(),
            AGREE,
        ),
        "a.jsonl has more than 40 digits in a whole number",
        id="a huge number",
    ),
    pytest.param(
        *("a.xlf", f'<?xml version="1.0" encoding="klingon"?>{XLIFF}'.encode(), SCORE),
        "declares an encoding that metra does not read (unknown encoding: klingon)",
        id="XLIFF in an unknown encoding",
    ),
    pytest.param(
        *("a.tmx", b'<?xml version="1.0" encoding="gb18030"?><tmx/>', SCORE),
        "convert the file to UTF-8 and change its declaration.",
        id="TMX in an encoding of several bytes",
    ),
    pytest.param(
        *("a.tmx", b"<a>" * 101, SCORE),
        "a.tmx has more than 100 levels of nesting",
        id="deep XML",
    ),
    pytest.param(
        *(
            "a.toml",
            b"a = " + b"[" * 9999,
            ("judge", "init", "--store", "/nowhere/x.db"),
        ),
        "a.toml has more than 100 levels of nesting",
        id="deep TOML",
    ),
    pytest.param(
        *("a.txt.xz", lzma.compress(b"a\n") + b"garbage", SCORE),
        "is damaged or truncated",
        id="garbage after xz",
    ),
    pytest.param(
        *("a.json", rb'[{"output": "\ud800"}]', SCORE),
        r"holds \ud800, half a character of UTF-16; expected both halves.",
        id="half a character",
    ),
    pytest.param(
        *("a.tsv", gzip.compress(b"x" * 200 * 10**6), SCORE),
        "a.tsv has more than 500 unpacked bytes for each packed byte",
        id="a packed line",
    ),
]


@pytest.fixture
def refuse(cli, tmp_path, monkeypatch):
    """Call a command on a file; return its message, which is one line."""

    def call(name, content, command, *more):
        monkeypatch.chdir(tmp_path)
        (tmp_path / name).write_bytes(content)
        done = cli(*command, name, *more)
        assert (done.code, done.out) == (2, "")
        message = done.err.removesuffix("\n")
        assert "\n" not in message
        return message

    return call


@pytest.mark.parametrize(("name", "content", "command", "message"), CASES)
def test_hostile_files(refuse, name, content, command, message):
    more = ("-r", name) if command == SCORE else ()
    assert message in refuse(name, content, command, *more)


def test_two_columns_of_one_name(refuse, tmp_path):
    columns = [pa.array(["x"])] * 3
    batch = pa.record_batch(columns, names=["ref", "output:a", "output:a"])
    pq.write_table(pa.Table.from_batches([batch]), tmp_path / "b.parquet")
    content = (tmp_path / "b.parquet").read_bytes()
    assert "a.parquet has two columns 'output:a'" in refuse("a.parquet", content, SCORE)


def test_more_trials_than_any_memory_holds(cli):
    refused = cli.refusal("meta", "judges", "x.tsv", "--trials", "1000000000000")
    assert "1000000000000 is too large; expected at most 10,000,000." in refused


def test_a_seed_may_be_any_number(cli, tmp_path):
    (tmp_path / "a.txt").write_text("a b c d\n")
    path = tmp_path / "a.txt"
    done = cli("score", path, "-r", path, "--ci", "--seed", "1000000000000")
    assert done.code == 0
