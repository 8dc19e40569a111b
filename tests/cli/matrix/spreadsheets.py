"""Spreadsheets: headings that people write, other columns, titles, breaks, hidden rows."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import xlsxwriter
from tests.cli.matrix.files import write_lines, write_table, write_workbook
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import COUNT, DOCS, NUMBERS, REF, SOURCE, A, B, bleu

CASES: dict[str, Case] = {}
FORMS = ("csv", "csv;", "tsv", "xlsx", "jsonl", "parquet")
SHEETS = ("csv", "csv;", "tsv", "xlsx")
BASE = {"source": SOURCE, "ref": REF}
SCORES = [f"0.{50 + number}" for number in range(COUNT)]
COMMENTS = ["ok", "good", "please check the terms again", "-"] * (COUNT // 4)
DATES = [f"2026-03-{number:02}" for number in range(1, COUNT + 1)]


def write(folder: Path, form: str, columns: Mapping[str, Sequence]) -> list:
    return [write_table(folder, f"texts.{form}", columns)]


#: Columns beside source and reference, and true outputs by system.
COLUMNS: dict[str, tuple[Mapping[str, Sequence], Mapping[str, Sequence[str]]]] = {
    "Comment": ({"online": A, "Comment": COMMENTS}, {"online": A}),
    "Notes": ({"online": A, "Notes": COMMENTS}, {"online": A}),
    "remarks in front": ({"Remarks": COMMENTS, "online": A}, {"online": A}),
    "segment_id": ({"segment_id": NUMBERS, "online": A}, {"online": A}),
    "score": ({"online": A, "score": SCORES}, {"online": A}),
    "COMET": ({"online": A, "COMET": SCORES}, {"online": A}),
    "a date": ({"Date": DATES, "online": A}, {"online": A}),
    "1234.5": ({"online": A, "length": [1234.5] * COUNT}, {"online": A}),
    "whole numbers": ({"online": A, "words": [9] * COUNT}, {"online": A}),
    "true and false": (
        {"online": A, "done": [True, False] * (COUNT // 2)},
        {"online": A},
    ),
    "a status": ({"online": A, "Status": ["done"] * COUNT}, {"online": A}),
    "the translator": ({"online": A, "translator": ["ann"] * COUNT}, {"online": A}),
    "an empty column": ({"online": A, "check": [""] * COUNT}, {"online": A}),
    "two systems and a comment": (
        {"DeepL": A, "Google": B, "Comment": COMMENTS},
        {"DeepL": A, "Google": B},
    ),
    "two systems and no more": ({"DeepL": A, "Google": B}, {"DeepL": A, "Google": B}),
    "mt beside mt.1": ({"mt": A, "mt.1": B}, {"mt": A, "mt.1": B}),
    "mt beside mt_2": ({"mt": A, "mt_2": B}, {"mt": A, "mt_2": B}),
    "mt1 and mt2": ({"mt1": A, "mt2": B}, {"mt1": A, "mt2": B}),
    "hyp1 and hyp2": ({"hyp1": A, "hyp2": B}, {"hyp1": A, "hyp2": B}),
    "hyp beside system B": (
        {"hyp": A, "system B": B},
        {"hyp": A, "system B": B},
    ),
    "output beside post-edit": ({"output": A, "post-edit": REF}, {"*": A}),
    "output and score": ({"output": A, "score": SCORES}, {"*": A}),
    "translation": ({"translation": A}, {"*": A}),
    "Translation": ({"Translation": A}, {"*": A}),
    "target": ({"target": A}, {"*": A}),
    "Target": ({"Target": A}, {"*": A}),
    "MT": ({"MT": A}, {"*": A}),
    "Machine translation": ({"Machine translation": A}, {"*": A}),
    "MT output": ({"MT output": A}, {"*": A}),
    "Hypothesis": ({"Hypothesis": A}, {"*": A}),
    "candidate": ({"candidate": A}, {"*": A}),
    "prediction": ({"prediction": A}, {"*": A}),
    "GPT-4o": ({"GPT-4o": A}, {"*": A}),
    "model_output": ({"model_output": A}, {"*": A}),
}
EXTRA = r"\bcolumns?\b|needs a reference"
OTHER_LANGUAGE = f"{EXTRA}|language of the output '(Zdroj|source_text)'"
for kind, (columns, truth) in COLUMNS.items():
    for form in FORMS:
        CASES[f"spreadsheets: {kind}, {form}"] = Case(
            partial(write, form=form, columns=BASE | dict(columns)), truth, says=EXTRA
        )
#: Headings of source, reference and output.
HEADINGS: dict[str, tuple[str, str, str]] = {
    "German": ("Ausgangstext", "Referenz", "Übersetzung"),
    "German, more": ("Quelltext", "Referenzübersetzung", "Maschinelle Übersetzung"),
    "German, Mensch": ("Quelle", "Mensch", "Maschine"),
    "French": ("Texte source", "Référence", "Traduction"),
    "French, more": ("Source", "Traduction humaine", "Traduction automatique"),
    "Spanish": ("Origen", "Referencia", "Traducción"),
    "Czech": ("Zdroj", "Reference", "Překlad"),
    "Source, Human, MT": ("Source", "Human", "MT"),
    "Source, Human, Target": ("Source", "Human", "Target"),
    "Source, Target, MT": ("Source", "Target", "MT"),
    "Source, Human translation, MT": ("Source", "Human translation", "MT"),
    "capitals": ("SOURCE", "REFERENCE", "OUTPUT"),
    "blanks": (" source ", "ref ", " mt"),
    "languages": ("de", "en", "mt"),
    "languages, two outputs": ("German", "English", "English MT"),
    "src, tgt, hyp": ("src", "tgt", "hyp"),
    "src, ref, hyp": ("src", "ref", "hyp"),
    "src, mt, pe": ("src", "pe", "mt"),
    "source, gold, output": ("source", "gold", "output"),
    "input, expected, actual": ("input", "expected", "actual"),
    "prompt, label, prediction": ("prompt", "label", "prediction"),
    "references": ("source", "references", "hypothesis"),
    "reference text": ("source text", "reference text", "translated text"),
    "Reference (human)": ("Source (DE)", "Reference (human)", "Output (MT)"),
    "Source segment": ("Source segment", "Target segment", "MT suggestion"),
    "original": ("original", "reference_translation", "translation"),
    "underscores": ("source_text", "reference_text", "mt_text"),
    "correct": ("Question", "Correct", "Answer"),
    "no-break spaces": ("source\u00a0", "ref\u00a0", "mt\u00a0"),
}
for kind, names in HEADINGS.items():
    for form in ("csv;", "xlsx", "jsonl"):
        columns = dict(zip(names, (SOURCE, REF, A), strict=True))
        CASES[f"spreadsheets: headings, {kind}, {form}"] = Case(
            partial(write, form=form, columns=columns), says=OTHER_LANGUAGE
        )
        other = dict(zip((names[2], *names[:2]), (A, SOURCE, REF), strict=True))
        with_comments = other | {"Comment": COMMENTS}
        CASES[f"spreadsheets: headings, {kind}, and comments, {form}"] = Case(
            partial(write, form=form, columns=with_comments), says=OTHER_LANGUAGE
        )

TABLE = [["source", "ref", "mt"], *map(list, zip(SOURCE, REF, A, strict=True))]


def write_rows(folder: Path, form: str, rows: Sequence[Sequence]) -> list:
    """Write rows of cells as they are, the first of them in place of headings."""
    if form == "xlsx":
        return [write_workbook(folder / "texts.xlsx", rows)]
    width = len(rows[0])
    first, *rest = ([*row, *[""] * (width - len(row))] for row in rows)
    # Empty headings have names here that are taken away again.
    names = [cell or f"\0{place}" for place, cell in enumerate(first)]
    columns = dict(zip(names, zip(*rest, strict=True), strict=True))
    [path] = write(folder, form, columns)
    content = path.read_text(encoding="utf-8")
    for place in range(width):
        content = content.replace(f"\0{place}", "")
    path.write_text(content, encoding="utf-8", newline="")
    return [path]


BLANK = ["", "", ""]
GAP = {"*": bleu([*A[:6], "", *A[6:]], [*REF[:6], "", *REF[6:]])}
ROWS: dict[str, tuple[Sequence[Sequence], str]] = {
    "a title": (
        [["Evaluation, May 2026", "", ""], *TABLE],
        "title|heading|first|row|needs a reference",
    ),
    "a title and an empty row": (
        [["Evaluation, May 2026", "", ""], BLANK, *TABLE],
        "title|heading|first|row|needs a reference",
    ),
    "an empty row in front": ([BLANK, *TABLE], "empty|heading"),
    "an empty row in the middle": ([*TABLE[:7], BLANK, *TABLE[7:]], "empty|no text"),
    "empty rows at the end": ([*TABLE, BLANK, BLANK], "empty|no text"),
    "headings again in the middle": (
        [*TABLE[:13], TABLE[0], *TABLE[13:]],
        "heading|repeat",
    ),
    "the table twice": ([*TABLE, *TABLE], "heading|repeat"),
    "a sum below": ([*TABLE, ["Total", "24 segments", "63.1"]], "Total|last|row"),
    "a note below": (
        [*TABLE, BLANK, ["* checked by Ann", "", ""]],
        "row|empty|no text",
    ),
    "a cell with a line break": (
        [*TABLE[:-1], [SOURCE[-1], REF[-1].replace("match, ", "match,\n"), A[-1]]],
        "line break",
    ),
    "an empty output": ([*TABLE[:-1], [SOURCE[-1], REF[-1], ""]], "empty|no text"),
    "an empty reference": (
        [*TABLE[:-1], [SOURCE[-1], "", A[-1]]],
        "empty|no|reference",
    ),
}
ROW_TRUTHS = {
    "an empty output": {"*": bleu([*A[:-1], ""])},
    "an empty reference": {"*": bleu(A[:-1], REF[:-1])},
}
for kind, (rows, says) in ROWS.items():
    for form in SHEETS:
        also = (GAP, ROW_TRUTHS.get(kind, GAP))
        CASES[f"spreadsheets: {kind}, {form}"] = Case(
            partial(write_rows, form=form, rows=rows), also=also, says=says
        )
        if kind in ("a title", "headings again in the middle", "the table twice"):
            for command in ("web", "convert"):
                CASES[f"spreadsheets: {kind}, {form}, {command}"] = Case(
                    partial(write_rows, form=form, rows=rows),
                    command=command,
                    says=says,
                )


def write_one_column(
    folder: Path, form: str, heading: str | None, ref_heading: str | None = None
) -> list:
    """Write a column of outputs, perhaps without a heading, and one of references."""
    paths = []
    for name, lines, own in (("out", A, heading), ("ref", REF, ref_heading)):
        rows = [[line] for line in ([own] if own else []) + list(lines)]
        path = folder / f"{name}.{form.removesuffix(';')}"
        if form == "xlsx":
            write_workbook(path, rows)
        else:
            cells = (row[0].replace('"', '""') for row in rows)
            write_lines(path, [f'"{cell}"' for cell in cells])
        paths.append(path)
    return [paths[0], "-r", paths[1]]


for form in ("csv", "tsv", "xlsx"):
    for kind, headings in {
        "no heading": (None, None),
        "the heading mt": ("mt", "ref"),
        "the heading text": ("text", "text"),
        "the heading English": ("English", "English"),
        "a heading in one file only": ("mt", None),
    }.items():
        heading, ref_heading = headings
        CASES[f"spreadsheets: one column, {kind}, {form}"] = Case(
            partial(
                write_one_column, form=form, heading=heading, ref_heading=ref_heading
            )
        )


def write_sheet(folder: Path, fill: Callable, rows: Sequence[Sequence] = TABLE) -> list:
    """Write a sheet by hand: `fill` changes it after its cells are written."""
    path = folder / "texts.xlsx"
    with xlsxwriter.Workbook(path, {"strings_to_urls": False}) as book:
        sheet = book.add_worksheet("Sheet1")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        fill(book, sheet)
    return [path]


def hide_rows(_, sheet) -> None:
    for number in (3, 4, 9):
        sheet.set_row(number, None, None, {"hidden": True})


def filter_rows(_, sheet) -> None:
    sheet.autofilter(0, 0, COUNT, 2)
    sheet.filter_column(0, "x == Der*")
    hide_rows(None, sheet)


def merge_texts(book, sheet) -> None:
    """Merge two cells of outputs: the second row has no text of its own."""
    sheet.merge_range(3, 2, 4, 2, A[2], book.add_format())


def merge_documents(book, sheet) -> None:
    for start in range(1, COUNT, 6):
        name = DOCS[start - 1]
        sheet.merge_range(start, 3, start + 5, 3, name, book.add_format())


def add_formulas(_, sheet) -> None:
    for number in range(1, COUNT + 1):
        sheet.write_formula(number, 2, f'=IF(TRUE,"{number}","")')


def add_sheet(book, _) -> None:
    other = book.add_worksheet("Old")
    for number, row in enumerate(zip(SOURCE, REF, B, strict=True), 1):
        other.write_row(number, 0, row)
    other.write_row(0, 0, TABLE[0])


def add_second_table(_, sheet) -> None:
    sheet.write_column(0, 4, ["mt", *B])


def add_rich_text(book, sheet) -> None:
    bold = book.add_format({"bold": True})
    for number, text in enumerate(A, 1):
        first, _, rest = text.partition(" ")
        sheet.write_rich_string(number, 2, first, bold, f" {rest}")


def strike_words(book, sheet) -> None:
    """Write words that are struck out, as reviewers do."""
    struck = book.add_format({"font_strikeout": True})
    for number, text in enumerate(A, 1):
        sheet.write_rich_string(
            number, 2, struck, "old words ", book.add_format(), text
        )


FILLS: dict[str, tuple[Callable, str]] = {
    "hidden rows": (hide_rows, "hidden|filter"),
    "filtered rows": (filter_rows, "hidden|filter"),
    "a hidden column": (
        lambda _, sheet: sheet.set_column(0, 0, None, None, {"hidden": True}),
        "hidden",
    ),
    "merged texts": (merge_texts, "merged|empty|no text"),
    "formulas without values": (add_formulas, "formula|number"),
    "two sheets": (add_sheet, "sheet"),
    "a second table on the right": (add_second_table, "two columns|'mt'"),
    "bold words": (add_rich_text, ""),
    "words struck out": (strike_words, "struck|strike"),
    "comments on cells": (
        lambda _, sheet: sheet.write_comment(3, 2, "Check this."),
        "",
    ),
}
for kind, (fill, says) in FILLS.items():
    # Whoever hides rows may mean the others, or all.
    expect = "refused warned" if kind.endswith(("hidden rows", "filtered rows")) else ""
    case = Case(partial(write_sheet, fill=fill), says=says)
    CASES[f"spreadsheets: {kind}, xlsx"] = case._replace(expect=expect or case.expect)
CASES["spreadsheets: merged documents, xlsx"] = Case(
    partial(
        write_sheet,
        fill=merge_documents,
        rows=[[*TABLE[0], "doc"], *([*row, ""] for row in TABLE[1:])],
    ),
    says="merged|document",
)

VALUES: dict[str, tuple] = {
    "a date among texts": ("2026-05-01", "2026-05-01"),
    "007 among texts": ("007", "007"),
    "1234.5 among texts": (1234.5, "1234.5"),
    "#NAME? among texts": ("#NAME?", "#NAME?"),
    "nan among texts": ("nan", "nan"),
    "NULL among texts": ("NULL", "NULL"),
    "N/A among texts": ("N/A", "N/A"),
    "TRUE among texts": (True, "TRUE"),
}
for kind, (cell, text) in VALUES.items():
    for form in ("csv", "xlsx"):
        outputs = [*A[:5], cell, *A[6:]]
        truth = [*A[:5], text, *A[6:]]
        CASES[f"spreadsheets: {kind}, {form}"] = Case(
            partial(write, form=form, columns=BASE | {"mt": outputs}),
            {"*": truth},
            says=text.strip("#"),
        )
NONE = [*A[:5], *["nan"] * 4, *A[9:]]
for word in ("nan", "None", "NULL", "N/A", "#N/A", "#VALUE!", "#NAME?"):
    texts = [word if text == "nan" else text for text in NONE]
    for form in ("csv", "xlsx", "jsonl"):
        CASES[f"spreadsheets: many cells with {word}, {form}"] = Case(
            partial(write, form=form, columns=BASE | {"mt": texts}),
            scores={},
            says=word.strip("#!?").replace("/", "."),
        )


def write_text(folder: Path, name: str, lines: Sequence[str], end: str = "\n") -> list:
    return [write_lines(folder / name, lines, end)]


def quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


QUOTED = [[quote(cell) for cell in row] for row in TABLE]
MARKED: dict[str, Sequence[str]] = {
    "sep= in the first line": ["sep=;", *map(";".join, QUOTED)],
    "sep= and tabs": ["sep=\t", *map("\t".join, QUOTED)],
    "a blank after each comma": [*map(", ".join, QUOTED)],
    "a comma at the end of lines": [f"{','.join(row)}," for row in QUOTED],
    "a comma at the end of rows only": [
        ",".join(QUOTED[0]),
        *(f"{','.join(row)}," for row in QUOTED[1:]),
    ],
    "backslashes before quotes": [
        ",".join('"' + cell.replace('"', '\\"') + '"' for cell in row) for row in TABLE
    ],
    "single quotes": [
        ",".join("'" + cell.replace("'", "''") + "'" for cell in row) for row in TABLE
    ],
    "pipes": ["|".join(row) for row in TABLE],
    "a comment line in front": ["# exported 2026-05-01", *map(",".join, QUOTED)],
    "a line of dashes": [
        "\t".join(TABLE[0]),
        "---\t---\t---",
        *map("\t".join, TABLE[1:]),
    ],
    "an empty line in front": ["", *map(",".join, QUOTED)],
    "an empty line at the end": [*map(",".join, QUOTED), "", ""],
    "quotes that do not close": [
        *map(",".join, QUOTED[:9]),
        QUOTED[9][0] + "," + QUOTED[9][1].rstrip('"') + "," + QUOTED[9][2],
        *map(",".join, QUOTED[10:]),
    ],
    "whole lines in quotes": [quote(",".join(row)) for row in QUOTED],
    "types below the headings": [
        ",".join(QUOTED[0]),
        "string,string,string",
        *map(",".join, QUOTED[1:]),
    ],
}
for kind, lines in MARKED.items():
    name = "texts.tsv" if "dashes" in kind else "texts.csv"
    CASES[f"spreadsheets: CSV, {kind}"] = Case(
        partial(write_text, name=name, lines=lines), says="first line|needs a reference"
    )
NUMBERED = [f"{number},{','.join(row)}" for number, row in enumerate(QUOTED[1:])]
for head in ('"id","source","ref","mt"', "id,source,ref,mt", '"","source","ref","mt"'):
    CASES[f"spreadsheets: CSV, texts in quotes, {head}"] = Case(
        partial(write_text, name="texts.csv", lines=[head, *NUMBERED]), expect="read"
    )

IDS = [
    ["id", *TABLE[0]],
    *([n, *row] for n, row in zip(NUMBERS, TABLE[1:], strict=True)),
]
ENDS: dict[str, tuple[Sequence[Sequence], str]] = {
    "headings in German below": (
        [IDS[0], ["Nr.", "Quelle", "Referenz", "Ausgabe"], *IDS[1:]],
        r"\b2 \(",
    ),
    "languages below": ([IDS[0], ["#", "de", "en", "NMT"], *IDS[1:]], r"\b2 \(# \| de"),
    "an example below": ([IDS[0], ["e.g.", "B", "E", "E"], *IDS[1:]], r"\b2 \(e.g"),
    "a signature": ([*IDS, ["", "Ann", "Ann", "Ann"]], r"\b26 \( \| Ann"),
    "a date alone": (
        [*IDS, ["Stand: 1.10.2026", "", "", ""]],
        r"texts\.\w+.* 26: 'Stand: 1\.10\.2026' stands alone",
    ),
    "a section": (
        [*IDS[:9], ["", "Part two", "", ""], *IDS[9:]],
        r"texts\.\w+.* 10: 'Part two' stands alone",
    ),
}
for kind, (rows, says) in ENDS.items():
    for form in SHEETS:
        CASES[f"spreadsheets: ids and {kind}, {form}"] = Case(
            partial(write_rows, form=form, rows=rows),
            expect="refused" if "alone" in says else "read warned",
            says=says,
        )

MISSING = {
    "#VALUE! in one output": ([*A[:5], "#VALUE!", *A[6:]], REF, "output .* '#VALUE!'"),
    "Loading... in one output": (["Loading...", *A[1:]], REF, "'Loading...'"),
    "idem in one reference": (
        A,
        [*REF[:5], "idem", *REF[6:]],
        "^.*Reference 1 .*'idem'",
    ),
    "references as lists": (
        A,
        [repr([x]) for x in REF],
        r"Reference 1 has lists of Python",
    ),
}
for kind, (outputs, references, says) in MISSING.items():
    columns = {"source": SOURCE, "ref": references, "mt": outputs}
    CASES[f"spreadsheets: {kind}, csv"] = Case(
        partial(write, form="csv", columns=columns),
        expect="warned",
        scores={},
        says=says,
    )
for name in ("ref_url", "ref_lower"):
    columns = {"ref": REF, name: [f"https://example.org/{x}" for x in NUMBERS], "mt": A}
    CASES[f"spreadsheets: {name} beside ref"] = Case(
        partial(write, form="csv", columns=columns), expect="read"
    )
TITLE = ["Source: Client X", "Reference: PO 1234", "", ""]
CASES["spreadsheets: a title like headings, xlsx"] = Case(
    partial(write_rows, form="xlsx", rows=[TITLE, ["", "", "", ""], *IDS]),
    expect="read",
)
