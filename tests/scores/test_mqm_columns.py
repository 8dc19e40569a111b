"""Tables of errors with any headings, read by naming their columns."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from metra.cli import cli
from metra.errors import FormatError
from metra.scores.registry import read_scores, read_spans

#: The headings of the biomedical MQM data of Zouhar et al. 2024, ACL.
HEADINGS = (
    *("SEG_ID", "Doc", "Source", "Tagged_Source", "Target", "MT", "Tagged_Target"),
    *("Error Category", "Severity", "Annotator_ID"),
)
COLUMNS = {
    **{"system": "MT", "judge": "annotator_id", "category": "Error Category"},
    **{"target": "Tagged_Target", "source": "Tagged_Source"},
}
ROWS = [
    ("1", "d1", "ab", "", "AB", "one", "", "", "", "7"),
    ("2", "d1", "c", "", "C d", "one", "C <tag>d</tag>", "Style", "Minor", "7"),
    ("2", "d1", "c", "", "C d", "one", "<tag>C</tag> d", "Accuracy", "Major", "7"),
    (
        "1",
        "d2",
        "e",
        "<tag>e</tag>",
        "",
        "one",
        "",
        "Accuracy - Omission",
        "Major",
        "7",
    ),
    ("1", "d1", "ab", "", "BA", "two", "<tag>B</tag>A", "Style", "Neutral", "8"),
    ("2", "d1", "c", "", "C", "two", "", "", "", "8"),
    ("1", "d2", "e", "", "E", "two", "", "", "", "8"),
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "bio.tsv"
    path.write_text("\n".join(map("\t".join, [HEADINGS, *ROWS])), encoding="utf-8")
    return str(path)


def test_a_table_is_read_by_its_named_columns(table):
    scores = read_scores(table, columns=COLUMNS)
    assert scores.systems == ("one", "two")
    # Segments are numbered within documents.
    assert [(item.document, item.segment) for item in scores.items] == [
        *(("d1", "1"), ("d1", "2"), ("d2", "1")),
    ]
    assert scores.judges == ("7", "8")
    assert scores.matrix("mqm").tolist() == [[0, -6, -5], [0, 0, 0]]
    assert read_scores(table, columns=COLUMNS, wmt=True).matrix("mqm")[0, 1] == -6


def test_marks_are_found_by_their_tags(table):
    spans = read_spans(table, COLUMNS)
    rows = zip(spans.start, spans.end, spans.side, spans.text, strict=True)
    assert list(rows) == [
        (2, 3, "output", "d"),
        (0, 1, "output", "C"),
        (0, 1, "source", "e"),
        (0, 1, "output", "B"),
    ]
    assert spans.texts[:3] == ["", "C d", ""]


def test_starts_and_ends_have_columns_too(tmp_path):
    path = tmp_path / "e.tsv"
    path.write_text(
        "system\tseg\tkind of error\tseverity\tfrom\tto\nA\t1\tx\tminor\t2\t4\n"
    )
    columns = {"category": "kind of error", "start": "from", "end": "to"}
    spans = read_spans(str(path), columns)
    assert (spans.start[0], spans.end[0], spans.category[0]) == (2, 4, "x")


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (
            {"category": "Nix"},
            r"no column Nix, which was given for the category; found",
        ),
        ({"category": "Error Category"}, r"no column system, .* found: SEG_ID, Doc, "),
        (
            {"system": "MT", "target": "Target"},
            r"no column category, .*Annotator_ID\. ",
        ),
    ],
)
def test_missing_columns_are_refused_with_those_of_the_table(table, columns, says):
    with pytest.raises(FormatError, match=says):
        read_scores(table, columns=columns)


def test_the_command_of_spans_names_columns(table, tmp_path):
    other = tmp_path / "other.tsv"
    other.write_text(
        Path(table).read_text().replace("\t7", "\t9").replace("\t8", "\t6")
    )
    named = ",".join(f"{role}={name}" for role, name in COLUMNS.items())
    command = ["meta", "spans", table, str(other), "--read", named, "--format", "json"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["alpha"]["value"] == 1
