"""Workbooks: which sheet is read, and what cells mean that are no texts."""

import sys
from datetime import date

import openpyxl
import pytest
from tests.tables import load_cases

from metra.errors import FormatError, MissingResourceError
from metra.formats.texts.columns import ReadingOptions
from metra.scoring.files import open_corpus


def write_book(path, **sheets) -> str:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


def read_texts(path: str, sheet: str | None = None) -> tuple[list, list]:
    """Return the outputs of the first system and the first references."""
    corpus = open_corpus([path], reading=ReadingOptions(sheet=sheet))
    [chunk] = corpus.chunks(100)
    columns = [next(iter(chunk.systems.values())), chunk.refs[0]]
    outputs, references = ([c.text[i] for i in range(len(c.text))] for c in columns)
    return outputs, references


TEXTS = [["ref", "ref:2", "hyp"], ["a", "x", "b"], [None, "y", None], [3, "z", "c, d"]]
NOTES = [["made by", "hand"]]


def test_cells(tmp_path):
    path = write_book(tmp_path / "t.xlsx", Texts=TEXTS)
    assert read_texts(path) == (["b", "", "c, d"], ["a", None, "3"])


def test_the_sheet_with_known_headings(tmp_path):
    path = write_book(tmp_path / "t.xlsx", Notes=NOTES, Texts=TEXTS, Empty=[])
    assert read_texts(path) == read_texts(path, "Texts") == read_texts(path, "2")


def test_hidden_sheets_are_read_only_if_they_are_named(tmp_path):
    path = write_book(
        tmp_path / "t.xlsx", Texts=TEXTS, Old=[["ref", "hyp"], ["x", "y"]]
    )
    book = openpyxl.load_workbook(path)
    book["Old"].sheet_state = "hidden"
    book.save(path)
    assert read_texts(path) == read_texts(path, "Texts")
    assert read_texts(path, "Old") == (["y"], ["x"])


def test_layout(tmp_path):
    path = write_book(tmp_path / "t.xlsx", Texts=TEXTS)
    assert open_corpus([path]).layouts == {path: "sheet 'Texts'"}


WRONG = [
    *load_cases("sheets: refused"),
    pytest.param(
        {"A": [["ref", "hyp"], ["a", date(2024, 3, 4)]]},
        None,
        ", sheet 'A', row 2: the output is the date 2024-03-04, which the "
        "sheet may display differently; format the column as text and type "
        "it again.",
        id="a date",
    ),
]


@pytest.mark.parametrize(("sheets", "sheet", "problem"), WRONG)
def test_wrong_sheets(tmp_path, sheets, sheet, problem):
    path = write_book(tmp_path / "t.xlsx", **sheets)
    with pytest.raises(FormatError) as raised:
        read_texts(path, sheet)
    assert str(raised.value).startswith(f"{path}{problem}")


def test_no_workbook(write):
    path = str(write("t.xlsx", b"no workbook"))
    with pytest.raises(FormatError) as raised:
        open_corpus([path])
    start = f"{path} is not a workbook in .xlsx; save it as .xlsx, or as CSV."
    assert str(raised.value).startswith(start)


def test_without_the_package(tmp_path, monkeypatch):
    path = write_book(tmp_path / "t.xlsx", Texts=TEXTS)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingResourceError) as raised:
        open_corpus([path])
    assert str(raised.value) == (
        "Reading workbooks needs the package 'python-calamine', which is not installed; "
        "install it with: pip install '.[xlsx]' in metra's source folder"
    )


def test_formulas_beside_the_texts_do_not_matter(tmp_path):
    rows = [["ref", "hyp", "label:length"], ["a", "b", "=LEN(A2)"]]
    assert read_texts(write_book(tmp_path / "t.xlsx", Texts=rows)) == (["b"], ["a"])


def test_a_table_that_begins_below_and_to_the_right(tmp_path):
    book = openpyxl.Workbook()
    texts = [["ref", "hyp"], ["a", "b"], ["c", "=d"]]
    for row, cells in enumerate(texts, 3):
        for column, cell in enumerate(cells, 2):
            book.active.cell(row, column, cell)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(FormatError, match="row 5: the output is the formula =d"):
        read_texts(str(tmp_path / "t.xlsx"))
    book.active["C5"] = "d"
    book.save(tmp_path / "t.xlsx")
    assert read_texts(str(tmp_path / "t.xlsx")) == (["b", "d"], ["a", "c"])
