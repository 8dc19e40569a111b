"""From judgements to the workbook's tables and to files that measures read."""

from dataclasses import replace

import pytest
from tests.campaign.answers import average, made
from tests.campaign.campaigns import REFERENCE, SYSTEMS, answered, opened
from tests.meta.evaluators import build_results

from metra.campaign.codebook import describe_word_counting, write_codebook
from metra.campaign.judgement import build_campaign_scores
from metra.campaign.measurements import (
    add_judged_outputs,
    collect_judged_outputs,
    compute_running_scores,
)
from metra.campaign.protocols.effort import (
    Chips,
    Edit,
    Reading,
    count_edits,
    get_changes,
)
from metra.campaign.protocols.questions import (
    ComprehensionQuestion,
    Gaps,
    QuestionSet,
    Template,
)
from metra.campaign.protocols.registry import protocol
from metra.campaign.second_look import write_annotations, write_entities, write_terms
from metra.campaign.translations import read_guide
from metra.campaign.uploads import read_material
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError
from metra.formats.annotations.judged_outputs import format_judged_outputs
from metra.meta.exercise import run_exercise
from metra.meta.measures import tabulate_texts
from metra.report.writers.exercise import write_exercise_tables
from metra.scoring.memory import evaluate
from metra.text.corrections import infer_changes
from metra.text.words import split_workbook_words


def test_a_control_has_a_row_of_its_own():
    questions = {"trip": [["?", ["x"], []]], "brake": [["?", ["x"], []]]}
    frozen = opened(
        "comprehension", {"questions": questions}, judges=["a", "b", "c"], each=1
    )

    def value(task, _):
        right = task.kind != "control"
        return {"comprehension": {"answers": ["x" if right else None]}}

    means = average(answered(frozen, value)).items()
    assert {system: hundred for (system, _), (_, hundred, _) in means} == {
        **{"good": 100, "bad": 100, "no text": 0}
    }


@pytest.mark.parametrize(
    ("output", "correction"),
    [
        pytest.param("a b c d\ne f", "c d a b\ne g", id="line by line"),
        pytest.param("a b c d\ne f", "c d a b e g", id="lines joined"),
        pytest.param("same", "same", id="nothing to do"),
    ],
)
def test_hter_is_metras_ter(output, correction):
    found = count_edits(output, correction)
    hyps, refs = output.split("\n"), correction.split("\n")
    if len(hyps) != len(refs):
        hyps, refs = [output], [correction]
    score = evaluate(EvalSet([refs]), {"s": hyps}, ["ter"])["s"]["ter"].score
    assert 100 * found.edits / found.words == pytest.approx(score)


def test_how_words_were_counted_is_said_where_scores_are():
    frozen = opened("minimal-correction", judges=["zoe"], each=1, complete=True)
    assert frozen.protocol.steps[0].asks.language == "en"
    found = answered(frozen, lambda task, _: {"syntax": {"text": task.items[0].text}})
    assert "Words are separated by spaces" in write_codebook(found, frozen)
    thai = [replace(one, value=thai_value()) for one in found]
    said = write_codebook(thai, frozen)
    assert "each letter with its marks counts as a word" in said
    both = describe_word_counting([*found, *thai])
    assert both.startswith("Words are separated by spaces. In scripts")
    assert describe_word_counting([]) == ""


def test_running_figures_count_letters_where_there_are_no_blanks():
    corpus = Outputs(EvalSet([["市場が開く。"]], ["s"]), {"one": ["市場は開く。"]})
    wishes = {"judges": ["a"], "each": 1, "repeats": 0, "degraded": 0}
    frozen = opened("evaltrans", target_language="ja", corpus=corpus, **wishes)
    running = compute_running_scores(frozen, [])
    assert running["one"]["mwer"] == pytest.approx(100 / 6)


def thai_value():
    value = {"text": "ตลาดเปิด"}
    return {"syntax": Chips().check(value, "syntax", {"output": "ตลาดเปิด"})}


def tagged(name, words, *, judges=("zoe",), variants=()):
    frozen = opened(name, judges=list(judges), each=len(judges))

    def value(task, _):
        text = task.items[0].text
        return {
            "tags": {
                "tags": [
                    {"start": text.index(word), "end": text.index(word) + len(word)}
                    | ({"type": kind} if kind else {})
                    | ({"variants": list(variants)} if variants else {})
                    for word, kind in words.items()
                    if word in text
                ]
            }
        }

    return answered(frozen, value)


