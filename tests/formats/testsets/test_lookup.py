"""Test sets by name or path; subsets; what is missing."""

import pytest

import metra
from metra.errors import CorpusError, FormatError, MissingResourceError, OptionError
from metra.formats.testsets import sacrebleu_cache
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
    with pytest.raises(MissingResourceError, match=r"write ./wmt23 for the folder\.$"):
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
    pytest.param(["doc=bbc.*"], [0, 1], id="pattern of documents"),
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
def test_several_sets_are_one_below_the_other(metrics_eval):
    names = f"wmt23, {metrics_eval}/wmt23"
    texts = load_test_set(names, "en-de", references=["refA"])
    assert texts.source == ["One.", "Two.", "Three.", "Four.", "One.", "Two."]
    assert texts.references["refA"][-1] == "Zwei."
    assert texts.labels["origlang"] == ["en", "en", "de", "de", None, None]


def test_documents_keep_their_ids_unless_two_sets_share_one(cache):
    for field, line in {"src": "x", "ref": "y", "docid": "other.1"}.items():
        write_text(cache / f"wmt18/wmt18.en-de.{field}", [line])
    documents = load_test_set("wmt23,wmt18", "en-de").documents
    assert documents == ["bbc.1", "bbc.1", "forum.1", "forum.2", "other.1"]
    write_text(cache / "wmt18/wmt18.en-de.docid", ["bbc.1"])
    documents = load_test_set("wmt23,wmt18", "en-de").documents
    assert documents[-2:] == ["wmt23:en-de/forum.2", "wmt18:en-de/bbc.1"]


def test_a_document_with_signs_of_patterns_is_found_by_its_id(cache):
    ids = ["doc[1]", "doc[1]", "doc1", "doc2"]
    write_text(cache / "wmt23/wmt23.en-de.docid", ids)
    texts = load_test_set("wmt23", "en-de", subset=["doc=doc[1]"])
    assert texts.keep_segments(range(4)) == [0, 1, 2]


@pytest.mark.usefixtures("cache")
def test_sets_with_different_numbers_of_references_do_not_go_together(plain_set):
    with pytest.raises(CorpusError, match=r"\(1 of wmt23:en-de, 2 of wmt23:en-de\)"):
        load_test_set(f"wmt23,{plain_set}", "en-de")


@pytest.mark.usefixtures("cache")
def test_what_is_missing_says_where_it_was_looked_for(home):
    with pytest.raises(MissingResourceError) as raised:
        find_set("wmt3", "en-de")
    message = str(raised.value)
    assert message.startswith("No test set wmt3:en-de on this machine")
    assert "did you mean wmt23?" in message
    assert f"{home / '.sacrebleu'}; name a folder or file" in message


@pytest.mark.usefixtures("cache")
def test_a_set_of_mt_metrics_eval_is_given_by_its_path(metrics_eval):
    write_text(metrics_eval / "wmt99/sources/en-de.txt", ["One."])
    path = metrics_eval / "wmt99"
    with pytest.raises(MissingResourceError, match=f"write {path} for the set of mt-"):
        find_set("wmt99", "en-de")


@pytest.mark.usefixtures("cache")
def test_what_sacrebleu_could_download_is_said():
    pytest.importorskip("sacrebleu")
    with pytest.raises(MissingResourceError, match="fetch wmt22 -l en-de` downl"):
        find_set("wmt22", "en-de")
    with pytest.raises(MissingResourceError, match=r"has no cs-uk; .*en-de"):
        find_set("wmt23", "cs-uk")


@pytest.mark.usefixtures("cache")
def test_without_sacrebleu_nothing_is_offered(monkeypatch):
    monkeypatch.setattr(sacrebleu_cache, "is_installed", lambda: False)
    with pytest.raises(
        MissingResourceError, match="name a folder or file with a test set"
    ):
        find_set("wmt22", "en-de")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sacrebleu:wmt23", "is not the name of a test set; write wmt23 for a set"),
        ("mt-metrics-eval:wmt23", "or a path, such as .*/mt-metrics-eval-v2/wmt23"),
        ("wmt23,", "is not a test set; expected a name, or several"),
    ],
)
@pytest.mark.usefixtures("cache")
def test_bad_names(name, message):
    with pytest.raises(OptionError, match=message):
        load_test_set(name, "en-de")


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
