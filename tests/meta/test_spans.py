"""The question `spans`: programs and raters against raters, from files and judgements."""

import json

import pytest
from tests.campaign.answers import made

from metra.campaign.judgement import format_judgement_lines
from metra.errors import MetraError
from metra.meta.options import SpanOptions
from metra.meta.spans import agree_on_marks, evaluate_spans
from metra.scores.registry import read_spans
from metra.scores.spans import arrange_spans, collect_spans, join_spans

MQM_HEADER = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"
)
#: Two raters of two outputs; an error of the source, a neutral mark and an omission.
MQM = [
    MQM_HEADER,
    "a\td\t1\t1\tann\tx\tthe <v>red</v> house stood\tStyle/Odd\tMinor",
    "a\td\t1\t1\tbob\tx\tthe <v>red house</v> stood\tAccuracy/Odd\tMajor",
    "a\td\t1\t1\tbob\tx\tthe red house <v>stood</v>\tStyle/Odd\tNeutral",
    "a\td\t2\t2\tann\t<v>y</v>\tit rained\tSource error\tMajor",
    "a\td\t2\t2\tann\ty\tit <v>rained</v>\tStyle/Odd\tMinor",
    "a\td\t2\t2\tbob\ty\tit rained\tNo-error\tNo-error",
    "a\td\t2\t2\tbob\ty\tit rained\tFound\tHOTW-test",
    "a\td\t2\t2\tbob\ty\tit rained\tAccuracy/Omission\tMinor",
]
PROGRAM = [
    '{"system": "a", "segment": 1, "source": "prog",'
    ' "errors": [{"span": "red", "severity": "major"}]}',
    '{"system": "a", "segment": 2, "source": "prog", "errors": []}',
]


@pytest.fixture
def files(write):
    return write("mqm.tsv", MQM), write("prog.jsonl", PROGRAM)


def list_by_output(marks):
    """List the spans of each output by rater, outputs as they appear."""
    listed = [{} for _ in marks.length]
    for rating, (output, rater) in enumerate(
        zip(marks.output, marks.rater, strict=True)
    ):
        listed[output][marks.raters[rater]] = marks.spans[rating]
    return listed


def test_files_become_marks_by_output_and_rater(files):
    marks, unplaced = arrange_spans(
        join_spans([read_spans(str(path)) for path in files])
    )
    assert list_by_output(marks) == [
        {
            "ann": [(4, 7, False)],
            "bob": [(4, 13, True)],
            # Only its words are known, and the text is that of the other file.
            "prog": [(4, 7, True)],
        },
        {"ann": [(3, 9, False)], "bob": [], "prog": []},
    ]
    assert marks.length.tolist() == [19, 9]
    assert unplaced == {"source": 1, "missing": 1}
    assert marks.raters == ("ann", "bob", "prog")


def test_a_program_against_each_rater(files):
    read = [read_spans(str(path)) for path in files]
    options = SpanOptions(gold=("ann", "bob"), trials=20)
    found = evaluate_spans(read, options)
    (prog,) = found.scores
    # 3 characters at half credit for ann and 3 in full for bob, of 3 predicted each time.
    assert prog.values["characters", "precision"] == pytest.approx(4.5 / 6)
    assert prog.values["characters", "recall"] == pytest.approx(4.5 / (3 + 9 + 6))
    assert prog.values["spans", "precision"] == pytest.approx((0.5 + 1) / 2)
    assert prog.values["spans", "recall"] == pytest.approx((0.5 + 3 / 9) / 3)
    assert prog.values["exact", "F"] == pytest.approx(
        2 * 0.25 * 0.5 / 3 / (0.25 + 0.5 / 3)
    )
    assert prog.values["characters", "severity"] == pytest.approx(3 / 6)
    assert (prog.outputs, prog.predicted, prog.gold) == (2, 1, 3)
    ceiling = {each.name: each.values["characters", "F"] for each in found.ceiling}
    # 3 characters at half credit, of 9 that ann marked and 9 that bob marked.
    assert ceiling == pytest.approx({"ann": 1.5 / 9, "bob": 1.5 / 9})
    assert found.agreement.overall.values["characters", "F"] == pytest.approx(
        2 * 1.5 / (9 + 9)
    )


def test_outputs_tell_where_words_are(files):
    program = [read_spans(str(files[1]))]
    places = [
        {"source": "gold", "errors": [{"start": 0, "end": 3, "severity": "minor"}]}
    ]
    lines = [json.dumps({"system": "a", "segment": 1, **each}) for each in places]
    other = files[0].with_name("gold.jsonl")
    other.write_text("\n".join(lines) + "\n")
    read = [read_spans(str(other)), *program]
    options = SpanOptions(gold=("gold",), trials=0)
    with_texts = evaluate_spans(read, options, outputs={"a": ["red sky", "x"]})
    assert with_texts.scores[0].values["characters", "F"] == pytest.approx(0.5)
    without = evaluate_spans(read, options)
    assert without.unplaced == {"unknown": 1}
    assert without.scores[0].values["characters", "F"] == 0


