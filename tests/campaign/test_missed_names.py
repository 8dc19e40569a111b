"""Names that were not found, looked for again: cases, answers, and the file that follows."""

from dataclasses import replace

import pytest
from tests.campaign.campaigns import answered, opened

from metra.campaign.assignment import assign
from metra.campaign.protocols.spans import Missed, find_missed_names
from metra.campaign.screen import get_screen_protocol
from metra.campaign.second_look import write_annotations
from metra.campaign.uploads import read_material
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError
from metra.report.campaign_files import export_judgements, list_formats
from metra.scoring.memory import evaluate

REFERENCE = ["Mayor Aufray met Ms Novak in Munich.", "It rained.", "Novak left."]
OUTPUTS = {
    "one": ["Mayor Aufray met Mrs Nowak in München.", "It rained.", "Novak left."],
    "two": ["Mayor Aufray met Mrs Nowak in München.", "It rained.", "She left."],
}
NAMES = {
    "1": [["PERSON", "Aufray"], ["PERSON", "Novak"], ["LOCATION", "Munich"]],
    "3": [["PERSON", "Novak"]],
}


def checking(outputs=OUTPUTS, names=NAMES, judges=("zoe",)):
    corpus = Outputs(EvalSet([REFERENCE]), outputs)
    wishes = {"corpus": corpus, "judges": judges, "each": len(judges)}
    return opened("entity-check", {"entities": names}, **wishes)


def test_only_outputs_that_lack_names_are_looked_at_and_equal_ones_once():
    found = checking()
    assert [segment.references[0] for segment in found.segments] == [
        REFERENCE[0],
        REFERENCE[2],
    ]
    [system] = found.systems
    assert (system.name, system.outputs) == (
        "outputs",
        (OUTPUTS["one"][0], "She left."),
    )
    tasks = assign(found, secret=b"s" * 32)
    asked = {
        task.items[0].segment: get_screen_protocol(found, task).steps[0].asks
        for task in tasks
    }
    first, second = asked[0], asked[1]
    assert first.names == (("PERSON", "Novak"), ("LOCATION", "Munich"))
    assert (second.names, second.segment) == ((("PERSON", "Novak"),), 3)
    # Nothing comes back, nothing is spoilt: there is one right answer.
    assert (found.repeats, found.degraded) == (0, 0)
    assert "one" not in str(found.material["cases"][0]["missed"])


def forms(task, _, said=("Nowak", "München")):
    text = task.items[0].text
    places = [
        {"start": text.index(form), "end": text.index(form) + len(form)}
        if form in text
        else None
        for form in said
    ]
    return {"missed": {"found": places if "Mayor" in text else [None]}}


def test_other_forms_feed_the_measure_of_names(write):
    made = checking()
    found = answered(made, forms)
    name, table = write_annotations(found, made)
    assert name == "entities.tsv"
    assert table == (
        "segment\ttype\ttext\tvariants\n"
        "1\tPERSON\tAufray\t\n1\tPERSON\tNovak\tNowak\n"
        "1\tLOCATION\tMunich\tMünchen\n3\tPERSON\tNovak\t\n"
    )
    plain = "segment\ttype\ttext\n" + "".join(
        f"{at}\t{kind}\t{text}\n"
        for at, listed in NAMES.items()
        for kind, text in listed
    )
    scores = []
    for at, text in enumerate((plain, table)):
        path = write(f"names.{at}.tsv", text.encode())
        result = evaluate(EvalSet([REFERENCE]), OUTPUTS, [f"entities:file={path}"])
        scores.append([next(iter(result[one].values())).score for one in OUTPUTS])
    assert scores == [[50, 25], [100, 75]]
    assert read_material({"entities": str(path)})["entities"] == NAMES


def test_more_than_half_of_those_who_looked_have_to_find_it():
    made = checking(judges=("ann", "bob", "eve"))

    def value(task, number):
        said = ("Nowak", "München" if task.judge == "ann" else "nothing")
        return forms(task, number, said)

    _, table = write_annotations(answered(made, value), made)
    assert "Novak\tNowak\n" in table
    assert "Munich\t\n" in table


def test_the_file_is_among_the_exports():
    made = checking()
    assert "annotations" in list_formats("entity-check")
    assert "texts" not in list_formats("entity-check")
    found = answered(made, forms)
    assert b"Munich\tM" in export_judgements("annotations", found, made).content
    assert export_judgements("zip", found, made).content
    with pytest.raises(OptionError, match="has no tags"):
        export_judgements("annotations", found)


def test_nothing_missed_is_nothing_to_check():
    same = {"one": REFERENCE}
    with pytest.raises(CorpusError, match="none of 4 names is missing"):
        checking(same)
    with pytest.raises(CorpusError, match=r"give files\.entities"):
        checking(names={})


@pytest.mark.parametrize(
    ("value", "says"),
    [
        pytest.param({"found": []}, "expected 1 span", id="too few"),
        pytest.param({"found": [{"start": 0, "end": 9}]}, "within the 3", id="outside"),
        pytest.param(
            {"found": [{"start": 1, "end": 1}]}, "non-empty range", id="empty"
        ),
        pytest.param({"found": ["x"]}, "an entry start and end", id="no place"),
    ],
)
def test_refused(value, says):
    asks = Missed((("PERSON", "Ann"),), 1)
    with pytest.raises(OptionError, match=says):
        asks.check(value, "missed", {"output": "a b"})


def test_an_exported_answer_reads_as_it_was():
    asks = Missed((("PERSON", "Ann"),), 4)
    value = {"found": [{"start": 0, "end": 1}]}
    checked = asks.check(value, "missed", {"output": "a b"})
    assert checked["found"][0]["text"] == "a"
    again = replace(Missed(), keyed=True).check(checked, "missed", {"output": "a b"})
    assert again == checked
    assert asks.scores(checked, "missed") == []


def test_a_name_listed_twice_is_one_name():
    names = {"1": [["PERSON", "Ann"], ["PERSON", "ANN"]]}
    assert find_missed_names([["Bob"]], names, "en")[0]["missed"] == [["PERSON", "ANN"]]
