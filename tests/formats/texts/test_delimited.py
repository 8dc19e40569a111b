"""Tables: which columns are what, missing cells, and every way in which they are wrong."""

import csv
import json

import pytest
from tests.tables import load_cases

from metra.errors import FormatError, OptionError, TextWarning
from metra.formats.texts.columns import ColumnNames, ReadingOptions
from metra.scoring.files import open_corpus


def contents(corpus, size: int = 1000) -> dict[str, object]:
    """All that a corpus holds, read `size` segments at a time."""
    found: dict[str, object] = {}

    def add(name: str, values: list) -> None:
        found.setdefault(name, []).extend(values)

    for chunk in corpus.chunks(size):
        for name, column in chunk.systems.items():
            add(name, listed(column))
        for at, column in enumerate(chunk.refs, 1):
            add(f"ref {at}", listed(column))
        if chunk.source is not None:
            add("source", listed(chunk.source))
        if chunk.documents is not None:
            add("documents", list(chunk.documents))
    return found


def listed(column) -> list[str | None]:
    return [column.text[at] for at in range(len(column.text))]


TABLE = [
    "doc\tsource\tref\tref:2\tA\tB",
    "d1\tun\tone\t\tone\tuno",
    "d1\t\ttwo\tdeux\t\tdos",
    'd2\ttrois\t"three\tthree"\tthree\ttres ',
]


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_table_may_bring_everything(size, write):
    corpus = open_corpus([str(write("test.tsv", TABLE))])
    assert corpus.systems == ("A", "B")
    assert corpus.has_source
    assert corpus.has_documents
    assert contents(corpus, size) == {
        "documents": ["d1", "d1", "d2"],
        "source": ["un", "", "trois"],
        "ref 1": ["one", "two", '"three'],
        "ref 2": [None, "deux", 'three"'],  # an empty reference cell is a missing one
        "A": ["one", "", "three"],  # an empty output is an empty output
        "B": ["uno", "dos", "tres "],
    }


def test_a_corpus_can_be_read_again(write):
    corpus = open_corpus([str(write("test.tsv", TABLE))])
    assert contents(corpus) == contents(corpus)


def test_columns_come_from_several_files(write):
    outputs = write("mine.tsv", ["seg\toutput", "1\ta", "2\tb"])
    references = write("refs.tsv", ["seg\tref:A\tref:B", "1\tx\ty", "2\tz\t"])
    source = write("src.tsv", ["seg\tsrc", "1\tu", "2\tv"])
    corpus = open_corpus([str(outputs)], [str(references)], str(source))
    assert contents(corpus) == {
        "mine": ["a", "b"],
        "ref 1": ["x", "z"],
        "ref 2": ["y", None],
        "source": ["u", "v"],
    }


def test_a_table_with_one_other_column_is_what_it_is_given_for(write):
    output = write("a.txt", ["a"])
    lone = write("gold.tsv", ["english", "x"])
    assert contents(open_corpus([str(output)], [str(lone)]))["ref 1"] == ["x"]


def test_the_format_may_be_said(write, cli):
    table = write("no-ending", TABLE)
    ran = cli.ok("score", table, "--read", "format=tsv", "--format", "tsv")
    assert [line.split("\t")[1] for line in ran.out.split("\n")[1:3]] == ["A", "B"]
    plain = write("plain.tsv", ["a b", "c d"])
    ran = cli("score", plain, "-r", plain, "--read", "format=plain")
    assert "\n2 segments, 1 reference\n" in ran.out


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        pytest.param(["d1", "d1", "d2"], ["d1", "d1", "d2"], id="an id a line"),
        pytest.param(
            ["d1\t1", "d1\t2", "d2\t1"], ["d1", "d1", "d2"], id="first column"
        ),
        pytest.param(["", "d", ""], ["", "d", ""], id="no id is an id"),
    ],
)
@pytest.mark.parametrize("name", ["docs.txt", "docs.tsv"])
def test_documents(ids, expected, name, write):
    text = str(write("a.txt", ["a", "b", "c"]))
    corpus = open_corpus([text], [text], documents=str(write(name, ids)))
    assert contents(corpus)["documents"] == expected