def scores(spec, outputs=None):
    outputs = outputs or {"good": SYSTEMS["good"], "none": ["x"] * 3}
    found = evaluate(EvalSet([REFERENCE]), outputs, [spec])
    return [next(iter(found[system].values())).score for system in outputs]


def test_tags_feed_the_measures_of_names_and_terms(write):
    names = write_entities(
        tagged("entity-tagging", {"Ann": "PERSON", "Rome": "LOCATION"})
    )
    path = write("names.tsv", names.encode())
    assert scores(f"entities:file={path}") == [100, 0]
    terms = write_terms(tagged("term-marking", {"brake": ""}, variants=["brakes"]))
    path = write("terms.tsv", terms.encode())
    assert scores(f"terminology:file={path}") == [100, 0]
    assert "brake\tbrakes\t3" in terms


def test_the_file_of_tags_is_called_as_its_metric_wants_it():
    names = tagged("entity-tagging", {"Ann": "PERSON"})
    terms = tagged("term-marking", {"brake": ""})
    assert write_annotations(names) == ("entities.tsv", write_entities(names))
    assert write_annotations(terms) == ("terms.tsv", write_terms(terms))
    assert write_annotations([]) is None
    assert write_annotations([made("one", 1, "ann", 3)]) is None


def test_tags_of_two_raters_are_reconciled_before_they_are_written():
    both = tagged("term-marking", {"brake": ""}, judges=("ann", "bob"))
    with pytest.raises(CorpusError, match="ann and bob tagged the same texts"):
        write_terms(both)


def test_a_judge_sees_her_own_judgements():
    frozen = opened("evaltrans", repeats=0, degraded=0)
    assert add_judged_outputs(frozen, []) is frozen
    first, second, *_ = answered(frozen, lambda *_: {"evaltrans": {"score": 4}})
    other = replace(second, segment=first.segment + 1, outputs=("x",))
    known = {str(first.segment): [["a", 7.0]]}
    begun = replace(frozen, material=frozen.material | {"judged": known})
    assert add_judged_outputs(begun, [first, other]).material == frozen.material | {
        "judged": {
            str(first.segment): [["a", 7.0], [first.outputs[0], 4.0]],
            str(other.segment): [["x", 4.0]],
        }
    }
    assert begun.material["judged"] == {str(first.segment): [["a", 7.0]]}


def test_evaltrans_runs_along_with_the_judgements(write):
    frozen = opened("evaltrans", repeats=0, degraded=0)
    nothing = compute_running_scores(frozen, [])
    assert "sser" not in nothing["bad"]
    found = answered(frozen, lambda *_: {"evaltrans": {"score": 4}})
    running = compute_running_scores(frozen, found)
    good, bad = running["good"], running["bad"]
    assert (good["sser"], bad["sser"]) == (60, 60)
    assert bad["mwer"] == 100  # 5, 2 and 4 edits for 5, 2 and 4 words
    judged = collect_judged_outputs(frozen, found)
    assert len(judged) == 12
    path = write("judged.tsv", list(format_judged_outputs(judged)))
    again = [100 - score for score in scores(f"evaltrans:db={path}", SYSTEMS)]
    assert again == pytest.approx([good["sser"], bad["sser"]])


def row(metric, evaluator, text, score, translation="t"):
    return metric, evaluator, text, translation, score, score


def test_the_exercise_worked_by_hand():
    scores = build_results(
        [
            *(row("H4b", "ann", at, s) for at, s in (("1", 40), ("2", 60), ("3", 80))),
            *(row("H4b", "bob", at, s) for at, s in (("1", 50), ("2", 70))),
            *(
                row("bleu", "metra", at, s)
                for at, s in (("1", 10), ("2", 20), ("3", 25))
            ),
        ]
    )
    found = run_exercise({"": scores})
    human, metric = found.reliability
    assert (human.evaluators, human.translations, human.shared) == (2, 3, 2)
    assert human.mean == pytest.approx((45 + 65 + 80) / 3)
    assert human.deviation == pytest.approx(50**0.5)  # both pairs are ten apart
    # Squares within pairs: 100 on average; between any two of the four: 2000 / 6.
    assert human.agreement == pytest.approx(1 - 100 / (2000 / 6))
    assert metric.deviation is None
    assert metric.reason == "no translation has two evaluators"
    [pair] = found.correlations
    assert (pair.translations, pair.spearman) == (3, 1)
    assert pair.pearson == pytest.approx(800 / (1850 * 350) ** 0.5)
    tables = write_exercise_tables(found)
    assert tables["matrix.tsv"].split("\n")[0] == "metric\tH4b\tbleu"
    assert "n/a" in tables["reliability.tsv"]
    assert found.correlations[0].one == "H4b"


