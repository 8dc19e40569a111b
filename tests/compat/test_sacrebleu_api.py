"""`metra.compat.sacrebleu` has sacreBLEU's names, and its scores to the last digit."""

import copy
import inspect
import pickle

import numpy as np
import pytest

from metra.compat import sacrebleu
from metra.compat.sacrebleu import metrics, significance, testsets
from metra.corpus import examples
from metra.errors import CorpusError, MetraError, OptionError, UnknownNameError
from metra.formats.testsets.sacrebleu_cache import find_cache

peer = pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")

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


def test_the_readme_example_runs_as_written():
    # sacreBLEU's README shows this use of the classes, with other sentences.
    for module in (peer, sacrebleu):
        bleu = module.metrics.BLEU()
        assert str(bleu.corpus_score(HYPS, REFS)) == (
            "BLEU = 61.89 80.0/70.6/57.1/45.5 "
            "(BP = 1.000 ratio = 1.053 hyp_len = 20 ref_len = 19)"
        )
        assert str(bleu.get_signature()) == (
            "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
        )
        chrf = module.metrics.CHRF(word_order=2)
        assert chrf.corpus_score(HYPS, REFS).name == "chrF2++"


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
@pytest.mark.parametrize("count", [1, 3])
def test_intervals(name, options, count, corpus):
    outputs, refs = corpus
    theirs = getattr(peer, name)(**options, references=refs[:count])
    ours = getattr(sacrebleu, name)(**options, references=refs[:count])
    expected = theirs.corpus_score(outputs[0][1], None, n_bootstrap=101)
    score = ours.corpus_score(outputs[0][1], None, n_bootstrap=101)
    assert score.format(width=6) == expected.format(width=6)
    assert str(ours.get_signature()) == str(theirs.get_signature())
    # The number of samples stays in the signature, as in sacreBLEU.
    assert str(ours.corpus_score(outputs[0][1], None)) == str(
        theirs.corpus_score(outputs[0][1], None)
    )
    assert str(ours.get_signature()) == str(theirs.get_signature())


PAIRED = [
    {"test_type": "ar", "n_samples": 97},
    {"test_type": "bs", "n_samples": 97},
    {"test_type": "bs", "n_samples": 40, "n_ar_confidence": 10},
    {"n_samples": 33, "n_ar_confidence": 25},
    {"n_samples": 33, "n_ar_confidence": 0, "n_jobs": 2},
]
PAIRED_METRICS = [
    ("BLEU", {}),
    ("BLEU", {"smooth_method": "add-k", "smooth_value": 0.6}),
    ("CHRF", {"word_order": 2}),
    ("TER", {}),
]


@pytest.mark.parametrize("given", PAIRED)
@pytest.mark.parametrize(("name", "options"), PAIRED_METRICS)
@pytest.mark.parametrize("count", [1, 3])
def test_paired_tests(name, options, given, count, corpus):
    outputs, refs = corpus
    results = []
    for module in (peer, sacrebleu):
        metric = getattr(module, name)(**options, references=refs[:count])
        # Two systems may have the same name.
        systems = [*outputs, ("solid", outputs[0][1])]
        test = module.significance.PairedTest(systems, {name: metric}, None, **given)
        signatures, table = test()
        assert table.pop("System") == [*NAMES, "solid"]
        ((label, column),) = table.items()
        numbers = [
            None if value is None else float(value)
            for result in column
            for value in (result.score, result.p_value, result.mean, result.ci)
        ]
        results.append((label, str(signatures[label]), numbers))
    assert results[0] == results[1]


@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_draws_in_blocks_are_the_same(kind, corpus, monkeypatch):
    outputs, refs = corpus

    def run():
        metrics = {"BLEU": sacrebleu.BLEU(references=refs)}
        test = significance.PairedTest(outputs, metrics, None, kind, 70, 70)
        return str(test()[1])

    expected = run()
    monkeypatch.setattr(significance, "BLOCK", 1)
    assert run() == expected


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
    fields, ours = list_fields(expected, found)
    assert ours == fields


def test_bleu_from_counts():
    counts = ([3, 2, 1, 0], [4, 3, 2, 1], 4, 5)
    for options in ({}, {"smooth_method": "exp"}, {"smooth_method": "add-k"}):
        expected = peer.BLEU.compute_bleu(*map(_copy, counts), **options)
        found = sacrebleu.BLEU.compute_bleu(*map(_copy, counts), **options)
        assert vars(found) == vars(expected)


def _copy(value):
    return list(value) if isinstance(value, list) else value


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_counts_keep_their_type_when_add_k_adds_to_them(kind):
    # sacreBLEU cuts 0.6 off whole numbers again, which its p-values depend on.
    options = {"smooth_method": "add-k", "smooth_value": 0.6}
    counts, lengths = [5, 3, 2, 1, 9, 8, 7, 6], [9, 10]
    stats = np.array([*lengths, *counts], kind)
    expected = peer.BLEU(**options)._compute_score_from_stats(stats).score
    sums = np.array([[*counts, *lengths]], np.float64 if kind == np.int64 else kind)
    assert sacrebleu.BLEU(**options).score_samples(sums).tolist() == [expected]


def list_parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.default) for each in found]


