"""`metra score --show-alignment`, from files to the screen."""

import json

import pytest
from click.testing import CliRunner

from metra.cli.score import score
from metra.errors import MetraError


@pytest.fixture
def files(tmp_path):
    (tmp_path / "sys.txt").write_text("a b\nc\nd e\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("a x\nc\ne\n", encoding="utf-8")
    return [str(tmp_path / "sys.txt"), "-r", str(tmp_path / "ref.txt")]


def run(*arguments):
    return CliRunner(env={"COLUMNS": "80"}).invoke(score, arguments)


def test_all_segments_after_the_table(files):
    text = run(*files, "-m", "wer", "--show-alignment").output
    table, *blocks = text.removesuffix("\n").split("\n\n")
    assert table.startswith("system  wer ↓")
    assert blocks[1:] == [
        "sys, segment 1, wer\n1 substitution, 0 insertions, 0 deletions, 1 hit\n"
        "REF  a x\nHYP  a b\n       S",
        "sys, segment 2, wer\n0 substitutions, 0 insertions, 0 deletions, 1 hit\n"
        "REF  c\nHYP  c",
        "sys, segment 3, wer\n0 substitutions, 1 insertion, 0 deletions, 1 hit\n"
        "REF  * e\nHYP  d e\n     I",
    ]


def test_alignments_as_json(files):
    arguments = ["-m", "wer", "-m", "bleu", "--show-alignment"]
    data = json.loads(run(*files, *arguments, "--format", "json").output)
    found = data["systems"][0]["alignments"]
    assert list(found) == ["wer"]
    assert [entry["segment"] for entry in found["wer"]] == [1, 2, 3]


def test_without_the_option_there_are_none(files):
    assert "REF" not in run(*files, "-m", "wer").output


def test_usage(files):
    result = run(*files, "-m", "wer", "--show-alignment", "--format", "tsv")
    assert result.exit_code == 2
    assert (
        "--show-alignment does not work with --format tsv; expected --format table or "
        "json."
    ) in result.output


def test_measures_without_alignments(files):
    result = run(*files, "-m", "bleu", "--show-alignment")
    assert isinstance(result.exception, MetraError)
    assert str(result.exception) == (
        "Alignments need a metric that aligns words, unlike bleu; add one, for example "
        "wer."
    )
