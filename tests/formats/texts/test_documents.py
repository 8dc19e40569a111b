"""Files with ids are joined by them: whatever their order, and never by accident."""

import gzip
from pathlib import Path

import pytest
from tests.tables import load_cases

from metra.errors import CorpusError, FormatError, LengthError, MetraError
from metra.formats.texts.columns import Field
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.sources import list_sources
from metra.scoring.files import open_corpus

KINDS = {"src": "srcset", "ref": "refset", "tst": "tstset"}


def sgm(
    kind: str, system: str, documents: dict[str, dict[str, str]], **labels: str
) -> str:
    """Write a set with one text."""
    more = "".join(f' {name}="{value}"' for name, value in labels.items())
    lines = [f'<{KINDS[kind]} setid="t" srclang="a" trglang="b">']
    for document, segments in documents.items():
        lines.append(f'<doc docid="{document}" sysid="{system}"{more}>')
        lines += [f'<seg id="{id_}">{text}</seg>' for id_, text in segments.items()]
        lines.append("</doc>")
    return "\n".join([*lines, f"</{KINDS[kind]}>", ""])


@pytest.fixture
def folder(tmp_path):
    files = {
        "src.sgm": sgm("src", "src", {"d1": {"1": "s1", "2": "s2"}, "d2": {"1": "s3"}}),
        "ref.sgm": sgm("ref", "ref", {"d2": {"1": "r3"}, "d1": {"1": "r1", "2": "r2"}}),
        "tst.sgm": sgm("tst", "A", {"d1": {"2": "a2", "1": "a1"}, "d2": {"1": "a3"}}),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def table(*files: Path | str, **more) -> dict[Field, list[str | None]]:
    """Read everything, two segments at a time."""
    joined = ParallelTable(
        list_sources([str(file) for file in files], use="any", **more)
    )
    columns: dict[Field, list[str | None]] = {field: [] for field in joined.fields}
    for chunk in joined.chunks(2, joined.fields):
        for field, values in chunk.items():
            columns[field] += [values[at] for at in range(len(values))]
    return columns


def test_the_source_gives_the_order(folder):
    assert table(folder / "tst.sgm", folder / "ref.sgm", folder / "src.sgm") == {
        Field("output", "A"): ["a1", "a2", "a3"],
        Field("reference", "ref"): ["r1", "r2", "r3"],
        Field("source", "source"): ["s1", "s2", "s3"],
        Field("document", "doc"): ["d1", "d1", "d2"],
        Field("label", "seg"): ["1", "2", "1"],
    }


def test_without_a_source_the_reference_does(folder):
    found = table(folder / "tst.sgm", folder / "ref.sgm")
    assert found[Field("output", "A")] == ["a3", "a1", "a2"]
    assert found[Field("document", "doc")] == ["d2", "d1", "d1"]


def test_without_a_reference_the_first_output_does(folder):
    (folder / "B.sgm").write_text(
        sgm("tst", "B", {"d2": {"1": "b3"}, "d1": {"1": "b1", "2": "b2"}})
    )
    found = table(folder / "B.sgm", folder / "tst.sgm")
    assert found[Field("output", "A")] == ["a3", "a1", "a2"]
    assert found[Field("label", "seg")] == ["1", "1", "2"]


def test_packed_files_are_read_from_any_place(folder):
    packed = folder / "tst.sgm.gz"
    packed.write_bytes(gzip.compress((folder / "tst.sgm").read_bytes()))
    assert table(packed, folder / "src.sgm") == table(
        folder / "tst.sgm", folder / "src.sgm"
    )


def test_documents_come_along(folder):
    corpus = open_corpus([str(folder / "tst.sgm")], [str(folder / "ref.sgm")])
    chunks = list(corpus.chunks(10))
    assert corpus.has_documents
    assert not corpus.has_source
    assert chunks[0].documents == ["d2", "d1", "d1"]


def test_documents_given_apart_are_used(folder):
    (folder / "docs.txt").write_text("x\nx\ny\n")
    corpus = open_corpus(
        [str(folder / "tst.sgm")],
        [str(folder / "ref.sgm")],
        None,
        str(folder / "docs.txt"),
    )
    assert next(corpus.chunks(10)).documents == ["x", "x", "y"]


def test_beside_plain_text_the_order_of_the_file_counts(folder):
    (folder / "plain.txt").write_text("p1\np2\np3\n")
    corpus = open_corpus([str(folder / "plain.txt")], [str(folder / "ref.sgm")])
    chunk = next(corpus.chunks(10))
    assert [chunk.refs[0].text[at] for at in range(3)] == ["r3", "r1", "r2"]
    assert [chunk.systems["plain"].text[at] for at in range(3)] == ["p1", "p2", "p3"]
    assert chunk.documents == ["d2", "d1", "d1"]


def test_systems_are_in_the_order_of_the_command_line(folder):
    (folder / "one.txt").write_text("1\n2\n3\n")
    (folder / "two.txt").write_text("1\n2\n3\n")
    outputs = [str(folder / name) for name in ("one.txt", "tst.sgm", "two.txt")]
    assert open_corpus(outputs, [str(folder / "ref.sgm")]).systems == (
        "one",
        "A",
        "two",
    )


def test_a_name_for_the_only_output(folder):
    corpus = open_corpus([f"X={folder / 'tst.sgm'}"], [str(folder / "ref.sgm")])
    assert corpus.systems == ("X",)


def test_a_reference_as_an_output(folder):
    (folder / "human.sgm").write_text((folder / "ref.sgm").read_text())
    corpus = open_corpus([str(folder / "human.sgm")], [str(folder / "ref.sgm")])
    assert corpus.systems == ("human",)


def test_references_of_one_name_are_numbered(folder):
    (folder / "ref2.sgm").write_text((folder / "ref.sgm").read_text())
    found = table(
        folder / "tst.sgm",
        references=[str(folder / "ref.sgm"), str(folder / "ref2.sgm")],
    )
    names = [field.name for field in found if field.role == "reference"]
    assert names == ["ref", "ref-2"]


def test_labels_are_gathered_from_all_files(folder):
    documents = {"d1": {"1": "", "2": ""}, "d2": {"1": ""}}
    (folder / "B.sgm").write_text(sgm("tst", "B", documents, genre="nw", origlang="fr"))
    (folder / "C.sgm").write_text(sgm("tst", "C", documents, genre="web"))
    found = table(folder / "src.sgm", folder / "B.sgm", folder / "C.sgm")
    assert found[Field("label", "genre")] == ["nw"] * 3
    assert found[Field("label", "origlang")] == ["fr"] * 3


XML = """<dataset id="t">
<doc id="d1">
{source}
<ref translator="B"><seg id="1">b1</seg></ref>
<hyp system="X"><seg id="1">x1</seg></hyp>
</doc>
<doc id="d2">
{source}
<ref translator="A"><seg id="1">a2</seg></ref>
<hyp system="X"><seg id="1">x2</seg></hyp>
</doc>
</dataset>
"""


@pytest.mark.parametrize("source", ["<src><seg id='1'>s</seg></src>", ""])
def test_references_may_lack_documents_in_xml(tmp_path, source):
    (tmp_path / "all.xml").write_text(XML.format(source=source))
    found = table(tmp_path / "all.xml")
    assert found[Field("reference", "A")] == [None, "a2"]
    assert found[Field("reference", "B")] == ["b1", None]
    assert found[Field("document", "doc")] == ["d1", "d2"]
    assert open_corpus([str(tmp_path / "all.xml")]).systems == ("X",)


def test_sgml_outputs_with_an_xml_test_set(folder):
    (folder / "test.xml").write_text(
        '<dataset id="t"><doc id="d2"><src><seg id="1">s3</seg></src></doc>'
        '<doc id="d1"><src><seg id="2">s2</seg><seg id="1">s1</seg></src></doc></dataset>'
    )
    found = table(folder / "tst.sgm", folder / "test.xml")
    assert found[Field("output", "A")] == ["a3", "a2", "a1"]
    assert found[Field("source", "source")] == ["s3", "s2", "s1"]


WRONG = load_cases("ids: refused")


@pytest.mark.parametrize(("documents", "message"), WRONG)
def test_ids_that_do_not_agree(folder, documents, message):
    tst, src = folder / "tst.sgm", folder / "src.sgm"
    tst.write_text(sgm("tst", "A", documents))
    with pytest.raises(CorpusError) as raised:
        table(tst, src)
    assert str(raised.value) == message.format(tst=tst, src=src)


def test_an_sgml_reference_may_lack_nothing(folder):
    ref, src = folder / "ref.sgm", folder / "src.sgm"
    ref.write_text(sgm("ref", "ref", {"d1": {"1": "a", "2": "b"}}))
    with pytest.raises(CorpusError) as raised:
        table(ref, src)
    assert str(raised.value) == (
        f"{ref} lacks 1 segment (doc 'd2', seg '1'), which {src} has; every segment is "
        "required."
    )


def refusal(kind: type[MetraError], *arguments, **more) -> str:
    with pytest.raises(kind) as raised:
        open_corpus(*arguments, **more)
    return str(raised.value)


def test_a_document_without_any_reference_cannot_be_scored(tmp_path):
    path = tmp_path / "all.xml"
    path.write_text(
        XML.format(source="<src><seg id='1'>s</seg></src>").replace(
            '<ref translator="A"><seg id="1">a2</seg></ref>', ""
        )
    )
    with pytest.raises(CorpusError) as raised:
        list(open_corpus([str(path)]).chunks(2))
    assert str(raised.value) == (
        "Segment 2 (document 'd2') has no reference; give at least one, an empty string if "
        "nothing is expected."
    )


def test_other_refusals(folder):
    tst, ref = str(folder / "tst.sgm"), str(folder / "ref.sgm")
    two = folder / "two.sgm"
    two.write_text(
        "<mteval>"
        + Path(tst).read_text()
        + Path(tst).read_text().replace('sysid="A"', 'sysid="B"')
        + "</mteval>"
    )
    assert refusal(FormatError, [f"X={two}"], [ref]) == (
        f"X={two} gives one name to a file with 2 outputs; give a name only to a file "
        "with one output."
    )
    assert refusal(CorpusError, [tst, str(two)], [ref]) == (
        "Two outputs are named 'A'; give each its own name: NAME=FILE."
    )
    assert refusal(FormatError, [tst], [ref], None, ref) == (
        f"{ref} contains its own document ids; give it as an output, a reference or "
        "the source instead of `documents`."
    )
    assert refusal(FormatError, [tst], [str(two)]).startswith(
        f"{two} has no column for the reference; it has: A, B. Columns are recognised by name"
    )
    empty = folder / "empty.sgm"
    empty.write_text("<refset></refset>")
    assert refusal(FormatError, [tst], [str(empty)]) == (
        f"{empty} contains no documents; expected at least one <doc>."
    )


def test_two_files_with_the_same_source_and_references(tmp_path):
    for name in ("one.xml", "two.xml"):
        content = XML.format(source="").replace('"X"', f'"{name}"')
        (tmp_path / name).write_text(content)
    files = [tmp_path / "one.xml", tmp_path / "two.xml"]
    assert table(*files) == {
        Field("output", "one.xml"): ["x1", "x2"],
        Field("output", "two.xml"): ["x1", "x2"],
        Field("reference", "B"): ["b1", None],
        Field("reference", "A"): [None, "a2"],
        Field("document", "doc"): ["d1", "d2"],
        Field("label", "seg"): ["1", "1"],
    }
    files[1].write_text(files[1].read_text().replace("b1", "other"))
    with pytest.raises(CorpusError) as raised:
        table(*files)
    assert str(raised.value) == (
        "Segment 1 has the reference 'B' twice, as 'b1' and as 'other'; the files must agree."
    )


def test_plain_text_of_another_length(folder):
    plain, ref = folder / "plain.txt", folder / "ref.sgm"
    plain.write_text("p1\np2\n")
    corpus = open_corpus([str(plain)], [str(ref)])
    with pytest.raises(LengthError) as raised:
        list(corpus.chunks(2))
    assert str(raised.value) == (
        f"{ref} has 3 segments but {plain} has 2; each line must be one segment, in the same "
        "order in every file."
    )


def test_labels_that_two_files_disagree_about(folder):
    (folder / "one.tsv").write_text("seg\toutput\n1\tx\n9\ty\n1\tz\n")
    with pytest.raises(CorpusError) as raised:
        table(folder / "one.tsv", folder / "src.sgm")
    assert str(raised.value) == (
        f"{folder}/src.sgm repeats 1 segment (seg '1'); ids must differ, or files be in the "
        "same order."
    )
