"""LTV: a toy corpus worked out by hand, options, documents, and what is refused."""

import math

import pytest

import metra
from metra.corpus.batch import Batch
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, UnfittedError
from metra.scoring.statistics import fit_metrics

REFS = ["a a b c", "a b b d", "a e e e"]
DOCUMENTS = ["one", "two", "three"]
# In document one a weighs 0 by tf.idf, b ln(3/2), c ln 3.
B, C = math.log(1.5), math.log(3)


def segment(hyp: str, options: str, ref: str = REFS[0]) -> float:
    """The score of an output of document one, weighed by the three documents."""
    spec = f"ltv:n=2,tok=none,{options}"
    corpus = Outputs(EvalSet([REFS], documents=DOCUMENTS), {"copy": REFS})
    fitted = fit_metrics(corpus, {spec: metra.metric(spec)})[spec]
    rows = fitted.rows(Batch([hyp], [[ref]], documents=["one"]))
    return float(fitted.aggregate(rows)[0])


BY_HAND = [
    # b is out of range: c, b c and c x weigh C
    pytest.param("b c x", "min_salience=0.5", (1 + 0.5) / 2, id="at least"),
    # c is out of range: b matches, b c does
    pytest.param("b c x", "max_salience=0.5", 1.0, id="at most"),
    pytest.param("a", "side=precision", 0.0, id="nothing that weighs"),
]


def test_the_rule_of_the_other_paper_is_a_floor():
    for hyp in ("b c x", "a c x c", "x", "a b c c"):
        assert segment(hyp, "weight=s,gram=max,floor=1,oov=1") == segment(
            hyp, "weight=none"
        )


@pytest.mark.seed("4.13")
@pytest.mark.seed("4.14")
@pytest.mark.parametrize(("hyp", "options", "expected"), BY_HAND)
def test_by_hand(hyp, options, expected):
    assert segment(hyp, options) == pytest.approx(100 * expected, abs=1e-9)


@pytest.mark.seed("4.5")
def test_references_of_a_document_are_counted_together():
    """Two streams: their words are one list, and the better reference counts."""
    found = metra.score(
        ["c", "d"],
        metric="ltv:n=1,tok=none",
        documents=["one", "two"],
        refs_per_segment=[["a b", "a c c"], ["a", "d"]],
    )
    c = (1 + math.log(2)) * math.log(2)
    assert found.rows[0] == pytest.approx([c, c, 2 * c])
    assert found.rows[1] == pytest.approx([math.log(2)] * 3)


def test_without_documents_it_says_so():
    with pytest.raises(CorpusError, match="documents are missing; give"):
        metra.score(["a"], ["a"], "ltv")
    with pytest.raises(CorpusError, match="weights words by document"):
        metra.evaluate(metra.EvalSet([["a"]]), {"s": ["a"]}, ["ltv"])
    assert metra.score(["a"], ["a"], "ltv:weight=none").score == 100


def test_one_document_is_not_enough():
    with pytest.raises(CorpusError, match="of one document, 'x'"):
        metra.score(["a", "b"], ["a", "b"], "ltv", documents=["x", "x"])
    with pytest.raises(
        CorpusError, match=r"Every word has weight zero; S-scores .* need more"
    ):
        metra.score(["a", "b"], ["a", "b"], "ltv:weight=s", documents=["x", "y"])


def test_a_document_must_have_its_list():
    fitted = metra.metric("ltv").fit([Batch(REFS, [REFS], documents=DOCUMENTS)])
    unknown = "Document 'four' is not in the references that the weights were fitted on"
    with pytest.raises(CorpusError, match=unknown):
        fitted.rows(Batch(["a"], [["a"]], documents=["four"]))
    with pytest.raises(CorpusError, match="documents are missing; give"):
        fitted.sentence("a", ["a"])
    with pytest.raises(UnfittedError, match="ltv needs weights from the references"):
        metra.metric("ltv").sentence("a", ["a"])


def test_a_list_from_a_file(write):
    path = write("list.tsv", ["document\tS\tword", "x\t2\ta", "x\t\tb", "y\t1\ta"])
    metric = metra.metric(f"ltv:weight=s,tok=none,n=1,weights={path}")
    assert "documents" in metric.needs
    batch = Batch(["a b", "a"], [["a c", "a"]], documents=["x", "y"])
    # b has no S, c is not in the list: both weigh nothing, and so does the other word
    assert metric.rows(batch).tolist() == [[2, 2, 2], [1, 1, 1]]
    assert f"|weights:{path}[sha256:" in metric.signature()
    with pytest.raises(CorpusError, match=r"Document 'z' is not in .*list\.tsv"):
        metric.rows(Batch(["a"], [["a"]], documents=["z"]))


def test_one_list_for_all_documents(write):
    path = write("list.tsv", ["word\ttf.idf", "a\t2", "b\t1"])
    metric = metra.metric(f"ltv:tok=none,n=1,side=recall,weights={path}")
    assert "documents" not in metric.needs
    assert metric.sentence("a", ["a b"]) == pytest.approx(200 / 3)
    assert metra.score(["a"], ["a b"], metric).score == pytest.approx(200 / 3)


@pytest.mark.seed("4.22")
def test_a_list_of_counts(write):
    """tf.idf from tf, df and N; S from the counts of all documents."""
    lines = ["word\ttf\tdf\tN", "b\t1\t2\t3", "c\t1\t1\t3", "a\t2\t3\t3"]
    path = write("counts.tsv", lines)
    result = metra.score(["b c x"], [REFS[0]], f"ltv:n=1,tok=none,weights={path}")
    assert result.rows[0] == pytest.approx([B + C, B + C, B + C])
    with pytest.raises(
        FormatError, match=r"no column 'S'.*S is computed from document"
    ):
        metra.metric(f"ltv:weight=s,weights={path}")
    counts = [
        f"{word}\t{name}\t{ref.split().count(word)}"
        for name, ref in zip(DOCUMENTS, REFS, strict=True)
        for word in sorted({*ref.split()})
    ]
    path = write("counts.tsv", ["word\tdocument\ttf", *counts])
    for options in ("", ",weight=s", ",weight=s,side=recall,n=2"):
        own, given = (
            metra.score(
                ["b c x", "b d", "e a"],
                [REFS],
                f"ltv:tok=none{spec}",
                documents=DOCUMENTS,
            ).segments
            for spec in (options, f"{options},weights={path}")
        )
        assert given == pytest.approx(own, abs=1e-7)
