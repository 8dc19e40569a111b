"""What of a corpus is judged: a sample, parts of outputs, references, no bad outputs."""

import io
import zipfile
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.campaign.answers import average
from tests.campaign.campaigns import (
    DOCUMENTS,
    REFERENCE,
    SECRET,
    SOURCE,
    SYSTEMS,
    answered,
    opened,
)
from tests.campaigns import check_answer, made
from tests.judged import parse_judgement_lines
from tests.tables import load_cases

from metra.campaign.assignment import assign
from metra.campaign.creation import draw_sample, freeze_campaign
from metra.campaign.judgement import blind_judgements, format_judgement_lines
from metra.campaign.protocols.registry import protocol
from metra.campaign.screen import build_screen
from metra.campaign.second_look import build_reconciliation, choose_gold_standard
from metra.campaign.uploads import read_material
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, OptionError
from metra.report.campaign_files import export_judgements, list_formats
from metra.scores.judgement import NOT_TRANSLATION


def files_of(zipped):
    with zipfile.ZipFile(io.BytesIO(zipped.content)) as files:
        return {name: files.read(name).decode() for name in files.namelist()}


# A sample


def sampled(**wishes):
    return made("adequacy", texts=5, per_text=4, unit="segment", **wishes)


def judged_places(frozen):
    tasks = assign(frozen, secret=SECRET)
    return sorted({item.segment for task in tasks for item in task.items})


def test_a_sample_of_segments():
    frozen = sampled(sample=6)
    places = judged_places(frozen)
    assert len(places) == 6
    assert places == sorted(frozen.material["sample"])
    assert places == judged_places(sampled(sample=6))
    assert places != judged_places(sampled(sample=6, seed=1))
    assert set(places) < set(judged_places(sampled(sample=9)))
    assert judged_places(sampled()) == list(range(20))


