"""Judgements as files: nothing shifts, nothing runs, and other programs' ends are theirs."""

import csv
import io
import json
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign import answers
from tests.campaign.answers import read_judgements
from tests.judged import parse_judgement_lines, score_latest

from metra.campaign.judgement import check_imported, format_judgement_lines, keep_latest
from metra.campaign.protocols.registry import protocol
from metra.errors import FormatError, OptionError
from metra.formats.table import escape_formula, unescape_formula
from metra.scores.appraise import KINDS, parse_appraise_judgements
from metra.scores.judgement import build_scores
from metra.scores.judgement_jsonl import SCHEMA
from metra.scores.long_table import format_judgement_table, format_spreadsheet
from metra.scores.mqm import MQM_WEIGHTS, format_marot, read_errors
from metra.scores.mt_metrics_eval import (
    format_ratings,
    format_scores,
    parse_rating_lines,
)
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT
from metra.scores.table import ITEM_KINDS, ScoreRow
from metra.text.words import Span, to_utf16_inclusive

ALPHABET = "ab é\u0301😀👩\u200dא語\u2028<v>/'=,\"\t\n"
NAMES = st.text("ab=+-@'é😀 ", min_size=1, max_size=6)


def made(name, value, *, output="a😀b", system="one", **more):
    fields = {"id": "1", "task": "t", "document": "d", "source": "src"}
    fields |= {"judge": "ann", "segment": 1, "outputs": (output,), **more}
    return answers.made(system, score=value, name=name, **fields)


@st.composite
def marked(draw, name):
    """A judgement with marks anywhere in a text full of traps."""
    asked = protocol(name)
    output = draw(st.text(ALPHABET, min_size=1, max_size=10))
    source = draw(st.text(ALPHABET, min_size=1, max_size=10))
    marks = []
    for _ in range(draw(st.integers(0, 4))):
        sides = ["output", "missing", *(["source"] if name == "mqm" else [])]
        side = draw(st.sampled_from(sides))
        length = len(source if side == "source" else output)
        start = draw(st.integers(0, length - 1))
        marks.append(
            {"side": side, "start": start, "end": draw(st.integers(start + 1, length))}
            | {"severity": draw(st.sampled_from(["minor", "major"]))}
            | (
                {
                    "category": draw(
                        st.sampled_from(protocol("mqm").steps[0].asks.categories)
                    )
                }
                if name == "mqm"
                else {}
            )
        )
    value = {"mqm": marks}
    if name == "esa":
        value = {"errors": marks, "esa": draw(st.floats(0, 100))}
    texts = {"output": output, "source": source}
    names = {"judge": draw(NAMES), "system": draw(NAMES)}
    number = draw(st.integers(1, 99))
    return made(name, asked.check(value, texts), **texts, **names, segment=number)


def write_and_read(judgement):
    return parse_judgement_lines(format_judgement_lines([judgement]), "x")


@given(st.one_of(marked("esa"), marked("mqm")))
def test_json_lines_there_and_back(judgement):
    assert write_and_read(judgement) == [judgement]


@given(marked("esa"))
def test_appraise_there_and_back(judgement):
    key = judgement.systems[0], str(judgement.segment), "TGT"
    outputs = {key: (judgement.source, judgement.outputs[0])}
    [back] = read_appraise(write_appraise([judgement]), outputs=outputs)
    assert back.value == judgement.value
    assert back.revision == 1
    assert (back.judge, back.systems) == (judgement.judge, judgement.systems)


def write_ratings(judgement, segments):
    size = {"systems": ["one"], "segments": segments}
    return format_ratings([judgement], **size, judge="ann", weights=MQM_WEIGHTS)


@given(marked("mqm"))
def test_ratings_there_and_back(judgement):
    second = replace(judgement, segment=2, systems=("one",), judge="ann")
    text = write_ratings(second, 2)
    first, second = parse_rating_lines(text.split("\n"), "x")
    assert first == ("one", 1, "ann", None)
    assert second[:3] == ("one", 2, "ann")
    assert second[3] == judgement.value["mqm"]