def test_material_is_read_from_its_files(write):
    questions = write(
        "q.tsv",
        ["document\tquestion\tanswer\tchoices", "d\tWhy?\tB\tA|B", "d\tWho?\tx | y\t"],
    )
    baseline = write("b.txt", ["one", "two"])
    judged = write("j.tsv", ["source\toutput\tscore", "1\ta\t7"])
    templates = write("t.tsv", ["document\tslot\tvalue", "d\twho\tAnn"])
    found = read_material(
        {
            "questions": str(questions),
            "baseline": str(baseline),
            "judged": str(judged),
            "templates": str(templates),
        }
    )
    assert found == {
        "questions": {"d": [["Why?", ["B"], ["A", "B"]], ["Who?", ["x", "y"], []]]},
        "baseline": "one\ntwo",
        "judged": {"1": [["a", 7.0]]},
        "templates": {"d": [["who", "Ann"]]},
    }


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param("d\tWhy?\tC\tA|B", "expected one of the choices", id="no choice"),
        pytest.param("d\t\tC\t", "an empty cell", id="no question"),
    ],
)
def test_questions_that_cannot_be_answered(write, line, says):
    path = write("q.tsv", ["document\tquestion\tanswer\tchoices", line])
    with pytest.raises(FormatError, match=says):
        read_material({"questions": str(path)})


def test_what_has_no_score_enters_no_mean():
    frozen = opened("cloze", cloze={"every": 3})

    def value(task, _):
        count = len(frozen.protocol.steps[0].asks.places(task.items[0].text))
        return {"cloze": {"answers": ["thing"] * count}}

    means = average(answered(frozen, value))
    assert {scorer for _, scorer in means} == {"cloze-exact"}
    assert [hundred for _, hundred, _ in means.values()] == [0, 0]


MARY = (
    "Mary, who had gone to see the fountain (in the center of town), said that it was "
    "turned off."
)


def natives(asks, value, output, name):
    checked = asks.check(value, name, {"output": output})
    return {one.scorer: one.value for one in asks.scores(checked, name)}


def words(count):
    return " ".join(["word"] * count)


def cloze(close):
    """Sixteen gaps of 128 words; ten exact answers, three close ones of the other six."""
    text = " ".join(f"w{at}" for at in range(1, 129))
    asks = Gaps()
    right = [f"w{8 * at}" for at in range(1, 17)]
    given = {"answers": right[:10] + ["near"] * 6}
    checked = asks.check(given, "cloze", {"output": text})
    checked["key"]["close"] = [None] * 10 + close
    return {one.scorer: one.value for one in asks.scores(checked, "cloze")}


