"""Results in every format, from results made by hand: awkward names, directions, ties."""

import json
import math

import numpy as np
import pytest

from metra.report import FORMATS
from metra.report.table import Style
from metra.report.terminal import escape_controls, measure_width
from metra.report.writers.headings import order_systems
from metra.report.writers.results import build_tables, render
from metra.scoring.results import Results, Score, SystemScores


def score(value: float, *, up: bool = True, **more: object) -> Score:
    return Score(value, f"{'up' if up else 'down'}|version:1", up, **more)


def results(*scores: float, up: bool = True, names: str = "ABCDEF", **more) -> Results:
    systems = [
        SystemScores(name, {"m": score(value, up=up, **more)})
        for name, value in zip(names, scores, strict=False)
    ]
    return Results(systems, 1234, 2)


def lines(found: Results, form: str = "table", **style: object) -> list[str]:
    return render(found, form, Style(**style)).split("\n")


def test_there_is_a_renderer_for_every_format():
    for form in FORMATS:
        assert render(results(1.0), form, Style())


def test_lower_may_be_better():
    assert lines(results(3, 1, 2, up=False))[:5] == [
        "system    m ↓",
        "─────────────",
        "A       3.00",
        "B       1.00*",
        "C       2.00",
    ]


@pytest.mark.parametrize(("up", "expected"), [(True, "ACB"), (False, "BCA")])
def test_the_best_first(up, expected):
    found = order_systems(results(3, 1, 2, up=up), Style(sort=True))
    assert "".join(entry.name for entry in found) == expected


def test_equal_scores_keep_their_order():
    found = order_systems(results(1, 2, 2, 1), Style(sort=True))
    assert "".join(entry.name for entry in found) == "BCAD"


def test_equal_scores_are_equally_best():
    (table,) = build_tables(results(2, 2, 1), Style())
    assert [row[1].best for row in table.rows] == [True, True, False]


def test_one_system_is_not_the_best_of_anything():
    assert "*" not in "".join(lines(results(2.0)))


def test_what_was_scored_is_counted():
    assert lines(results(1.0))[4] == "1,234 segments, 2 references"
    alone = Results(results(1.0).systems, 1, 1, 1)
    assert lines(alone)[4] == "1 segment, 1 document, 1 reference"


def test_signatures_are_named_once():
    found = lines(results(1.0, 2.0))
    assert found.count("up|version:1") == 1


def test_wide_characters_are_aligned():
    found = lines(results(1, 2, names=["中文系统", "é"]))
    assert found[2:4] == ["中文系统  1.00", "é         2.00*"]
    assert measure_width("中文") == 4
    assert measure_width("e\u0301") == 1


def test_control_characters_do_not_reach_the_terminal():
    assert escape_controls("a\x1b[31mb\n\x07\u202e") == "a�[31mb���"
    assert "\x1b" not in "".join(lines(results(1, 2, names=["a\x1b[31m", "b"])))


def test_colour():
    found = lines(results(1, 2), color=True)
    assert found[0] == "\x1b[1msystem    m ↑\x1b[0m"
    assert found[3] == "B       \x1b[1m2.00*\x1b[0m"
    assert found[6] == "\x1b[2m1,234 segments, 2 references\x1b[0m"


def test_intervals_line_up():
    entries = {"A": (1.0, (0.5, 1.5)), "B": (10.0, (9.25, 100.0))}
    systems = [
        SystemScores(name, {"m": score(value, interval=ends)})
        for name, (value, ends) in entries.items()
    ]
    assert lines(Results(systems, 2, 1))[2:4] == [
        "A        1.00    [0.50, 1.50]",
        "B       10.00* [9.25, 100.00]",
    ]


AWKWARD = "a|b*c_d\\e"


def test_markdown_is_escaped():
    found = lines(results(1, 2, names=[AWKWARD, "x\ny"]), "markdown")
    assert found[4] == r"| a\|b\*c\_d\\e | 1.00 |"
    assert found[5] == "| x y | **2.00** |"


def test_latex_is_escaped():
    found = lines(results(1, 2, names=[r"a_b&c%d#e$f{g}~^\h", "x\ny"]), "latex")
    assert found[11] == (
        r"a\_b\&c\%d\#e\$f\{g\}\textasciitilde{}\textasciicircum{}\textbackslash{}h"
        r" & 1.00 \\"
    )
    assert found[12] == r"x y & \textbf{2.00} \\"


def test_tsv_stays_a_table():
    found = lines(results(1 / 3, names=["a\tb\r\nc"]), "tsv")
    assert found[1].split("\t")[:5] == ["system", "a b  c", "", "m", repr(1 / 3)]


def test_tsv_writes_numbers_in_full():
    values = [1 / 3, 1e-300, 123456789.123456789]
    found = lines(results(*values), "tsv")
    assert [float(line.split("\t")[4]) for line in found[1:]] == values


def test_json_writes_numbers_in_full():
    values = [1 / 3, 1e-300, 2.0**60]
    data = json.loads(render(results(*values), "json", Style()))
    assert [entry["scores"]["m"]["score"] for entry in data["systems"]] == values


def test_json_has_no_number_for_infinity():
    for value in (math.inf, -math.inf, math.nan):
        text = render(results(value), "json", Style())
        assert json.loads(text)["systems"][0]["scores"]["m"]["score"] is None


def test_json_keeps_any_name():
    name = 'a"\\\x1b\u2028é'
    data = json.loads(render(results(1, names=[name]), "json", Style()))
    assert data["systems"][0]["name"] == name


def test_json_of_parts_and_levels():
    found = results(
        1.5,
        names="A",
        parts={"counts": [1.0, 2.5], "bp": 1.0},
        documents={"d": 2.0},
        segments=np.array([1.0, 0.5]),
    )
    entry = json.loads(render(found, "json", Style()))["systems"][0]
    assert entry["scores"]["m"]["parts"] == {"counts": [1, 2.5], "bp": 1}
    assert entry["documents"] == {"m": {"d": 2}}
    assert entry["segments"] == {"m": [1, 0.5]}


def test_levels_mark_the_better_system():
    systems = [
        SystemScores("A", {"m": score(1.0, segments=np.array([1.0, 5.0, 3.0]))}),
        SystemScores("B", {"m": score(2.0, segments=np.array([2.0, 4.0, 3.0]))}),
    ]
    _, table = build_tables(Results(systems, 3, 1), Style())
    assert [column.title for column in table.columns] == ["segment", "A", "B"]
    assert table.caption == "m ↑"
    values = [[cell.value for cell in row] for row in table.rows]
    assert values == [["1", 1, 2], ["2", 5, 4], ["3", 3, 3]]
    best = [[cell.best for cell in row[1:]] for row in table.rows]
    assert best == [[False, True], [True, False], [False, False]]


def test_levels_follow_the_order_of_the_systems():
    systems = [
        SystemScores("A", {"m": score(1.0, documents={"d": 1.0})}),
        SystemScores("B", {"m": score(2.0, documents={"d": 2.0})}),
    ]
    main, table = build_tables(Results(systems, 3, 1, 1), Style(sort=True))
    assert [row[0].value for row in main.rows] == ["B", "A"]
    assert [column.heading for column in table.columns] == ["document", "B", "A"]


def test_results_by_name():
    found = results(1.0, 2.0)
    assert found["B"]["m"].score == 2
    assert found.specs == ["m"]
    with pytest.raises(KeyError, match="Z"):
        found["Z"]