def test_ends_as_each_program_counts_them():
    # b of a😀b: code points 2 to 3.
    mqm = made("mqm", {"mqm": [_at(2, 3, category="other")]})
    [error] = json.loads(write_ratings(mqm, 1).split("\t")[1])["errors"]
    assert (error["start"], error["end"], error["score"]) == (2, 3, 1.0)
    assert "\ta😀<v>b</v>\t" in format_marot([mqm])


def test_marks_of_marots_table_stand_in_the_text(write):
    marks = [_at(1, 3, category="style/awkward"), _at(0, 1, category="other")]
    marks.append({"side": "missing", "start": 0, "end": 0} | _kind("major", "accuracy"))
    texts = {"source": "=s", "judge": "bob"}
    mqm = made("mqm", {"mqm": marks}, output='a😀b "c"', **texts)
    clean = made("mqm", {"mqm": []}, segment=2, task="t2", judge="bob")
    path = write("marot.tsv", format_marot([mqm, clean]).encode())
    spans = read_errors(str(path))
    rows = zip(spans.start, spans.end, spans.severity, spans.category, strict=True)
    assert [*rows] == [
        (1, 3, "minor", "style/awkward"),
        (0, 1, "minor", "other"),
        (-1, -1, "major", "accuracy"),
    ]
    assert (spans.texts, spans.judges) == (['a😀b "c"', "a😀b"], ("bob",))
    assert read_scores(str(path)).matrix("mqm").tolist() == [[-7, 0]]


def _kind(severity, category):
    return {"severity": severity, "category": category}


def write_appraise(judgements):
    """Write the last revisions as Appraise exports them."""
    types = {kind: name for name, kind in KINDS.items()}
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for one in keep_latest(judgements):
        if one.kind in types:
            names = one.judge, one.systems[0], str(one.segment), types[one.kind]
            about = *names, "fr", "en", one.value[one.protocol], one.document, False
            marks = [json.dumps(_write_marks(one))] if one.protocol == "esa" else []
            rows.writerow([*(escape_formula(str(cell)) for cell in about), *marks])
    return out.getvalue()


def _write_marks(judgement):
    marks = []
    for mark in judgement.value["errors"]:
        ends = "missing", "missing"
        if mark["side"] != "missing":
            span = Span(mark["start"], mark["end"])
            ends = to_utf16_inclusive(judgement.outputs[0], span)
        places = dict(zip(("start_i", "end_i"), ends, strict=True))
        marks.append(places | {"severity": mark["severity"]})
    return marks


def read_appraise(text, outputs=MappingProxyType({})):
    lines = text.split("\n")
    return parse_appraise_judgements(lines, "x", outputs=outputs, check=check_imported)


def _at(start, end, **more):
    return {"side": "output", "start": start, "end": end, "severity": "minor"} | more


def test_lines_of_appraise_may_end_before_the_times(write):
    line = "'=ann,one,1,TGT,fr,en,5,d#1,False"
    [judgement] = read_appraise(line)
    assert (judgement.judge, judgement.document) == ("=ann", "d")
    assert (judgement.value, judgement.shown_at) == ({"da": 5.0}, None)
    path = write("appraise.csv", [line])
    [imported] = read_judgements([str(path)])
    assert imported.value == judgement.value
    scores = read_scores(str(path))
    assert (scores.names, scores.judges) == (["da"], ("=ann",))
    assert scores.value.tolist() == [5.0]


@given(st.text("='+-@\t\ra", max_size=6))
def test_the_guard_hides_formulas_and_comes_off(cell):
    assert escape_formula(cell)[:1] not in {"=", "+", "-", "@", "\t", "\r"}
    assert unescape_formula(escape_formula(cell)) == cell


