"""Pearmut's files: spans that count UTF-16 units, resets, revisions, campaigns."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.campaign.imports import parse_judgements, read_file
from metra.campaign.judgement import check_imported, keep_latest
from metra.errors import FormatError
from metra.scores import pearmut
from metra.scores.alignment import follow_outputs
from metra.scores.registry import read_scores, read_spans, recognise_score_format
from metra.scores.selection import DEFAULT
from metra.scores.table import ScoredItem

FR_EN = ("fr", "en")


def line(user="u", screen=0, score=50, spans=(), output="a😀b c", **more):
    """A screen of one item and one system, as Pearmut logs it."""
    answer = {"score": score, "error_spans": list(spans), "textfield": None}
    times = {100.0: "load", 110.0: "score", 200.0: "submit"}
    entry = {
        "annotation": [{"one": answer}],
        "actions": [{"time": at, "action": times[at]} for at in times],
        "item": [{"item_id": "i1", "src": "s", "tgt": {"one": output}}],
    }
    return json.dumps(entry | {"user_id": user, "item_i": screen} | more)


def read(*lines, **more):
    return pearmut.parse_results(
        lines, "x", languages=FR_EN, check=check_imported, **more
    )


def span(start, end, severity="minor", category=None):
    return {"start_i": start, "end_i": end, "severity": severity, "category": category}


@pytest.mark.parametrize(
    ("named", "ours"),
    [("DA", "da"), ("ESA", "esa"), ("cESA", "esa"), ("ESA-AI", "esa"), ("MQM", "mqm")],
)
def test_protocols_of_pearmut(named, ours):
    text = json.dumps({"info": {"protocol": named}})
    assert pearmut.find_protocol(text, "c.json") == ours
    assert pearmut.find_protocol('{"info": {}}', "c.json") is None
    other = json.dumps({"info": {"protocol": f"{named}+"}})
    expected = "da, esa, cesa, esa-ai, mqm"
    with pytest.raises(FormatError, match=f"follows '{named}.'; expected {expected}"):
        pearmut.find_protocol(other, "c.json")


def test_a_screen():
    [one] = read(line(spans=[span(1, 2)]))
    assert (one.protocol, one.judge, one.systems) == ("esa", "u", ("one",))
    assert (one.source, one.outputs, one.segment) == ("s", ("a😀b c",), 1)
    # Units 1 and 2 are the two halves of the one emoji.
    place = {"side": "output", "start": 1, "end": 2, "severity": "minor"}
    assert one.value == {"errors": [place], "esa": 50.0}
    # Ten seconds, and a pause that counts as 61.
    assert (one.shown_at, one.submitted_at, one.active_ms) == (100.0, 200.0, 71000)


def test_marks_tell_the_protocol():
    assert read(line())[0].protocol == "da"
    [one] = read(line(spans=[span(0, 0, "Critical", "Accuracy/Other")], score=None))
    assert one.protocol == "mqm"
    [mark] = one.value["mqm"]
    assert (mark["severity"], mark["category"]) == ("major", "accuracy/other")
    assert read(line(), protocol="esa")[0].value == {"errors": [], "esa": 50.0}


def test_what_lies_behind_the_text_is_missing():
    # The text has seven units and no eighth.
    [one] = read(line(output="a😀b cd", spans=[span(7, 15, "major")]))
    assert one.value["errors"][0]["side"] == "missing"


def test_marks_without_a_severity_were_never_made():
    [one] = read(line(spans=[span(0, 0, None), span(0, 0, "neutral"), span(0, 0)]))
    assert len(one.value["errors"]) == 1


def test_later_lines_replace_and_resets_mask():
    first, second = line(score=1), line(score=2)
    found = read(first, second)
    assert [one.revision for one in found] == [1, 2]
    assert len({one.id for one in found}) == 2
    assert [one.value["da"] for one in keep_latest(found)] == [2.0]
    reset = json.dumps({"user_id": "u", "item_i": 0, "annotation": "__RESET__"})
    assert [one.value["da"] for one in read(first, reset, second)] == [2.0]
    assert read(first, line(user="v"), reset)[0].judge == "v"
    everywhere = json.dumps({"user_id": "u", "annotation": "__RESET__"})
    assert read(first, line(screen=1), everywhere) == []
    assert len(read(first, line(screen=1), reset)) == 1


def test_several_systems_on_a_screen_share_its_time():
    both = json.loads(line())
    both["annotation"][0]["two"] = {"score": 9, "error_spans": []}
    both["item"][0]["tgt"]["two"] = "b"
    found = read(json.dumps(both))
    assert [one.systems for one in found] == [("one",), ("two",)]
    assert {one.active_ms for one in found} == {35500}
    assert {one.segment for one in found} == {1}


WRONG = [
    pytest.param("[1]", "line 1 is not a JSON object", id="a list"),
    pytest.param("{", "line 1 is not JSON", id="half a line"),
    pytest.param(line(score=101), "da is 101; expected a number from 0", id="score"),
    pytest.param(line(score=None), "da is None", id="no score"),
    pytest.param(
        line(item=[{"src": "s", "tgt": "text"}]),
        "tgt is str; expected",
        id="old format",
    ),
    pytest.param(line(annotation=[]), "line 1 cannot be read", id="no annotation"),
]


@pytest.mark.parametrize(("text", "says"), WRONG)
def test_lines_that_cannot_be_read(text, says):
    with pytest.raises(FormatError, match=says):
        read(text)


def screen(user, number, *items, **more):
    """A document of several items, each with its texts and answers by system."""
    shown, answers = [], []
    for name, by_system in items:
        texts = {system: text for system, (text, _, _) in by_system.items()}
        shown.append({"item_id": name, "src": f"source of {name}", "tgt": texts})
        answers.append(
            {
                system: {"score": score, "error_spans": list(spans), "textfield": None}
                for system, (_, score, spans) in by_system.items()
            }
        )
    entry = {"annotation": answers, "actions": [], "item": shown}
    return json.dumps(entry | {"user_id": user, "item_i": number} | more)


#: A document of two sentences by three systems, as two judges who compared them would leave it.
FIRST = {
    "alpha": ("Das 😀 Haus", 80, [span(4, 5, "minor")]),
    "beta": ("Ein Haus", 100, []),
    "gamma": ("Haus", 30, [span(4, 12, "major"), span(0, 3, "minor")]),
}
SECOND = {
    "alpha": ("Ja 👍🏽!", 95, [span(3, 6, "minor")]),
    "beta": ("Nein", 5, [span(0, 3, "major")]),
    "gamma": ("", 0, [span(0, 8, "major")]),
}
DOCUMENT = (("doc-0", FIRST), ("doc-1", SECOND))


def test_a_document_by_several_systems():
    found = read(screen("u", 3, *DOCUMENT), screen("v", 3, *DOCUMENT))
    assert len(found) == 12
    assert {one.document for one in found} == {"doc-0"}
    assert [(one.segment, one.systems[0]) for one in found[:6]] == [
        (at, system) for at in (1, 2) for system in ("alpha", "beta", "gamma")
    ]
    texts = [
        [one.outputs[0][mark["start"] : mark["end"]] for mark in one.value["errors"]]
        for one in found[:6]
    ]
    # What is missing has no place; the thumb and its tone are two characters.
    assert texts == [["😀"], [], ["", "Haus"], ["👍🏽"], ["Nein"], [""]]
    sides = [mark["side"] for one in found[:6] for mark in one.value["errors"]]
    assert sides.count("missing") == 2
    assert len({one.id for one in found}) == 12


def test_a_reset_masks_one_judges_screen_and_later_work_counts():
    found = read(
        screen("u", 0, DOCUMENT[0]),
        screen("u", 1, DOCUMENT[1]),
        screen("v", 0, DOCUMENT[0]),
        json.dumps({"user_id": "u", "item_i": 0, "annotation": "__RESET__"}),
        screen("u", 0, DOCUMENT[0]),
        screen("u", 10, DOCUMENT[0]),
    )
    # The mask of screen 0 leaves screen 10 and the other judge alone.
    screens = {one.judge + one.task.split(":")[2] for one in found}
    assert screens == {"u0", "u1", "u10", "v0"}
    assert {one.revision for one in found} == {1}


def test_validations_comments_and_missing_times_do_no_harm():
    more = {"validations": [{"alpha": False}], "comment": "too short"}
    found = read(screen("u", 0, DOCUMENT[0], **more))
    assert {one.comment for one in found} == {"too short"}
    assert {one.active_ms for one in found} == {None}
    assert {one.shown_at for one in found} == {None}


def test_a_mark_may_say_that_something_is_missing():
    [one] = read(line(spans=[span("missing", "missing", "major")]))
    assert one.value["errors"] == [
        {"side": "missing", "start": 0, "end": 0, "severity": "major"}
    ]


def test_a_whole_log_with_forms_tutorials_and_work():
    form = {"item": [{"text": "Your age?", "form": "number"}], "annotation": [9]}
    asked = json.dumps(form | {"user_id": "u", "item_i": "welcome_0"})
    tutorial, work = screen("u", "welcome_1", DOCUMENT[1]), screen("u", 0, DOCUMENT[0])
    found = read(asked, tutorial, work)
    assert [one.kind for one in found] == ["calibration"] * 3 + ["judged"] * 3
    assert [one.counts for one in found] == [False] * 3 + [True] * 3


def test_own_sliders_are_refused_in_words():
    entry = json.loads(line(score=None))
    entry["annotation"][0]["one"]["sliders"] = {"Fluency": 3, "Adequacy": 2}
    with pytest.raises(FormatError, match=r"sliders of its own \(Fluency, Adequacy\)"):
        read(json.dumps(entry))


TEXT = st.text("aé😀語\u0301👩\u200d ", min_size=1, max_size=9)


@given(st.lists(st.tuples(TEXT, st.data()), min_size=1, max_size=3))
def test_spans_of_several_systems_slice_their_own_texts(texts):
    outputs, wanted = {}, []
    for at, (text, data) in enumerate(texts):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        first = len(text[:start].encode("utf-16-le")) // 2
        last = len(text[:end].encode("utf-16-le")) // 2 - 1
        outputs[f"s{at}"] = (text, 50, [span(first, last)])
        wanted.append(text[start:end])
    found = read(screen("u", 0, ("i", outputs)))
    marks = [one.value["errors"][0] for one in found]
    assert [
        one.outputs[0][mark["start"] : mark["end"]]
        for one, mark in zip(found, marks, strict=True)
    ] == wanted


def write_results(path, campaigns):
    content = {name: [*map(json.loads, lines)] for name, lines in campaigns.items()}
    path.write_text(json.dumps(content))
    return str(path)


RESET = json.dumps({"user_id": "u", "item_i": 1, "annotation": "__RESET__"})
CHECKED = {"item_id": "i2", "src": "s", "tgt": {"one": "x"}, "validation": {"one": {}}}
LINES = [
    line(screen="welcome_0", score=1),
    line(screen=0, score=40),
    line(screen=1, score=2, item=[CHECKED | {"item_id": "i3", "validation": None}]),
    RESET,
    line(screen=1, score=60, item=[CHECKED | {"item_id": "i3", "validation": None}]),
    line(screen=2, score=3, item=[CHECKED]),
    line(screen=3, annotation=[None]),
]


def list_values(path):
    scores = DEFAULT.select(read_scores(path))
    return sorted(
        zip([scores.items[at].lang for at in scores.item], scores.value, strict=True)
    )


def test_published_annotations_of_several_campaigns(tmp_path):
    other = [line(user="v", score=90)]
    path = tmp_path / "annotations.json"
    for names in (("en-cs", "en-de"), ("wmt_#_en-cs", "wmt_#_en-de")):
        campaigns = dict(zip(names, (LINES, other), strict=True))
        values = list_values(write_results(path, campaigns))
        assert values == [("en-cs", 40), ("en-cs", 60), ("en-de", 90)]
    assert recognise_score_format(str(path)) == "pearmut"
    with pytest.raises(
        FormatError, match=r"several campaigns \(wmt_#_en-cs, wmt_#_en-de\)"
    ):
        read_spans(str(path))
    one = write_results(path, {"mine": [RESET, line(spans=[span(1, 2)])]})
    assert list_values(one) == [("mine", 50)]
    assert read_spans(one).severity.tolist() == ["minor"]
    path.write_text(
        '{"en-cs": [{"user_id": "u", "item_i": 0, "annotation": [{"a": {}}]}, 3]}'
    )
    with pytest.raises(FormatError, match=r"en-cs is not a list of Pearmut's results"):
        read_scores(str(path))


def answer(score, *spans):
    return {"score": score, "error_spans": list(spans), "textfield": None}


def test_published_annotations_of_wmt26(tmp_path):
    """Skipped tutorials, checks by their ids, versions behind names, items of one id."""
    skipped = line(
        screen="welcome_0",
        item=[CHECKED | {"item_id": "tutorial_1"}],
        annotation=[{"one": answer(None)}],
    )
    tutorial = [{"item_id": "eten_#_tutorial_#_2", "src": "s", "tgt": {"one": "x"}}]
    check = [{"item_id": "attention_check_3", "src": "s", "tgt": {"one": "x"}}]
    media = [
        {"item_id": "clip", "src": f"<video src='{at}'>", "tgt": {"one": f"x{at}"}}
        for at in range(3)
    ]
    lines = [
        skipped,
        line(screen=7, score=1, item=tutorial),
        line(screen="random_0", score=2, item=check),
        line(screen=8, score=3, item=check),
        line(screen=4, item=media, annotation=[{"one": answer(x)} for x in (4, 5, 6)]),
        line(screen=5, score=70, spans=[span(0, 0)]),
    ]
    path = tmp_path / "annotations.json"
    names = "ces_Latn---deu_Latn v3", "eng_Latn---zho_Hant_TW v3"
    write_results(path, dict.fromkeys(names, lines))
    assert list_values(str(path)) == [
        (lang, value)
        for lang in ("ces_Latn-deu_Latn", "eng_Latn-zho_Hant_TW")
        for value in (4, 5, 6, 70)
    ]
    found = parse_judgements([read_file(str(path))])
    assert len(found) == 14
    assert {one.kind for one in found} == {"judged", "calibration"}
    pairs = [(one.source_language, one.target_language) for one in found if one.counts]
    assert pairs == [("ces_Latn", "deu_Latn")] * 4 + [("eng_Latn", "zho_Hant_TW")] * 4
    assert len({one.id for one in found}) == 14
    path.write_text("\n".join(lines))
    assert [value for _, value in list_values(str(path))] == [4, 5, 6, 70]


def test_a_judged_output_without_a_score_is_named(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(line(score=None))
    with pytest.raises(
        FormatError, match=r"answer of u \(pearmut:u:0:1:one\) has no score"
    ):
        read_scores(str(path))


@pytest.mark.parametrize(
    "first", ["annotation", "item", "actions", "user_id", "item_i"]
)
def test_results_are_recognised_by_the_beginning_of_a_long_line(tmp_path, first):
    path = tmp_path / "p.jsonl"
    [entry] = [json.loads(line(comment="x" * 70000, spans=[span(1, 2)]))]
    entry = {first: entry[first], "comment": entry.pop("comment"), **entry}
    if first in ("user_id", "item_i"):
        entry = {first: entry[first], "annotation": entry["annotation"], **entry}
    path.write_text(json.dumps(entry) + "\n" + line(screen=1) + "\n")
    assert recognise_score_format(str(path)) == "pearmut"
    assert len(read_scores(str(path))) == 2
    path.write_text('{"user_id": "u", "item": "3", "system": "A", "score": 8}\n')
    assert recognise_score_format(str(path)) == "jsonl"


def test_a_report_finds_the_judged_outputs_of_one_pair_by_their_texts(tmp_path):
    """Pearmut numbers no segments: tutorials come first, and documents in any order."""
    texts = {"one": ["Eins.", "Zwei 😀", "Drei"], "two": ["eins", "zwei", "drei"]}
    lines = [line(screen="welcome_0")]
    for at in (2, 0, 1):
        shown = {name: column[at] for name, column in texts.items()}
        item = [{"item_id": f"d{at}_#_0", "src": "s", "tgt": shown}]
        scored = {name: answer(10 * at + rank) for rank, name in enumerate(shown)}
        lines.append(line(screen=at, item=item, annotation=[scored]))
    other = line(item=[CHECKED | {"validation": None}])
    path = write_results(tmp_path / "a.json", {"en-cs": [other], "en-de": lines})
    scores = read_scores(path)
    found = DEFAULT.select(follow_outputs(scores, texts))
    cells = zip(found.system, found.item, found.value, strict=True)
    assert sorted(
        (found.systems[system], found.items[item].segment, value)
        for system, item, value in cells
    ) == [
        (name, str(at + 1), 10 * at + rank)
        for rank, name in enumerate(texts)
        for at in range(3)
    ]
    assert {item.lang for item in found.items} >= {"en-de"}
    # Numbers that fit stay, and so do texts of which nothing is known.
    numbered = replace(found, items=tuple(ScoredItem(i.segment) for i in found.items))
    assert follow_outputs(numbered, texts) is numbered
    assert follow_outputs(scores, {"three": ["x"]}) is scores
    # Whole documents keep their names.
    items = tuple(ScoredItem("", f"d{at}") for at, _ in enumerate(found.items))
    documents = replace(found, items=items)
    assert follow_outputs(documents, texts) is documents
