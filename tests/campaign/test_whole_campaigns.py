"""Campaigns of the workbook's measures: who sees what, and how answers come together."""

import csv
import io
import json
from dataclasses import replace

import pytest
from tests.campaign.campaigns import SECRET, SOURCE, SYSTEMS, answered, opened
from tests.campaigns import check_answer
from tests.judged import parse_judgement_lines, score_latest

from metra.campaign.assignment import assign
from metra.campaign.demo_data import list_demo_protocols
from metra.campaign.judgement import format_judgement_lines, keep_latest, score_outputs
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.screen import build_screen
from metra.campaign.second_look import (
    apply_verdicts,
    build_reconciliation,
    build_verdict_campaign,
)
from metra.errors import CorpusError, OptionError
from metra.meta.spans import compare_tags
from metra.report.campaign_files import ExportRequest, write_metrics_files
from metra.scores.long_table import format_judgement_table, format_undefined
from metra.scores.registry import read_scores
from metra.scores.spans import collect_spans

QUESTIONS = {
    "trip": [["Who met Bob?", ["Ann"], []], ["Where?", ["Rome"], ["Rome", "Paris"]]],
    "brake": [["What is new?", ["the brake", "brake"], []]],
}
NO_TEXT = {"judges": ["a", "b", "c"], "each": 1}


def test_documents_are_joined_a_line_a_segment():
    frozen = opened("cloze")
    assert [one.document for one in frozen.segments] == ["trip", "brake"]
    assert frozen.systems[0].outputs[0] == "\n".join(SYSTEMS["good"][:2])
    assert frozen.segments[0].source == "\n".join(SOURCE[:2])
    assert (frozen.repeats, frozen.degraded) == (0, 0)


def test_the_first_paragraph_is_so_many_segments():
    material = {"baseline": "A text of words."}
    frozen = opened("reading-aloud", material, **{"reading-aloud": {"first": 1}})
    assert frozen.systems[0].outputs[0] == SYSTEMS["good"][0]


def test_every_judge_reads_the_baseline_first_and_speeds_are_relative_to_it():
    frozen = opened("reading", {"baseline": "one two three four"})
    tasks = assign(frozen, secret=SECRET)
    first = [task for task in tasks if task.position == 1]
    assert {task.judge for task in first} == {"ann", "bob", "cleo", "dan"}
    assert {task.kind for task in first} == {"baseline"}
    assert [step.name for step in frozen.protocol.steps] == ["reading-speed"]

    def value(task, _):
        return {"reading-speed": {"ms": 1000 if task.kind == "baseline" else 4000}}

    found = answered(frozen, value)
    raw = next(one for one in found if one.kind == "judged")
    assert score_outputs(raw)[0][0].reason == "the judge has not read the baseline text"
    kept = [one for one in keep_latest(found) if one.counts]
    assert len(kept) == 8
    for one in kept:
        [(scored,)] = score_outputs(one)
        words = one.value["reading-speed"]["key"]["words"]
        assert scored.value == pytest.approx(words * 15)
        assert scored.hundred == pytest.approx(100 - abs(100 - 100 * words * 15 / 240))


def test_a_baseline_that_nobody_reads_so_fast_is_no_natural_speed():
    frozen = opened("reading", {"baseline": "one two three four"})

    def value(task, _):
        return {"reading-speed": {"ms": 100 if task.kind == "baseline" else 4000}}

    kept = [one for one in keep_latest(answered(frozen, value)) if one.counts]
    reasons = {score_outputs(one)[0][0].reason for one in kept}
    assert reasons == {"the judge has not read the baseline text"}


def test_a_speed_that_does_not_count_is_in_the_files():
    frozen = opened("reading", reading={"natural": 86})
    found = answered(frozen, lambda *_: {"reading-speed": {"ms": 100}})
    header, line, *_ = format_undefined(score_latest(found)[1]).split("\n")
    row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert row["reason"] == "faster than people can read"
    assert float(row["native"]) > 600
    assert "n/a" not in line


def test_questions_follow_the_reading_only_if_there_are_any():
    frozen = opened("reading", {"baseline": "a b", "questions": QUESTIONS})
    assert [step.name for step in frozen.protocol.steps] == [
        "reading-speed",
        "comprehension",
    ]
    task = assign(frozen, secret=SECRET)[0]
    assert task.kind == "baseline"
    shown = build_screen(frozen, task, number=0, step=0)
    assert shown["steps"] == ["reading-speed"]
    done = check_answer(frozen, task, {"reading-speed": {"ms": 5}}, id="1")
    assert (done.document, done.segment, done.counts) == ("baseline", 0, False)


