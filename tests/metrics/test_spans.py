"""Errors that judges and programs marked: one record, every format, MQM's weights."""

import json

import pytest

import metra
from metra.errors import CorpusError, MetraError
from metra.scores.spans import Mark, build_spans

OUTPUTS = {"a": ["a dog barks 😀 loud", "it rains"], "b": ["one cat", "it snows"]}
#: By system, the cost of each segment: a minor and a major error, none; non-translation.
COSTS = {"a": [6.0, 0.0], "b": [0.0, 25.0]}

MQM = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
    "a\td\t1\t1\tr1\tx\ta <v>dog</v> barks 😀 loud\tAccuracy/Mistranslation\tMajor\t{}\n"
    "a\td\t1\t1\tr1\tx\ta dog barks 😀 <v>loud</v>\tStyle/Awkward\tMinor\t{}\n"
    "a\td\t2\t2\tr1\ty\tit rains\tno-error\tno-error\t{}\n"
    "b\td\t1\t1\tr1\tx\tone cat\tNo-error\tNo-error\t{}\n"
    "b\td\t2\t2\tr1\ty\t<v>it snows</v>\tNon-translation!\tMajor\t{}\n"
)
PLACES = (
    "seg\tsystem\trater\tstart\tend\tcategory\tseverity\tin_source\n"
    "1\ta\tr1\t2\t5\taccuracy/mistranslation\tmajor\t0\n"
    "1\ta\tr1\t14\t18\tstyle/awkward\tminor\t0\n"
    "2\ta\tr1\t\t\tno-error\tno-error\t\n"
    "1\tb\tr1\t\t\tno-error\tno-error\t\n"
    "2\tb\tr1\t0\t8\tnon-translation!\tmajor\t0\n"
)


def write_rating(path):
    def rating(*errors):
        keys = ("start", "end", "severity", "category")
        listed = [dict(zip(keys, error, strict=True)) for error in errors]
        return json.dumps({"errors": [e | {"is_source_error": False} for e in listed]})

    lines = [
        f"a\t{rating((2, 5, 'major', 'accuracy'), (14, 18, 'minor', 'style'))}\tr1",
        f"a\t{rating()}\tr1",
        f"b\t{rating()}\tr1",
        f"b\t{rating((0, 8, 'major', 'non-translation'))}\tr1",
    ]
    path.write_text("\n".join(lines) + "\n")


def write_esa(path):
    def line(system, item, *marks):
        keys = ("start_i", "end_i", "severity", "error_type")
        listed = json.dumps([dict(zip(keys, mark, strict=True)) for mark in marks])
        quoted = listed.replace('"', '""')
        return f'r1,{system},{item},TGT,eng,deu,50,d,False,"{quoted}",1.0,2.0'

    # Places count UTF-16 units, two for the face, and ends are included.
    lines = [
        line("a", 1, (2, 4, "major", ""), (15, 18, "minor", "")),
        line("a", 2),
        line("b", 1),
        line("b", 2, (0, 7, "major", "non-translation")),
        'r1,a,1,BAD,eng,deu,50,d,False,"[{""start_i"": 0, ""end_i"": 1, ""severity"": '
        '""major""}]",1.0,2.0',
    ]
    path.write_text("\n".join(lines) + "\n")


