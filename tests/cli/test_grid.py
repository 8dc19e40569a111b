"""`metra grid`: from files to the screen and to a picture."""

import xml.etree.ElementTree as ET

import pytest


@pytest.fixture
def files(write):
    write("ref.1.txt", ["a b c d e f g", "x y"])
    write("ref.2.txt", ["d e f g", "y x"])
    write("two.tsv", ["A\tB\tref", "a b\tb a\ta b"])
    return write("sys.txt", ["b c x d e f g a", "x y z"]).parent


def test_text(cli, files):
    ran = cli("grid", files / "sys.txt", "-r", files / "ref.1.txt", "--segment", "1")
    assert ran.code == 0
    assert ran.out.startswith("sys, segment 1, gtm:e=2\nscore 61.10; precision 57.28;")
    assert "\nd │       ■\n" in ran.out
    assert ran.err == ""


def test_piped_text_is_plain(metra_command, files):
    arguments = ("-r", files / "ref.1.txt", "-r", files / "ref.2.txt", "-n", "2")
    ran = metra_command("grid", files / "sys.txt", *arguments, COLUMNS="70")
    assert "\x1b" not in ran.out
    assert "reference 1, reference 2" in ran.out


def test_picture(cli, files):
    picture = files / "grid.svg"
    ran = cli(
        *("grid", files / "sys.txt", "-r", files / "ref.1.txt"),
        *("-r", files / "ref.2.txt", "-n", "1", "-o", picture),
    )
    assert (ran.code, ran.out) == (0, "")
    assert ET.parse(picture).getroot().get("class") == "metra-grid"


def test_another_measure(cli, files):
    ran = cli(
        *("grid", files / "sys.txt", "-r", files / "ref.1.txt", "-n", "1", "-m", "wer")
    )
    assert "■ hit" in ran.out


def test_one_of_several_systems(cli, files):
    ran = cli("grid", files / "two.tsv", "-n", "1", "--system", "B")
    assert ran.out.startswith("B, segment 1, gtm:e=2\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["sys.txt", "-r", "ref.1.txt", "-n", "3"],
            "metra: Segment 3 does not exist; expected a number from 1 to 2.",
            id="a segment that is not there",
        ),
        pytest.param(
            ["sys.txt", "-r", "ref.1.txt", "-n", "1", "-m", "bleu"],
            "metra: bleu does not align words; choose a metric that does, such as "
            "gtm or wer.",
            id="a measure that aligns nothing",
        ),
        pytest.param(
            ["two.tsv", "-n", "1"],
            "metra: The input has 2 systems; choose one of A, B.",
            id="which system",
        ),
        pytest.param(
            ["two.tsv", "-n", "1", "--system", "C"],
            "metra: No system named 'C'. Known: A, B.",
            id="no such system",
        ),
    ],
)
def test_errors(cli, files, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    ran = cli("grid", *arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", f"{message}\n")


def test_the_segment_is_needed(cli, files):
    refused = cli.refusal("grid", files / "sys.txt", "-r", files / "ref.1.txt")
    assert "needs -n NUMBER" in refused