def test_every_public_name_is_there():
    for name in {*sacrebleu.__all__, *peer.__all__}:
        assert getattr(sacrebleu, name) is not None
    for name in ("BLEUScore", "CHRFScore", "TERScore", "METRICS"):
        assert hasattr(sacrebleu.metrics, name)
    assert sacrebleu.__version__ == peer.__version__
    assert str(find_cache()) == sacrebleu.SACREBLEU_DIR
    for name in ("DATASETS", "extract_char_ngrams", "extract_word_ngrams"):
        assert getattr(sacrebleu, name) is getattr(peer, name)
    with pytest.raises(AttributeError, match="has no attribute 'corpus_blue'"):
        _ = sacrebleu.corpus_blue


FUNCTIONS = [
    name
    for name in peer.__all__
    if inspect.isfunction(getattr(peer, name)) or inspect.isclass(getattr(peer, name))
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_and_defaults(name):
    assert list_parameters(getattr(sacrebleu, name)) == list_parameters(
        getattr(peer, name)
    )


CLASSES = ["BLEU", "CHRF", "TER", "BLEUScore", "CHRFScore", "TERScore"]


@pytest.mark.parametrize("name", CLASSES)
def test_methods_and_attributes(name):
    theirs, ours = getattr(peer.metrics, name), getattr(sacrebleu.metrics, name)
    for each in dir(theirs):
        if not each.startswith("_"):
            mine, expected = getattr(ours, each), getattr(theirs, each)
            if inspect.isfunction(expected):
                assert list_parameters(mine) == list_parameters(expected)
    if not name.endswith("Score"):
        for each in vars(theirs()):
            assert each.startswith("_") or hasattr(ours(), each)


def test_tokenizers():
    text = "It's 5.5 (or so), isn't it? 河水"
    for options in ({}, {"tokenize": "zh"}, {"tokenize": "intl"}, {"tokenize": "none"}):
        expected = peer.BLEU(**options).tokenizer(text)
        assert sacrebleu.BLEU(**options).tokenizer(text) == expected
    for options in ({}, {"normalized": True, "case_sensitive": True}):
        expected = peer.TER(**options).tokenizer(text)
        assert sacrebleu.TER(**options).tokenizer(text) == expected


def test_signatures_and_intervals_that_are_set():
    for module in (peer, sacrebleu):
        signature = module.BLEU(references=REFS).get_signature()
        signature.update("test", "wmt18")
        assert str(signature).startswith("nrefs:2|test:wmt18|case:mixed|")
        assert signature.format(short=True).startswith("#:2|t:wmt18|c:mixed|")
    scores = []
    for module in (peer, sacrebleu):
        bleu = module.BLEU(effective_order=True)
        score = bleu.corpus_score(HYPS, REFS)
        samples = [bleu.sentence_score(hyp, REFS[0][:1]) for hyp in HYPS]
        score.estimate_ci(samples)
        scores.append(score.format(width=6, is_json=True, signature="a:b"))
    assert scores[0] == scores[1]


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_metrics_scores_and_signatures_pickle(name):
    metric = getattr(sacrebleu, name)(references=REFS)
    score = metric.corpus_score(HYPS, None, n_bootstrap=20)
    for copied in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert str(copied.get_signature()) == str(metric.get_signature())
        assert str(copied.corpus_score(HYPS, None, n_bootstrap=20)) == str(score)
    for each in (score, metric.get_signature()):
        assert vars(pickle.loads(pickle.dumps(each))) == vars(each)


def test_files_of_test_sets(tmp_path, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    folder = tmp_path / "wmt23"
    folder.mkdir()
    for field in ("src", "ref-refA", "ref-refB", "docid"):
        (folder / f"wmt23.en-de.{field}").write_text("a\nb\n", encoding="utf-8")
    source = str(folder / "wmt23.en-de.src")
    assert sacrebleu.get_source_file("wmt23", "en-de") == source
    # Of the two references sacreBLEU scores with the first.
    found = sacrebleu.get_reference_files("wmt23", "en-de")
    assert found == [str(folder / "wmt23.en-de.ref-refA")]
    assert sacrebleu.get_available_testsets() == ["wmt23"]
    assert sacrebleu.get_langpairs_for_testset("wmt23") == ["en-de"]
    assert testsets.get_available_testsets_for_langpair("de-en") == ["wmt23"]
    with sacrebleu.smart_open(source) as file:
        assert file.readlines() == ["a\n", "b\n"]
    raw = folder / "raw" / "wmt23-news-systems-v.0.1" / "xml"
    raw.mkdir(parents=True)
    (raw / "wmttest2023.en-cs.all.xml").write_text("<dataset/>", encoding="utf-8")
    with pytest.raises(MetraError, match="metra testsets fetch wmt23 -l en-cs"):
        sacrebleu.get_source_file("wmt23", "en-cs")


WRONG = [
    (lambda: sacrebleu.corpus_bleu("abc", REFS), TypeError, "`hyps` is not a list"),
    (lambda: sacrebleu.corpus_bleu(iter("a"), REFS), TypeError, "`hyps` is not a list"),
    (lambda: sacrebleu.corpus_bleu([None], [["a"]]), TypeError, "type NoneType where"),
    (lambda: sacrebleu.corpus_bleu(["a"], [[1]]), TypeError, "type int where"),
    (lambda: sacrebleu.corpus_bleu(["a"], "a"), TypeError, "`refs` is not a list"),
    (lambda: sacrebleu.corpus_bleu(["a"], ["a"]), TypeError, "`refs` is not a list"),
    (lambda: sacrebleu.sentence_bleu(HYPS, ["a"]), TypeError, "`hyp` is not a text"),
    (lambda: sacrebleu.sentence_bleu("a", "a"), TypeError, "`refs` is not a list"),
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
