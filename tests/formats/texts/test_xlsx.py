"""Workbooks: which sheet is read, and what cells mean that are no texts."""

import json
import sys
from datetime import date
from html import unescape

import openpyxl
import pytest
import xlsxwriter
from tests.tables import load_cases

from metra.errors import FormatError, LengthError, MissingResourceError
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


FORMULA = "row {}: the output is the formula =b, not a text"
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


def test_documents_of_merged_cells_are_those_of_all_rows_of_a_block(tmp_path):
    rows = [[doc, "a", "b"] for doc in ("d1", None, None, "d2", None)]
    path = write_book(tmp_path / "t.xlsx", Texts=[["doc", "ref", "hyp"], *rows])
    [chunk] = open_corpus([path]).chunks(100)
    assert chunk.documents == ["d1", "d1", "d1", "d2", "d2"]


def test_layout(tmp_path):
    path = write_book(tmp_path / "t.xlsx", Texts=TEXTS)
    assert open_corpus([path]).layouts == {path: "sheet 'Texts'"}


WRONG = [
    *load_cases("sheets: refused"),
    pytest.param(
        {"A": [["ref", "hyp"], ["a", "=b"], ["a", "b"], [True, "#N/A"]]},
        None,
        ", sheet 'A', row 2: the output is the formula =b, not a text; row 4: the "
        "reference is the bool True, which the sheet may display differently; row 4: the "
        "output is the error #N/A, not a text; format the column as text and type it "
        "again.",
        id="all at once",
    ),
    pytest.param(
        {"A": [["ref", "hyp"], *[["a", "=b"]] * 12]},
        None,
        f", sheet 'A', {'; '.join(map(FORMULA.format, range(2, 12)))}; and 2 more; format "
        "the column as text and type it again.",
        id="the first ten",
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


def write_sheet(path, rows, change=lambda _: None) -> str:
    """Write rows of cells, which may be pairs of a value and its format."""
    book = openpyxl.Workbook()
    for number, row in enumerate(rows, 1):
        for column, cell in enumerate(row, 1):
            value, form = cell if isinstance(cell, tuple) else (cell, None)
            written = book.active.cell(number, column, value)
            if form:
                written.number_format = form
    change(book.active)
    book.save(path)
    return str(path)


#: A sheet as localisation managers have them.
MANAGERS = [
    ["MT evaluation, ACME"],
    [],
    ["Nr.", "Quelle", "Human", "DeepL", "MT intern", "Kommentar", "Datum"],
    [(1, "000"), "Eins", "one", "One", "one", "gut", date(2024, 3, 4)],
    [],
    [(2, "000"), "Zwei", "two", "Two", "two", None, date(2024, 3, 5)],
    [(3, "000"), "Drei", "three", "Three", "three", "?", date(2024, 3, 6)],
    ["Nr.", "Quelle", "Human", "DeepL", "MT intern", "Kommentar", "Datum"],
    [(4, "000"), "1234,50", "1,234.50", (1234.5, "#,##0.00"), (4, "000"), 0.5, None],
]


def hide(sheet) -> None:
    sheet.merge_cells("A1:G1")
    sheet.row_dimensions[7].hidden = True


def test_a_workbook_of_a_localisation_manager(tmp_path, cli):
    path = write_sheet(tmp_path / "t.xlsx", MANAGERS, hide)
    table = tmp_path / "plain.tsv"
    table.write_text(
        "source\tref\tDeepL\tMT intern\nEins\tone\tOne\tone\nZwei\ttwo\tTwo\ttwo\n"
        "1234,50\t1,234.50\t1,234.50\t004\n"
    )
    skipped = "5 rows skipped: 1 (title), 2 (empty), 5 (empty), 7 (hidden), 8 (headings again)"
    ran = cli.ok("score", path, "-m", "chrf")
    expected = cli.ok("score", table, "-m", "chrf").out.split("\n")
    assert ran.out.split("\n")[:5] == expected[:5]
    assert ran.err == (
        f"metra: warning: {path}, sheet 'Sheet' has rows that are left out: {skipped}.\n"
    )
    layout = (
        "sheet 'Sheet'; source: Quelle, ref: Human, outputs: DeepL, MT intern; ignored: "
        f"Nr., Kommentar, Datum; {skipped}; 2 cells converted: D9 (1,234.50), E9 (004)"
    )
    assert f"3 segments, 1 reference; {path} ({layout})" in ran.out
    assert open_corpus([path]).layouts == {path: layout}
    report = tmp_path / "report.html"
    ran = cli.ok("report", path, "-m", "chrf", "-o", report)
    assert ran.err.count("left out") == 1
    assert unescape(report.read_text()).count(layout) == 1
    # Ids are as Excel shows them.
    converted = tmp_path / "out.jsonl"
    cli.ok("convert", path, "-o", converted)
    lines = converted.read_text().splitlines()
    assert [json.loads(line)["label:Nr."] for line in lines] == ["001", "002", "004"]


MERGED = {
    "texts": (
        "B2:B3",
        ", row 2: the cells B2:B3 are merged; unmerge the cells, so that each row has its "
        "own text.",
    ),
    "headings": ("A1:B1", ", row 1: the cells A1:B1 are merged; unmerge the cells"),
    "a column without texts": ("C2:C3", ""),
}


@pytest.mark.parametrize("name", MERGED)
def test_merged_cells(name, tmp_path):
    cells, problem = MERGED[name]
    rows = [["ref", "hyp", "Comment"], ["a", "b", "c"], ["a", "b", "c"]]
    path = write_sheet(
        tmp_path / "t.xlsx", rows, lambda sheet: sheet.merge_cells(cells)
    )
    if not problem:
        assert read_texts(path) == (["b", "b"], ["a", "a"])
        return
    with pytest.raises(FormatError) as raised:
        read_texts(path)
    assert f"sheet 'Sheet'{problem}" in str(raised.value)


SHOWN = [
    *[(1234.5, "0.00", "1234.50"), (0.5, "0%", "50%"), (7, "000", "007")],
    *[
        (0.5, None, "0.5"),
        (3, None, "3"),
        (date(2024, 3, 4), "dd.mm.yyyy", "04.03.2024"),
    ],
    *[(-0.001, "0.00", "0.00"), (-7, "000", "-007"), (1e15, None, None)],
    *[(1e300, "0.00", None), (1, "0" * 300, None), (True, None, None)],
    *[(date(2024, 3, 4), "mm-dd-yy", None), (1.5, "# ?/?", None), (5, '0 "kg"', None)],
]


@pytest.mark.parametrize(("value", "form", "shown"), SHOWN)
def test_numbers_and_dates_as_excel_shows_them(value, form, shown, tmp_path):
    """What depends on the language of Windows, such as its short date, is refused."""
    rows = [["ref", "hyp"], ["a", (value, form)]]
    path = write_sheet(tmp_path / "t.xlsx", rows)
    if shown is not None:
        assert read_texts(path) == ([shown], ["a"])
        return
    with pytest.raises(FormatError, match=r"row 2: .* may display differently; format"):
        read_texts(path)


def test_an_empty_row_of_one_column_is_a_segment(tmp_path):
    ref = write_sheet(tmp_path / "r.xlsx", [["ref"], ["a"], [None], ["c"]])
    hyp = write_sheet(tmp_path / "h.xlsx", [["hyp"], ["a"], ["b"], [None], ["c"]])
    with pytest.raises(LengthError):
        [*open_corpus([hyp], [ref]).chunks(10)]


def test_a_sheet_with_more_headings_than_a_list_of_remarks(tmp_path):
    path = write_book(tmp_path / "t.xlsx", Notes=[["Reference"], ["x"]], Texts=TEXTS)
    assert read_texts(path) == read_texts(path, "Texts")


def test_words_that_are_struck_out(tmp_path, cli):
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["ref", "mt"])
        sheet.write_row(1, 0, ["a b c d", "a b c d"])
        struck = book.add_format({"font_strikeout": True})
        sheet.write_rich_string(1, 1, struck, "a ", book.add_format(), "b c d")
    ran = cli("score", path, "-b")
    assert ran.err.endswith(
        "has words that are struck out; they are texts like others here.\n"
    )