CAMPAIGN = [
    made("da", {"da": 80.0}),
    made("da", {"da": 60.0}, judge="bob", task="t2"),
    made("da", {"da": 10.0}, kind="degraded", task="t3", original="t"),
    made("da", {"da": 81.0}, kind="repeat", task="t4", original="t"),
    made("da", {"da": 33.0}, kind="calibration", task="t5", segment=2),
    made("da", {"da": 70.0}, revision=2),
]


def test_the_last_revision_counts():
    assert [one.value["da"] for one in keep_latest(CAMPAIGN)] == [70, 60, 10, 81, 33]
    assert [one.revision for one in keep_latest(CAMPAIGN[::-1])] == [2, 1, 1, 1, 1]


def test_meta_reads_the_long_table(write):
    scored = score_latest(CAMPAIGN, {"bob": ["slow", "p = 0.4"]})
    path = write("judged.tsv", format_judgement_table(scored[1]).encode())
    scores = read_scores(str(path))
    assert (scores.names, scores.hundred.tolist()) == (["da"], [70, 60, 10, 81, 33])
    kinds = ["judged", "judged", "degraded", "repeat", "calibration"]
    assert [ITEM_KINDS[at] for at in scores.kind] == kinds
    assert scores.flags == {"bob": ("slow", "p = 0.4")}


def test_documents_have_no_segment(write):
    one = made("da", {"da": 5.0})
    rows = [(ScoreRow("da", 5.0, 5.0),)]
    scores = build_scores([one], lambda _: rows, whole={"da"})
    for name, text in (
        ("t.tsv", format_judgement_table(scores)),
        ("t.csv", "".join(format_spreadsheet([one], scores))),
    ):
        [item] = read_scores(str(write(name, text.encode()))).items
        assert (item.segment, item.document) == ("", one.document)


def test_the_spreadsheet_has_the_scores_of_the_table(write):
    marks = [_at(0, 1, severity="major", category="other")]
    mqm = made("mqm", {"mqm": marks}, system="=two", judge="bob")
    scored = score_latest([*CAMPAIGN, mqm], {"bob": ["slow"]})
    texts = {
        "t.tsv": format_judgement_table(scored[1]),
        "t.csv": "".join(format_spreadsheet(*scored)),
    }
    table, sheet = (
        read_scores(str(write(name, text.encode()))) for name, text in texts.items()
    )
    for name in ("systems", "items", "scorers", "judges", "flags"):
        assert getattr(sheet, name) == getattr(table, name), name
    for name in ("system", "item", "scorer", "judge", "value", "kind", "hundred"):
        assert getattr(sheet, name).tolist() == getattr(table, name).tolist(), name
    assert {one.name: one.higher_is_better for one in sheet.scorers}["mqm"] is False


def test_meta_reads_appraise(write):
    path = write("judged.csv", write_appraise(CAMPAIGN).encode())
    scores = read_scores(str(path))
    kinds = ["judged", "judged", "degraded", "repeat"]
    assert (scores.names, [ITEM_KINDS[at] for at in scores.kind]) == (["da"], kinds)


def write_scores(judgements, name, systems, segments):
    scores = DEFAULT.select(score_latest(judgements)[1])
    return format_scores(scores, name, systems=systems, segments=segments)


def test_meta_reads_scores_of_segments(write):
    text = write_scores(CAMPAIGN, "da", ["one", "two"], 2)
    assert text == "one\t65.0\none\tNone\ntwo\tNone\ntwo\tNone\n"
    path = write("human-scores/fr-en.da.seg.score", text.encode())
    assert [scorer.name for scorer in read_scores(str(path)).scorers] == ["da"]


def test_penalties_are_negated_where_higher_must_be_better():
    mqm = made("mqm", {"mqm": [_at(0, 1, severity="major", category="other")]})
    assert write_scores([mqm], "mqm", ["one"], 1) == "one\t-5.0\n"
    clean = made("mqm", {"mqm": []})
    assert write_scores([clean], "mqm", ["one"], 1) == "one\t0.0\n"