@pytest.mark.seed("3.2")
def test_a_sample_of_documents_and_within_documents():
    whole = judged_places(sampled(sample=2, sample_by="document"))
    assert Counter(place // 4 for place in whole) == Counter(
        dict.fromkeys({place // 4 for place in whole}, 4)
    )
    assert len(whole) == 8
    each = judged_places(sampled(sample=3, sample_by="within-document"))
    assert Counter(place // 4 for place in each) == Counter(dict.fromkeys(range(5), 3))
    assert judged_places(sampled(sample=9, sample_by="within-document")) == list(
        range(20)
    )


def test_every_segment_is_drawn_as_often():
    settings = replace(sampled().settings, sample=2)
    documents = dict.fromkeys(range(5), "")
    drawn = Counter(
        place
        for seed in range(500)
        for place in draw_sample(documents, replace(settings, seed=seed))
    )
    # 200 each are expected; four standard deviations are 44.
    assert all(abs(drawn[place] - 200) < 44 for place in documents)


def test_segments_keep_their_numbers_and_their_context():
    frozen = made("da-sqm", texts=2, per_text=4, sample=2, unit="segment")
    task = assign(frozen, secret=SECRET)[0]
    screen = build_screen(frozen, task, number=0, step=0)
    assert len(screen["context"]) == 3
    done = check_answer(frozen, task, {"da-sqm": 50}, id="1")
    assert done.segment == task.items[0].segment + 1


def test_whole_texts_are_drawn_as_one():
    frozen = opened("cloze", sample=1, each=1)
    assert len(frozen.texts) == 1
    assert len(judged_places(frozen)) == 1


def test_questions_are_needed_for_drawn_texts_only():
    drawn = opened("cloze", sample=1, each=1).segments
    place = opened("cloze", sample=1, each=1).material["sample"][0]
    questions = {drawn[place].document: [["Who?", ["Ann"], []]]}
    wishes = {"comprehension": {"control": False}, "each": 1}
    assert opened("comprehension", {"questions": questions}, sample=1, **wishes)
    with pytest.raises(CorpusError, match="has no questions for"):
        opened("comprehension", {"questions": questions}, **wishes)


def test_tags_of_a_sample_are_reconciled_in_it():
    frozen = opened("term-marking", sample=1, judges=["ann", "bob"])
    tags = answered(frozen, lambda *_: {"tags": {"tags": []}})
    second = build_reconciliation(frozen, tags, judges=["zoe"])
    assert len(assign(second, secret=SECRET)) == 1


NO_SAMPLE = [
    pytest.param({"sample": 21}, "only 20 segments; choose", id="too large"),
    pytest.param(
        {"sample": 6, "sample_by": "document"},
        "has only 5 documents",
        id="too many texts",
    ),
]


@pytest.mark.parametrize(("wishes", "says"), NO_SAMPLE)
def test_a_sample_that_is_larger_than_the_corpus(wishes, says):
    with pytest.raises(OptionError, match=says):
        sampled(**wishes)


def test_a_sample_by_document_needs_documents():
    settings = replace(sampled().settings, sample=1, sample_by="document")
    with pytest.raises(CorpusError, match="the corpus has no documents; add them"):
        draw_sample({0: "", 1: ""}, settings)


# The gold standard

SECOND = ["Anne saw Bob at Rome.", "They are gone.", "The brake is a new one."]


def choosing(judges=("ann",), each=1, **wishes):
    corpus = Outputs(
        EvalSet([REFERENCE, SECOND], SOURCE, ["trip", "trip", "brake"]),
        {"any": list(REFERENCE)},
    )
    wishes |= {"corpus": corpus, "judges": judges, "each": each}
    return opened("gold-standard", **wishes)


def choose(texts):
    """Choose the text that is among `texts`."""

    def value(task, _):
        [chosen] = [at for at, one in enumerate(task.items, 1) if one.text in texts]
        return {"gold": {"chosen": chosen}}

    return value


MIXED = [REFERENCE[0], SECOND[1], REFERENCE[2]]


@pytest.mark.seed("3.3")
def test_judges_see_the_source_and_all_references():
    frozen = choosing()
    assert [one.name for one in frozen.systems] == ["reference 1", "reference 2"]
    tasks = assign(frozen, secret=SECRET)
    assert len(tasks) == 3
    screen = build_screen(frozen, tasks[0], number=0, step=0)
    place = tasks[0].items[0].segment
    assert screen["source"] == SOURCE[place]
    shown = {one["text"] for one in screen["outputs"]}
    assert shown == {REFERENCE[place], SECOND[place]}
    assert "any" not in {item.system for task in tasks for item in task.items}


@pytest.mark.seed("1.17")
def test_adequacy_is_judged_against_one_of_several_references():
    corpus = Outputs(EvalSet([REFERENCE, SECOND], SOURCE, DOCUMENTS), SYSTEMS)
    frozen = opened("ldc", corpus=corpus, basis="reference")
    adequacy = [step.name for step in protocol("ldc").steps].index("adequacy")
    for task in assign(frozen, secret=SECRET):
        for number, item in enumerate(task.items):
            screen = build_screen(frozen, task, number=number, step=adequacy)
            assert screen["reference"] == REFERENCE[item.segment]
            assert SECOND[item.segment] not in str(screen)


def test_the_choices_are_a_reference_file():
    frozen = choosing()
    found = answered(frozen, choose(MIXED))
    exported = export_judgements("gold", found, frozen)
    assert exported.name == "reference.txt"
    assert exported.content.decode() == "".join(f"{line}\n" for line in MIXED)
    zipped = files_of(export_judgements("zip", found, frozen))
    assert zipped["reference.txt"] == exported.content.decode()
    means = {system: hundred for (system, _), (_, hundred, _) in average(found).items()}
    assert means == pytest.approx({"reference 1": 200 / 3, "reference 2": 100 / 3})


def test_most_votes_win_and_the_first_of_equals():
    frozen = choosing(judges=["ann", "bob", "cleo"], each=3)

    def value(task, _):
        wanted = SECOND if task.judge == "cleo" else REFERENCE
        return choose(wanted)(task, 0)

    assert choose_gold_standard(answered(frozen, value), frozen) == REFERENCE
    both = choosing(judges=["ann", "bob"], each=2)
    tied = answered(
        both,
        lambda task, _: choose(SECOND if task.judge == "ann" else REFERENCE)(task, 0),
    )
    assert choose_gold_standard(tied, both) == REFERENCE


def test_hidden_names_do_not_hide_the_choice():
    frozen = choosing()
    names = {"reference 1": "System 2", "reference 2": "System 1"}
    found = blind_judgements(answered(frozen, choose(MIXED)), names)
    assert choose_gold_standard(found, frozen) == MIXED


def test_a_choice_that_is_missing():
    frozen = choosing()
    found = answered(frozen, choose(MIXED))
    left = [one for one in found if one.segment != 2]
    with pytest.raises(CorpusError, match="for segment 2 yet"):
        export_judgements("gold", left, frozen)
    assert "reference.txt" not in files_of(export_judgements("zip", left, frozen))
    sampled = choosing(sample=1)
    [place] = sampled.material["sample"]
    chosen = choose_gold_standard(answered(sampled, choose(SECOND)), sampled)
    expected = [SECOND[at] if at == place else REFERENCE[at] for at in range(3)]
    assert chosen == expected


def test_a_choice_needs_references():
    corpus = Outputs(EvalSet([REFERENCE], SOURCE), {"any": list(REFERENCE)})
    with pytest.raises(CorpusError, match="segment 1 has 1 reference; to choose"):
        freeze_campaign(choosing().settings, corpus)


def test_no_gold_standard_of_other_campaigns():
    frozen = opened("adequacy")
    found = answered(frozen, lambda *_: {"adequacy": 3})
    assert "gold" not in list_formats("adequacy")
    assert "gold" in list_formats("gold-standard")
    assert "annotations" not in list_formats("gold-standard")
    with pytest.raises(OptionError, match="no chosen references"):
        export_judgements("gold", found, frozen)


@pytest.mark.parametrize("chosen", [0, 3, "1", True, None])
def test_choices_that_are_refused(chosen):
    with pytest.raises(OptionError, match="expected a number from 1 to 2"):
        protocol("gold-standard").check(
            {"gold": {"chosen": chosen}}, {"1": "a", "2": "b"}
        )


def test_simulated_judges_choose_the_best():
    [step] = protocol("gold-standard").steps
    rng = np.random.default_rng(1)
    assert step.asks.simulate([0.1, 0.9, 0.5], "", rng) == {"chosen": 2}


# Parts of outputs

TABLE = [
    "system\tsegment\tportion\tstart",
    "good\t1\tin Rome\t",
    "bad\t1\tRome\t11",
    "good\t3\tbrake\t",
    "bad\t3\tBrake new\t",
]


def parted(write, table=(), asked="adequacy", **wishes):
    path = write("portions.tsv", list(table or TABLE))
    return opened(asked, read_material({"portions": str(path)}), **wishes)


@pytest.mark.seed("3.34")
def test_only_marked_parts_are_judged(write):
    frozen = parted(write)
    assert frozen.material["portions"] == {
        "good": {"1": [12, 19], "3": [4, 9]},
        "bad": {"1": [11, 15], "3": [0, 9]},
    }
    assert judged_places(frozen) == [0, 2]
    assert frozen.degraded == 0
    found = answered(frozen, lambda *_: {"adequacy": 3})
    for task in assign(frozen, secret=SECRET):
        [item] = task.items
        [shown] = build_screen(frozen, task, number=0, step=0)["outputs"]
        start, end = shown["portion"]
        assert shown["text"] == item.text
        assert item.text[start:end] in ("in Rome", "Rome", "brake", "Brake new")
    for one in found:
        start, end = one.portion
        assert one.outputs[0][start:end] in ("in Rome", "Rome", "brake", "Brake new")


def test_portions_survive_files(write):
    frozen = parted(write)
    found = answered(frozen, lambda *_: {"adequacy": 3})
    lines = "".join(format_judgement_lines(found))
    assert parse_judgement_lines(lines.split("\n"), "x") == found
    whole = answered(opened("adequacy"), lambda *_: {"adequacy": 3})
    assert "portion" not in "".join(format_judgement_lines(whole))
    bad = lines.replace('"portion": [', '"portion": [9, ', 1)
    with pytest.raises(FormatError, match="portion is"):
        parse_judgement_lines(bad.split("\n"), "x")


def test_a_sample_is_drawn_among_marked_parts(write):
    frozen = parted(write, sample=1)
    assert frozen.material["sample"] in ([0], [2])


WRONG = load_cases("choice of texts: wrong")


@pytest.mark.parametrize(("table", "says"), WRONG)
def test_portions_that_are_refused(write, table, says):
    with pytest.raises((CorpusError, FormatError), match=says) as error:
        parted(write, table)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("asked", ["esa", "pairwise", "cloze", "evaltrans"])
def test_protocols_that_take_no_portions(write, asked):
    with pytest.raises(OptionError, match=r"remove files\.portions"):
        parted(write, asked=asked)


def test_no_copy_with_a_marked_part_is_degraded(write):
    with pytest.raises(OptionError, match="parts of outputs are judged"):
        parted(write, degraded=0.1)


# What is not a translation


@pytest.mark.seed("3.35")
def test_skipped_outputs_are_counted_in_the_export():
    """How they are counted is tested with the question about missing scores."""
    frozen = opened("adequacy", skip_nontranslations=True)
    found = []
    for task in assign(frozen, secret=SECRET):
        skips = task.items[0].system == "bad" and task.items[0].segment == 1
        cannot = NOT_TRANSLATION if skips else None
        value = None if cannot else {"adequacy": 4}
        found.append(check_answer(frozen, task, value, id=task.id, cannot=cannot))
    table = files_of(export_judgements("zip", found, frozen))["skipped.tsv"]
    assert table.split("\n")[1].startswith("bad\t2\t6\t33.3")


def test_nothing_was_skipped():
    frozen = opened("adequacy")
    found = answered(frozen, lambda *_: {"adequacy": 3})
    assert "skipped.tsv" not in files_of(export_judgements("zip", found, frozen))
