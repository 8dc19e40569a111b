"""`metra.compat.sacrebleu` has sacreBLEU's names, and its scores to the last digit."""

import copy
import pickle

import pytest

from metra.corpus import examples
from metra.errors import CorpusError, MetraError

peer = pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")
pytest.importorskip("sacrebleu.significance")

from metra.compat import sacrebleu  # noqa: E402
from metra.compat.sacrebleu import metrics  # noqa: E402

REFS = [
    [
        "The ferry leaves at six.",
        "Nobody was on the pier.",
        "She waved to us from above.",
    ],
    ["The boat sails at six.", "The pier was empty.", "From above, she waved to us."],
]
HYPS = [
    "The ferry leaves at six.",
    "There wasn't anybody on the pier.",
    "She waved at us from above.",
]


MISSING = [
    [REFS[0], [REFS[1][0], None, REFS[1][2]]],
    [REFS[0], [REFS[1][0], "", REFS[1][2]]],
    [[REFS[0][0], None, REFS[0][2]], [None, REFS[1][1], None]],
    [[None, None, None], REFS[0]],
]


@pytest.mark.parametrize("refs", MISSING, ids=["one", "empty", "in turn", "a stream"])
@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_references_that_are_missing(name, refs):
    theirs, ours = getattr(peer, name)(), getattr(sacrebleu, name)()
    assert str(ours.corpus_score(HYPS, refs)) == str(theirs.corpus_score(HYPS, refs))
    assert str(ours.get_signature()) == str(theirs.get_signature())


def test_as_many_references_as_segments():
    refs = [stream[:2] for stream in REFS]
    for name, options in (("BLEU", {}), ("CHRF", {}), ("TER", {"normalized": True})):
        theirs, ours = (
            getattr(peer, name)(**options),
            getattr(sacrebleu, name)(**options),
        )
        expected = str(theirs.corpus_score(HYPS[:2], refs))
        assert str(ours.corpus_score(HYPS[:2], refs)) == expected
        kept = getattr(sacrebleu, name)(references=refs, **options)
        assert str(kept.corpus_score(HYPS[:2], None)) == expected


OPTIONS = [
    ("BLEU", {}),
    ("BLEU", {"lowercase": True, "smooth_method": "floor"}),
    ("BLEU", {"smooth_method": "add-k", "smooth_value": 0.3}),
    ("BLEU", {"smooth_method": "none", "effective_order": True, "tokenize": "intl"}),
    ("BLEU", {"max_ngram_order": 2, "tokenize": "char", "force": True}),
    ("BLEU", {"trg_lang": "zh", "effective_order": True}),
    ("CHRF", {}),
    ("CHRF", {"word_order": 2, "beta": 3, "eps_smoothing": True}),
    ("CHRF", {"lowercase": True, "whitespace": True, "char_order": 4}),
    ("TER", {}),
    ("TER", {"normalized": True}),
    ("TER", {"normalized": True, "no_punct": True, "asian_support": True}),
    ("TER", {"no_punct": True, "case_sensitive": True}),
]
NAMES = ("polished", "solid", "wrong-terms", "terse")


@pytest.fixture(scope="module")
def corpus():
    def read(name: str) -> list[str]:
        text = (examples.HOME / name).read_text(encoding="utf-8")
        return text.removesuffix("\n").split("\n")

    outputs = [(name, read(f"outputs/{name}.txt")) for name in NAMES]
    return outputs, [read(f"reference.{number}.txt") for number in (1, 2, 3)]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.parametrize("count", [1, 3])
def test_corpora(name, options, count, corpus):
    outputs, refs = corpus
    theirs = getattr(peer, name)(**options)
    ours = getattr(sacrebleu, name)(**options)
    for _, hyps in outputs:
        expected = theirs.corpus_score(hyps, refs[:count])
        assert vars(ours.corpus_score(hyps, refs[:count])) == vars(expected)
        assert str(ours.get_signature()) == str(theirs.get_signature())


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_sentences(name, options, corpus):
    outputs, refs = corpus
    theirs = getattr(peer.metrics, name)(**options)
    ours = getattr(sacrebleu.metrics, name)(**options)
    for hyp, *segment_refs in zip(outputs[0][1], *refs, strict=True):
        expected = theirs.sentence_score(hyp, segment_refs)
        assert vars(ours.sentence_score(hyp, segment_refs)) == vars(expected)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.parametrize("count", [1, 3])
