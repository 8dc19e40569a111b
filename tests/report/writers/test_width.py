"""Tables that are wider than the screen go on below."""

import pytest

from metra.report.table import Style
from metra.report.terminal import measure_width
from metra.report.writers.results import render_terminal
from metra.scoring.results import Results, Score, SystemScores


def results(measures):
    scores = {f"metric{at}": Score(10.0 + at, "sig", True) for at in range(measures)}
    return Results([SystemScores("a", scores), SystemScores("b", scores)], 2, 1)


@pytest.mark.parametrize("limit", [20, 40, 80])
def test_no_line_is_wider_than_the_screen(limit):
    table = render_terminal(results(9), Style(width=limit))
    tables = [line for line in table.split("\n") if not line.startswith("sig")]
    assert max(map(measure_width, tables)) <= max(limit, 24)
    assert all(f"metric{at} " in table for at in range(9))
    assert table.count("system") == table.count("─\n")


def test_a_pipe_gets_one_table():
    table = render_terminal(results(30), Style(width=None))
    assert table.count("system") == 1
    assert all(f"metric{at} " in table for at in range(30))
