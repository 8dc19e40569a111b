"""Fetching sacreBLEU's test sets: from addresses on this machine, so no network."""

import hashlib
import sys
import tarfile

import pytest

from metra.errors import FormatError, MissingResourceError, UnknownNameError
from metra.formats.testsets import sacrebleu_cache
from metra.formats.testsets.lookup import load_test_set
from metra.formats.testsets.sacrebleu_cache import fetch_set

from .conftest import SGML_REFERENCE, SGML_SOURCE, write_text


@pytest.fixture
def archive(tmp_path):
    folder = tmp_path / "remote"
    source = SGML_SOURCE.split("\n")[:-1]
    write_text(folder / "sgm/news-ende-src.en.sgm", source)
    write_text(folder / "sgm/news-ende-ref.de.sgm", SGML_REFERENCE.split("\n")[:-1])
    path = folder / "tiny.tgz"
    with tarfile.open(path, "w:gz") as packed:
        packed.add(folder / "sgm", "sgm")
    return path


@pytest.fixture
def define(monkeypatch, archive):
    """Let sacreBLEU define the set `tiny`, which lies behind a file: address."""
    sgml = pytest.importorskip("sacrebleu.dataset.fake_sgml")

    def make(md5=None, address=None):
        paths = ["sgm/news-ende-src.en.sgm", "sgm/news-ende-ref.de.sgm"]
        checksum = md5 or hashlib.md5(archive.read_bytes()).hexdigest()
        dataset = sgml.FakeSGMLDataset(
            "tiny",
            data=[address or archive.as_uri()],
            md5=[checksum],
            langpairs={"en-de": paths},
        )
        found = {"tiny": dataset}
        monkeypatch.setattr(sacrebleu_cache, "load_definitions", lambda: found)

    return make


def test_a_set_is_fetched_checked_unpacked_and_written(define, home):
    define()
    (path,) = fetch_set("tiny", "en-de")
    assert path == home / ".sacrebleu/tiny/raw/tiny.tiny.tgz"
    texts = load_test_set("tiny", "en-de")
    assert texts.references["ref"][2] == "Das Dritte."
    assert (home / ".sacrebleu/tiny/tiny.en-de.src").is_file()
    fetched = path.stat().st_mtime_ns
    fetch_set("tiny")
    assert path.stat().st_mtime_ns == fetched, "what is there is not fetched again"


def test_another_checksum_leaves_nothing(define, home):
    define(md5="0" * 32)
    with pytest.raises(FormatError, match=r"tiny: wrong checksum .*; nothing was kept"):
        fetch_set("tiny")
    assert list((home / ".sacrebleu/tiny/raw").glob("*.tgz")) == []


def test_an_address_that_cannot_be_reached_leaves_nothing(define, home, tmp_path):
    define(address=(tmp_path / "gone.tgz").as_uri())
    with pytest.raises(
        FormatError, match=r"cannot prepare tiny: .*of file.*gone.tgz\."
    ):
        fetch_set("tiny")
    assert list((home / ".sacrebleu/tiny/raw").glob("*.tgz")) == []


def test_what_is_no_archive_is_taken_away(define, archive, home):
    archive.write_bytes(b"no archive")
    define()
    with pytest.raises(FormatError, match=r"could not be opened.*; nothing was kept"):
        fetch_set("tiny")
    assert list((home / ".sacrebleu/tiny/raw").glob("*.tgz")) == []


def test_names_and_pairs_that_sacrebleu_does_not_define(define):
    define()
    with pytest.raises(UnknownNameError, match="No test set of sacreBLEU named 'tin'"):
        fetch_set("tin")
    with pytest.raises(
        UnknownNameError, match="tiny has no language pair named 'en-fr'"
    ):
        fetch_set("tiny", "en-fr")


def test_without_sacrebleu_nothing_can_be_fetched(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.dataset", None)
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[testsets\]'"):
        fetch_set("wmt23")
