"""Writers of the matrix: tables in every format, and files of lines."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

#: A column has cells of any type; None is an empty cell.
Columns = Mapping[str, Sequence[Any]]
#: Formats of tables by the ends of their names; csv; has semicolons.
TABLES = ("tsv", "csv", "csv;", "jsonl", "json", "parquet", "xlsx")


def write_lines(path: Path, lines: Sequence[str], end: str = "\n") -> Path:
    path.write_bytes("".join(f"{line}{end}" for line in lines).encode())
    return path


def write_table(folder: Path, name: str, columns: Columns) -> Path:
    """Write a table in the format that its name tells; NAME.csv; is a CSV of semicolons."""
    path = folder / name.removesuffix(";")
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    if path.suffix in (".tsv", ".csv", ".txt"):
        mark = "\t" if path.suffix == ".tsv" else ";" if name.endswith(";") else ","
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=mark).writerows([list(columns), *rows])
    elif path.suffix in (".jsonl", ".json"):
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        texts = [json.dumps(each, ensure_ascii=False) for each in objects]
        whole = "\n".join(texts) if path.suffix == ".jsonl" else json.dumps(objects)
        path.write_text(f"{whole}\n", encoding="utf-8")
    elif path.suffix == ".parquet":
        pq.write_table(pa.table({name: list(v) for name, v in columns.items()}), path)
    else:
        write_workbook(path, [list(columns), *rows])
    return path


def write_workbook(path: Path, rows: Sequence[Sequence[Any]], **formats: str) -> Path:
    """Write a sheet of cells of any type."""
    with xlsxwriter.Workbook(path, {"strings_to_urls": False, **formats}) as book:
        sheet = book.add_worksheet("Sheet1")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, ["" if cell is None else cell for cell in row])
    return path
