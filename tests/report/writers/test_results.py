"""Results in every format, from results made by hand: awkward names, directions, ties."""

import json
import math

import numpy as np
import pytest

from metra.report.table import Style
from metra.report.terminal import escape_controls, measure_width
from metra.report.writers.headings import order_systems
from metra.report.writers.results import build_tables, render, render_terminal
from metra.scoring.results import Results, Score, SystemScores
from metra.stats.direction import find_direction


def score(value: float, *, up: bool = True, **more: object) -> Score:
    signature = f"{'up' if up else 'down'}|version:1"
    return Score(value, signature, find_direction(up), **more)


def results(*scores: float, up: bool = True, names: str = "ABCDEF", **more) -> Results:
    systems = [
        SystemScores(name, {"m": score(value, up=up, **more)})
        for name, value in zip(names, scores, strict=False)
    ]
    return Results(systems, 1234, 2)


def lines(found: Results, form: str = "table", **style: object) -> list[str]:
    return render(found, form, Style(**style)).split("\n")


@pytest.mark.parametrize(
    ("scores", "up", "expected"),
    [
        ((3, 1, 2), True, "ACB"),
        ((3, 1, 2), False, "BCA"),
        pytest.param((1, 2, 2, 1), True, "BCAD", id="equal scores keep their order"),
    ],
)
def test_the_best_first(scores, up, expected):
    ordered = order_systems(results(*scores, up=up), Style(sort=True))
    assert "".join(entry.name for entry in ordered) == expected


def test_equal_scores_are_equally_best():
    (table,) = build_tables(results(2, 2, 1), Style())
    assert [row[1].best for row in table.rows] == [True, True, False]
    assert "*" not in "".join(lines(results(2.0))), "one system is best of nothing"


def test_what_was_scored_is_counted():
    assert lines(results(1.0))[4] == "1,234 segments, 2 references"
    alone = Results(results(1.0).systems, 1, 1, 1)
    assert lines(alone)[4] == "1 segment, 1 document, 1 reference"
    assert lines(results(1.0, 2.0)).count("up|version:1") == 1


def test_wide_characters_are_aligned():
    shown = lines(results(1, 2, names=["中文系统", "é"]))
    assert shown[2:4] == ["中文系统  1.00", "é         2.00*"]
    assert (measure_width("中文"), measure_width("e\u0301")) == (4, 1)


def test_control_characters_do_not_reach_the_terminal():
    assert escape_controls("a\x1b[31mb\n\x07\u202e") == "a�[31mb���"
    assert "\x1b" not in "".join(lines(results(1, 2, names=["a\x1b[31m", "b"])))


def test_colour():
    shown = lines(results(1, 2), color=True)
    assert shown[0] == "\x1b[1msystem    m ↑\x1b[0m"
    assert shown[3] == "B       \x1b[1m2.00*\x1b[0m"
    assert shown[6] == "\x1b[2m1,234 segments, 2 references\x1b[0m"


@pytest.mark.parametrize("limit", [20, 40, 80])
def test_no_line_is_wider_than_the_screen(limit):
    table = render_terminal(many_metrics(9), Style(width=limit))
    tables = [line for line in table.split("\n") if not line.startswith("sig")]
    assert max(map(measure_width, tables)) <= max(limit, 24)
    assert all(f"metric{at} " in table for at in range(9))
    assert table.count("system") == table.count("─\n")


def test_a_pipe_gets_one_table():
    table = render_terminal(many_metrics(30), Style(width=None))
    assert table.count("system") == 1
    assert all(f"metric{at} " in table for at in range(30))


def many_metrics(count: int) -> Results:
    scores = {f"metric{at}": Score(10.0 + at, "sig") for at in range(count)}
    return Results([SystemScores("a", scores), SystemScores("b", scores)], 2, 1)


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


def load_systems(found: Results) -> list[dict]:
    return json.loads(render(found, "json", Style()))["systems"]


def test_programs_get_numbers_in_full():
    values = [1 / 3, 1e-300, 123456789.123456789, 2.0**60]
    table = lines(results(*values), "tsv")
    assert [float(line.split("\t")[4]) for line in table[1:]] == values
    systems = load_systems(results(*values))
    assert [entry["scores"]["m"]["score"] for entry in systems] == values


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_json_has_no_number_for_infinity(value):
    assert load_systems(results(value))[0]["scores"]["m"]["score"] is None


def test_json_keeps_any_name():
    name = 'a"\\\x1b\u2028é'
    assert load_systems(results(1, names=[name]))[0]["name"] == name


def test_json_of_parts_and_levels():
    found = results(
        1.5,
        names="A",
        parts={"counts": [1.0, 2.5], "bp": 1.0},
        documents={"d": 2.0},
        segments=np.array([1.0, 0.5]),
    )
    (entry,) = load_systems(found)
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