def test_documents_from_a_table(write):
    text = str(write("a.txt", ["a", "b"]))
    table = str(write("meta.tsv", ["seg\tdoc", "1\tx", "2\ty"]))
    corpus = open_corpus([text], [text], documents=table)
    assert contents(corpus)["documents"] == ["x", "y"]


HELP = (
    "Columns are recognised by name: source, doc, ref or ref:NAME, output or "
    "output:NAME, and label:NAME; if no column is named output, every other column "
    "of texts is the output of a system."
)
WRONG = load_cases("tables: refused")


@pytest.mark.parametrize(("content", "message"), WRONG)
def test_wrong_tables(content, message, write, cli):
    path = write("test.tsv", content)
    assert cli("score", path) == (2, "", f"metra: {message.format(path)}\n")


def test_a_reference_file_without_a_reference_column(write):
    output = str(write("a.txt", ["a"]))
    other = str(write("other.tsv", ["A\tB", "x\ty"]))
    with pytest.raises(FormatError) as caught:
        open_corpus([output], [other])
    assert str(caught.value) == (
        f"{other} has no column for the reference; it has: A (output), B (output). "
        f"Name one with `columns.references`=COLUMN. {HELP}"
    )


def read_table_columns(*files, **columns):
    """All that files hold, where columns are named."""
    names = ColumnNames(**columns)
    return contents(open_corpus(*files, columns=names))


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.json", "t.jsonl"])
def test_columns_are_named_in_every_table(name, write):
    rows = [{"Text": "s", "Mensch": "r", "Alt": "a", "Neu": "b", "Kapitel": "1"}]
    mark = "," if name == "t.csv" else "\t"
    cells = [mark.join(row) for row in (rows[0], rows[0].values())]
    lines = cells if name in ("t.csv", "t.tsv") else [json.dumps(rows[0])]
    path = str(write(name, lines if name != "t.json" else [json.dumps(rows)]))
    found = read_table_columns(
        [path],
        outputs=(("old", "Alt"), ("Neu", "Neu")),
        references=("Mensch",),
        source="Text",
        document="Kapitel",
    )
    expected = {"old": ["a"], "Neu": ["b"], "ref 1": ["r"], "source": ["s"]}
    assert found == expected | {"documents": ["1"]}


def test_names_are_those_of_the_table_that_is_for_them(write):
    outputs = str(write("out.csv", ["text,id", "a,1"]))
    references = str(write("ref.csv", ["text,more", "b,c"]))
    source = str(write("src.tsv", ["text\tmore", "d\te"]))
    documents = str(write("docs.csv", ["text;more", "f;g"]))
    found = read_table_columns(
        [outputs],
        [references],
        source,
        documents,
        outputs=(("text", "text"),),
        references=("more",),
        source="more",
        document="text",
    )
    expected = {"text": ["a"], "ref 1": ["c"], "source": ["e"], "documents": ["f"]}
    assert found == expected


def test_names_for_a_table_of_references_beside_plain_outputs(write):
    outputs = str(write("out.txt", ["a"]))
    references = str(write("ref.csv", ["first,second", "b,c"]))
    found = read_table_columns([outputs], [references], references=("second",))
    assert found == {"out": ["a"], "ref 1": ["c"]}


def test_systems_of_several_tables_are_called_like_their_files(write):
    first = str(write("first.csv", ["text", "a"]))
    second = str(write("second.csv", ["text", "b"]))
    reference = str(write("ref.txt", ["c"]))
    names = {"outputs": (("text", "text"),)}
    found = read_table_columns([first, f"new={second}"], [reference], **names)
    assert found == {"first": ["a"], "new": ["b"], "ref 1": ["c"]}
    named = read_table_columns([f"old={first}"], [reference], **names)
    assert named == {"old": ["a"], "ref 1": ["c"]}


def test_a_column_that_is_not_there(write):
    path = str(write("t.csv", ["Mensch;Alt", "a;b"]))
    with pytest.raises(FormatError) as raised:
        read_table_columns([path], references=("Mensh",))
    assert str(raised.value) == (
        f"{path} has no column 'Mensh'. Did you mean 'Mensch'? It has: Mensch, Alt."
    )


def test_columns_without_a_heading_are_no_texts(write):
    path = str(write("t.csv", [",ref,A,,", "0,a,b,,x"]))
    assert contents(open_corpus([path])) == {"A": ["b"], "ref 1": ["a"]}


