"""On outputs of real systems, what is named is what a reader would name.

The segments and words were read by people; see what is said beside each.
"""

import time

import pytest

from metra.analysis.changes import find_changes, prepare_changes
from metra.analysis.profiles import build_profiles
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.report.study import build_study
from metra.scoring.evaluate import make_metrics
from metra.scoring.statistics import count_corpus

FOLDER = "data/wmt23-mqm-esa"


@pytest.fixture(scope="module")
def english_german(shared, read_table):
    segments = read_table(shared / FOLDER / "en-de.segments.tsv")
    outputs = read_table(shared / FOLDER / "en-de.outputs.tsv")

    def column(rows, name):
        return [row[name] for row in rows]

    evalset = EvalSet(
        [column(segments, "refA")], column(segments, "source"), column(segments, "doc")
    )

    def corpus(*systems):
        return Outputs(evalset, {name: column(outputs, name) for name in systems})

    return corpus


def test_texts_that_were_made_up_are_among_the_most_improved(english_german):
    corpus = english_german("NLLB_Greedy", "ONLINE-W")
    metrics = make_metrics(["chrf"])
    collected = prepare_changes(corpus, metrics, None)
    sheets = count_corpus(corpus, metrics, keep=True, visitors=[collected.visit])
    baseline = corpus.systems[0]
    (changes,) = find_changes(collected, sheets, baseline=baseline, min_words=5)
    improved = {change.number: change for change in changes.improved}
    # About human rights, where the source speaks of a member of parliament.
    assert "Menschenrechte" in improved[39].before
    # Five words about democrats for a paragraph on Biden.
    assert 92 in improved
    # "I am a good person" after "Okay, thanks."
    assert "Ich bin ein guter Mensch" in improved[353].before
    assert [piece.kind for piece in improved[39].diff.after] != ["kept"]


def test_habits_of_a_system_are_at_the_top_of_its_ngrams(english_german):
    corpus = english_german("ONLINE-M", "GPT4-5shot")
    changes = build_study(corpus, make_metrics(["chrf"]), most_grids=0).ngrams
    words = {
        name: [" ".join(entry.words) for entry in getattr(changes, name)]
        for name in ("gained", "lost", "mended", "broken")
    }
    # It writes straight quotation marks where the references have German ones …
    assert words["broken"][0] == '"'
    assert words["lost"][0] == "“"
    # … and leaves PERSON1 in one word, where the baseline makes two of it.
    assert "PERSON" in words["mended"][0].split()
    assert "PERSON1" in words["gained"]


def test_profiles_find_the_systems_that_translate_sentence_by_sentence(english_german):
    names = ["AIRC", "NLLB_Greedy", "ONLINE-A", "ONLINE-W", "GPT4-5shot", "ZengHuiMT"]
    found = build_profiles(english_german(*names))
    marks = {profile.system: set(profile.marks) for profile in found.profiles}
    # Both drop much of a paragraph and get caught in loops.
    for name in ("AIRC", "NLLB_Greedy"):
        assert {"short", "incomplete", "loops", "numbers"} <= marks[name]
    assert not {"short", "long", "loops", "repeated"} & marks["GPT4-5shot"]


def test_all_of_it_is_quick(english_german):
    corpus = english_german("AIRC", "GPT4-5shot")
    start = time.process_time()
    build_study(corpus, make_metrics(["chrf"]))
    assert time.process_time() - start < 15
