"""`metra.compat.sacrebleu` has sacreBLEU's names, and its scores to the last digit."""

import pickle

import pytest

from metra.compat import sacrebleu
from metra.compat.sacrebleu import metrics, significance
from metra.corpus import examples
from metra.errors import CorpusError, MetraError, OptionError, UnknownNameError

peer = pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")

# The example of sacreBLEU's README, with the values that are printed there.
REFS = [
    ["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
    [
        "The dog had bit the man.",
        "No one was surprised.",
        "The man had bitten the dog.",
    ],
]
HYPS = [
    "The dog bit the man.",
    "It wasn't surprising.",
    "The man had just bitten him.",
]


def test_documented_scores():
    bleu = metrics.BLEU()
    assert str(bleu.corpus_score(HYPS, REFS)) == (
        "BLEU = 48.53 82.4/50.0/45.5/37.5 "
        "(BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)"
    )
    assert str(bleu.get_signature()) == (
        "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    )
    assert sacrebleu.corpus_bleu(HYPS, REFS).score == 48.530827009929865
    assert str(metrics.CHRF().corpus_score(HYPS, REFS)) == "chrF2 = 59.73"


@pytest.mark.parametrize("missing", [None, ""])
def test_references_that_are_missing(missing):
    refs = [REFS[0], [REFS[1][0], missing, REFS[1][2]]]
    for name in ("BLEU", "CHRF", "TER"):
        theirs, ours = getattr(peer, name)(), getattr(sacrebleu, name)()
        score = ours.corpus_score(HYPS, refs)
        assert str(score) == str(theirs.corpus_score(HYPS, refs))
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


def list_fields(theirs, ours):
    """Give the fields of their score, and ours of the same names."""
    return vars(theirs), {name: vars(ours)[name] for name in vars(theirs)}


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.parametrize("count", [1, 3])
def test_fields_and_formats(name, options, count, corpus):
    outputs, refs = corpus
    theirs = getattr(peer, name)(**options)
    ours = getattr(sacrebleu, name)(**options)
    for _, hyps in outputs:
        expected = theirs.corpus_score(hyps, refs[:count])
        score = ours.corpus_score(hyps, refs[:count])
        fields, found = list_fields(expected, score)
        assert found == fields
        signature = str(theirs.get_signature())
        assert str(ours.get_signature()) == repr(ours.get_signature()) == signature
        short = theirs.get_signature().format(short=True)
        assert ours.get_signature().format(short=True) == short
        for how in (
            {},
            {"width": 5},
            {"score_only": True},
            {"signature": signature},
            {"signature": signature, "is_json": True, "width": 4},
        ):
            assert score.format(**how) == expected.format(**how)
        assert repr(score) == repr(expected)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_sentences(name, options, corpus):
    outputs, refs = corpus
    theirs = getattr(peer.metrics, name)(**options)
    ours = getattr(sacrebleu.metrics, name)(**options)
    for hyp, *segment_refs in zip(outputs[0][1], *refs, strict=True):
        expected = theirs.sentence_score(hyp, segment_refs)
        fields, found = list_fields(expected, ours.sentence_score(hyp, segment_refs))
        assert found == fields


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_intervals_and_paired_tests(name, options, count, corpus):
    outputs, refs = corpus
    refs = refs[:count]
    theirs = getattr(peer, name)(**options, references=refs)
    ours = getattr(sacrebleu, name)(**options, references=refs)
    expected = theirs.corpus_score(outputs[0][1], None, n_bootstrap=101)
    score = ours.corpus_score(outputs[0][1], None, n_bootstrap=101)
    assert score.format(width=6) == expected.format(width=6)
    assert str(ours.get_signature()) == str(theirs.get_signature())
    for kind in ("ar", "bs"):
        given = {"test_type": kind, "n_samples": 97}
        results = []
        for module, metric in (
            (peer.significance, getattr(peer, name)(**options, references=refs)),
            (significance, getattr(sacrebleu, name)(**options, references=refs)),
        ):
            signatures, table = module.PairedTest(
                outputs, {name: metric}, None, **given
            )()
            assert table.pop("System") == list(NAMES)
            ((label, column),) = table.items()
            numbers = [
                None if value is None else float(value)
                for result in column
                for value in (result.score, result.p_value, result.mean, result.ci)
            ]
            results.append((label, str(signatures[label]), numbers))
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
    ("extract_word_ngrams", ["a", "b", "a", "b"], 2, {}),
    ("extract_char_ngrams", "a b c", 2, {}),
    ("extract_char_ngrams", " a b c", 2, {"include_whitespace": True}),
]


@pytest.mark.parametrize(("name", "first", "second", "options"), CALLS)
def test_functions(name, first, second, options):
    expected = getattr(peer, name)(first, second, **options)
    found = getattr(sacrebleu, name)(first, second, **options)
    if hasattr(expected, "score"):
        expected, found = list_fields(expected, found)
    assert found == expected


def test_bleu_from_counts():
    counts = ([3, 2, 1, 0], [4, 3, 2, 1], 4, 5)
    for options in ({}, {"smooth_method": "exp"}, {"smooth_method": "add-k"}):
        expected = peer.BLEU.compute_bleu(*map(_copy, counts), **options)
        found = sacrebleu.BLEU.compute_bleu(*map(_copy, counts), **options)
        assert vars(found) == vars(expected)


def _copy(value):
    return list(value) if isinstance(value, list) else value


def test_every_public_name_is_there():
    for name in sacrebleu.__all__:
        assert getattr(sacrebleu, name) is not None
    assert sacrebleu.__version__ == peer.__version__
    with pytest.raises(AttributeError, match="has no attribute 'corpus_blue'"):
        _ = sacrebleu.corpus_blue


def test_scores_pickle():
    score = sacrebleu.corpus_bleu(HYPS, REFS)
    assert vars(pickle.loads(pickle.dumps(score))) == vars(score)


WRONG = [
    (lambda: sacrebleu.corpus_bleu("abc", REFS), TypeError, "`hyps` is one string"),
    (lambda: sacrebleu.corpus_bleu([None], [["a"]]), TypeError, "has None where"),
    (lambda: sacrebleu.sentence_bleu(HYPS, ["a"]), TypeError, "`hyp` is no text"),
    (lambda: sacrebleu.sentence_bleu("a", "a"), TypeError, "`refs` is one string"),
    (lambda: metrics.BLEU().corpus_score(HYPS, None), CorpusError, "no references"),
    (lambda: metrics.BLEU().get_signature(), ValueError, "not known yet"),
    (lambda: metrics.BLEU(tokenize="13b"), UnknownNameError, "No tokeniser named"),
    (lambda: metrics.BLEU(smooth_method="x"), UnknownNameError, "No smoothing named"),
    # sacreBLEU scores as many segments as the shorter of the two has.
    (lambda: sacrebleu.corpus_bleu(HYPS, [["a"]]), MetraError, "segments"),
    (
        lambda: significance.PairedTest([], {}, None, test_type="t"),
        OptionError,
        "test_type='t' is not possible; expected ar or bs",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_sentence_bleu_without_effective_order_warns(caplog):
    metrics.BLEU().sentence_score("a b", ["a b"])
    assert "effective_order" in caplog.text


def test_models_of_sentencepiece_are_looked_for_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    with pytest.raises(MetraError, match=r"flores200sacrebleuspm|sentencepiece"):
        metrics.BLEU(tokenize="flores200")
