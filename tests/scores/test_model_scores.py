"""What programs of neural metrics write: COMET, MetricX, WMT 2025, a column, folders."""

import json

import numpy as np
import pytest

from metra.errors import FormatError
from metra.scores.registry import read_scores, recognise_score_format

COMET = {
    "runs/first.txt": [
        {"src": "un", "mt": "one", "ref": "one", "COMET": 0.75},
        {"src": "deux", "mt": "two", "ref": "two", "COMET": 0.5},
    ],
    "runs/second.txt": [{"COMET": 0.25}, {"COMET": 0.125, "variance": 0.1}],
}
COMET_LINES = (
    "runs/first.txt\tSegment 0\tscore: 0.7500\n"
    "runs/second.txt\tSegment 0\tscore: 0.2500\n"
    "runs/first.txt\tSegment 1\tscore: 0.5000\n"
    "runs/second.txt\tSegment 1\tscore: 0.1250\tvariance: 0.0100\n"
    "runs/first.txt\tscore: 0.6250\n"
    "runs/second.txt\tscore: 0.1875\n"
)
METRICX = "".join(
    json.dumps({"source": "x", "hypothesis": "y", "prediction": value} | ids) + "\n"
    for value, ids in [
        (0.75, {"system_id": "first", "segment_id": 1}),
        (0.5, {"system_id": "first", "segment_id": 2}),
        (0.25, {"system_id": "second", "segment_id": 1}),
        (0.125, {"system_id": "second", "segment_id": 2}),
    ]
)
SAME = {
    "COMET, one line": ("c.json", json.dumps(COMET), "comet-json", "COMET"),
    "COMET as it is written": ("c.json", json.dumps(COMET, indent=4), "comet-json", "COMET"),
    "COMET as it is printed": ("c.txt", COMET_LINES, "comet", "COMET"),
    "MetricX with ids": ("m.jsonl", METRICX, "metricx", "MetricX"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_several_systems_a_file(tmp_path, case):
    name, content, form, scorer = SAME[case]
    path = tmp_path / name
    path.write_text(content)
    assert recognise_score_format(str(path)) == form
    scores = read_scores(str(path))
    assert scores.systems == ("first", "second")
    assert scores.names == [scorer]
    assert scores.matrix(scorer).tolist() == [[0.75, 0.5], [0.25, 0.125]]
    assert [item.segment for item in scores.items] == ["1", "2"]
    assert scores.scorers[0].higher_is_better is (scorer != "MetricX")


def write_paragraphs(path, *rows):
    about = {"language_pair": "en-ja", "domain": "news"}
    lines = (about | {"document_id": name, "metric_scores": s} for name, s in rows)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_lists_of_paragraphs(tmp_path):
    folder = tmp_path / "all"
    folder.mkdir()
    (folder / ".hidden").write_text("no score\n")
    for system, shift in (("a", 0), ("b", 1)):
        write_paragraphs(
            folder / f"{system}.jsonl",
            ("d1", {"XCOMET-XL": [0.5 - shift, 0.25], "MetricX-24": [-1, -2 - shift]}),
            ("d2", {"XCOMET-XL": [0.75], "MetricX-24": [-3]}),
        )
    scores = read_scores(str(folder))
    assert scores.systems == ("a", "b")
    values = [[0.5, 0.25, 0.75], [-0.5, 0.25, 0.75]]
    assert scores.matrix("XCOMET-XL").tolist() == values
    assert [item.segment for item in scores.items] == ["d1#1", "d1#2", "d2#1"]
    assert {(item.domain, item.lang) for item in scores.items} == {("news", "en-ja")}
    # Its sign is turned, so that higher is better here.
    assert [scorer.higher_is_better for scorer in scores.scorers] == [True, True]


def test_a_metric_that_some_documents_lack_is_missing_there(tmp_path):
    path = tmp_path / "a.jsonl"
    write_paragraphs(
        path, ("d1", {"x": [1]}), ("d2", {"x": [2], "y": [3]}), ("d3", {"x": [4]})
    )
    scores = read_scores(str(path))
    assert scores.matrix("x").tolist() == [[1, 2, 4]]
    assert scores.matrix("y").tolist()[0][1] == 3
    assert np.isnan(scores.matrix("y")[0, [0, 2]]).all()


def test_a_column_is_of_a_nameless_system(tmp_path):
    path = tmp_path / "bleurt.txt"
    path.write_text("0.5\n-1.25\n1e-3\n")
    scores = read_scores(str(path))
    assert scores.systems == ("",)
    assert scores.matrix("score").tolist() == [[0.5, -1.25, 0.001]]


def test_files_of_a_folder_name_their_systems(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("1\n2\n")
    assert read_scores(str(tmp_path)).systems == ("a", "b")


CELL = "expected a number, or an empty cell if the value is missing."
BAD = {
    "COMET without a score": (
        "c.json", json.dumps({"a.txt": [{"COMET": 1}, {"src": "x"}]}),
        "c.json, segment 2 of a.txt has no COMET or score."),
    "COMET, no segments": (
        "c.json", json.dumps({"a.txt": [{"COMET": 1}], "b.txt": [3]}),
        "c.json: b.txt has no list of segments; expected output of comet-score."),
    "COMET, two files of one name": (
        "c.json", json.dumps({"x/a.txt": [{"COMET": 1}], "y/a.txt": [{"COMET": 2}]}),
        "c.json has two lists of scores of 'a'; expected one per system."),
    "COMET, infinite": (
        "c.json", '{"a.txt": [{"COMET": Infinity}]}',
        "c.json, segment 1 of a.txt: COMET is Infinity; expected a finite number."),
    "COMET, no number": (
        "c.json", '{"a.txt": [{"COMET": "high"}]}',
        'c.json, segment 1 of a.txt: COMET is "high"; expected a finite number.'),
    "COMET, infinite in print": (
        "c.txt", "a.txt\tSegment 0\tscore: 0.5\na.txt\tSegment 1\tscore: inf\n",
        f"c.txt, line 2: the score is 'inf'; {CELL}"),
    "MetricX without a prediction": (
        "m.jsonl", '{"prediction": 1}\n{"predictions": 2}\n',
        "m.jsonl, line 2 has no prediction."),
    "MetricX, no object": (
        "m.jsonl", '{"prediction": 1}\n[2]\n',
        "m.jsonl, line 2 is not a JSON object; expected {…}."),
    "lists of several lengths": (
        "w.jsonl", '{"metric_scores": {"x": [1, 2], "y": [1]}}\n',
        "w.jsonl, line 1 has 2 of x, 1 of y; expected lists of equal length for each metric."),
    "no lists": (
        "w.jsonl", '{"metric_scores": {"x": [1]}}\n{"metric_scores": {}}\n',
        "w.jsonl, line 2 has no metric_scores; expected lists of values by metric."),
    "a list with something else": (
        "w.jsonl", '{"metric_scores": {"x": [1, true]}}\n',
        "w.jsonl, line 1, value 2: x is true; expected a finite number."),
    "a column with a word": (
        "column.txt", "0.5\nhalf\n", f"column.txt, line 2: the score is 'half'; {CELL}"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_files_say_where(tmp_path, monkeypatch, case):
    name, content, message = BAD[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError) as error:
        read_scores(name)
    assert str(error.value) == message
