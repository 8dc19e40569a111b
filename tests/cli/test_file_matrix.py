"""Tables by the programs that people have, each read by score, compare, report and judge.

Each file holds the same texts: two systems, a reference and the source. The commands give
the numbers that the texts have in Python, or refuse the file in one sentence.
"""

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import metra
from metra.campaign.creation import open_campaign
from metra.cli.output import format_size
from metra.errors import MetraError

# Quotes around, before and inside of texts, commas, semicolons, other scripts' letters.
SOURCE = [
    '"Nein", sagte er.',
    "Brot, Käse; Wein",
    '"Alles ist gut."',
    "Sie kam um 8 Uhr an, müde",
]
REFERENCE = [
    '"No", he said to her.',
    "Bread, cheese; wine",
    '"All is well now."',
    "She arrived at 8, tired",
]
FIRST = [
    '"No", he said to them.',
    "Bread, cheese; wine",
    '"All is fine now."',
    "She arrived at 8, naïve",
]
SECOND = [
    '"No" said he',
    "Bread and cheese; wine",
    '"All is well."',
    "She came at 8 o'clock",
]
HEADINGS = ["source", "ref", "output:first", "output:second"]
ROWS = [list(row) for row in zip(SOURCE, REFERENCE, FIRST, SECOND, strict=True)]
FRAME = pd.DataFrame(ROWS, columns=HEADINGS)


class Call(NamedTuple):
    """The arguments of a command, and the same for the file of a campaign."""

    arguments: list[str]
    files: str


def one_table(path: Path, *options: str) -> Call:
    """Return the call for a table that holds everything."""
    said = [
        f'input_format = "{value[7:]}"'
        if value.startswith("format=")
        else _quote_value(value)
        for flag, value in zip(options[::2], options[1::2], strict=True)
    ]
    files = "\n".join([f'outputs = ["{path.name}"]', *said])
    return Call([str(path), *options], files)


def _quote_value(setting: str) -> str:
    key, _, value = setting.partition("=")
    return f'{key} = "{value}"'


def format_like_excel(rows: Sequence[Sequence[str]], mark: str) -> str:
    """Format rows as Excel saves them: it quotes a cell with a comma, a quote or the mark."""

    def format_cell(cell: str) -> str:
        needs_quotes = any(sign in cell for sign in (mark, ",", '"', "\n"))
        doubled = cell.replace('"', '""')
        return f'"{doubled}"' if needs_quotes else cell

    return "".join(mark.join(map(format_cell, row)) + "\r\n" for row in rows)


def write_excel(
    name: str, mark: str, encoding: str, *options: str
) -> Callable[..., Call]:
    def write(folder: Path) -> Call:
        path = folder / name
        path.write_bytes(format_like_excel([HEADINGS, *ROWS], mark).encode(encoding))
        return one_table(path, *options)

    return write


def write_python(name: str, *options: str, **dialect) -> Callable[..., Call]:
    def write(folder: Path) -> Call:
        path = folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, **dialect).writerows([HEADINGS, *ROWS])
        return one_table(path, *options)

    return write


def write_pandas(name: str, *options: str, **settings) -> Callable[..., Call]:
    def write(folder: Path) -> Call:
        FRAME.to_csv(folder / name, **settings)
        return one_table(folder / name, *options)

    return write


def write_lines(name: str, content: str) -> Callable[..., Call]:
    def write(folder: Path) -> Call:
        (folder / name).write_text(content, encoding="utf-8")
        return one_table(folder / name)

    return write


def write_workbook(
    name: str, engine: str, *options: str, **settings
) -> Callable[..., Call]:
    def write(folder: Path) -> Call:
        path = folder / name
        with pd.ExcelWriter(path, engine=engine) as book:
            remarks = pd.DataFrame({"remarks": ["made", "by hand"]})
            remarks.to_excel(book, sheet_name="Notes", index=False)
            FRAME.to_excel(book, sheet_name="Texts", **settings)
        return one_table(path, *options)

    return write