def test_compared_outputs_get_a_line_each():
    shown = {"systems": ("x", "y", "z"), "outputs": ("a", "b", "c")}
    compared = made("ranking", {"ranking": [2, 1, 2]}, **shown)
    lines = format_judgement_table(score_latest([compared])[1]).split("\n")[1:4]
    cells = [line.split("\t") for line in lines]
    hundreds = {row[0]: row[9] for row in cells}
    assert hundreds == {"x": "25.0", "y": "100.0", "z": "25.0"}


def test_a_name_stays_in_its_column():
    one = made("da", {"da": 1.0}, system="a\tb\nc")
    lines = format_judgement_table(score_latest([one])[1]).split("\n")
    assert lines[1].startswith("a b c\tda\t1.0\t")
    assert len(lines) == 3


GOOD = json.loads("".join(format_judgement_lines([made("da", {"da": 1.0})])))
WRONG = [
    pytest.param("x", "line 1 is not JSON", id="not JSON"),
    pytest.param("[]", "is not a judgement", id="a list"),
    pytest.param(
        GOOD | {"schema": "metra-judgement/9"}, "expected an object", id="schema"
    ),
    pytest.param(GOOD | {"more": 1}, "unknown entry 'more'", id="an entry too many"),
    pytest.param({"schema": SCHEMA}, "lacks 'campaign'", id="an entry too few"),
    pytest.param(GOOD | {"protocol": "x"}, "follows 'x'", id="an unknown protocol"),
    pytest.param(GOOD | {"systems": []}, "lists with at least one", id="no system"),
    pytest.param(GOOD | {"value": {"da": 101}}, "line 1: da is 101", id="a bad answer"),
]


@pytest.mark.parametrize(("line", "says"), WRONG)
def test_bad_json_lines(line, says):
    text = line if isinstance(line, str) else json.dumps(line)
    with pytest.raises(FormatError, match=says) as error:
        parse_judgement_lines(text.split("\n"), "file.jsonl")
    assert str(error.value).startswith("file.jsonl, line 1")


def read_ratings(text):
    return parse_rating_lines(text.split("\n"), "x")


MARKS = '"[{""start_i"": 0, ""end_i"": 1, ""severity"": ""minor""}]"'


@pytest.mark.parametrize(
    ("read", "text", "says"),
    [
        (read_appraise, "a,b\n", "line 1 is not a line of an Appraise export"),
        (read_appraise, "a,s,1,TGT,fr,en,good,d,False,,\n", "line 1 cannot be read: could not"),
        (read_appraise, f"a,s,1,TGT,fr,en,5,d,False,{MARKS},,\n", "mark 1 runs from"),
        (read_ratings, "a\n", "line 1 has 1 column"),
        (read_ratings, "a\t{}\tb\n", "not JSON with errors"),
    ],
)  # fmt: skip
def test_bad_lines_of_other_programs(read, text, says):
    with pytest.raises(FormatError, match=says):
        read(text)


def test_protocols_that_a_format_has_no_place_for():
    with pytest.raises(OptionError, match="does not support da"):
        format_marot([made("da", {"da": 1.0})])


def test_values_from_0_to_100_tell_the_direction(write):
    """Tables of results, and spreadsheets of older versions, do not state it."""
    header = "metric\tevaluator\ttext\ttranslation\tscore\tnative"
    rows = ["wer\tann\td\ta\t80\t20", "wer\tann\td\tb\t50\t50", "x\tann\td\ta\t80\t4"]
    rows += ["x\tann\td\tb\t20\t1", "x\tall\td\tb\t20\t1"]
    scores = read_scores(str(write("r.tsv", [header, *rows])))
    directions = {one.name: one.higher_is_better for one in scores.scorers}
    assert directions == {"wer": False, "x": True}
    assert scores.judges == ("ann",)


def test_a_spreadsheet_of_answers_without_scores(write):
    one = made("da", {"da": 5.0})
    lines = format_spreadsheet([one], build_scores([one], lambda _: [()]))
    path = write("t.csv", "".join(lines).encode())
    with pytest.raises(FormatError, match=r"t\.csv has rows, but no scores in them\."):
        read_scores(str(path))
