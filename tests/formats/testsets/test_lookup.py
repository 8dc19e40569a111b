"""Test sets by name or path; subsets; what is missing."""

import os

import pytest

import metra
from metra.errors import CorpusError, FormatError, MissingResourceError, OptionError
from metra.formats.testsets.lookup import (
    describe_set,
    find_set,
    list_sets,
    load_test_set,
    read_set,
)

from .conftest import write_text


def test_sets_of_mt_metrics_eval_bring_domains_and_documents(metrics_eval):
    path = str(metrics_eval / "wmt23")
    texts = load_test_set(path, "en-de")
    assert texts.origin == "mt-metrics-eval"
    # The standard reference: refA, but refB for Hebrew.
    assert list(texts.references) == ["refA"]
    assert list(load_test_set(path, "he-en").references) == ["refB"]
    assert texts.documents == ["bbc.1", "forum.1"]
    assert texts.labels["domain"] == ["news", "social"]


@pytest.fixture
def plain_set(tmp_path, monkeypatch):
    """A folder as metra convert writes it, beside the current folder's files."""
    for name in ("source", "reference.A", "reference.B"):
        write_text(tmp_path / f"data/wmt23/{name}.txt", ["a"])
    monkeypatch.chdir(tmp_path / "data")
    return tmp_path / "data/wmt23"


@pytest.mark.parametrize("path", ["./wmt23", "wmt23/", "../data/wmt23", "PLACE"])
@pytest.mark.usefixtures("cache")
def test_a_set_by_its_path(plain_set, path):
    """A name alone is never taken for the folder beside."""
    path = path.replace("PLACE", str(plain_set))
    texts = load_test_set(path, "en-de")
    assert (texts.title, texts.origin) == ("wmt23:en-de", path)
    assert (texts.source, [*texts.references]) == (["a"], ["A", "B"])
    assert load_test_set("wmt23", "en-de").segments == 4
    assert load_test_set(path).title == "wmt23"


def test_a_file_and_a_folder_of_mt_metrics_eval_by_their_paths(metrics_eval, tmp_path):
    table = write_text(tmp_path / "my.en-de.tsv", ["source\tref", "a\tb"])
    assert load_test_set(str(table)).title == "my.en-de:en-de"
    assert load_test_set(f"{metrics_eval}/wmt23", "he-en").source == ["אחת"]
    with pytest.raises(OptionError, match=r"has 2 language pairs; .*en-de, he-en"):
        load_test_set(f"{metrics_eval}/wmt23")
    with pytest.raises(FormatError, match="contains no recognised test set"):
        load_test_set(str(metrics_eval))


@pytest.mark.usefixtures("plain_set")
def test_a_folder_is_shown_by_a_slash():
    with pytest.raises(
        MissingResourceError, match=r"wmt23:cs-uk on .* as in \./wmt23 or"
    ):
        load_test_set("wmt23", "cs-uk")
    with pytest.raises(FormatError, match=r"^\./nowhere does not exist; give a folder"):
        load_test_set("./nowhere")


@pytest.mark.usefixtures("cache")
def test_the_pair_may_be_left_out_where_there_is_one():
    assert load_test_set("wmt23").segments == 4


SUBSETS = [  # positions of the segments of the cache that are wanted
    pytest.param(["origlang=en"], [0, 1], id="origin"),
    pytest.param(["origlang=non-en"], [2, 3], id="origin as sacreBLEU writes it"),
    pytest.param(["origlang!=non-en"], [0, 1], id="negated twice"),
    pytest.param(["domain=social"], [2, 3], id="domain"),
    pytest.param(["doc=bbc.1", "doc=forum.2"], [0, 1, 3], id="values are alternatives"),
    pytest.param(["domain=social", "doc!=forum.1"], [3], id="labels go together"),
    pytest.param([], [0, 1, 2, 3], id="no condition"),
]


