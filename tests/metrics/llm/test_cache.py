"""The file of answers: what it keeps, whatever happens to the process that writes it."""

import json
import os

import pytest

from metra.errors import FormatError, OptionError
from metra.metrics.llm import cache as caching
from metra.metrics.llm.cache import AnswerCache, ModelAnswer, find_default_path

FIRST = ModelAnswer("1", "stop", 10, 2, "model-1")
SECOND = ModelAnswer("zwei\n\u2028ß", "stop", 11, 3, "model-1", estimated=True)


def open_cache(path) -> AnswerCache:
    cache = AnswerCache(str(path))
    cache.refresh()
    return cache


def test_answers_come_back(tmp_path):
    path = tmp_path / "new" / "folder" / "answers.jsonl"
    writer = open_cache(path)
    assert not path.exists()
    writer.add("a", FIRST, run=1)
    writer.add("b", SECOND, run=2)
    reader = open_cache(path)
    assert [reader.get(key) for key in "abc"] == [FIRST, SECOND, None]
    assert json.loads(path.read_text().split("\n")[0])["run"] == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_not_finished_is_left_out_and_spoils_nothing(tmp_path):
    path = tmp_path / "answers.jsonl"
    whole = open_cache(path)
    whole.add("a", FIRST)
    whole.add("b", SECOND)
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    for cut in range(first, len(content)):
        path.write_bytes(content[:cut])
        cache = open_cache(path)
        assert cache.get("a") == FIRST
        assert cache.get("b") is None
        cache.add("c", SECOND)
        again = open_cache(path)
        assert again.get("a") == FIRST
        assert again.get("c") == SECOND
    for cut in range(1, first - 1):  # the very first line
        path.write_bytes(content[:cut])
        cache = open_cache(path)
        cache.add("c", SECOND)
        assert open_cache(path).get("c") == SECOND


def test_answers_of_another_process_are_seen(tmp_path):
    path = tmp_path / "answers.jsonl"
    mine, other = open_cache(path), open_cache(path)
    other.add("a", FIRST)
    assert mine.get("a") is None
    mine.add("b", SECOND)
    mine.refresh()
    assert mine.get("a") == FIRST
    assert mine.get("b") == SECOND


def test_of_two_answers_the_first_stands(tmp_path):
    path = tmp_path / "answers.jsonl"
    open_cache(path).add("a", FIRST)
    AnswerCache(str(path)).add("a", SECOND)
    assert open_cache(path).get("a") == FIRST


@pytest.mark.parametrize(
    "content", ["text\n", "text", '{"score": 1}\n', "[1]\n", "1\n"]
)
def test_another_file_is_no_cache(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    message = f"{path} contains .*, which is not an answer of a judge; give another cache file"
    with pytest.raises(FormatError, match=message):
        open_cache(path)
    assert path.read_text() == content


def test_an_answer_of_other_types_is_left_out(tmp_path):
    path = tmp_path / "answers.jsonl"
    cache = open_cache(path)
    cache.add("a", FIRST)
    cache.add("b", SECOND)
    path.write_text(path.read_text().replace('"text": "1"', '"text": 1'))
    assert [open_cache(path).get(key) for key in "ab"] == [None, SECOND]


def test_a_folder_is_no_cache(tmp_path):
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        open_cache(tmp_path)
    with pytest.raises(FormatError, match="cannot be written: Is a directory"):
        AnswerCache(str(tmp_path)).add("a", FIRST)


def test_a_full_disk_ends_the_run_and_spoils_no_line(tmp_path, monkeypatch):
    path = tmp_path / "answers.jsonl"
    cache = open_cache(path)
    cache.add("a", FIRST)

    def write_half(opened, flags):
        descriptor = os.open(opened, flags)
        os.write(descriptor, b'{"key": "b", "te')
        os.close(descriptor)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(caching, "_open_private", write_half)
        with pytest.raises(FormatError, match="written: No space left on device"):
            cache.add("b", SECOND)
    assert cache.get("b") is None
    cache.add("c", SECOND)
    again = open_cache(path)
    assert (again.get("a"), again.get("b"), again.get("c")) == (FIRST, None, SECOND)


def test_each_model_has_a_file_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("METRA_CACHE", str(tmp_path))
    path = find_default_path("org/model-1.5:free")
    assert path == str(tmp_path / "llm" / "org_model-1.5_free.jsonl")
    monkeypatch.delenv("METRA_CACHE")
    monkeypatch.setattr(caching.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert find_default_path("m") == str(tmp_path / "xdg" / "metra" / "llm" / "m.jsonl")


def test_answers_are_always_kept(monkeypatch):
    monkeypatch.setenv("METRA_CACHE", "off")
    with pytest.raises(OptionError, match="METRA_CACHE is 'off'; give cache=FILE"):
        find_default_path("m")
