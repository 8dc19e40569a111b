"""Leaderboards from stored statistics: the figures of `metra compare` on the same texts."""

import pytest
from tests.workbench.workspaces import make_room, make_texts

from metra.scoring.compare import compare
from metra.store import score_arrays, test_sets
from metra.workbench.leaderboard import build_leaderboard

#: As leaderboards sort them.
METRICS = ("bleu", "chrf", "ter", "fmean:stem=porter", "gtm", "nist")


@pytest.mark.parametrize("specs", [METRICS[:3], METRICS[3:]])
def test_figures_are_those_of_compare(store, specs):
    texts = make_texts()
    room = make_room(store, texts, specs=specs)
    assert room.work() == 1
    with store.reading() as db:
        board = build_leaderboard(db, room.test_set)
    expected = compare(texts.as_corpus().evalset, texts.outputs, specs, all_pairs=True)
    assert board.results.to_dict() == expected.to_dict()
    assert board.baseline == "system 0"
    assert board.unscored == board.incomparable == ()


def test_the_baseline_is_the_chosen_system(sqlite_store):
    room = make_room(sqlite_store)
    room.work()
    with sqlite_store.transaction() as db:
        by = {"now": 1.0, "who": "ann"}
        test_sets.set_baseline(db, room.test_set, "system 2", **by)
        stored = test_sets.find_test_set(db, "main", room.test_set.id)
        assert build_leaderboard(db, stored).baseline == "system 2"


def test_runs_without_scores_are_named(sqlite_store):
    room = make_room(sqlite_store)
    room.work()
    with sqlite_store.transaction() as db:
        outputs = make_texts(seed=2).outputs["system 1"]
        by = {"now": 2_000_000_000.0, "who": "ann"}
        test_sets.add_run(db, room.test_set, "system 1", outputs, **by)
        board = build_leaderboard(db, room.test_set)
    assert board.unscored == ("system 1 (2)",)
    assert [*board.results] == ["system 0", "system 1", "system 2"]


def test_scores_with_other_signatures_are_not_compared(sqlite_store):
    room = make_room(sqlite_store)
    room.work()
    with sqlite_store.transaction() as db:
        first, *_ = test_sets.list_runs(db, room.test_set)
        rows = score_arrays.read_rows(db, [first.id], ["bleu"])[first.id, "bleu"]
        old = score_arrays.RunScore(first.id, "bleu", "bleu|version:0.0.1", 12.5)
        score_arrays.put_scores(db, old, rows)
        board = build_leaderboard(db, room.test_set)
    assert board.incomparable == ("bleu",)
    assert board.results.specs == ["chrf", "ter"]


def test_one_run_has_intervals(sqlite_store):
    room = make_room(sqlite_store, make_texts(systems=1))
    room.work()
    with sqlite_store.reading() as db:
        board = build_leaderboard(db, room.test_set)
    low, high = board.results["system 0"]["bleu"].interval
    assert low < board.results["system 0"]["bleu"].score < high


def test_missing_references_are_counted(sqlite_store):
    texts = make_texts()
    texts.references.append([*texts.references[0]])
    texts.references[0][3] = None
    room = make_room(sqlite_store, texts, specs=("bleu",))
    room.work()
    with sqlite_store.reading() as db:
        board = build_leaderboard(db, room.test_set)
    corpus = texts.as_corpus()
    expected = compare(corpus.evalset, texts.outputs, ["bleu"], all_pairs=True)
    assert board.results.to_dict() == expected.to_dict()
    assert "nrefs:var" in board.results["system 0"]["bleu"].signature
