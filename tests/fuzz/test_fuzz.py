"""A few hundred mutations: no traceback, no hang, every refusal one sentence.

`make fuzz` tries many more.
"""

from tests.fuzz.report import write_part, write_parts
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


def test_each_script_writes_its_own_parts(tmp_path):
    path = tmp_path / "page.md"
    write_parts("# A page\n\n## Files\n\n1 file\n", path)
    write_part("Kernels", "## Kernels\n\n2 laws\n", path)
    write_parts("# A page\n\n## Files\n\n3 files\n", path)
    write_part("Kernels", "## Kernels\n\n4 laws\n", path)
    assert path.read_text() == (
        "# A page\n\n## Files\n\n3 files\n\n## Kernels\n\n4 laws\n"
    )
