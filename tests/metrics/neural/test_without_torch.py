"""What neural metrics do before anything is computed: no torch is needed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra
from metra.errors import FormatError, MissingResourceError, OptionError
from metra.metrics.neural import checkpoints
from metra.metrics.neural.comet_network import find_spans
from metra.metrics.neural.inference import split_by_length
from metra.metrics.neural.metricx import format_input
from metra.metrics.neural.score_store import ScoreStore
from metra.metrics.neural.segment_scores import Item, PredictedSpan

NAMES = ("comet", "bertscore", "metricx")


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_needed(name):
    with pytest.raises(
        OptionError, match=rf"^{name} needs an? .*; write {name}:model=FOLDER\.$"
    ):
        metra.metric(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_folder_must_be_there(name):
    with pytest.raises(
        MissingResourceError, match=f"^{name}: folder none does not exist"
    ):
        metra.metric(f"{name}:model=none")


def test_a_downloaded_model_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--org--model-1"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("4f2a\n")
    assert checkpoints.find_hub_folder("org/model-1") is None
    (folder / "snapshots" / "4f2a").mkdir(parents=True)
    found = checkpoints.check_folder("comet", "model", "org/model-1", "a checkpoint")
    assert found == str(folder / "snapshots" / "4f2a")
    assert checkpoints.name_folder(found) == "model-1"
    assert checkpoints.name_folder(str(folder)) == "models--org--model-1"
    assert checkpoints.name_folder("/") == ""


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 200))
def test_batches_hold_every_text_once_within_the_budget(lengths, budget):
    batches = split_by_length(lengths, budget)
    assert sorted(place for batch in batches for place in batch) == list(
        range(len(lengths))
    )
    for batch in batches:
        longest = max(lengths[place] for place in batch)
        assert longest * len(batch) <= budget or len(batch) == 1
    firsts = [lengths[batch[0]] for batch in batches]
    assert firsts == sorted(firsts, reverse=True)


def test_spans_are_runs_of_tokens_with_an_error():
    labels = ["", "minor", "major"]
    chosen = [0, 2, 1, 0, 1, 0, 0, 2]
    probabilities = np.full((8, 3), 0.1)
    for place, label in enumerate(chosen):
        probabilities[place, label] = 0.5 + place / 100
    offsets = [(0, 0), (0, 2), (2, 5), (6, 8), (9, 12), (12, 13), (14, 15), (0, 0)]
    assert find_spans(probabilities, offsets, labels) == (
        PredictedSpan(0, 5, "major", pytest.approx(0.515)),
        PredictedSpan(9, 12, "minor", pytest.approx(0.54)),
    )


def test_inputs_of_metricx():
    assert format_input(Item("s", "h", "r")) == "source: s candidate: h reference: r"
    assert format_input(Item("s", "h", None)) == "source: s candidate: h"


@pytest.fixture
def store(tmp_path, monkeypatch) -> ScoreStore:
    monkeypatch.setenv("METRA_CACHE", str(tmp_path))
    return ScoreStore("model")


def test_scores_are_stored_by_key(store):
    assert store.read([b"a"]) == {}
    entries = {str(n).encode(): f"[{n}]" for n in range(2000)}
    store.write(entries)
    store.write({b"7": "other"})
    known = store.read([*entries, b"unknown"])
    assert known == entries | {b"7": "other"}


def test_a_file_that_is_no_database(store, tmp_path):
    (tmp_path / "neural").mkdir()
    (tmp_path / "neural" / "model.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(FormatError, match="not a database; delete it"):
        store.read([b"a"])


def test_the_cache_can_be_turned_off(tmp_path, monkeypatch):
    monkeypatch.setenv("METRA_CACHE", "off")
    monkeypatch.chdir(tmp_path)
    store = ScoreStore("model")
    store.write({b"a": "1"})
    assert store.read([b"a"]) == {}
    assert list(tmp_path.iterdir()) == []