def write_arrays(folder: Path) -> Call:
    texts = {"first": FIRST, "second": SECOND, "ref": REFERENCE, "source": SOURCE}
    for name, segments in texts.items():
        (folder / f"{name}.json").write_text(json.dumps(segments, indent=1))
    names = [str(folder / f"{name}.json") for name in texts]
    arguments = [*names[:2], "-r", names[2], "-s", names[3]]
    files = (
        'outputs = ["first.json", "second.json"]\nreferences = ["ref.json"]\n'
        'source = "source.json"'
    )
    return Call(arguments, files)


def write_columns(folder: Path) -> Call:
    """Write headings that nobody can guess, which options explain."""
    path = folder / "own.csv"
    names = ["Ausgangstext", "Mensch", "Alt", "Neu", "Bemerkung"]
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        rows = [names, *([*row, "gut, oder?"] for row in ROWS)]
        csv.writer(file, delimiter=";").writerows(rows)
    options = ["--read", "hyp=first=Alt", "--read", "hyp=second=Neu"]
    options += ["--read", "ref=Mensch", "--read", "source=Ausgangstext"]
    files = (
        'outputs = ["own.csv"]\nhyp_columns = ["first=Alt", "second=Neu"]\n'
        'ref_columns = ["Mensch"]\nsource_column = "Ausgangstext"'
    )
    return Call([str(path), *options], files)


UNQUOTED = "".join("\t".join(row) + "\n" for row in [HEADINGS, *ROWS])
OBJECTS = [dict(zip(HEADINGS, row, strict=True)) for row in ROWS]

READ = {
    "Excel, English, CSV UTF-8": write_excel("t.csv", ",", "utf-8-sig"),
    "Excel, German, CSV UTF-8": write_excel("t.csv", ";", "utf-8-sig"),
    "Excel, English, CSV": write_excel(
        "t.csv", ",", "cp1252", "--read", "encoding=cp1252"
    ),
    "Excel, German, CSV": write_excel(
        "t.csv", ";", "cp1252", "--read", "encoding=cp1252"
    ),
    "Excel, Unicode text": write_excel("t.txt", "\t", "utf-16", "--read", "format=tsv"),
    "Excel, Unicode text, renamed": write_excel("t.tsv", "\t", "utf-16"),
    "Python's csv": write_python("t.csv"),
    "Python's csv, all in quotes": write_python("t.csv", quoting=csv.QUOTE_ALL),
    "Python's csv, pipes": write_python("t.csv", delimiter="|"),
    "Python's csv, a mark that is named": write_python(
        "t.csv", "--read", "delimiter=~", delimiter="~"
    ),
    "Python's excel-tab": write_python("t.tsv", dialect="excel-tab"),
    "Python's excel-tab, all in quotes": write_python(
        "t.tsv", dialect="excel-tab", quoting=csv.QUOTE_ALL
    ),
    "semicolons under the name of tabs": write_python("t.tsv", delimiter=";"),
    "pandas, with its row numbers": write_pandas("t.csv"),
    "pandas, without": write_pandas("t.csv", index=False),
    "pandas, packed": write_pandas("t.csv.gz", index=False),
    "pandas, tabs": write_pandas("t.tsv", index=False, sep="\t"),
    "pandas, UTF-16": write_pandas("t.csv", index=False, encoding="utf-16"),
    "a TSV without quotes": write_lines("t.tsv", UNQUOTED),
    "a TSV without quotes, CRLF": write_lines("t.tsv", UNQUOTED.replace("\n", "\r\n")),
    "headings that options explain": write_columns,
    "JSON, arrays of strings": write_arrays,
    "JSON, an array of objects": write_lines("t.json", json.dumps(OBJECTS)),
    "JSON, an array over many lines": write_lines(
        "t.json", json.dumps(OBJECTS, indent=2, ensure_ascii=False)
    ),
    "JSON lines": write_lines("t.jsonl", "\n".join(map(json.dumps, OBJECTS))),
    "JSON lines under the name of JSON": write_lines(
        "t.json", FRAME.to_json(orient="records", lines=True)
    ),
    "an array under the name of JSON lines": write_lines(
        "t.jsonl", json.dumps(OBJECTS)
    ),
    "openpyxl": write_workbook("t.xlsx", "openpyxl"),
    "XlsxWriter": write_workbook("t.xlsx", "xlsxwriter", index=False),
    "XlsxWriter, a sheet that is named": write_workbook(
        "t.xlsx", "xlsxwriter", "--read", "sheet=2"
    ),
}

