"""Exports and imports: there and back, safe cells, and files that say what they are."""

import csv
import io
import json
import re
import zipfile
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign.answers import average, made, rank, read_judgements
from tests.judged import parse_judgement_lines, score_latest

from metra.campaign.codebook import MEANINGS
from metra.campaign.creation import freeze_campaign
from metra.campaign.imports import (
    split_language_pair,
)
from metra.campaign.judgement import format_judgement_lines
from metra.campaign.settings import Settings, check_settings
from metra.cli.judge.files import FORMATS
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, OptionError
from metra.formats.compression import check_member_name
from metra.formats.table import unescape_formula
from metra.report.campaign_files import (
    EXPORT_FORMATS,
    ExportRequest,
    export_judgements,
    write_metrics_files,
)
from metra.scores.judgement import Judgement
from metra.scores.long_table import SPREADSHEET_COLUMNS, format_spreadsheet
from metra.scores.mt_metrics_eval import make_file_names, parse_rating_lines
from metra.scores.registry import read_scores

MARK = {
    "side": "output",
    "start": 0,
    "end": 1,
    "severity": "major",
    "category": "other",
}
DA = [
    made(system, at, judge, 10.0 * at + len(judge), name="da", source=f"s{at}")
    for system in ("one", "two")
    for at in (1, 2, 3)
    for judge in ("ann", "bobby")
]
ESA = [
    made("one", 1, "ann", {"errors": [], "esa": 50.0}, name="esa", outputs=("a😀b",))
]
MQM = [
    made(
        system,
        at,
        judge,
        {"mqm": [MARK] * (at % 2)},
        name="mqm",
        source=f"s{at}",
        outputs=(f"{system} {at}",),
    )
    for system in ("my system", "my_system")
    for at in (1, 2)
    for judge in ("ann", "bo b")
]


def means(judgements):
    return {key: native for key, (native, *_) in average(judgements).items()}


def test_the_folder_of_mt_metrics_eval_there_and_back(tmp_path):
    with zipfile.ZipFile(
        io.BytesIO(export_judgements("mt-metrics-eval", MQM).content)
    ) as packed:
        packed.extractall(tmp_path)
    ratings = sorted(map(str, (tmp_path / "human-scores").glob("*.rating")))
    assert len(ratings) == 2
    names = make_file_names(["my system", "my_system"])
    assert names == {"my system": "my_system", "my_system": "my_system-2"}
    marks = {}
    for path in ratings:
        for line in parse_rating_lines(Path(path).read_text().split("\n"), path):
            if line.marks is not None:
                marks[line.judge, line.system, line.segment] = {"mqm": line.marks}
    assert marks == {
        (one.judge, names[one.systems[0]], one.segment): one.value for one in MQM
    }
    scores = read_scores(str(tmp_path / "human-scores" / "fr-en.mqm.seg.score"))
    assert scores.systems == ("my_system", "my_system-2")


def test_numbers_of_segments_in_older_stores_may_be_sparse():
    sparse = [replace(one, segment=10 * one.segment) for one in DA]
    campaign = replace(frozen_da(), material={"numbers": [10, 20, 30]})
    files = dict(write_metrics_files(ExportRequest(sparse, campaign)))
    sources = files["sources/fr-en.txt"].split("\n")
    assert {number: text for number, text in enumerate(sources, 1) if text} == {
        10: "s1",
        20: "s2",
        30: "s3",
    }
    scores = files["human-scores/fr-en.da.seg.score"].split("\n")
    assert len(scores) == 2 * 30 + 1
    assert scores[9:11] == ["one\t14.0", "one\tNone"]


def frozen_da():
    wished = Settings("c", "da", "fr", "en", tuple("abcdef"), seed=77, calibration=0)
    evalset = EvalSet([["r"] * 3], ["s1", "s2", "s3"])
    outputs = {"one": ["x"] * 3, "two": ["x"] * 3}
    return freeze_campaign(wished, Outputs(evalset, outputs))


