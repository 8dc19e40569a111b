"""metra weights: lists made, shown and studied from the command line."""

import pytest

from metra.corpus import examples

EXAMPLE = examples.find_example()


@pytest.fixture
def refs(write):
    one = write("ref.A.txt", ["a a b c", "a b b d", "a e e e"])
    other = write("ref.B.txt", ["a b c c", "a b d d", "e e f"])
    docs = write("docs.txt", ["one", "two", "three"])
    return one, other, docs


def test_a_list_is_built_and_used(cli, refs, tmp_path):
    one, _, docs = refs
    out = tmp_path / "list.tsv"
    assert cli("weights", "build", one, "--docs", docs, "-o", out) == (0, "", "")
    header, *rows = (line.split("\t") for line in out.read_text().split("\n")[:-1])
    assert header[:5] == ["word", "document", "tf", "df", "N"]
    assert ["c", "one", "1", "1", "3"] in [row[:5] for row in rows]
    scored = [
        cli("score", refs[1], "-r", one, "--docs", docs, "-m", spec, "--format", "tsv")
        for spec in ("ltv", f"ltv:weights={out}")
    ]
    assert [ran.code for ran in scored] == [0, 0]
    first, second = (float(ran.out.split("\n")[1].split("\t")[4]) for ran in scored)
    assert first == pytest.approx(second, abs=1e-7)


def test_tables_whose_columns_are_named(cli, refs, write):
    one, other, docs = refs
    rows = zip(
        *(path.read_text().split("\n")[:3] for path in (docs, one, other)), strict=True
    )
    table = write(
        "t.csv", ["Text;A;B;System", *(f"{';'.join(row)};a b" for row in rows)]
    )
    named = ["--read", "doc=Text", "--read", "ref=A"]
    plain = cli("weights", "build", one, "--docs", docs)
    assert cli("weights", "build", table, *named) == plain
    more = [*named, "--read", "ref=B", "--read", "hyp=System"]
    outputs = write("System.txt", ["a b"] * 3)
    plain_files = [outputs, "-r", one, "-r", other, "--docs", docs]
    in_table, in_files = (
        [
            line.split("\t")[1:4]
            for line in cli(*asked, "--format", "tsv").out.split("\n")
        ]
        for asked in (
            ["weights", "matches", table, *more],
            ["weights", "matches", *plain_files],
        )
    )
    assert len(in_table) > 5
    assert in_table == in_files


def test_every_plain_file_is_a_document(cli, write):
    paths = [write("one.txt", ["a a", "b c"]), write("two.txt", ["a b b d"])]
    ran = cli("weights", "build", *paths)
    rows = [line.split("\t")[:5] for line in ran.out.split("\n")]
    assert ["a", "one", "2", "2", "2"] in rows
    assert ["d", "two", "1", "1", "2"] in rows


def test_files_side_by_side_are_one_corpus(cli, refs):
    one, other, docs = refs
    ran = cli("weights", "build", one, other, "--docs", docs)
    rows = [line.split("\t")[:5] for line in ran.out.split("\n")]
    assert ["c", "one", "3", "1", "3"] in rows


def test_a_table_brings_its_documents_along(cli, write):
    path = write("set.tsv", ["doc\tref:A\tsystem", "x\ta b\tq", "y\tb c\tq"])
    rows = [
        line.split("\t")[:4] for line in cli("weights", "build", path).out.split("\n")
    ]
    assert ["b", "y", "1", "2"] in rows
    assert not any(row[0] == "q" for row in rows)


def test_a_table_without_references_has_nothing_to_count(cli, write):
    path = write("set.tsv", ["doc\tsystem", "x\ta b", "y\tb c"])
    ran = cli("weights", "build", path)
    assert (ran.code, "has no references; word lists" in ran.err) == (2, True)


def test_documents_must_be_known(cli, refs):
    assert "are missing; give --docs FILE" in cli.refusal("weights", "build", refs[0])


def test_the_most_salient_words_are_shown(cli, refs, tmp_path):
    out = tmp_path / "list.tsv"
    cli("weights", "build", refs[0], "--docs", refs[2], "-o", out)
    shown = cli("weights", "show", out, "--document", "three", "--top", "1").out
    assert shown == (
        "three\n"
        "word  tf  df  tf.idf     S\n"
        "──────────────────────────\n"
        "e      3   1    2.31  0.69\n"
    )
    everything = cli("weights", "show", out, "--by", "s").out
    assert [line for line in everything.split("\n") if line in ("one", "two", "three")]
    assert "a      2   3       0     –" in everything
    ran = cli("weights", "show", out, "--document", "tree")
    assert (ran.code, "Did you mean 'three'?" in ran.err) == (2, True)


def test_one_reference_is_not_two(cli, write):
    path = write("set.tsv", ["doc\tref:A\tref:B", "x\ta b\tq", "y\tb c\tq"])
    other = write("other.tsv", ["ref:C", "a", "b"])
    ran = cli("weights", "stability", path, other)
    assert (ran.code, "two references to compare; found 3" in ran.err) == (2, True)


def test_the_list_of_the_example_is_of_its_references(cli):
    ran = cli(
        *("weights", "build", *EXAMPLE.references),
        *("--docs", EXAMPLE.docs, "--text", "case=lower"),
    )
    assert ran.out == (examples.HOME / "salience.tsv").read_text(encoding="utf-8")


def test_matches_need_two_references_and_documents(cli, refs):
    one, other, docs = refs
    ran = cli("weights", "matches", one, "-r", other, "--docs", docs)
    assert (ran.code, "Expected two references to compare" in ran.err) == (2, True)
    ran = cli("weights", "matches", one, "-r", one, "-r", other)
    assert (ran.code, "give --docs with the document" in ran.err) == (2, True)