def test_the_same_rater_of_two_files_is_two(write):
    paths = [write(f"{name}.jsonl", PROGRAM) for name in ("one", "two")]
    read = [read_spans(str(path)) for path in paths]
    marks, _ = arrange_spans(join_spans(read, {"a": ["red", "x"]}))
    assert marks.raters == ("prog", "prog (two)")


def test_a_rater_without_a_name_is_called_like_the_file(write):
    line = '{"system": "a", "segment": 1, "errors": []}'
    read = [read_spans(str(write(f"{name}.jsonl", [line]))) for name in "xy"]
    marks, _ = arrange_spans(join_spans(read, {"a": ["red"]}))
    assert marks.raters == ("x", "y")


ESA_PLACES = pytest.param(None, (2, 5), id="without the text, as code points")


@pytest.mark.parametrize(
    ("text", "place"),
    [ESA_PLACES, pytest.param("😀 dog", (1, 4), id="with the text, as UTF-16 units")],
)
def test_places_in_utf16(text, place, write):
    marks = '[{""start_i"": 2, ""end_i"": 4, ""severity"": ""major"", ""error_type"": """"}]'
    line = f'r1,a,1,TGT,eng,deu,50,d,False,"{marks}",1.0,2.0'
    read = read_spans(str(write("esa.csv", [line])))
    marks, _ = arrange_spans(join_spans([read], {"a": [text]}))
    assert list_by_output(marks) == [{"r1": [(*place, True)]}]


def test_report_and_command_give_every_figure(files, cli):
    ran = cli("meta", "spans", *files, "--gold", "ann,bob", "--trials", "20")
    assert ran.code == 0, ran.err
    assert "Error spans against each of 2 raters" in ran.out
    assert "1 mark is in the source: left out." in ran.out
    assert "Outputs by number of raters: 2 by 3." in ran.out
    ran = cli("meta", "spans", *files, "--gold", "ann,bob", "--format", "json")
    data = json.loads(ran.out)
    by_table = {each["table"]: each for each in data["figures"]}
    counts = {
        key: by_table["spans"][key] for key in ("name", "outputs", "predicted", "gold")
    }
    # Of raters' spans, ann has two and bob one.
    assert counts == {"name": "prog", "outputs": 2, "predicted": 1, "gold": 3}
    assert by_table["pairs"]["name"] == "ann – bob"
    figure = by_table["spans"]["figures"]["characters precision"]
    assert figure["value"] == pytest.approx(0.75)
    assert figure["interval"] is None  # of two outputs
    assert "outputs:2|boot:segments k=1000|seed:12345|credit:0.5" in data["signature"]


