"""Tables of scores and judgements as other programs write them: the same scores as from TSV."""

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from tests.judged import read_question

from metra.errors import FormatError
from metra.scores.long_table import read_ranks
from metra.scores.registry import read_evaluator_file, read_scores

SYSTEMS = ['one, "new"', "zwölf; alt", "'drei"]
LONG = pd.DataFrame(
    [
        (system, f"d,{segment % 2}", segment, "ann", "da", segment * 1.5 - number / 4)
        for number, system in enumerate(SYSTEMS)
        for segment in (1, 2, 3)
    ],
    columns=["system", "document", "segment", "judge", "scorer", "value"],
)
MATRIX = LONG.pivot_table(index=["system", "segment"], columns="scorer", values="value")
MATRIX = MATRIX.assign(bleu=[40, 41.25, 42] * 3).reset_index()
JUDGED = LONG.rename(columns={"value": "score"}).drop(columns="scorer")
PRINTED = pd.DataFrame(
    [
        ("system", system, "", "bleu", 40.5 + i, "true")
        for i, system in enumerate(SYSTEMS)
    ],
    columns=["level", "system", "item", "metric", "score", "better"],
)
MQM = pd.DataFrame(
    [
        (system, "d1", "1", "ann", "a <v>b</v>, c", "c", severity)
        for system, severity in zip(
            SYSTEMS, ["major", "minor", "no-error"], strict=True
        )
    ],
    columns=["system", "doc", "seg_id", "rater", "source", "category", "severity"],
)
RANKS = pd.DataFrame(zip(SYSTEMS, [2, 1, 3], strict=True), columns=["system", "rank"])


def read_all_scores(path: Path) -> object:
    scores = read_scores(str(path))
    return scores.systems, scores.items, scores.scorers, scores.judges, scores.value


def read_judged(path: Path) -> object:
    scores = read_question(str(path))
    return scores.systems, scores.items, scores.judges, scores.value


def read_exercise(path: Path) -> object:
    scores = read_evaluator_file(str(path), "eve")
    return scores.names, scores.systems, scores.judges, scores.value


TABLES: dict[str, tuple[pd.DataFrame, Callable[[Path], object]]] = {
    "long": (LONG, read_all_scores),
    "matrix": (MATRIX, read_all_scores),
    "judged": (JUDGED, read_judged),
    "metra's": (PRINTED, read_all_scores),
    "of an exercise": (PRINTED, read_exercise),
    "mqm": (MQM, read_all_scores),
    "ranks": (RANKS, lambda path: read_ranks(str(path))),
}


def write_tabs(frame: pd.DataFrame, path: Path, **options) -> None:
    frame.to_csv(path, sep="\t", index=False, **options)


def write_sheet(frame: pd.DataFrame, path: Path, **options) -> None:
    frame.to_excel(path, index=False, **options)


def write_with_commas(frame: pd.DataFrame, path: Path) -> None:
    """Write as Excel does in German: semicolons, and decimal commas."""
    frame.to_csv(path, sep=";", decimal=",", index=False, encoding="utf-8-sig")


def write_by_openpyxl(frame: pd.DataFrame, path: Path) -> None:
    """Write a sheet of remarks before the scores, and an empty row behind them."""
    book = openpyxl.Workbook()
    book.active.append(["remarks"])
    sheet = book.create_sheet("Scores")
    for row in [frame.columns.tolist(), *frame.to_numpy().tolist()]:
        sheet.append(row)
    sheet.append([None, ""])
    book.save(path)