def test_everything_in_one_zip():
    frozen = frozen_da()
    found = export_judgements("zip", DA, frozen)
    assert (
        export_judgements("zip", DA, frozen).content == found.content
    )  # the same bytes on every day
    with zipfile.ZipFile(io.BytesIO(found.content)) as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
    assert set(files) >= {
        "judgements.jsonl",
        "scores.tsv",
        "judgements.csv",
        "mt-metrics-eval/human-scores/fr-en.da.seg.score",
        "systems.tsv",
        "protocol.json",
        "campaign.json",
        "codebook.md",
    }
    assert parse_judgement_lines(files["judgements.jsonl"].split("\n"), "x") == DA
    about = json.loads(files["campaign.json"])
    assert (about["seed"], about["version"]) == (77, frozen.version)
    assert "secret" not in found.content.decode("latin-1")
    assert "Seed of the assignment: 77" in files["codebook.md"]
    rows = csv.DictReader(io.StringIO(files["systems.tsv"]), dialect=csv.excel_tab)
    one = next(row for row in rows if row["system"] == "one")
    names = ("scorer", "rank", "cluster", "items", "judgements", "native", "hundred")
    assert [one[name] for name in names] == [
        *("da", "1.5", "1", "3", "6", "24.0", "24.0")
    ]


def test_what_was_filled_into_templates_stands_beside_what_was_expected():
    key = {"expected": [["who", "Ann"], ["where", "Rome"], ["when", "May"]]}
    value = {"filled": [["who", "ann"], ["where", "=1+1"]], "key": key}
    answers = [
        made("one", 1, "bob", {"template": value}, name="templates"),
        made("one", 2, "bob", {}, name="templates", cannot="empty"),
    ]
    found = export_judgements("zip", answers)
    with zipfile.ZipFile(io.BytesIO(found.content)) as packed:
        table = packed.read("fillers.tsv").decode()
    rows = [line.split("\t") for line in table.strip("\n").split("\n")]
    assert rows == [
        [
            "system",
            "judge",
            "document",
            "template",
            "slot",
            "expected",
            "filled",
            "category",
        ],
        ["one", "bob", "d0", "", "who", "Ann", "ann", "correct"],
        ["one", "bob", "d0", "", "where", "Rome", "'=1+1", "incorrect"],
        ["one", "bob", "d0", "", "when", "May", "", "missing"],
    ]


def test_commands_offer_every_format():
    assert tuple(EXPORT_FORMATS) == FORMATS


def test_the_codebook_explains_every_column():
    names = [field.name for field in fields(Judgement)]
    for name in [*names, *SPREADSHEET_COLUMNS]:
        assert name in MEANINGS


def test_what_cannot_be_exported():
    with pytest.raises(OptionError, match="No format named 'doc'"):
        export_judgements("doc", DA)
    with pytest.raises(CorpusError, match="no judgements to export yet"):
        export_judgements("jsonl", [])
    calibration = [replace(one, kind="calibration") for one in DA]
    with pytest.raises(CorpusError, match="count towards system scores yet"):
        export_judgements("mt-metrics-eval", calibration)
    assert export_judgements("zip", calibration).content


def test_what_could_not_be_judged_is_told_and_not_scored():
    cannot = replace(DA[0], value={}, cannot="no French", segment=9, task="t")
    rows = list(csv.DictReader(format_spreadsheet(*score_latest([*DA, cannot]))))
    assert rows[-1]["cannot"] == "no French"
    assert rows[-1]["native"] == ""
    assert means([*DA, cannot]) == means(DA)
    assert parse_judgement_lines(format_judgement_lines([cannot]), "x") == [cannot]


HOSTILE = st.text("=+-@\t'\"a,\n\r😀", max_size=6)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_cell_runs_as_a_formula(judge, comment, output):
    one = made("=s", 1, judge, 5, comment=comment, outputs=(output,))
    [header, row] = csv.reader(
        io.StringIO("".join(format_spreadsheet(*score_latest([one]))), newline="")
    )
    assert not any(cell[:1] in tuple("=+-@\t\r") for cell in row if cell)
    cells = dict(zip(header, row, strict=True))
    assert unescape_formula(cells["comment"]) == comment
    assert unescape_formula(cells["output"]) == output


