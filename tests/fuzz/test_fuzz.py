"""A few hundred mutations: no traceback, no hang, every refusal one sentence.

`make fuzz` tries many more.
"""

from tests.fuzz.run import Counts, classify, fuzz, is_sentence


def test_mutated_files_and_requests_are_read_or_refused(monkeypatch):
    monkeypatch.delenv("METRA_FUZZ_KEEP", raising=False)
    counts = fuzz(seed=20, mutations=250, seconds=float("inf"))
    assert not counts.faults
    assert counts.total("refused") > 100
    assert counts.total("read") > 20


def fail() -> None:
    {}["output"]


def hang() -> None:
    while True:
        pass


def test_what_should_not_happen_is_noticed(monkeypatch):
    assert classify(fail)[0] == "traceback"
    assert classify(lambda: None)[0] == "read"
    monkeypatch.setattr("tests.fuzz.run.SECONDS", 0.1)
    assert classify(hang)[0] == "hang"
    assert not is_sentence("one\ntwo")
    assert not is_sentence("")
    counts = Counts()
    counts.add("a", "traceback", "why")
    counts.add("a", "read")
    assert counts.faults == ["traceback: a\nwhy"]