@pytest.mark.seed("5.70")
def test_the_control_group_answers_without_a_text():
    frozen = opened("comprehension", {"questions": QUESTIONS}, **NO_TEXT)
    assert [system.name for system in frozen.systems] == ["good", "bad", "no text"]
    tasks = assign(frozen, secret=SECRET)
    control = [task for task in tasks if task.kind == "control"]
    assert len(control) == 2
    for task in control:
        shown = json.dumps(build_screen(frozen, task, number=0, step=0))
        assert not any(text in shown for texts in SYSTEMS.values() for text in texts)
        assert "accepted" not in shown
    by_text = {(task.judge, task.items[0].segment) for task in tasks}
    assert len(by_text) == len(tasks)  # nobody has seen a version of what they answer


def test_hidden_text_is_read_before_and_not_by_the_control_group():
    frozen = opened(
        "comprehension",
        {"questions": QUESTIONS},
        **NO_TEXT,
        comprehension={"hidden": True},
    )
    assert [step.name for step in frozen.protocol.steps] == [
        "reading-speed",
        "comprehension",
    ]
    [task, *_] = [
        task for task in assign(frozen, secret=SECRET) if task.kind == "control"
    ]
    assert build_screen(frozen, task, number=0, step=0)["steps"] == ["comprehension"]


@pytest.mark.seed("5.62")
def test_the_original_takes_part_in_a_cloze_test_as_a_control():
    frozen = opened("cloze", cloze={"original": True}, judges=list("abcdef"))
    assert frozen.systems[-1].outputs[1] == SOURCE[2]
    assert frozen.systems[-1].kind == "control"


REFUSED = [
    pytest.param("comprehension", {}, {}, "no questions for 'brake'", id="questions"),
    pytest.param("templates", {}, {}, "no templates for 'brake'", id="templates"),
    pytest.param("reading", {}, {}, "give files.baseline", id="no natural speed"),
    pytest.param(
        "clarity", {}, {"unit": "document"}, "out of their texts", id="shuffled"
    ),
]


@pytest.mark.parametrize(("name", "material", "wishes", "says"), REFUSED)
def test_campaigns_that_would_leave_scores_undefined(name, material, wishes, says):
    with pytest.raises((CorpusError, OptionError), match=says):
        opened(name, material, judges=list("abcdef"), **wishes)


def test_nothing_but_the_output_is_sent_for_clarity():
    frozen = opened("clarity")
    for task in assign(frozen, secret=SECRET):
        shown = build_screen(frozen, task, number=0, step=0)
        assert set(shown) == {"task", "step", "outputs"}
        assert len(shown["outputs"]) == 1


def test_close_answers_are_judged_once_blind_and_filled_in():
    frozen = opened("cloze", cloze={"every": 3})

    def value(task, _):
        text = task.items[0].text
        count = len(frozen.protocol.steps[0].asks.places(text))
        return {"cloze": {"answers": ["thing"] * count}}

    first = answered(frozen, value)
    assert "waiting for a second judge" in format_undefined(score_latest(first)[1])
    text = format_judgement_table(score_latest(first)[1])
    rows = csv.DictReader(io.StringIO(text), delimiter="\t")
    assert {row["value"] for row in rows if row["scorer"] == "cloze-close"} == {""}
    second = build_verdict_campaign(frozen, first, judges=["zoe", "yan"], each=2)
    cases = second.material["cases"]
    assert all(case["answer"] == "thing" for case in cases)
    places = sum(len(case["of"]) for case in cases)
    assert places == sum(len(one.value["cloze"]["answers"]) for one in first)
    assert len(cases) < places  # two readers of one text gave the same answer
    sent = json.dumps(
        [
            build_screen(second, task, number=0, step=0)
            for task in assign(second, secret=SECRET)
        ]
    )
    assert not any(name in sent for name in ("good", "bad", "ann", "cleo"))
    verdicts = answered(
        second, lambda task, _: {"verdict": {"right": task.judge == "zoe"}}
    )
    done = apply_verdicts(first, second, verdicts)
    for one in done:
        exact, close = score_outputs(one)[0]
        assert (exact.value, close.value) == (0, 50)
    assert format_undefined(score_latest(done)[1]).count("\n") == 1