def write_lines(path):
    rows = [
        ("a", 1, [(2, 5, "major", "accuracy"), (14, 18, "minor", "style")]),
        ("a", 2, []),
        ("b", 1, []),
        ("b", 2, [(0, 8, "major", "non-translation")]),
    ]
    keys = ("start", "end", "severity", "category")
    lines = (
        {"system": s, "segment": n, "source": "r1"}
        | {"errors": [dict(zip(keys, e, strict=True)) for e in errors]}
        for s, n, errors in rows
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_comet(path):
    def error(text, severity, start):
        place = {"start": start, "end": start + len(text)}
        return {"text": text, "confidence": 0.5, "severity": severity} | place

    data = {
        "out/a.txt": [
            {
                "COMET": 0.5,
                "errors": [error("dog", "major", 2), error("loud", "minor", 14)],
            },
            {"COMET": 0.9, "errors": []},
        ],
        "out/b.txt": [
            {"COMET": 0.9},
            {"COMET": 0.1, "errors": [error("it", "major", 0)] * 5},
        ],
    }
    path.write_text(json.dumps(data, indent=4))


def write_pearmut(path):
    def line(number, texts, **marks):
        keys = ("start_i", "end_i", "severity", "category")
        answers = {}
        for system, each in marks.items():
            listed = [dict(zip(keys, mark, strict=True)) for mark in each]
            answers[system] = {"score": 50, "error_spans": listed}
        item = {"item_id": f"i{number}", "src": "x", "tgt": texts}
        about = {"user_id": "r1", "item_i": number, "actions": [{"time": 1.0}]}
        return {"annotation": [answers], "item": [item], **about}

    first, second = ({name: OUTPUTS[name][at] for name in "ab"} for at in (0, 1))
    # Places count UTF-16 units, two for the face, and ends are included.
    dog, loud = (2, 4, "major", "accuracy"), (15, 18, "minor", "style")
    lines = [
        line(0, first, a=[dog, loud], b=[]),
        line(1, second, a=[], b=[(0, 7, "major", "non-translation")]),
    ]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))


FILES = {
    "mqm.tsv": lambda path: path.write_text(MQM),
    "places.tsv": lambda path: path.write_text(PLACES),
    "en-de.mqm.r1.seg.rating": write_rating,
    "esa.csv": write_esa,
    "errors.jsonl": write_lines,
    "pearmut.jsonl": write_pearmut,
    "xcomet.json": write_comet,
}


@pytest.fixture(params=FILES)
def path(request, tmp_path):
    """A file of the same errors, in each format."""
    file = tmp_path / request.param
    FILES[request.param](file)
    return file


def evaluate_spans(spec, outputs=OUTPUTS):
    results = metra.evaluate(
        metra.EvalSet(), outputs, [spec], levels=["system", "segment"], details=True
    )
    return {system: scores[spec] for system, scores in results.items()}


def test_every_format_has_the_same_costs_words_and_judges(path):
    scores = evaluate_spans(f"spans:file={path}")
    for system, costs in COSTS.items():
        assert scores[system].segments.tolist() == [-cost for cost in costs]
        assert scores[system].score == -sum(costs) / 2
    found = {(each.note, each.text, each.segments) for each in scores["a"].details}
    assert found == {("major", "dog", (1,)), ("minor", "loud", (1,))}
    spans = metra.metric(f"spans:file={path}").notes.marked()
    judges = {"xcomet.json": "xCOMET"}
    assert spans.judges == (judges.get(path.name, "r1"),)
    assert {*spans.ratings} == {(system, at) for system in "ab" for at in (0, 1)}


def test_weights_can_be_set(tmp_path):
    path = tmp_path / "mqm.tsv"
    path.write_text(MQM)
    options = "major=2,minor=0.5,non_translation=7"
    scores = evaluate_spans(f"spans:file={path},{options}")
    assert scores["a"].segments.tolist() == [-2.5, 0]
    assert scores["b"].segments.tolist() == [0, -7]


@pytest.mark.parametrize(
    ("category", "severity", "cost"),
    [
        ("Fluency/Punctuation", "minor", 0.1),
        ("Fluency/Punctuation", "major", 5),
        ("Fluency/Grammar", "Minor", 1),
        ("Accuracy/Creative Reinterpretation", "major", 0),
        ("Source error", "major", 0),
        ("Other", "neutral", 0),
        ("Other", "critical", 5),
    ],
)
def test_costs_of_mqm(tmp_path, category, severity, cost):
    path = tmp_path / "one.tsv"
    path.write_text(
        "system\tsegment\trater\ttarget\tcategory\tseverity\n"
        f"a\t1\tr\t<v>x</v>\t{category}\t{severity}\n"
    )
    scores = evaluate_spans(f"spans:file={path}", {"a": ["x"]})
    assert scores["a"].score == -cost