REFUSED = [
    pytest.param(["--gold", "nobody"], "No rater named 'nobody'", id="unknown gold"),
    pytest.param(["--set", "credit=2"], "--set credit=2", id="credit"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_refused_options(options, message, files, cli):
    ran = cli("meta", "spans", files[0], *options)
    assert ran.code == 2
    assert message in ran.err


def test_nothing_to_compare(write):
    lone = [read_spans(str(write("one.tsv", [*MQM[:2], MQM[5]])))]
    with pytest.raises(MetraError, match="No output was annotated by two raters; add"):
        evaluate_spans(lone)
    silent = [read_spans(str(write("two.tsv", [MQM[0], MQM[6]])))]
    with pytest.raises(MetraError, match="No error is marked in any output"):
        evaluate_spans(silent)
    elsewhere = (
        PROGRAM[0]
        .replace('"a"', '"b"')
        .replace('"span": "red"', '"start": 0, "end": 2')
    )
    other = read_spans(str(write("b.jsonl", [elsewhere])))
    with pytest.raises(MetraError, match="'prog' has marked none of the gold"):
        evaluate_spans([*lone, other], SpanOptions(gold=("ann",)))


def test_programs_alone_need_a_gold(write):
    xcomet = {
        "a.txt": [
            {
                "src": "x",
                "mt": "y",
                "COMET": 0.5,
                "errors": [
                    {
                        "text": "y",
                        "start": 0,
                        "end": 1,
                        "severity": "minor",
                        "confidence": 0.5,
                    }
                ],
            }
        ]
    }
    read = [read_spans(str(write("x.json", [json.dumps(xcomet)])))]
    with pytest.raises(MetraError, match="All errors were marked by programs"):
        evaluate_spans(read)


def mark(start, end, severity):
    place = {"side": "output", "start": start, "end": end}
    return {"severity": severity, "category": "accuracy/mistranslation", **place}


def test_results_of_a_campaign_tell_agreement_on_errors():
    def answer(judge, kind, *marks):
        more = {"outputs": ("one two three",), "name": "mqm"}
        return made("s", 1, judge, {"mqm": list(marks)}, kind, **more)

    answers = [
        answer("ann", "judged", mark(0, 3, "major")),
        answer("bob", "judged", mark(0, 7, "major")),
        answer("bob", "repeat", mark(9, 10, "minor")),
    ]
    found = agree_on_marks(collect_spans(answers))
    assert [each.name for each in found.pairs] == ["ann – bob"]
    assert found.overall.values["characters", "F"] == pytest.approx(6 / 10)
    assert found.with_text == 1
    assert agree_on_marks(collect_spans(answers[:1])) is None
    neutral = [answer(judge, "judged", mark(0, 3, "neutral")) for judge in "xy"]
    assert agree_on_marks(collect_spans(neutral)) is None
    assert agree_on_marks(collect_spans([made("s", 1, "ann", 3)])) is None


def test_exports_count_last_revisions_of_judged_outputs(tmp_path):
    def answer(judge, *marks, kind="judged", **more):
        made_with = {"outputs": ("one two three",), "name": "mqm", **more}
        return made("s", 1, judge, {"mqm": list(marks)}, kind, **made_with)

    path = tmp_path / "answers.jsonl"
    answers = [
        answer("ann", mark(0, 3, "major"), id="1", task="first"),
        answer("bob", mark(0, 3, "major"), id="2", task="second", revision=2),
        answer("bob", mark(8, 13, "minor"), id="3", task="second", revision=1),
        answer("ann", mark(4, 7, "minor"), id="4", task="first", revision=2),
        answer("ann", mark(8, 13, "minor"), kind="calibration", id="5", task="third"),
        answer("bob", mark(8, 13, "minor"), kind="degraded", id="6", task="fourth"),
    ]
    path.write_text("".join(format_judgement_lines(answers)))
    spans = read_spans(str(path))
    listed = [(judge, *each[:3]) for judge, each in spans.list_marks("s", 0)]
    assert sorted(listed) == [("ann", "minor", 4, 7), ("bob", "major", 0, 3)]


ROWS = "system\tdoc\tsegment\trater\tcategory\tseverity\tstart\tend"


def write_marks(path, rater, names, order=range(6)):
    """A table of marks; even segments have no error."""
    lines = [ROWS]
    for at in order:
        document, _, segment = names[at].rpartition("#")
        marked = f"minor\t{at}\t{at + 2}" if at % 2 else "no-error\t\t"
        lines.append(f"a\t{document}\t{segment}\t{rater}\tx\t{marked}")
    path.write_text("".join(f"{line}\n" for line in lines))
    return read_spans(str(path))


NUMBERED = [*map(str, range(1, 7))]
WITHIN = [f"{document}#{number}" for document in "de" for number in "123"]


@pytest.mark.parametrize(
    ("names", "others"),
    [
        pytest.param(NUMBERED, [*map(str, range(6))], id="from 0 and from 1"),
        pytest.param([f"s{n}" for n in NUMBERED], None, id="names in another order"),
        pytest.param(WITHIN, None, id="numbers within documents"),
    ],
)
def test_segments_are_the_same_whatever_their_order(tmp_path, names, others):
    files = [
        write_marks(tmp_path / "r.tsv", "r", names),
        write_marks(tmp_path / "s.tsv", "s", others or names, (5, 4, 3, 2, 1, 0)),
    ]
    agreement = evaluate_spans(files).agreement
    assert agreement.overall.values["exact", "F"] == 1
    assert agreement.overall.outputs == 6


def test_numbers_that_may_be_from_0_are_refused(tmp_path):
    names = [*map(str, range(6))]
    whole = write_marks(tmp_path / "r.tsv", "r", names)
    part = write_marks(tmp_path / "s.tsv", "s", names, range(1, 6))
    with pytest.raises(
        MetraError, match=r"from 0 to 5, but .*s.tsv from 1 to 5; count"
    ):
        join_spans([whole, part])


def test_files_with_other_texts_do_not_belong_together(tmp_path):
    path = tmp_path / "m.tsv"
    lines = ["system\tsegment\trater\ttarget\tcategory\tseverity"]
    lines += [
        f"a\t{n}\tr\t{word}\tx\tno-error" for n, word in enumerate(("one", "two"), 2)
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(
        MetraError, match=r"m.tsv has other texts for 2 of 2 outputs than"
    ):
        join_spans([read_spans(str(path))], {"a": ["one", "two", "three"]})
