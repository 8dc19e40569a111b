"""metra profile, and what metra compare shows beyond the scores."""

import json

import pytest

from metra.corpus import examples

OUTPUTS = examples.HOME / "outputs"
REFERENCE = examples.HOME / "reference.1.txt"
SOURCE = examples.HOME / "source.fr.txt"
TERSE, SOLID = OUTPUTS / "terse.txt", OUTPUTS / "solid.txt"


def readings(out):
    lines = [line.split(maxsplit=1) for line in out.split("\n") if "  " in line]
    return dict(entry for entry in lines if len(entry) == 2)


def test_the_example_reads_as_its_makers_describe_it(cli):
    ran = cli("profile", *sorted(OUTPUTS.glob("*.txt")), "-r", REFERENCE, "-s", SOURCE)
    assert ran.code == 0
    found = readings(ran.out)
    assert (
        found["terse"]
        .strip()
        .startswith("short, more precise but less complete than the others")
    )
    assert found["verbose"].strip() == (
        "long, more complete but less precise than the others"
    )
    assert "2 empty outputs" in found["dropped"]
    assert "leaves source words untranslated" in found["untranslated"]
    assert "gets numbers wrong" in found["wrong-terms"]


def test_profiles_as_json(cli):
    ran = cli("profile", TERSE, "-r", REFERENCE, "--format", "json")
    data = json.loads(ran.out)
    (profile,) = data["profiles"]["profiles"]
    assert 0.3 < profile["traits"]["length_ratio"]["value"] < 0.95


def test_profile_tells_which_segments(cli):
    ran = cli("profile", SOLID, "-r", REFERENCE, "--show", "loops")
    assert ran.out.endswith("Segments that show loops:\nsolid: none\n")
    refused = cli.refusal("profile", SOLID, "-r", REFERENCE, "--show", "x")
    assert "No trait named 'x'" in refused


def test_profile_writes_to_a_file(cli, tmp_path):
    path = tmp_path / "profile.md"
    cli("profile", SOLID, "-r", REFERENCE, "--format", "markdown", "-o", path)
    assert path.read_text(encoding="utf-8").startswith("| system | length |")


def test_profile_cuts_words_as_told(cli, write):
    ref, hyp = write("ref", ["漢字"]), write("hyp", ["漢語"])
    ran = cli("profile", hyp, "-r", ref, "--text", "tok=zh", "--format", "json")
    traits = json.loads(ran.out)["profiles"]["profiles"][0]["traits"]
    assert traits["precision"]["value"] == 50


COMPARE = ("compare", TERSE, SOLID, "-r", REFERENCE, "--trials", "50")


def test_compare_appends_what_was_asked_for(cli, write):
    labels = write("kind.txt", ["x"] * 14 + ["y"] * 14)
    ran = cli.ok(
        *COMPARE,
        "-m",
        "bleu",
        "-m",
        "ter",
        "--changes",
        "1:ter",
        "--ngrams",
        "2",
        "--bucket",
        "length:10,20",
        "--bucket",
        "frequency:1,3",
        "--labels",
        labels,
        "--labels",
        f"again={labels}",
        "--format",
        "json",
    )
    data = json.loads(ran.out)
    assert data["changes"][0]["spec"] == "ter"
    assert data["changes"][0]["min_words"] == 5
    assert len(data["changes"][0]["improved"]) == 1
    assert len(data["ngrams"][0]["gained"]) == 2
    titles = [entry["title"] for entry in data["buckets"]]
    assert titles == [
        "reference length in words",
        "word frequency in the references",
        "kind",
        "again",
    ]


def test_compare_alone_shows_none_of_it(cli):
    data = json.loads(cli(*COMPARE, "--format", "json").out)
    assert not {"changes", "ngrams", "buckets", "profiles"} & set(data)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bucket", "lenght"], "No kind of bucket named 'lenght'"),
        (["--bucket", "document"], "documents; give --docs"),
        (["--bucket", "source-length"], "need the source"),
        (["--labels", "no-such-file"], "no-such-file cannot be read"),
        (["--labels", "k={short}"], "labels 'k' has 1 segment but the corpus has 28"),
        (
            ["--labels", "{short}", "--labels", "{short}"],
            "Two lists of labels are named",
        ),
        (["--changes", "1:wer"], "No metric named 'wer'"),
        (["--changes", "1", "--format", "tsv"], "The format tsv does not support"),
    ],
)
def test_what_cannot_be_shown(cli, write, options, message):
    short = write("short", ["x"])
    ran = cli(*COMPARE, *(option.format(short=short) for option in options))
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""