REFUSED = {
    "Excel, English, CSV": (
        write_excel("t.csv", ",", "cp1252"),
        "t.csv, line 3: byte 9 of the line is 0xe4, which is not UTF-8; convert the file "
        "to UTF-8, or give --read encoding, for example cp1252, in which Excel writes CSV on "
        "Windows.",
    ),
    "the wrong encoding": (
        write_excel("t.csv", ",", "utf-8-sig", "--read", "encoding=cp1252"),
        "t.csv begins with the byte order mark of utf-8, but --read encoding is cp1252; leave "
        "it out.",
    ),
    "an unknown encoding": (
        write_excel("t.csv", ",", "utf-8", "--read", "encoding=klingon"),
        "Unknown encoding 'klingon'; examples: utf-8, utf-16, cp1252, gb18030 …",
    ),
    "Excel, Unicode text": (
        write_excel("t.txt", "\t", "utf-16"),
        "t.txt looks like a table: its first line has known headings; give "
        "--read format=tsv, or plain if it is text.",
    ),
    "UTF-16 without a mark": (
        write_excel("t.csv", ",", "utf-16-le"),
        "t.csv is binary, or in an unknown encoding; give a text file, or "
        "--read encoding, for example utf-16-le.",
    ),
    "a CSV under the name of a text": (
        write_python("t.txt"),
        "t.txt looks like a table: its first line has known headings; give "
        "--read format=csv, or plain if it is text.",
    ),
    "JSON under the name of a text": (
        write_lines("t.txt", json.dumps(OBJECTS, indent=1)),
        "t.txt looks like JSON; give --read format=json, or plain if it is text.",
    ),
    "JSON lines under the name of a text": (
        write_lines("t.txt", "\n".join(map(json.dumps, OBJECTS))),
        "t.txt looks like JSON; give --read format=jsonl, or plain if it is text.",
    ),
    "JSON, pandas' default": (
        write_lines("t.json", FRAME.to_json()),
        "t.json, line 1: 'source' is of type dict; expected a string.",
    ),
    "a workbook under the name of CSV": (
        lambda folder: one_table(
            Path(write_workbook("t.xlsx", "openpyxl")(folder).arguments[0]).rename(
                folder / "t.csv"
            )
        ),
        "t.csv looks like a workbook or an archive; give --read format=xlsx, or "
        "unpack it.",
    ),
    "a sheet that is not there": (
        write_workbook("t.xlsx", "openpyxl", "--read", "sheet=Text"),
        "t.xlsx has no sheet 'Text'; it has: 'Notes', 'Texts'.",
    ),
    "a Word document": (
        write_lines("t.docx", "text"),
        "t.docx is a word processor document by its name; save its text as plain "
        "text, one segment per line, or give --read format=NAME.",
    ),
    "a table without headings": (
        write_lines("t.tsv", "\n".join("\t".join(row) for row in ROWS)),
        "t.tsv has '\"Nein\", sagte er.' in its first line; add a line of headings, "
        "such as source, ref, output, or give --read format=plain.",
    ),
    "a comma too many": (
        write_lines("t.csv", "source,ref,A,B\na,b,c,d\na,b,c,d,e\n"),
        "t.csv, line 3 has 5 columns but the header has 4; each line needs as many as the "
        "header.",
    ),
}


