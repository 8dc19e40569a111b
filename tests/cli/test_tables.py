"""Tables on the command line: columns by name, groups, work in parts."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = {
    "mt": ["the cat sat on the mat", "a dog", "this is a house here", "x"],
    "other": ["the cat", "a dog is", "this is the house here", "y"],
    "good": ["the cat sat on a mat", "a dog", "this is a house here", "z"],
    "part": ["fr-en", "de-en", "fr-en", None],
    "year": [2003, 2003, 2004, 2003],
}


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "test.parquet"
    pq.write_table(pa.table(ROWS), path)
    return path


@pytest.fixture
def tsv(write):
    rows = zip(*ROWS.values(), strict=True)
    lines = [[str(cell or "") for cell in row] for row in rows]
    return write("test.tsv", ["\t".join(line) for line in [list(ROWS), *lines]])


COLUMNS = ("--read", "hyp=A=mt", "--read", "hyp=other", "--read", "ref=good")


def test_the_same_groups_in_every_format(cli, parquet, tsv):
    options = (
        *COLUMNS,
        *["-m", "bleu", "-m", "ter", "--group-by", "year", "--format", "json"],
    )
    mine = json.loads(cli("score", parquet, *options).out)
    other = json.loads(cli("score", tsv, *options).out)
    assert mine["systems"] == other["systems"]
    for one, two in zip(mine["groups"], other["groups"], strict=True):
        assert one["systems"] == two["systems"]
        assert one["segments"] == two["segments"]
        assert str(one["key"]["year"]) == two["key"]["year"]


def test_meta_evaluation_leaves_groups_alone(cli, parquet, tmp_path):
    out = tmp_path / "scores.tsv"
    cli("score", parquet, *COLUMNS, "--group-by", "part", "--format", "tsv", "-o", out)
    from metra.scores.model_scores import read_metra_tsv

    assert len(read_metra_tsv(str(out))) == 2


WRONG = [
    pytest.param(["--read", "hyp=nt", "--read", "ref=good"],
                 "has no column 'nt'. Did you mean 'mt'? It has: mt, other, good, part, year.",
                 id="name"),
    pytest.param([*COLUMNS, "--group-by", "lang"],
                 "has no column 'lang'.", id="group"),
    pytest.param([*COLUMNS, "--group-by", "part", "--ci"],
                 "--ci and --group-by cannot be given together", id="interval"),
    pytest.param([*COLUMNS, "--resume", "x", "--level", "segment"],
                 "--level segment and --resume cannot be given together", id="level"),
    pytest.param([*COLUMNS, "--group-by", "part", "-r", "ref.txt"],
                 "-r and --group-by cannot be given together", id="reference"),
    pytest.param([*COLUMNS, "--engine", "local:x"],
                 "--engine local:x is not possible; expected local or spark[:MASTER].",
                 id="master"),
    pytest.param([*COLUMNS, "--engine", "spark", "-r", "ref.txt"],
                 "-r and --engine spark cannot be given together; Spark scores tables",
                 id="spark"),
    pytest.param(["--read", "hyp=mt", "--group-by", "part"],
                 "bleu needs references; name the column with --read ref.",
                 id="no reference"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_cannot_be(cli, parquet, options, message):
    assert message in cli.refusal("score", parquet, *options)


def test_parts_are_for_parquet(cli, tsv):
    refused = cli.refusal("score", tsv, *COLUMNS, "--resume", "x")
    assert "--scores-out and --resume need Parquet files" in refused


def test_groups_need_a_label(cli, tsv):
    refused = cli.refusal("score", tsv, *COLUMNS, "--group-by", "partt")
    assert "has no column 'partt'. Did you mean 'part'?" in refused


def test_documents_can_be_groups(cli, write):
    path = write("a.tsv", ["docid\toutput\tref", "d2\ta\ta", "d1\tb\tx", "d2\tc\tc"])
    ran = cli("score", path, "--group-by", "docid", "-m", "wer", "--format", "json")
    groups = json.loads(ran.out)["groups"]
    assert [(g["key"], g["segments"]) for g in groups] == [
        ({"docid": "d1"}, 1),
        ({"docid": "d2"}, 2),
    ]


def test_files_that_are_no_table_together(cli, parquet, tmp_path):
    numbers = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({**ROWS, "part": [1, 2, 3, 4]}), numbers)
    ran = cli("score", parquet, numbers, *COLUMNS, "--group-by", "part")
    assert (ran.code, ran.err.strip()) == (
        2,
        f"metra: {numbers} has the column 'part' of type int64, but {parquet} of type string; "
        "groups need the same type in all files.",
    )
    zones = [tmp_path / f"{name}.parquet" for name in ("local", "utc")]
    for path, zone in zip(zones, (None, "UTC"), strict=True):
        times = pa.array(range(4), pa.timestamp("s", zone))
        pq.write_table(pa.table({**ROWS, "time": times}), path)
    refused = cli.refusal("score", *zones, *COLUMNS, "--group-by", "time")
    assert "of type timestamp[ms, tz=UTC], but" in refused
    large = tmp_path / "large.parquet"
    texts = pa.array(ROWS["part"], pa.large_string()).dictionary_encode()
    pq.write_table(pa.table({**ROWS, "part": texts}), large)
    ran = cli.ok(
        "score", parquet, large, *COLUMNS, "--group-by", "part", "--format", "json"
    )
    groups = {group["key"]["part"]: group for group in json.loads(ran.out)["groups"]}
    assert {name: group["segments"] for name, group in groups.items()} == {
        "de-en": 2,
        "fr-en": 4,
        None: 2,
    }


@pytest.mark.parametrize(
    "more", [(), ("--group-by", "part")], ids=["whole", "in parts"]
)
def test_a_file_given_twice_is_refused(cli, parquet, more):
    again = f"{parquet.parent}/../{parquet.parent.name}/{parquet.name}"
    ran = cli("score", parquet, again, *COLUMNS, *more)
    assert (ran.code, ran.err.strip()) == (
        2,
        f"metra: {again} is given twice, so its rows would count twice; give it once.",
    )


def test_patterns_that_no_shell_resolved(cli, parquet):
    found = cli("score", f"{parquet.parent}/t*.parquet", *COLUMNS)
    assert found.out == cli("score", parquet, *COLUMNS).out
    ran = cli("score", f"{parquet.parent}/x*.parquet", *COLUMNS)
    assert (ran.code, ran.err.strip()) == (
        2,
        f"metra: No file matches {parquet.parent}/x*.parquet; check the pattern, or "
        "name the files.",
    )


def test_a_folder_without_parquet(cli, tmp_path):
    ran = cli("score", tmp_path, *COLUMNS)
    assert (ran.code, ran.err.strip()) == (
        2,
        f"metra: {tmp_path} is a folder without Parquet files; give files, or a "
        "folder with Parquet files.",
    )


def test_a_folder_with_an_equals_sign_names_no_system(cli, parquet, monkeypatch):
    monkeypatch.chdir(parquet.parent)
    folder = parquet.parent / "part=fr-en"
    folder.mkdir()
    parquet.rename(folder / "test.parquet")
    cli.ok("score", "part=fr-en/test.parquet", *COLUMNS)


PARTS = {
    "part=fr-en/year=2003": [0],
    "part=fr-en/year=2004": [2],
    "part=de-en/year=2003": [1],
    "part=__HIVE_DEFAULT_PARTITION__/year=2003": [3],
}


@pytest.fixture
def partitioned(tmp_path):
    """Write the same rows as folders that are named after columns."""
    table = pa.table({**ROWS, "year": [str(year) for year in ROWS["year"]]})
    for place, rows in PARTS.items():
        folder = tmp_path / "data" / place
        folder.mkdir(parents=True)
        part = table.take(rows).select(["mt", "other", "good"])
        pq.write_table(part, folder / "part-0.parquet")
    for name in ("_logs/part=x", "other", ".part=x"):
        (tmp_path / "data" / name).mkdir(parents=True)
        pq.write_table(table, tmp_path / "data" / name / "part-0.parquet")
    whole = tmp_path / "whole.parquet"
    pq.write_table(table, whole)
    return tmp_path / "data", whole


def test_folders_named_after_columns_are_columns(cli, partitioned, tmp_path):
    folder, whole = partitioned
    options = (
        *COLUMNS,
        *["-m", "bleu", "-m", "f1", "--format", "json", "--group-by", "part,year"],
    )
    expected, found = (cli("score", path, *options) for path in (whole, folder))
    assert found.code == 0, found.err
    assert json.loads(found.out) == json.loads(expected.out)
    # The names of folders are no texts, whatever the names are.
    written = cli("score", folder, *options, "--scores-out", tmp_path / "out", "--resume",
                  tmp_path / "kept")  # fmt: skip
    assert json.loads(written.out) == json.loads(expected.out)
    place = "part=de-en/year=2003/part-0.parquet"
    table = pq.ParquetFile(tmp_path / "out" / place).read()
    assert table.column_names == ["mt", "other", "good", "bleu/A", "f1/A", "bleu/other",
                                  "f1/other"]  # fmt: skip
    again = cli("score", tmp_path / "out", *options)
    assert json.loads(again.out) == json.loads(expected.out)
    names = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert names == {"part-0.parquet"}


def test_a_folder_named_after_a_text_is_a_label(cli, tmp_path):
    folder = tmp_path / "data" / "ref=news"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"hyp": ["a b"], "ref2": ["a b"]}), folder / "x.parquet")
    ran = cli.ok("score", tmp_path / "data", "--group-by", "ref", "--format", "json")
    found = json.loads(ran.out)
    assert found["evalset"]["references"] == 1
    assert found["groups"][0]["key"] == {"ref": "news"}
    # A column of the file itself counts.
    own = pa.table({"hyp": ["a b"], "ref2": ["a b"], "ref": ["own"]})
    pq.write_table(own, folder / "x.parquet")
    ran = cli("score", tmp_path / "data", "--format", "json")
    assert json.loads(ran.out)["evalset"]["references"] == 2


@pytest.mark.parametrize("extra", [(), ("--resume", "kept")], ids=["whole", "parts"])
def test_files_with_other_columns(cli, tmp_path, monkeypatch, extra):
    monkeypatch.chdir(tmp_path)
    first = {"hyp": ["a b c d e", "x"], "ref": ["a b c d x", "x"], "note": ["n", "m"]}
    second = {"hyp": ["a b c d e"], "ref2": ["a b c d e"], "ref": ["q"], "more": ["o"]}
    for number, columns in enumerate((first, second)):
        pq.write_table(pa.table(columns), f"{number}.parquet")
    whole = {
        "hyp": [*first["hyp"], *second["hyp"]],
        "ref": [*first["ref"], *second["ref"]],
        "ref2": [None, None, *second["ref2"]],
    }
    pq.write_table(pa.table(whole), "whole.parquet")
    options = ("-m", "bleu", "--read", "hyp=A=hyp", "--format", "json")
    for files in (("0.parquet", "1.parquet"), ("1.parquet", "0.parquet")):
        found = cli.ok("score", *files, *options, *extra)
        expected = json.loads(cli("score", "whole.parquet", *options, *extra).out)
        assert json.loads(found.out)["systems"] == expected["systems"]
    # Outputs, and all references, are not left out.
    for lacking, said in (("hyp", "hyp"), ("ref", "ref")):
        rest = {name: values for name, values in first.items() if name != lacking}
        pq.write_table(pa.table(rest), "2.parquet")
        refused = cli.refusal("score", "0.parquet", "2.parquet", *options, *extra)
        assert f"2.parquet has no column '{said}'" in refused


@pytest.mark.parametrize("extra", [(), ("--resume", "kept")], ids=["whole", "parts"])
def test_lists_of_references_are_refused(cli, tmp_path, monkeypatch, extra):
    monkeypatch.chdir(tmp_path)
    for kind in (pa.list_(pa.string()), pa.large_list(pa.large_string())):
        lists = pa.array([["a"], ["b", None]], kind)
        table = pa.table({"hyp": ["x", "y"], "ref": ["a", "b"], "refs": lists})
        pq.write_table(table, "0.parquet")
        refused = cli.refusal("score", "0.parquet", "-m", "bleu", *extra)
        assert "0.parquet has lists of references in the column 'refs'" in refused
        cli.ok("score", "0.parquet", "-m", "bleu", "--read", "ref=ref", *extra)


def test_a_column_alone_names_the_system_unless_the_file_has_a_name(cli, write):
    rows = ["texts,human", "a b,a b"]
    path = write("one.csv", rows)
    columns = ["--read", "hyp=texts", "--read", "ref=human", "--format", "json"]
    for given, name in ((path, "texts"), (f"mine={path}", "mine")):
        _, out, _ = cli("score", given, *columns)
        assert [system["name"] for system in json.loads(out)["systems"]] == [name]