CASES = [
    pytest.param(
        lambda: natives(Reading(natural=200), {"ms": 90_000}, words(300), "wpm"),
        {"wpm": 200},
        id="H1: 300 words in a minute and a half are 200 a minute",
    ),
    pytest.param(
        lambda: natives(
            Reading(aloud=True, natural=150), {"ms": 30_000}, words(60), "wpm"
        ),
        {"wpm": 120},
        id="H1: aloud, 60 words in half a minute are 120 a minute",
    ),
    pytest.param(
        lambda: natives(
            Edit(),
            {"text": words(400), "ms": 20 * 60_000, "keys": {"letter": 800}},
            words(400),
            "correction",
        ),
        {"correction-time": 0.5, "correction-keys": 2, "hter": 0},
        id="H2: 20 minutes / 400 words x 10 = 0.5, and 800 keys / 400 words = 2",
    ),
    pytest.param(
        lambda: cloze([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        {"cloze-exact": 62.5, "cloze-close": 50},
        id="H3: 10 of 16 exact, and 3 close of the 16 - 10 others",
    ),
    pytest.param(
        lambda: natives(
            QuestionSet(
                tuple(ComprehensionQuestion(f"{at}?", ("yes",)) for at in range(8))
            ),
            {"answers": ["yes"] * 6 + [None, "no"]},
            "",
            "comprehension",
        ),
        {"comprehension": 75},
        id="H6: 6 of 8 questions",
    ),
    pytest.param(
        lambda: natives(
            Template().bind(
                {
                    "templates": {
                        "d": [
                            ["person", "Ann"],
                            ["organisation", "the bank"],
                            ["belongs to", "Ann / the bank"],
                            ["place", "Rome"],
                        ]
                    }
                },
                "d",
                0,
            ),
            {
                "filled": [
                    ["person", "Ann"],
                    ["organisation", "the bank"],
                    ["place", "Paris"],
                ]
            },
            "",
            "template",
        ),
        {
            "template": pytest.approx(400 / 7),
            "template-precision": pytest.approx(200 / 3),
            "template-recall": 50,
            "template-error": 50,
            "template-undergeneration": 25,
            "template-overgeneration": 0,
            "template-substitution": pytest.approx(100 / 3),
        },
        id="H6: two slots right of three filled and four expected",
    ),
]


@pytest.mark.seed("5.56")
@pytest.mark.seed("5.60")
@pytest.mark.seed("5.61")
@pytest.mark.parametrize(("found", "expected"), CASES)
def test_by_hand(found, expected):
    assert found() == expected


@pytest.mark.seed("5.28", prints="there are 24 tokens")
def test_a4a_the_sentence_has_24_tokens():
    assert len(split_workbook_words(MARY)) == 24


@pytest.mark.seed("5.30", prints="one deletion and 3 moves")
def test_a4a_four_words_moved_of_which_one_is_deleted():
    # "in the center of" goes to the front, without "the".
    words_of = split_workbook_words(MARY)
    start = words_of.index("(") + 1
    assert words_of[start : start + 4] == ["in", "the", "center", "of"]
    moved = [start, start + 2, start + 3]
    rest = [at for at in range(24) if not start <= at < start + 4]
    chips = [{"origin": at, "text": words_of[at]} for at in moved + rest]
    checked = Chips().check({"chips": chips}, "syntax", {"output": MARY})
    assert tuple(get_changes(checked)) == (
        0,
        1,
        0,
        3,
    )  # added, deleted, substituted, moved
    assert Chips().scores(checked, "syntax")[0].value == pytest.approx(100 * 4 / 24)
    # Inferred from the two texts it is the same.
    assert infer_changes(words_of, [one["text"] for one in chips]) == get_changes(
        checked
    )


SCALES = [
    pytest.param("intelligibility", 0, 3, id="H4a: 0 to 3"),
    pytest.param("clarity", 0, 3, id="H4b: 0 to 3"),
    pytest.param("adequacy", 1, 5, id="H5: 1 to 5"),
]


@pytest.mark.seed("5.66", prints="This measure ranges between 0 and 3")
@pytest.mark.parametrize(("name", "low", "high"), SCALES)
def test_scales_from_their_worst_to_their_best_are_0_to_100(name, low, high):
    asked = protocol(name)
    for at in range(low, high + 1):
        [[scored]] = asked.scores(asked.check({name: at}, {"output": "x"}))
        assert (scored.value, scored.hundred) == (
            at,
            pytest.approx(100 * (at - low) / (high - low)),
        )


@pytest.mark.seed("5.65")
@pytest.mark.parametrize("name", ["intelligibility", "clarity"])
def test_h4_a_text_is_the_mean_of_its_sentences(name):
    frozen = opened(name, each=1, complete=True, repeats=0, degraded=0, judges=["ann"])
    given = {0: 3, 1: 2, 2: 0}
    found = answered(frozen, lambda task, at: {name: given[task.items[at].segment]})
    scores = {
        text: score
        for text, system, _, evaluator, _, score, *_ in tabulate_texts(
            build_campaign_scores(found)
        )
        if (system, evaluator) == ("good", "")
    }
    assert scores == {"trip": pytest.approx(100 * 2.5 / 3), "brake": 0}


@pytest.mark.seed(
    "5.16",
    prints="average score of 0.0 results in a SSER of 100%",
)
@pytest.mark.parametrize(
    ("score", "sser"),
    [
        pytest.param(0, 100, id="an average of 0 is an SSER of 100 %"),
        pytest.param(10, 0, id="an average of 10 is an SSER of 0 %"),
        pytest.param(7, 30, id="an average of 7 is one of 30 %"),
    ],
)
def test_a2_the_subjective_sentence_error_rate(score, sser):
    frozen = opened(
        "evaltrans", each=1, complete=True, repeats=0, degraded=0, judges=["a"]
    )
    found = answered(frozen, lambda *_: {"evaltrans": {"score": score}})
    for figures in compute_running_scores(frozen, found).values():
        assert figures["sser"] == pytest.approx(sser)
    assert {native for native, *_ in average(found).values()} == {score}


def score_of(spec, reference, output):
    found = evaluate(EvalSet([[reference]]), {"s": [output]}, [spec])
    return next(iter(found["s"].values())).score


@pytest.mark.seed("5.24")
def test_a3_names_are_found_after_the_workbooks_normalisation(write):
    names = "segment\ttype\ttext\n" + "".join(
        f"1\t{kind}\t{text}\n"
        for kind, text in [
            ("LOCATION", "São Paulo"),  # ã becomes a
            ("PERSON", "MARY"),  # down-casing
            ("QUANTITY", "twenty-one"),  # numbers under 100
            ("ORGANIZATION", "Miller's"),  # possessives
            ("PERSON", "Doyon"),  # only exact matches count
        ]
    )
    path = write("names.tsv", names.encode())
    output = "Mary of Sao Paulo saw 21 at Miller with Doyen."
    assert score_of(f"entities:file={path}", "x", output) == 80


@pytest.mark.seed("5.47")
def test_a5b_a_point_for_each_term_that_matches_exactly(write):
    listed = ("brake pad", "disc brake", "caliper", "piston")
    terms = "term\tsegment\n" + "".join(f"{term}\t1\n" for term in listed)
    path = write("terms.tsv", terms.encode())
    reference = "The brake pad, the disc brake, the caliper and the piston."
    output = "The brake pad, the brake disc, the caliper and the pistons."
    assert score_of(f"terminology:file={path}", reference, output) == 50


#: Labels of scales as the lecture of 2008 (LDC) and the ISLE workbook (H4a, H5) print them.
PRINTED_SCALES = [
    (
        "ldc",
        "fluency",
        "002",
        ["Incomprehensible", "Disfluent", "Non-native", "Good", "Flawless"],
    ),
    ("ldc", "adequacy", "002", ["None", "Little", "Much", "Most", "All"]),
    ("adequacy", "adequacy", "004", ["None", "Little", "Much", "Most", "All"]),
    (
        *("intelligibility", "intelligibility", "004"),
        [
            "Unintelligible",
            "Barely intelligible",
            "Fairly intelligible",
            "Very intelligible",
        ],
    ),
]


@pytest.mark.seed("1.16")
@pytest.mark.seed("3.6", prints="Disfluent")
@pytest.mark.seed("3.7", prints="Little")
@pytest.mark.seed("5.63", prints="2 Fairly intelligible")
@pytest.mark.seed("5.67", prints="Little")
@pytest.mark.parametrize(("name", "step", "document", "labels"), PRINTED_SCALES)
def test_scales_have_the_labels_of_the_documents(shared, name, step, document, labels):
    [printed] = (shared / "seeds").glob(f"{document}_*.txt")
    text = printed.read_text()
    asked = next(one for one in protocol(name).steps if one.name == step)
    anchors = sorted(asked.asks.anchors, key=lambda anchor: anchor.at)
    assert [anchor.label for anchor in anchors] == labels
    for anchor in anchors:
        assert anchor.label in text
        # A description may say in other words what the label says, and adds no condition.
        if name != "intelligibility":
            assert not {"error", "lost", "wrong", "hard"} & {*anchor.text.split()}


@pytest.mark.seed("3.36")
def test_judges_read_what_a_fluent_sentence_is():
    [definition] = (
        point
        for point in read_guide("ldc").points
        if point.startswith("A fluent sentence")
    )
    for aspect in (
        "grammatical",
        "spelled",
        "terms, titles and names",
        "native speakers",
    ):
        assert aspect in definition


@pytest.mark.seed("3.4")
@pytest.mark.seed("3.5", prints='< 30"/sentence')
def test_fluency_comes_alone_and_adequacy_beside_the_reference_in_30_seconds():
    fluency, adequacy = protocol("ldc").steps
    assert (fluency.name, fluency.shows) == ("fluency", ())
    assert (adequacy.name, adequacy.shows) == ("adequacy", ("basis",))
    assert (protocol("ldc").basis, protocol("ldc").guidance_seconds) == (
        "reference",
        30,
    )