def score_in_python() -> tuple[float, float]:
    first, second = (metra.score(s, [REFERENCE], "bleu").score for s in (FIRST, SECOND))
    return first, second


def check_commands(call: Call, folder: Path, cli) -> None:
    """Check that all four commands see the texts as they are."""
    first, second = score_in_python()
    ran = cli("score", *call.arguments, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    scores = {
        s["name"]: s["scores"]["bleu"]["score"] for s in json.loads(ran.out)["systems"]
    }
    assert scores == {"first": first, "second": second}

    ran = cli("compare", *call.arguments, "--trials", "20", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    [comparison] = json.loads(ran.out)["comparisons"]
    assert comparison["difference"] == second - first

    page = folder / "report.html"
    ran = cli("report", *call.arguments, "-m", "bleu", "-o", page)
    size = format_size(page.stat().st_size)
    assert ran == (0, "", f"metra: wrote {page}, {size}; open it in a browser.\n")
    html = page.read_text()
    assert f"{first:.2f}" in html
    assert f"{second:.2f}" in html

    campaign = write_campaign(folder, call)
    opened = open_campaign(str(campaign))
    assert {s.name: list(s.outputs) for s in opened.systems} == {
        "first": FIRST,
        "second": SECOND,
    }
    assert [s.source for s in opened.segments] == SOURCE
    assert [s.references for s in opened.segments] == [(text,) for text in REFERENCE]


def write_campaign(folder: Path, call: Call) -> Path:
    path = folder / "campaign.toml"
    head = (
        'name = "matrix"\nsource_language = "de"\ntarget_language = "en"\n'
        'protocol = "adequacy"\njudges = ["ann", "bob"]\neach = 1\n'
    )
    path.write_text(f"{head}\n[files]\n{call.files}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", READ)
def test_tables_are_read_as_they_were_meant(name, tmp_path, cli):
    check_commands(READ[name](tmp_path), tmp_path, cli)


@pytest.mark.parametrize("name", REFUSED)
def test_other_files_are_refused_in_a_sentence(name, tmp_path, cli):
    write, message = REFUSED[name]
    call = write(tmp_path)
    page = tmp_path / "report.html"
    said = f"metra: {message}\n"
    for command in ("score", "compare", "report"):
        more = ["-o", str(page)] if command == "report" else []
        refused = cli.refusal(command, *call.arguments, *more)
        assert refused.replace(f"{tmp_path}/", "") == said
    assert not page.exists()
    with pytest.raises(MetraError) as raised:
        open_campaign(str(write_campaign(tmp_path, call)))
    in_campaign = re.sub(
        r"--read format=(?:NAME|(\w+))",
        lambda form: " ".join(filter(None, ["files.input_format", form[1]])),
        message,
    )
    in_campaign = in_campaign.replace("--read encoding", "files.encoding")
    assert str(raised.value).replace(f"{tmp_path}/", "") == in_campaign


# LibreOffice's export: delimiter, quote and character set by their numbers.
LIBREOFFICE = {
    "commas, UTF-8": ("csv", "44,34,76", ()),
    "semicolons, all in quotes": ("csv", "59,34,76,1,,0,true", ()),
    "semicolons, Windows-1252": ("csv", "59,34,1", ("--read", "encoding=cp1252")),
    "tabs, UTF-16": ("csv", "9,34,65535", ()),
    "a workbook of Excel": ("xlsx", "", ()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBREOFFICE)
@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_libreoffice(name, tmp_path, cli):
    suffix, settings, options = LIBREOFFICE[name]
    (tmp_path / "from").mkdir()
    FRAME.to_excel(tmp_path / "from" / "t.xlsx", index=False)
    filter_name = f":Text - txt - csv (StarCalc):{settings}" if settings else ""
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    subprocess.run(
        [
            "soffice",
            home,
            "--headless",
            "--convert-to",
            f"{suffix}{filter_name}",
            "from/t.xlsx",
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    check_commands(one_table(tmp_path / f"t.{suffix}", *options), tmp_path, cli)