def test_a_cell_over_several_lines(write):
    path = str(write("t.csv", b'ref,A\r\n"a\r\nb",c\r\n,"d"\r\nx,y\r\n'))
    corpus = open_corpus([path], [str(write("r.txt", ["1", "2", "3"]))])
    found = contents(corpus, size=2)
    assert found["A"] == ["c", "d", "y"]
    assert found["ref 1"] == ["a\nb", None, "x"]
    assert corpus.layouts == {path: "commas, quoted"}


QUOTING = load_cases("tables: wrong quotes")


@pytest.mark.parametrize(("content", "problem"), QUOTING)
def test_wrong_quotes(content, problem, write):
    path = str(write("t.csv", content.encode()))
    with pytest.raises(FormatError) as raised:
        contents(open_corpus([path]))
    assert str(raised.value).startswith(f"{path}, {problem}")


def test_a_delimiter_that_is_none(write):
    path = str(write("t.csv", ["ref,A", "a,b"]))
    with pytest.raises(OptionError) as raised:
        open_corpus([path], reading=ReadingOptions(delimiter="colon"))
    assert str(raised.value) == (
        "`delimiter` is 'colon'; expected one character, or one of tab, comma, "
        "semicolon, pipe."
    )


def test_texts_in_the_place_of_headings(write):
    path = str(write("t.csv", ["This is it.", "That was it."]))
    with pytest.raises(FormatError) as raised:
        open_corpus([path])
    assert str(raised.value) == (
        f"{path} has 'This is it.' in its first line; add a line of headings, such as "
        "source, ref, output, or give `input_format` plain."
    )


def test_a_table_that_changes_is_looked_at_again(write):
    path = str(write("t.csv", ["ref,A", "a,b"]))
    assert contents(open_corpus([path]))["A"] == ["b"]
    write("t.csv", ["ref;A", "a;'b, c'"])
    assert contents(open_corpus([path]))["A"] == ["'b, c'"]


LISTS = [
    pytest.param("d.tsv", ["a", "b"], id="TSV"),
    pytest.param("d.tsv", ["a.\t1", "b\t1"], id="TSV with segments"),
    pytest.param("d.csv", ["a.", "b"], id="CSV"),
    pytest.param("d.csv", ["doc,more", "a,x", "b,y"], id="CSV with a header"),
]


@pytest.mark.parametrize(("name", "lines"), LISTS)
def test_lists_of_documents(name, lines, write):
    outputs = str(write("out.txt", ["x", "y"]))
    documents = contents(open_corpus([outputs], (), None, str(write(name, lines))))
    assert [name[0] for name in documents["documents"]] == ["a", "b"]


def test_a_list_of_documents_with_a_heading_of_its_own(write):
    outputs = str(write("out.txt", ["x", "y"]))
    documents = str(write("d.tsv", ["Kapitel\tSeite", "a\t1", "b\t1"]))
    found = read_table_columns([outputs], (), None, documents, document="Kapitel")
    assert found == {"out": ["x", "y"], "documents": ["a", "b"]}


#: More rows than are looked at before the texts are read, and than one chunk has.
MANY = [["a", f"b{number}", f"c{number}"] for number in range(1500)]


def write_tabs(path, rows, dialect="excel-tab"):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, dialect, lineterminator="\n").writerows(
            [["source", "ref", "output"], *rows]
        )
    return str(path)


@pytest.mark.parametrize("size", [1, 7, 1000, 4000])
def test_quotes_that_come_late(tmp_path, size):
    late = [*MANY, ["a", 'b "c"', "d\te"], ["f", "g", "h\ni"], *MANY]
    corpus = open_corpus([write_tabs(tmp_path / "t.tsv", late)])
    source, ref, output = (list(column) for column in zip(*late, strict=True))
    assert contents(corpus, size) == {"source": source, "ref 1": ref, "t": output}
    assert corpus.layouts == {str(tmp_path / "t.tsv"): "tabs, quoted"}