@pytest.mark.parametrize(("conditions", "expected"), SUBSETS)
@pytest.mark.usefixtures("cache")
def test_subsets(conditions, expected):
    texts = load_test_set("wmt23", "en-de", subset=conditions)
    assert texts.keep_segments(range(4)) == expected
    assert texts.segments == 4


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("origlang", "'origlang' is not a condition; expected LABEL=VALUE"),
        ("origlang=fr", "No segment of wmt23:en-de has origlang=fr; .* are: en, de"),
        ("genre=news", "have no 'genre'; they have: origlang, domain, doc"),
    ],
    ids=["no value", "no such value", "no such label"],
)
@pytest.mark.usefixtures("cache")
def test_subsets_that_cannot_be(condition, message):
    with pytest.raises(OptionError, match=message):
        load_test_set("wmt23", "en-de", subset=[condition])


@pytest.mark.usefixtures("cache")
def test_conditions_that_no_segment_meets_together():
    with pytest.raises(OptionError, match="has origlang=en and domain=social together"):
        load_test_set("wmt23", "en-de", subset=["origlang=en", "domain=social"])


@pytest.mark.usefixtures("cache")
def test_what_is_missing_says_where_it_was_looked_for(home):
    with pytest.raises(MissingResourceError) as raised:
        find_set("wmt3", "en-de")
    message = str(raised.value)
    assert message.startswith("No test set wmt3:en-de on this machine")
    assert (
        f"{home / '.sacrebleu'}. `metra sacrebleu --download wmt3 -l en-de` downloads"
        in message
    )
    assert message.endswith(f"mt-metrics-eval-v2{os.sep}wmt3.")


@pytest.mark.usefixtures("cache")
def test_pairs_that_are_there_are_named():
    with pytest.raises(MissingResourceError, match=r"has no cs-uk; .*en-de"):
        find_set("wmt23", "cs-uk")


@pytest.mark.usefixtures("cache")
def test_several_names_are_refused():
    with pytest.raises(OptionError, match="names several test sets; score them one by"):
        load_test_set("wmt23,wmt18", "en-de")


@pytest.mark.usefixtures("cache")
def test_a_reference_that_is_not_there():
    with pytest.raises(OptionError, match="no reference 'refC'; it has: refA, refB"):
        load_test_set("wmt23", "en-de", references=["refC"])


def test_a_file_that_has_gone(plain_set):
    location = find_set(str(plain_set), "en-de")
    (plain_set / "source.txt").unlink()
    with pytest.raises(FormatError, match=r"wmt23:en-de needs .*source.txt, which"):
        read_set(location)


def test_domains_without_documents_are_refused(metrics_eval):
    write_text(metrics_eval / "wmt23/documents/en-de.docs", ["news\tbbc.1", "social"])
    with pytest.raises(FormatError, match="line 2 has 1 column; expected the domain"):
        load_test_set(f"{metrics_eval}/wmt23", "en-de")


@pytest.mark.usefixtures("cache")
def test_a_line_says_what_was_loaded():
    whole = load_test_set("wmt23", "en-de", references=["refA", "refB"])
    expected = "wmt23:en-de (sacrebleu): 4 segments, references refA, refB"
    assert describe_set(whole) == expected
    part = load_test_set("wmt23", "en-de", subset=["doc=forum.2"])
    assert describe_set(part) == (
        "wmt23:en-de (sacrebleu): 1 of 4 segments, reference refA"
    )


@pytest.mark.usefixtures("cache")
def test_a_set_is_scored_in_python():
    hyps = ["Eins.", "Zwei.", "Fünf.", "Sechs."]
    texts = metra.load_test_set("wmt23", "en-de", subset=["origlang=en"])
    refs = [texts.keep_segments(column) for column in texts.references.values()]
    assert metra.score(texts.keep_segments(hyps), refs, "wer").score == 0
    with pytest.raises(CorpusError, match="the column has 2 segments but wmt23:en-de"):
        texts.keep_segments(hyps[:2])


@pytest.mark.usefixtures("home")
def test_nothing_is_there():
    assert list_sets() == []
