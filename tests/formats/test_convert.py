"""Conversion: what goes in comes out again, or is refused by name."""

import gzip
import json
import lzma
import stat
from functools import partial
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.errors import (
    CorpusError,
    FormatError,
    MetraError,
    OptionError,
    UnknownNameError,
)
from metra.formats.convert import convert_files
from metra.formats.texts.columns import format_column_name
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.sources import list_sources

SUFFIXES = {
    "tsv": ".tsv",
    "csv": ".csv",
    "json": ".json",
    "xlsx": ".xlsx",
    "jsonl": ".jsonl",
    "plain": "",
}

ROWS = [
    {
        "source": "un", "ref:A": "one", "ref:B": "won", "output:x": "1", "output:y": "I",
        "doc": "d1", "seg": "1", "label:genre": "nw",
    },
    {
        "source": "deux & <3", "ref:A": "two", "ref:B":
        '"too"', "output:x": "2", "output:y": "",
        "doc": "d1", "seg": "b", "label:genre": "nw",
    },
    {
        "source": "trois", "ref:A": "three", "ref:B": "tree",
        "output:x": " 3 ", "output:y": "é",
        "doc": "d2", "seg": "1", "label:genre": "",
    },
]  # fmt: skip


def write_rows(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(files: list[Path], out: Path, to: str = "auto", **more) -> Path:
    sources = list_sources([str(file) for file in files], use="any")
    convert_files(sources, str(out), to=to, **more)
    return out


def refusal(kind: type[MetraError], *arguments, **more) -> str:
    with pytest.raises(kind) as raised:
        run(*arguments, **more)
    return str(raised.value)


def read_rows(path: Path) -> list[dict]:
    """Read whatever was written, a row a segment, by the names of a table's columns."""
    if path.is_dir() and (path / "docs.txt").exists():
        given = list_sources(
            [str(file) for file in sorted((path / "outputs").glob("*"))],
            [str(file) for file in sorted(path.glob("reference.*"))],
            str(path / "source.txt"),
            str(path / "docs.txt"),
            use="any",
        )
    else:
        given = list_sources([str(path)], use="any")
    joined = ParallelTable(given)
    rows: list[dict] = []
    for chunk in joined.chunks(2, joined.fields):
        columns = {format_column_name(field): values for field, values in chunk.items()}
        count = len(next(iter(columns.values())))
        rows += [{name: v[at] for name, v in columns.items()} for at in range(count)]
    if path.is_dir():
        for file in path.glob("label.*.txt"):
            lines = file.read_text().split("\n")
            for row, line in zip(rows, lines, strict=False):
                row[f"label:{file.name.split('.')[1]}"] = line
    return rows


def same(found: list[dict], expected: list[dict]) -> bool:
    """Compare rows; an empty label is the same as none."""

    def settled(row: dict) -> dict:
        return {k: (v or "") if k.startswith("label") else v for k, v in row.items()}

    return [settled(row) for row in found] == [settled(row) for row in expected]


@pytest.mark.parametrize("first", [kind for kind in SUFFIXES if kind != "plain"])
@pytest.mark.parametrize("second", SUFFIXES)
def test_from_every_format_to_every_other(tmp_path, first, second):
    start = write_rows(tmp_path / "start.jsonl", ROWS)
    middle = run([start], tmp_path / f"middle{SUFFIXES[first]}")
    end = run([middle], tmp_path / f"end{SUFFIXES[second]}")
    assert same(read_rows(end), ROWS)


def test_plain_text_as_it_is_written(tmp_path):
    folder = run([write_rows(tmp_path / "a.jsonl", ROWS)], tmp_path / "out")
    found = {str(f.relative_to(folder)): f.read_text() for f in folder.rglob("*.txt")}
    assert found == {
        "source.txt": "un\ndeux & <3\ntrois\n",
        "reference.A.txt": "one\ntwo\nthree\n",
        "reference.B.txt": 'won\n"too"\ntree\n',
        "outputs/x.txt": "1\n2\n 3 \n",
        "outputs/y.txt": "I\n\né\n",
        "docs.txt": "d1\t1\nd1\tb\nd2\t1\n",
        "label.genre.txt": "nw\nnw\n\n",
    }


def test_packed_by_suffix(tmp_path):
    start = write_rows(tmp_path / "a.jsonl", ROWS)
    plain = run([start], tmp_path / "out.tsv").read_bytes()
    unpack = {
        ".gz": gzip.decompress,
        ".xz": lzma.decompress,
        ".zst": lambda b: zstandard.ZstdDecompressor().decompressobj().decompress(b),
    }
    for suffix, unpacked in unpack.items():
        assert unpacked(run([start], tmp_path / f"o.tsv{suffix}").read_bytes()) == plain


def test_only_and_drop(tmp_path):
    start = write_rows(tmp_path / "a.jsonl", ROWS)
    kept = run([start], tmp_path / "kept.jsonl", only=["genre=nw", "seg=b"])
    assert read_rows(kept) == [ROWS[1]]
    without = run([start], tmp_path / "without.jsonl", only=["genre="])
    assert same(read_rows(without), [ROWS[2]])
    dropped = run(
        [start], tmp_path / "d.jsonl", drop=["genre", "output:y", "ref:B", "doc"],
        only=["doc=d2"],
    )  # fmt: skip
    assert read_rows(dropped) == [
        {"source": "trois", "ref:A": "three", "output:x": " 3 ", "seg": "1"}
    ]


# The characters that a format refuses are in `CANNOT` below and in the message.
NASTY = {
    "quotes": ['"', '""', '"a"', 'a "b" c', '"a", b', "'", "'a'"],
    "a text in quotes, with a comma": ['"a, b"'],
    "doubled quotes": ['"a ""b"" c"'],
    "delimiters": [", ; | ,,", "a;b"],
    "formulas": ["=1+1", "-1", "+1", "@a", "'=1", "''-1", "=cmd|' /C calc'!A0"],
    "blanks": [" a ", "  ", "\u00a0a", "\u3000"],
    "empty": ["", "a"],
    "escapes": ["&amp; <b>", "\\n \\", "_x0041_", "\\u0041"],
    "other line ends": ["a\u2028b", "a\x85b", "a\x0bb"],
    "numbers": ["007", "1.50", "1,5", "1e5", "TRUE", "2024-01-02", "NaN", "null"],
    "a long text": ["a" * 32_767],
    "a tab": ["a\tb", "\ta"],
    "a line end": ["a\nb", "\na"],
    "a carriage return": ["a\rb", "\ra"],
    "a carriage return at the end": ["a\r"],
    "both": ["a\r\nb"],
    "a text that is longer": ["a" * 32_768],
    "zero": ["a\0b"],
    "two escapes that share a sign": ["_x0041_x0041_"],
    "no character": ["a\uffffb"],
}
#: What each format refuses; anything else comes back as it was.
REFUSED = {
    "tsv": {
        *("a tab", "a line end", "a carriage return at the end", "both"),
        *("a text in quotes, with a comma", "doubled quotes", "zero"),
    },
    "csv": {"both", "zero"},
    "xlsx": {
        *("a text that is longer", "zero", "two escapes that share a sign"),
        "no character",
    },
    "plain": {"a line end", "a carriage return at the end", "both", "zero"},
}


@pytest.mark.parametrize("what", NASTY)
@pytest.mark.parametrize("to", SUFFIXES)
def test_texts_come_back_or_are_refused(tmp_path, to, what):
    rows = [
        {"source": "x", "ref:A": text or "y", "output:a": text, "output:b": "z"}
        for text in NASTY[what]
    ]
    start = write_rows(tmp_path / "start.jsonl", rows)
    out = tmp_path / f"out{SUFFIXES[to]}"
    if what in REFUSED.get(to, ()):
        with pytest.raises(FormatError):
            run([start], out)
        assert [path.name for path in tmp_path.iterdir()] == ["start.jsonl"]
    else:
        run([start], out)
        found = _plain(out, rows) if to == "plain" else read_rows(out)
        assert [{name: row[name] for name in rows[0]} for row in found] == rows


# Format, what the second segment has, the problem, the label to leave out.
CANNOT = [
    *load_cases("conversion: what a format cannot carry"),
    (
        *("xlsx", {"output:x": "\U0001f600" * 16_384}),
        *("of the output 'x' has 32,768 characters (of 32,767 at most)", ""),
    ),
]


@pytest.mark.parametrize(("to", "change", "what", "label"), CANNOT)
def test_what_a_format_cannot_carry(tmp_path, to, change, what, label):
    start = write_rows(tmp_path / "start.jsonl", [ROWS[0], ROWS[1] | change, ROWS[2]])
    document, segment = ((ROWS[1] | change)[name] for name in ("doc", "seg"))
    remedy = "change the text, or choose another format"
    if label:
        remedy = f"leave the label out with `drop` {label}"
    assert refusal(FormatError, [start], tmp_path / f"out{SUFFIXES[to]}") == (
        f"Segment 2 (document {document!r}, segment {segment!r}) {what}, which {to} cannot "
        f"represent; {remedy}."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["start.jsonl"]


def test_quotes_that_tabs_cannot_carry(tmp_path):
    rows = [{"source": "a", "output:x": '"Yes, we can"'}]
    start = write_rows(tmp_path / "a.jsonl", rows)
    assert refusal(FormatError, [start], tmp_path / "a.tsv") == (
        "Quotes around the texts would be read as quoted cells in tsv; choose "
        "another format, such as csv or jsonl."
    )
    # Quotes that cannot be around cells do no harm, wherever they stand.
    rows += [{"source": "a", "output:x": 'a 5" disk'}] * 2000
    start = write_rows(tmp_path / "a.jsonl", rows)
    assert read_rows(run([start], tmp_path / "a.tsv")) == rows


def test_no_cell_of_a_spreadsheet_is_a_formula(tmp_path):
    rows = [{"output:x": "=1+1", "output:y": '=HYPERLINK("a")'}]
    start = write_rows(tmp_path / "a.jsonl", rows)
    table = run([start], tmp_path / "a.csv")
    assert table.read_text() == (
        '"output:x","output:y"\n"\'=1+1","\'=HYPERLINK(""a"")"\n'
    )
    book = openpyxl.load_workbook(run([start], tmp_path / "a.xlsx"))
    [_, cells] = book.active.iter_rows()
    assert [cell.data_type for cell in cells] == ["s", "s"]


def test_other_programs_read_what_is_written(tmp_path):
    start = write_rows(tmp_path / "a.jsonl", ROWS)
    expected = [{key: text or "" for key, text in row.items()} for row in ROWS]
    frames = {
        ".csv": pd.read_csv,
        ".xlsx": partial(pd.read_excel, engine="openpyxl"),
        ".json": pd.read_json,
    }
    for suffix, read in frames.items():
        frame = read(run([start], tmp_path / f"a{suffix}"), dtype=str).fillna("")
        assert frame.to_dict(orient="records") == expected


WHOLE = [  # rows that cannot be written, the file, the message
    pytest.param(
        [ROWS[0] | {"source": "\ufeffun"}, *ROWS[1:]], "out",
        "Segment 1 (document 'd1', segment '1') of the source starts with a byte order mark, "
        "which plain cannot represent; change the text, or choose another format.",
        id="a byte order mark at the beginning of plain text"),
    pytest.param(
        [{"output:x": "a"}, {"output:x": ""}], "a.xlsx",
        "Segment 2 is empty in all columns, which xlsx cannot represent; choose "
        "another format.", id="a sheet that ends in nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "out", "message"), WHOLE)
def test_rows_that_a_format_cannot_carry(tmp_path, rows, out, message):
    start = write_rows(tmp_path / "a.jsonl", rows)
    assert refusal(FormatError, [start], tmp_path / out) == message


SPACED = "give a name without surrounding spaces, tabs or other control characters"
NAMES = [
    ("tsv", "output: x",
     f"The name ' x' of the output ' x' cannot be represented in tsv; {SPACED}"),
    ("tsv", "output:a\tb",
     f"The name 'a\\tb' of the output 'a\\tb' cannot be represented in tsv; {SPACED}"),
    ("plain", "output:a/b", "The name 'a/b' of the output 'a/b' cannot be a file name; give a "
     "short name without a slash, for an output as NAME=FILE"),
]  # fmt: skip


@pytest.mark.parametrize(("to", "column", "message"), NAMES)
def test_names_that_a_format_cannot_carry(tmp_path, to, column, message):
    start = write_rows(tmp_path / "a.jsonl", [{"output:ok": "a", column: "b"}])
    out = tmp_path / f"out{SUFFIXES[to]}"
    assert refusal(FormatError, [start], out) == f"{message}."


@pytest.mark.parametrize(("length", "fits"), [(196, True), (197, False)])
def test_names_of_plain_files_have_at_most_200_bytes(tmp_path, length, fits):
    name = "é" * (length // 2) + "x" * (length % 2)
    start = write_rows(tmp_path / "a.jsonl", [{f"output:{name}": "b"}])
    out = tmp_path / "out"
    if fits:
        assert [
            path.stem for path in (run([start], out, "plain") / "outputs").iterdir()
        ] == [name]
    else:
        assert "cannot be a file name" in refusal(FormatError, [start], out, "plain")


@pytest.mark.parametrize(
    ("suffix", "form"),
    [(".tmx", "tmx"), (".sgm", "sgml"), (".SGM", "sgml"), (".xml", "wmt-xml")],
)
def test_formats_that_are_only_read_are_not_written(tmp_path, suffix, form):
    start = write_rows(tmp_path / "a.jsonl", ROWS)
    out = tmp_path / f"out{suffix}"
    assert refusal(OptionError, [start], out) == (
        f"{out} would be {form}, which metra reads but does not write; give another "
        "name, or `to` with one of plain, tsv, csv, jsonl, json, xlsx, parquet."
    )
    assert refusal(UnknownNameError, [start], out, form).startswith(
        f"No format to write named {form!r}."
    )
    assert not out.exists()


def test_where_and_what_to_write(tmp_path):
    start = write_rows(tmp_path / "a.jsonl", ROWS)
    text = tmp_path / "out.txt"
    assert refusal(OptionError, [start], text) == (
        f"The format of {text} cannot be detected from its name; give `to` FORMAT, or "
        "a name that ends in .tsv, .csv, .xlsx, .json, .jsonl or .parquet, or a "
        "folder's."
    )
    assert refusal(OptionError, [start], text, "plain") == (
        f"Plain text needs a folder, with one file per text, but {text} is the name "
        "of a file; give `out` FOLDER."
    )
    full = tmp_path / "full"
    full.mkdir()
    (full / "here").write_text("")
    assert refusal(FormatError, [start], full) == (
        f"{full} already exists; give the name of a new or empty folder."
    )
    nowhere = tmp_path / "nowhere" / "out.tsv"
    assert refusal(FormatError, [start], nowhere) == (
        f"{nowhere} cannot be written: No such file or directory; nothing was written."
    )
    assert refusal(OptionError, [start], tmp_path / "b.tsv", drop=["gerne"]) == (
        "No column named 'gerne'. Did you mean 'genre'? Known: doc, genre, output:x, "
        "output:y, ref:A, ref:B, seg, source."
    )
    assert refusal(OptionError, [start], tmp_path / "b.tsv", only=["genre"]) == (
        "`only` 'genre' has no value; expected NAME=VALUE, or NAME= for none."
    )
    assert refusal(CorpusError, [start], tmp_path / "b.tsv", only=["genre=x"]) == (
        "The input has no segments; expected at least one in every file."
    )
    every = ["source", "ref:A", "ref:B", "output:x", "output:y"]
    assert refusal(CorpusError, [start], tmp_path / "b.tsv", drop=every) == (
        "No text was given; give an output, a reference or the source."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "full"]


def test_an_empty_folder_is_filled(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    run([write_rows(tmp_path / "a.jsonl", ROWS)], folder)
    assert (folder / "source.txt").exists()
    assert stat.S_IMODE(folder.stat().st_mode) & 0o700 == 0o700


def test_a_file_that_was_there_stays_if_conversion_fails(tmp_path):
    out = tmp_path / "out.tsv"
    out.write_text("precious")
    bad = write_rows(
        tmp_path / "a.jsonl", [ROWS[0]] * 3000 + [ROWS[1] | {"source": "\t"}]
    )
    assert "Segment 3001" in refusal(FormatError, [bad], out)
    assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "out.tsv"]


def test_a_link_is_followed(tmp_path):
    target = tmp_path / "target.tsv"
    target.write_text("old")
    link = tmp_path / "link.tsv"
    link.symlink_to(target)
    run([write_rows(tmp_path / "a.jsonl", ROWS)], link)
    assert link.is_symlink()
    assert target.read_text().startswith("source\t")


nasty = st.text(
    st.sampled_from("ab &<>\"'\t\r\n\0\x1f\x85\u2028\ufeff\ufffe\u00e9\U0001f600;#,|")
    | st.characters(exclude_categories=["Cs"]),
    max_size=8,
) | st.lists(
    st.sampled_from(
        ["=", "'", '"', '""', ", ", "-", "@", "+", "_x0041_", "_x005F", "a"]
    ),
    max_size=5,
).map("".join)
names = st.text(st.sampled_from("ab.-_ &<>\"'/\u00e9\t="), min_size=1, max_size=4)


@st.composite
def tables(draw):
    """Rows with anything in them, as JSON may have it."""
    ids = st.sampled_from(["1", "2", "3", "x y", "<&\">'", "a\nb"])
    columns: dict[str, st.SearchStrategy] = {"source": nasty}
    for name in draw(st.lists(names, max_size=2, unique=True)):
        columns[f"output:{name.strip() or 'o'}"] = nasty
    for name in draw(st.lists(names, max_size=2, unique=True)):
        columns[f"ref:{name.strip() or 'r'}"] = st.none() | nasty
    if draw(st.booleans()):
        columns["doc"] = st.sampled_from(["d1", "d1", "d2", " ", "d&\"'<"])
        columns["seg"] = ids
        columns["label:genre"] = st.sampled_from(["nw", "nw", "", "a\tb"])
    return [
        {name: draw(values) for name, values in columns.items()}
        for _ in range(draw(st.integers(1, 4)))
    ]


@given(tables(), st.sampled_from(sorted(SUFFIXES)))
@settings(max_examples=400, deadline=None)
def test_nothing_is_lost_in_silence(tmp_path_factory, rows, to):
    folder = tmp_path_factory.mktemp("law")
    start = write_rows(folder / "start.jsonl", rows)
    out = folder / f"out{SUFFIXES[to]}"
    try:
        run([start], out)
    except FormatError:
        assert [path.name for path in folder.iterdir()] == ["start.jsonl"]
        return
    found = read_rows(out) if to != "plain" else _plain(out, rows)
    # Labels that are empty throughout need not be there.
    missing = {"label:genre": ""}
    kept = [{name: (missing | row)[name] for name in rows[0]} for row in found]
    assert same(kept, rows)


def _plain(out: Path, rows: list[dict]) -> list[dict]:
    """Read the files of plain text one by one, as they may be."""
    columns = {}
    for name in rows[0]:
        role, _, own = name.partition(":")
        if name == "source":
            file = "source.txt"
        elif role == "output":
            file = f"outputs/{own}.txt"
        elif role == "ref":
            file = f"reference.{own}.txt"
        elif role == "label":
            file = f"label.{own}.txt"
        else:
            file = "docs.txt"
        lines = ParallelTable(list_sources([f"x={out / file}"], use="any"))
        text = [
            values[at]
            for chunk in lines.chunks(9, lines.fields)
            for values in chunk.values()
            for at in range(len(values))
        ]
        if file == "docs.txt":
            place = 0 if name == "doc" else 1
            text = [str(line).split("\t")[place] for line in text]
        columns[name] = text
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