def test_intervals(name, options, count, corpus):
    outputs, refs = corpus
    theirs = getattr(peer, name)(**options, references=refs[:count])
    ours = getattr(sacrebleu, name)(**options, references=refs[:count])
    expected = theirs.corpus_score(outputs[0][1], None, n_bootstrap=101)
    score = ours.corpus_score(outputs[0][1], None, n_bootstrap=101)
    assert score.format(width=6) == expected.format(width=6)
    assert str(ours.get_signature()) == str(theirs.get_signature())


PAIRED = [
    {"test_type": "bs", "n_samples": 40},
    {"test_type": "ar", "n_samples": 33, "n_ar_confidence": 25, "n_jobs": 2},
]


@pytest.mark.parametrize("given", PAIRED)
@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_paired_tests(name, given, corpus):
    outputs, refs = corpus
    results = []
    for module in (peer, sacrebleu):
        metric = getattr(module, name)(references=refs)
        test = module.significance.PairedTest(outputs, {name: metric}, None, **given)
        results.append(str(test()))
    assert results[0] == results[1]


CALLS = [
    ("corpus_bleu", HYPS, REFS, {}),
    ("corpus_bleu", HYPS, REFS, {"smooth_method": "floor", "lowercase": True}),
    ("corpus_bleu", HYPS, REFS, {"tokenize": "none", "use_effective_order": True}),
    ("raw_corpus_bleu", HYPS, REFS, {}),
    ("raw_corpus_bleu", ["a b"], [["a c"]], {"smooth_value": 0.5}),
    ("sentence_bleu", HYPS[2], [ref[2] for ref in REFS], {}),
    ("sentence_bleu", "a b", ["a b"], {"use_effective_order": False}),
    ("corpus_chrf", HYPS, REFS, {"word_order": 2, "remove_whitespace": False}),
    ("sentence_chrf", HYPS[1], [REFS[0][1]], {"eps_smoothing": True, "beta": 1}),
    ("corpus_ter", HYPS, REFS, {"normalized": True, "case_sensitive": True}),
    ("sentence_ter", HYPS[0], [REFS[1][0]], {"no_punct": True}),
    ("sentence_ter", "", ["a"], {}),
    ("corpus_ter", ["a"], [[""]], {}),
    ("corpus_bleu", ["", ""], [["a", "b"]], {}),
]


@pytest.mark.parametrize(("name", "first", "second", "options"), CALLS)
def test_functions(name, first, second, options):
    expected = getattr(peer, name)(first, second, **options)
    found = getattr(sacrebleu, name)(first, second, **options)
    assert vars(found) == vars(expected)


def test_every_public_name_is_there():
    for name in {*sacrebleu.__all__, *peer.__all__}:
        assert getattr(sacrebleu, name) is not None
    for name in ("BLEUScore", "CHRFScore", "TERScore", "METRICS"):
        assert hasattr(sacrebleu.metrics, name)
    assert sacrebleu.DATASETS is peer.DATASETS
    assert sacrebleu.corpus_bleu is not peer.corpus_bleu
    with pytest.raises(AttributeError, match="has no attribute 'corpus_blue'"):
        _ = sacrebleu.corpus_blue


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_metrics_pickle(name):
    metric = getattr(sacrebleu, name)(references=REFS)
    score = metric.corpus_score(HYPS, None, n_bootstrap=20)
    for copied in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert str(copied.get_signature()) == str(metric.get_signature())
        assert str(copied.corpus_score(HYPS, None, n_bootstrap=20)) == str(score)


WRONG = [
    # sacreBLEU scores as many segments as the shorter of the two has.
    (HYPS, [["a"]], MetraError, "reference 1 has 1 segment but hyps has 3"),
    (["a b"], "ab", TypeError, "a list of texts is one text"),
    (["a b", "c d"], ["ab", "cd"], TypeError, "a list of texts is one text"),
    (["a", "b"], [["a", None]], CorpusError, "Segment 2 has no reference"),
    (["a", None], [["a", "b"]], TypeError, "Undefined line"),
    (HYPS, None, CorpusError, "no references"),
]


@pytest.mark.parametrize(("hyps", "refs", "error", "words"), WRONG)
def test_what_is_refused(hyps, refs, error, words):
    with pytest.raises(error, match=words):
        metrics.BLEU().corpus_score(hyps, refs)


def test_a_byte_order_mark_is_no_text():
    # sacreBLEU counts it as a part of the first word.
    score = metrics.BLEU().corpus_score(["\ufeffa b c d"], [["a b c d"]])
    assert score.precisions == [100] * 4


def test_tokenised_text_is_noticed(caplog):
    texts = ["so it is ."] * 100
    metrics.BLEU(force=True).corpus_score(texts, [texts])
    assert not caplog.text
    metrics.BLEU().corpus_score(texts, [texts])
    assert "100 outputs" in caplog.text