def test_costs_are_averaged_over_raters_and_only_what_was_rated_counts(tmp_path):
    path = tmp_path / "two.tsv"
    path.write_text(
        "system\tsegment\trater\ttarget\tcategory\tseverity\n"
        "a\t1\tr1\t<v>a</v>\tOther\tmajor\n"
        "a\t1\tr2\t<v>a</v>\tOther\tminor\n"
        "a\t3\tr1\tx\tno-error\tno-error\n"
    )
    scores = evaluate_spans(f"spans:file={path}", {"a": ["a", "b", "c"]})
    assert scores["a"].segments.tolist()[::2] == [-3, 0]
    assert scores["a"].segments[1] != scores["a"].segments[1]
    assert scores["a"].score == -1.5
    assert scores["a"].parts == {"segments": 2, "major": 1, "minor": 1, "other": 2}


def test_judgements_of_our_campaigns(tmp_path):
    entry = {
        "schema": "metra.judgement/1", "id": "1", "campaign": "c", "protocol": "mqm",
        "protocol_version": "1", "source_language": "en", "target_language": "de",
        "judge": "ann", "task": "t", "kind": "judged", "systems": ["a"], "document": "d",
        "segment": 1, "source": "x", "outputs": ["a dog"],
        "value": {"mqm": [{"side": "output", "start": 2, "end": 5, "severity": "major",
                           "category": "accuracy"}]},
        "scores": [[{"scorer": "mqm", "value": 5, "hundred": 80,
                     "higher_is_better": False}]],
    }  # fmt: skip
    from metra.scores.judgement_jsonl import SCHEMA

    path = tmp_path / "judgements.jsonl"
    path.write_text(json.dumps(entry | {"schema": SCHEMA}) + "\n")
    scores = evaluate_spans(f"spans:file={path}", {"a": ["a dog"]})
    assert scores["a"].score == -5
    assert [each.text for each in scores["a"].details] == ["dog"]


@pytest.mark.parametrize(
    ("mark", "place"),
    [
        pytest.param(Mark("minor", 2, 9), None, id="beyond the end"),
        pytest.param(Mark("minor", 2, 5), (2, 5), id="in the text"),
        pytest.param(Mark("minor", 5, 5), None, id="empty"),
        pytest.param(Mark("minor", text="dog"), (2, 5), id="words"),
        pytest.param(Mark("minor", text="cat"), None, id="other words"),
    ],
)
def test_places_outside_the_text_are_not_shown(mark, place):
    assert build_spans("", {}).locate(mark, "a dog") == place


def test_scores_of_xcomet_bring_its_errors(tmp_path):
    path = tmp_path / "x.json"
    write_comet(path)
    metric = metra.metric(f"xcomet@{path}")
    marks = metric.notes.marked().list_marks("a", 0)
    assert [mark.severity for _, mark in marks] == ["major", "minor"]


BAD = [
    pytest.param(
        "m.tsv",
        "system\tsegment\tcategory\tseverity\na\t1\tx\tawful\n",
        "m.tsv has the severity 'awful' in segment 1 of 'a'; expected one of critical, "
        "major, minor, neutral, trivial.",
        id="severity",
    ),
    pytest.param(
        "m.tsv",
        "system\tsegment\tcategory\tseverity\nc\t1\tx\tminor\n",
        "m.tsv has no system named 'a'. Known: c.",
        id="system",
    ),
    pytest.param(
        "m.tsv",
        "system\tsegment\tcategory\tseverity\na\t3\tx\tminor\nb\t3\tx\tminor\n",
        "m.tsv refers to segment 3, but the text has 2 segments; the annotations must "
        "belong to the text.",
        id="segment",
    ),
    pytest.param(
        "m.txt",
        "a dog\n",
        "m.txt has no error spans in a known format; expected a table of MQM errors, "
        "ratings of mt-metrics-eval, ESA by Appraise, results of Pearmut, xCOMET's "
        "JSON, judgements of metra, or JSON lines with system, segment and errors.",
        id="no spans",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_bad_files_say_where(tmp_path, monkeypatch, name, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(MetraError) as error:
        evaluate_spans(f"spans:file={name}")
    assert str(error.value) == message


def test_a_segment_alone_has_no_errors(tmp_path):
    path = tmp_path / "mqm.tsv"
    path.write_text(MQM)
    with pytest.raises(CorpusError, match="a single segment"):
        metra.metric(f"spans:file={path}").sentence("a dog")