def test_quotes_that_come_late_and_belong_to_the_text(tmp_path):
    path = tmp_path / "t.tsv"
    late = [*MANY, ["a", '"b" c', '5" d'], ["f", '"g"', "h, i"]]
    path.write_text(
        "".join("\t".join(row) + "\n" for row in [["src", "ref", "mt"], *late])
    )
    corpus = open_corpus([str(path)])
    assert contents(corpus)["ref 1"] == [row[1] for row in late]
    assert corpus.layouts == {str(path): "tabs, not quoted"}


def test_a_row_that_is_too_short_behind_late_quotes(tmp_path):
    late = [*MANY, ["a", 'b "c"', "d\te"], ["f", "g", "h"], ["f", "g"], ["f", "g"]]
    path = write_tabs(tmp_path / "t.tsv", late)
    with pytest.raises(FormatError) as raised:
        contents(open_corpus([path]))
    # Rows that differ in width are no sign of quotes, so that the tab is one too many.
    assert str(raised.value) == (
        f"{path}, line 1502 has 4 columns but the header has 3; each line needs as many "
        "tabs as the header."
    )


def test_carriage_returns_alone_end_no_line(write):
    path = write("t.csv", b"source,ref,mt\ra,b,c\rd,e,f\r")
    with pytest.raises(FormatError) as raised:
        open_corpus([str(path)])
    assert str(raised.value) == (
        f"{path} has lines that end in carriage returns only; save it with Windows or "
        "Unix line endings."
    )


HEADINGS_AGAIN = "source{0}mt\na{0}b\nsource{0}mt\nc{0}d\nsource{0}mt\n"


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize("mark", ["\t", ";"])
def test_headings_again(mark, size, write):
    path = str(write("test.csv", HEADINGS_AGAIN.format(mark).encode()))
    with pytest.warns(TextWarning) as warned:
        assert contents(open_corpus([path]), size)["test"] == ["b", "d"]
    [warning] = warned
    assert str(warning.message) == (
        f"{path} repeats its headings; left out: line 3, 5."
    )


TITLES = {
    "a line": "Evaluation of May\n{table}",
    "padded, and an empty row": "Evaluation, May;;\n;;\n{table}",
    "below the line of the delimiter": "sep=;\nEvaluation;;\n{table}",
}


@pytest.mark.parametrize("name", TITLES)
def test_titles_above_headings(name, write):
    rows = "a;b;c\n" * 25
    content = TITLES[name].format(table=f"Quelle;Human;MT\n{rows}d;e;f;g\n")
    path = str(write("test.csv", content.encode()))
    lines = content.count("\n")
    with pytest.raises(FormatError, match=f"line {lines} has 4 columns"):
        contents(open_corpus([path]))
    path = str(write("test.csv", content.replace(";g\n", "\n").encode()))
    corpus = open_corpus([path])
    assert contents(corpus)["test"] == ["c"] * 25 + ["f"]
    skipped = content.count("\n") - 27 - content.startswith("sep")
    count = "1 line" if skipped == 1 else f"{skipped} lines"
    assert corpus.layouts[path] == (
        "semicolons, not quoted; source: Quelle, ref: Human, outputs: MT; "
        f"{count} above the headings skipped"
    )


def test_a_table_whose_texts_look_like_headings_in_another_form(write):
    """Commas in the texts of a table with tabs tell nothing about its headings."""
    path = str(write("test.tsv", ["alpha\tbeta", "Source, Target\tx", "a\tb"]))
    assert contents(open_corpus([path]))["alpha"] == ["Source, Target", "a"]


ONE_COLUMN = ["Guten Tag", "Hello", "Das Original", "Yes or no"]


@pytest.mark.parametrize("first", ONE_COLUMN)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_one_column_without_a_heading(first, name, write):
    """The first segment is never taken for a heading."""
    path = str(write(name, [first, "two"]))
    with pytest.raises(FormatError) as raised:
        open_corpus([path])
    word = "" if " " in first else ", which is not a known heading"
    assert str(raised.value) == (
        f"{path} has {first!r} in its first line{word}; add a line of headings, such as "
        "source, ref, output, or give `input_format` plain."
    )


@pytest.mark.parametrize("heading", ["MT", "Übersetzung", "sysA", "English", "a"])
def test_one_column_with_a_heading(heading, write):
    """Known headings, and the name of the file."""
    assert contents(open_corpus([str(write("a.csv", [heading, "two"]))])) != {}
