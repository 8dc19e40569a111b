"""The table record in every format: digits, signs, alignment, and what must not get through."""

import json

import pytest

from metra import report
from metra.meta.findings import MetaReport
from metra.report.table import (
    Style,
    format_latex_tabular,
    list_rows,
    render_markdown_table,
)
from metra.report.terminal import measure_width, render_table
from metra.report.writers import meta, paper, results
from metra.report.writers.paper import PaperTable, render_paper_latex
from metra.scoring.table import Cell, Column, Table, make_table


def test_every_format_has_a_writer():
    assert {*meta.WRITERS} == {*report.FORMATS, "csv"}
    assert (*results.WRITERS, *paper.WRITERS, "xlsx") == report.RESULT_FORMATS


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        pytest.param(Cell(1.0), "1.000", id="digits of the column"),
        pytest.param(Cell(1.0, digits=0), "1", id="digits of the cell"),
        pytest.param(Cell(-0.0), "0.000", id="negative zero"),
        pytest.param(Cell(None, suffix=" %"), "–", id="missing"),
        pytest.param(Cell(float("nan"), suffix=" ▲"), "– ▲", id="not a number"),
        pytest.param(Cell(-1.5, signed=True, digits=1), "−1.5", id="a real minus"),
        pytest.param(Cell(1.5, signed=True, prefix="▲ "), "▲ +1.500", id="a sign"),
        pytest.param(Cell(1.0, (0.5, 2.0), digits=1), "1.0 [0.5, 2.0]", id="interval"),
    ],
)
def test_cells(cell, text):
    table = make_table("system", [Column("m", digits=3)], [("A", [cell])])
    assert render_table(table, Style()).split("\n")[2].split("  ", 1)[1].strip() == text


def test_control_characters_in_cells_do_not_reach_the_terminal():
    table = make_table("unit", ["said"], [("1", [Cell("a\x1b[31mb")])])
    assert "\x1b" not in render_table(table, Style())


def test_wide_letters_line_up():
    rows = [("1", [Cell("日本"), Cell("x")]), ("2", [Cell("ab"), Cell("y")])]
    lines = render_table(make_table("n", ["said", "by"], rows), Style()).split("\n")
    assert len({measure_width(line) for line in lines[2:]}) == 1


def test_a_table_without_rows_has_its_headings():
    lines = render_table(make_table("system", ["bleu"], []), Style()).split("\n")
    assert lines == ["system  bleu", "────────────"]


def test_alignment_is_the_same_in_every_format():
    table = Table([Column("n"), Column("name", "left")], [[Cell("7"), Cell("a")]])
    assert render_table(table, Style()).split("\n")[::2] == ["n  name", "7  a"]
    assert "| --: | :-- |" in render_markdown_table(table, Style())
    assert format_latex_tabular(table, Style())[0] == r"\begin{tabular}{rl}"


def test_rows_of_a_matrix_are_named_for_programs():
    cells = [[Cell(""), Cell(0.25)], [Cell(""), Cell("")]]
    rows = [("1 A", cells[0]), ("2 B", cells[1])]
    table = make_table("better", ["1", "2"], rows, names=["A", "B"])
    assert list(list_rows(table)) == [("A", [("B", Cell(0.25))]), ("B", [])]


def report_of(signature):
    table = make_table("metric", ["pearson"], [("bleu", [Cell(0.5)])], name="sys")
    return MetaReport([table], signature, ["A note."], {"more": [float("inf")]})


def test_every_signature_is_a_comment_in_latex():
    text = meta.render(report_of("meta|gold:a\nmeta|gold:b"), "latex", Style())
    lines = text.split("\n")
    assert lines[:3] == ["% A note.", "% meta|gold:a", "% meta|gold:b"]
    assert r"\label{tab:sys}" in lines


def test_json_of_a_report():
    data = json.loads(meta.render(report_of("meta"), "json", Style()))
    assert data["tables"] == {"sys": [{"metric": "bleu", "pearson": 0.5}]}
    assert data["more"] == [None]


def test_negative_numbers_have_a_minus_in_latex():
    table = make_table("a-b", ["x"], [("c-d", [Cell(-0.5, (-1.0, 0.25))])])
    row = r"c-d & $-$0.50 & {\footnotesize\ [$-$1.00, 0.25]} \\"
    assert row in format_latex_tabular(table, Style())


def test_groups_of_columns_have_a_heading_and_a_rule():
    columns = [Column("metric", "left"), Column("sys_x", group="a"), Column("p")]
    table = Table(columns, [[Cell("m"), Cell(0.5), Cell(0.1)]])
    _, _, groups, rules, heads, *_ = format_latex_tabular(table, Style())
    assert r"\multicolumn{1}{c}{a}" in groups
    assert rules == r"\cmidrule(lr){2-2}"
    assert heads == r"metric & sys\_x & p \\"


@pytest.mark.parametrize(("columns", "float_name"), [(1, "table"), (3, "table*")])
def test_a_table_for_a_paper_is_as_wide_as_it_needs(columns, float_name):
    cells = [Cell(0.5, (0.25, 0.75))] * columns
    table = make_table("system", ["x"] * columns, [("A", cells)])
    text = render_paper_latex([PaperTable(table, "t")], Style())
    assert rf"\begin{{{float_name}}}[t]" in text
