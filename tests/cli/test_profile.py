"""metra profile, and what metra compare shows beyond the scores."""

import json

import pytest

from metra.corpus import examples

OUTPUTS = examples.HOME / "outputs"
REFERENCE = examples.HOME / "reference.1.txt"
SOURCE = examples.HOME / "source.fr.txt"
TERSE, SOLID = OUTPUTS / "terse.txt", OUTPUTS / "solid.txt"


def readings(out):
    lines = [line.split(": ", maxsplit=1) for line in out.split("\n")]
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


def test_profile_tells_which_segments(cli):
    ran = cli("profile", SOLID, "-r", REFERENCE, "--show", "loops")
    assert "segments of solid that show loops: none\n" in ran.out
    refused = cli.refusal("profile", SOLID, "-r", REFERENCE, "--show", "x")
    assert "No trait named 'x'" in refused


COMPARE = ("compare", TERSE, SOLID, "-r", REFERENCE, "--trials", "50")


def test_compare_appends_what_was_asked_for(cli):
    metrics = ("-m", "bleu", "-m", "ter")
    ran = cli.ok(*COMPARE, *metrics, "--changes", "1:ter", "--format", "json")
    (changes,) = json.loads(ran.out)["changes"]
    assert (changes["spec"], changes["min_words"]) == ("ter", 5)
    assert len(changes["improved"]) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("compare --changes 1:wer", "No metric named 'wer'"),
        ("compare --changes 1 --format tsv", "The format tsv does not support"),
        ("report --labels no-such-file", "no-such-file cannot be read"),
        ("report --labels k={short}", "labels 'k' has 1 segment but the corpus has 28"),
        ("report --labels {short} --labels {short}", "Two lists of labels are named"),
    ],
)
def test_what_cannot_be_shown(cli, write, options, message):
    short = write("short", ["x"])
    command, *given = options.format(short=short).split()
    ran = cli(command, *COMPARE[1:5], *given)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""