def test_free_answers_can_be_accepted_by_a_second_judge():
    frozen = opened("comprehension", {"questions": QUESTIONS}, **NO_TEXT)

    def value(task, _):
        if task.items[0].segment == 1:
            return {"comprehension": {"answers": ["brakes"]}}
        return {"comprehension": {"answers": [None, "Paris"]}}

    first = answered(frozen, value)
    second = build_verdict_campaign(frozen, first, judges=["zoe"])
    [case] = second.material["cases"]
    assert case["shown"] == {
        "question": "What is new?",
        "expected": "the brake / brake",
    }
    done = apply_verdicts(
        first, second, answered(second, lambda *_: {"verdict": {"right": True}})
    )
    by_text = {one.document: score_outputs(one)[0][0].value for one in done}
    assert by_text == {"trip": 0, "brake": 100}


def test_tags_are_reconciled_and_votes_are_counted():
    frozen = opened("entity-tagging", judges=["ann", "bob"])
    assert [system.name for system in frozen.systems] == ["reference"]

    def value(task, _):
        text, both = task.items[0].text, []
        for word in ("Ann", "Bob", "Rome"):
            if word in text and (task.judge == "ann" or word != "Bob"):
                start = text.index(word)
                kind = "LOCATION" if word == "Rome" else "PERSON"
                both.append({"start": start, "end": start + len(word), "type": kind})
        return {"tags": {"tags": both}}

    first = answered(frozen, value)
    assert compare_tags(collect_spans(first)) == {("ann", "bob"): 80}
    second = build_reconciliation(frozen, first, judges=["zoe"])
    assert second.material["candidates"][0] == [
        [0, 3, "PERSON", 2],
        [8, 11, "PERSON", 1],
        [15, 19, "LOCATION", 2],
    ]
    task = next(
        task for task in assign(second, secret=SECRET) if task.items[0].segment == 0
    )
    shown = build_screen(second, task, number=0, step=0)["extra"]["kept"]
    assert shown["raters"] == 2
    assert shown["candidates"][1]["votes"] == 1
    assert shown["candidates"][2]["sought"] == "rome"
    with pytest.raises(CorpusError, match="expected entity-tagging or term-marking"):
        build_reconciliation(opened("cloze"), [], judges=["zoe"])


@pytest.mark.parametrize("name", sorted({*PROTOCOLS} - {*list_demo_protocols()}))
def test_protocols_without_a_demonstration_survive_their_export(name):
    """The others do so with the answers of simulated judges."""
    values = {"verdict": {"right": True}, "reconcile": {"tags": []}}
    values["missed"] = {"found": []}
    asked = PROTOCOLS[name]
    raw = {step.name: values[step.asks.kind] for step in asked.steps}
    frozen = opened("adequacy")
    task = assign(frozen, secret=SECRET)[0]
    base = check_answer(frozen, task, {"adequacy": 3}, id="1")
    checked = asked.check(raw, {"output": "a 😀 b"})
    one = replace(base, protocol=name, outputs=("a 😀 b",), value=checked)
    [again] = parse_judgement_lines(format_judgement_lines([one]), "x")
    assert again.value == one.value
    assert repr(score_outputs(again)) == repr(score_outputs(one))


def test_mt_metrics_eval_has_whole_documents_as_documents(tmp_path):
    frozen = opened("comprehension", {"questions": QUESTIONS}, **NO_TEXT)

    def value(task, _):
        answers = ["brake"] if task.items[0].segment == 1 else [None, "Rome"]
        return {"comprehension": {"answers": answers}}

    request = ExportRequest(answered(frozen, value), frozen)
    files = dict(write_metrics_files(request))
    assert files["documents/fr-en.docs"] == "all\ttrip\nall\tbrake\n"
    for path, text in files.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert [*tmp_path.rglob("*.score")] == [
        tmp_path / "human-scores" / "fr-en.comprehension.doc.score"
    ]
    scores = read_scores(str(tmp_path / "human-scores"))
    assert [item.document for item in scores.items] == ["trip", "brake"]
    assert scores.matrix("comprehension", level="document")[0].tolist() == [50, 100]