def test_batches_bring_the_texts_that_marks_stand_in(tmp_path):
    marked = {"errors": [MARK | {"end": 2}], "esa": 5.0}
    del marked["errors"][0]["category"]
    export_path, batches = tmp_path / "esa.csv", tmp_path / "batches.json"
    marks = '"[{""start_i"": 0, ""end_i"": 2, ""severity"": ""major""}]"'
    export_path.write_text(f"ann,one,1,TGT,fr,en,5,d,False,{marks},,\n")
    item = {"itemType": "TGT", "targetID": "one", "targetText": "a😀b"}
    item |= {"itemID": 1, "documentID": "d", "sourceText": "src"}
    batches.write_text(json.dumps([{"items": [item]}]))
    [back] = read_judgements([str(export_path), str(batches)])
    assert (back.value, back.source, back.outputs) == (marked, "src", ("a😀b",))


WRONG = [
    pytest.param(
        b"hello\n", "begins with 'hello', which is not a known format", id="words"
    ),
    pytest.param(b"\xff", "is not UTF-8 at byte 0", id="not UTF-8"),
    pytest.param(b"{\n", "which is not a known format", id="half an object"),
    pytest.param(b"[1]", "task 1 has no items", id="no batches"),
    pytest.param(b'[{"items": [1]}]', "task 1, item 1 cannot be read", id="no item"),
    pytest.param(
        b'{"data": [], "info": {"protocol": "x"}}', "follows 'x'", id="protocol"
    ),
    pytest.param(b'{"data": []}', "There are no judgements in", id="texts only"),
]


@pytest.mark.parametrize(("content", "says"), WRONG)
def test_files_that_are_nothing(tmp_path, content, says):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=says):
        read_judgements([str(path)])
    with pytest.raises(FormatError, match="cannot be read"):
        read_judgements([str(tmp_path / "none")])


@pytest.mark.parametrize("form", ["tsv", "texts", "zip", "csv"])
def test_no_cell_of_a_table_begins_like_a_formula(form):
    """A spreadsheet would run it; negative numbers stay."""
    evil = '=HYPERLINK("http://x")'
    judged = [
        made(f"{evil}{at}", at, evil, 0.0, name="da", document="@d", outputs=("-x",))
        for at in (1, 2)
    ]
    content = export_judgements(form, judged).content
    tables = {"a": content.decode()} if form != "zip" else {}
    if form == "zip":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            tables = {
                name: packed.read(name).decode()
                for name in packed.namelist()
                if name.endswith((".tsv", ".csv")) and "marot" not in name
                and "mt-metrics-eval" not in name
            }  # fmt: skip
    assert tables
    for name, table in tables.items():
        mark = "," if name.endswith(".csv") or form == "csv" else "\t"
        for row in csv.reader(io.StringIO(table), delimiter=mark):
            for cell in row:
                is_number = re.fullmatch(r"[+-][\d.]+", cell)
                assert is_number or not cell.startswith(("=", "+", "-", "@")), name


def test_guarded_tables_are_read_as_they_were(tmp_path):
    judged = [
        made("=a", at, "@ann", 10.0 * at, name="da", document="-d") for at in (1, 2)
    ]
    path = tmp_path / "a.tsv"
    path.write_bytes(export_judgements("tsv", judged).content)
    assert "'=a\t" in path.read_text()
    scores = read_scores(str(path))
    assert (scores.systems, scores.judges) == (("=a",), ("@ann",))
    assert {item.document for item in scores.items} == {"-d"}


def test_no_file_of_an_export_leaves_its_folder():
    judged = [
        made(system, 1, "../ann", 5.0, name="da", source="s", document="../d")
        for system in ("../../x", "/etc/y", "a\\..\\b")
    ]
    with zipfile.ZipFile(
        io.BytesIO(export_judgements("zip", judged).content)
    ) as packed:
        names = packed.namelist()
    assert any("x" in name for name in names)
    for name in names:
        check_member_name(name, "the export")
    stored = [replace(one, source_language="../../x") for one in judged]
    with pytest.raises(
        FormatError, match=r"The export contains .*points outside its folder"
    ):
        export_judgements("zip", stored)