WRITERS: dict[str, tuple[str, Callable[[pd.DataFrame, Path], object]]] = {
    "pandas": ("t.csv", lambda frame, path: frame.to_csv(path, index=False)),
    "pandas, with row numbers": ("t.csv", lambda frame, path: frame.to_csv(path)),
    "pandas, tabs": ("t.tsv", lambda frame, path: frame.to_csv(path, sep="\t")),
    "all in quotes": ("t.tsv", partial(write_tabs, quoting=csv.QUOTE_ALL)),
    "Excel, German": ("t.csv", write_with_commas),
    "UTF-16": ("t.txt", partial(write_tabs, encoding="utf-16", lineterminator="\r\n")),
    "packed": ("t.csv.gz", lambda frame, path: frame.to_csv(path, index=False)),
    "XlsxWriter": ("t.xlsx", partial(write_sheet, engine="xlsxwriter")),
    "openpyxl": ("t.xlsx", write_by_openpyxl),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("table", TABLES)
def test_scores_are_the_same(tmp_path, table, writer):
    frame, read = TABLES[table]
    plain = tmp_path / "plain.tsv"
    frame.to_csv(plain, sep="\t", index=False, quoting=csv.QUOTE_NONE, quotechar="\1")
    assert f"{SYSTEMS[0]}\t" in plain.read_text()
    name, write = WRITERS[writer]
    write(frame, tmp_path / name)
    np.testing.assert_equal(read(tmp_path / name), read(plain))


def test_columns_without_a_heading_are_no_scores(tmp_path):
    MATRIX.to_csv(tmp_path / "t.csv")
    assert read_scores(str(tmp_path / "t.csv")).names == ["da", "bleu"]


def test_mixed_quotes_belong_to_the_cells(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('system\tbleu\n"a ""b"""\t1\n5" disk"\t2\n')
    assert read_scores(str(path)).systems == ('"a ""b"""', '5" disk"')


def test_apostrophes_before_formulas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("system,bleu\n'=a,-1\n'-b,2\n")
    assert read_scores(str(path)).systems == ("=a", "-b")
    # This writer does not guard cells.
    path.write_text("system,bleu\n'=a,-1\n-b,2\n")
    assert read_scores(str(path)).systems == ("'=a", "-b")


def refuse(path: Path, content: str) -> str:
    path.write_text(content)
    with pytest.raises(FormatError) as raised:
        read_scores(str(path))
    return str(raised.value).replace(f"{path.parent}/", "")


COMMA = "expected a number with a decimal point (a comma only between semicolons), or "


def test_decimal_commas_between_tabs_are_refused(tmp_path):
    """A column that begins so is no label, which would be left out in silence."""
    rest = f"{COMMA}an empty cell if the value is missing."
    for name, text, cell in (
        ("t.tsv", "system\tbleu\na\t40,5\n", "bleu is '40,5'"),
        ("t.tsv", "system\tscorer\tvalue\na\tda\t0,5\n", "the value is '0,5'"),
        ("t.csv", "system;bleu\na;40,5\nb;40.5\n", "bleu is '40,5'"),
    ):
        assert refuse(tmp_path / name, text) == f"{name}, line 2: {cell}; {rest}"


def test_formulas_count_by_their_values(tmp_path):
    """Programs that do not compute leave no value, which would be a missing score."""
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["system", "bleu"])
    book.active.append(["a", "=AVERAGE(1, 2)"])
    book.save(path)
    with pytest.raises(FormatError) as raised:
        read_scores(str(path))
    assert str(raised.value) == (
        f"{path}, sheet 'Sheet', row 2 has the formula =AVERAGE(1, 2) without a "
        "value; recalculate and save the workbook again."
    )
    with pd.ExcelWriter(path, engine="xlsxwriter") as writer:
        sheet = writer.book.add_worksheet()
        sheet.write_row(0, 0, ["system", "bleu"])
        sheet.write_string(1, 0, "a")
        sheet.write_formula(1, 1, "=AVERAGE(1, 2)", value=1.5)
    assert read_scores(str(path)).value.tolist() == [1.5]


def test_an_empty_sheet(tmp_path):
    openpyxl.Workbook().save(tmp_path / "t.xlsx")
    with pytest.raises(FormatError, match="sheet 'Sheet' is empty; expected a row of"):
        read_scores(str(tmp_path / "t.xlsx"))