def test_languages_are_codes(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = "".join(format_judgement_lines([replace(DA[0], source_language="../../x")]))
    path.write_text(lines)
    expected = "source_language is '../../x'; expected a language code such as fr"
    with pytest.raises(FormatError, match=re.escape(expected)):
        parse_judgement_lines(lines.split("\n"), "a.jsonl")
    with pytest.raises(OptionError, match="expected two codes, such as en-de"):
        split_language_pair("../x-en")
    table = {"name": "x", "protocol": "da", "target_language": "en", "judges": ["a"]}
    with pytest.raises(
        FormatError, match=r"source_language is '../x'; expected a lang"
    ):
        check_settings(table | {"source_language": "../x"}, "a.toml")


#: Bobby always says 90, which is a flag; ann does not.
FLAGGED = [
    made(system, at, judge, score, name="da", source=f"s{at}")
    for system, bonus in (("one", 0.0), ("two", 20.0))
    for at in range(1, 6)
    for judge, score in (("ann", 10.0 * at + bonus), ("bobby", 90.0))
]


def read_zip_tables(found):
    """The tables of systems and judges of a zip, line by line, and its codebook."""
    packed = zipfile.ZipFile(io.BytesIO(found.content))
    names = ("systems.tsv", "judges.tsv", "codebook.md")
    systems, judges, codebook = (packed.read(name).decode() for name in names)
    tables = (
        list(csv.DictReader(io.StringIO(text), dialect=csv.excel_tab))
        for text in (systems, judges)
    )
    return *tables, codebook


def test_means_of_systems_leave_out_judges_with_a_flag_as_results_do():
    answer = rank(FLAGGED)
    systems, judges, codebook = read_zip_tables(export_judgements("zip", FLAGGED))
    rows = [(row["judges"], row["system"], float(row["native"])) for row in systems]
    assert rows == [
        (judges, system, mean)
        for judges, ranking in (("not flagged", answer.ranking), ("all", answer.other))
        for system, mean in zip(ranking.systems, ranking.means, strict=True)
    ]
    assert [mean for *_, mean in rows] == [50.0, 30.0, 70.0, 60.0]
    assert [(row["judge"], row["answers"], row["in_means"]) for row in judges] == [
        ("ann", "10", "yes"),
        ("bobby", "10", "no"),
    ]
    assert "10 answers of 1 judge; flagged judges set apart: bobby" in codebook
    # Single answers are all there, and say who has a flag.
    sheet = export_judgements("csv", FLAGGED).content.decode()
    cells = csv.DictReader(io.StringIO(sheet))
    assert {(row["judge"], row["flags"]) for row in cells} == {
        ("ann", ""),
        ("bobby", "always gives the same score (90 of 100)"),
    }


@pytest.mark.parametrize(
    ("flagged", "expected"), [("apart", 50.0), ("count", 70.0), ("out", 50.0)]
)
def test_what_becomes_of_judges_with_a_flag_can_be_chosen(flagged, expected):
    found = export_judgements("mt-metrics-eval", FLAGGED, flagged=flagged)
    files = zipfile.ZipFile(io.BytesIO(found.content))
    lines = files.read("human-scores/fr-en.da.seg.score").decode().split("\n")
    scores = [float(line[4:]) for line in lines if line.startswith("two\t")]
    assert sum(scores) / 5 == expected
    everything = export_judgements("jsonl", FLAGGED, flagged=flagged).content
    assert (b"bobby" in everything) == (flagged != "out")
    zipped = export_judgements("zip", FLAGGED, flagged=flagged)
    systems, _, _ = read_zip_tables(zipped)
    rows = [(row["judges"], float(row["native"])) for row in systems]
    with_bobby = [("all", 70.0), ("all", 60.0)]
    assert (
        rows
        == {
            "apart": [("not flagged", 50.0), ("not flagged", 30.0), *with_bobby],
            "count": with_bobby,
            "out": [("all", 50.0), ("all", 30.0)],
        }[flagged]
    )


def test_where_all_judges_have_a_flag_they_count_or_nothing_is_left():
    alone = [one for one in FLAGGED if one.judge == "bobby"]
    systems, judges, _ = read_zip_tables(export_judgements("zip", alone))
    assert {row["judges"] for row in systems} == {"all"}
    assert [row["in_means"] for row in judges] == ["yes"]
    with pytest.raises(CorpusError, match="All judges are flagged, so nothing"):
        export_judgements("csv", alone, flagged="out")
    with pytest.raises(
        OptionError, match="flagged='no' is not possible; expected apart"
    ):
        export_judgements("csv", alone, flagged="no")
