"""Retrieval through translations."""

import math
import sys

import pytest

from metra.analysis.retrieval import (
    compute_average_precision,
    compute_ndcg,
    evaluate_retrieval,
)
from metra.corpus import examples
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, FormatError, MissingResourceError
from metra.formats.annotations.table import read_qrels, read_queries
from metra.text.preparation import make_preparation

WORDS = make_preparation(tok="none", case="lower", stem="no")
REFERENCE = ["red fox", "blue fox fox", "green hen", "hen"]
OUTPUT = ["red dog", "blue fox", "green fox", "fox"]
DOCUMENTS = ["one", "two", "three", "three"]
SHOWN = ("solid", "literal", "wrong-terms")
QUERIES = {"q1": "Red Fox", "q2": "hen", "q3": "unheard"}


@pytest.fixture(autouse=True)
def _bm25():
    pytest.importorskip("bm25s", reason="needs the extra retrieval")


def corpus(**named) -> Outputs:
    options = {"refs": [REFERENCE], "documents": DOCUMENTS} | named
    return Outputs(EvalSet(**options), {"sys": OUTPUT})


def slow_bm25(query: str, documents: dict[str, str]) -> list[str]:
    """BM25 with Lucene's idf, word by word."""
    texts = {name: text.split() for name, text in documents.items()}
    mean = sum(map(len, texts.values())) / len(texts)
    scores = {}
    for name, words in texts.items():
        score = 0.0
        for term in query.lower().split():
            having = sum(term in other for other in texts.values())
            idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            times = words.count(term)
            score += idf * times / (times + 1.2 * (0.25 + 0.75 * len(words) / mean))
        scores[name] = score
    return [
        name
        for name in sorted(scores, key=lambda name: (-scores[name], name))
        if scores[name] > 0
    ]


def test_documents_are_ranked_by_bm25():
    found = evaluate_retrieval(corpus(), QUERIES, None, text=WORDS)
    together = [
        {"one": texts[0], "two": texts[1], "three": f"{texts[2]} {texts[3]}"}
        for texts in (REFERENCE, OUTPUT)
    ]
    for run, documents in zip(found.runs, together, strict=True):
        assert run.ranked == {
            query: slow_bm25(text, documents) for query, text in QUERIES.items()
        }
    assert found.runs[0].ranked == {"q1": ["one", "two"], "q2": ["three"], "q3": []}
    assert found.documents == 3


def test_the_reference_run_says_what_is_relevant():
    found = evaluate_retrieval(corpus(), QUERIES, None, text=WORDS)
    reference, system = found.runs
    assert (reference.name, system.name) == ("reference", "sys")
    assert found.left_out == ["q3"], "the reference run finds nothing for it"
    assert reference.average_precision == {"q1": 100, "q2": 100}
    # q1: one, with the rare word, comes first; q2: there is no hen any more.
    assert system.average_precision == {"q1": 100, "q2": 0}
    assert system.ndcg == {"q1": 100, "q2": 0}
    assert (system.map, system.mean_ndcg) == (50, 50)
    assert system.map_interval is None  # two queries are too few
    assert "relevant:reference run, top 1" in found.signature


def test_judgements_say_what_is_relevant():
    qrels = {"q1": {"two": 1.0, "three": 0.0}, "q2": {"three": 1.0}}
    reference, system = evaluate_retrieval(corpus(), QUERIES, qrels, text=WORDS).runs
    assert reference.average_precision == {"q1": 50, "q2": 100}
    order = system.ranked["q1"]
    expected = 100 / (order.index("two") + 1)
    assert system.average_precision["q1"] == pytest.approx(expected)


REFUSED = {
    "no documents": (
        {"documents": None}, None, "Retrieval needs documents; give `documents`",
    ),
    "no references": (
        {"refs": None}, None, "needs references to compare with; give `references`",
    ),
    "query": ({}, {"q9": {"one": 1.0}}, "query 'q9', which is not among"),
    "document": (
        {}, {"q1": {"ten": 1.0}},
        "'ten', which is not in the corpus; documents: one, three, two",
    ),
    "none": ({}, {"q1": {"one": 0.0}}, "relevant to any query"),
}  # fmt: skip


@pytest.mark.parametrize(("named", "qrels", "message"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(named, qrels, message):
    with pytest.raises(CorpusError, match=message):
        evaluate_retrieval(corpus(**named), QUERIES, qrels, text=WORDS)


def test_a_system_must_not_be_called_reference():
    named = Outputs(EvalSet([REFERENCE], documents=DOCUMENTS), {"reference": OUTPUT})
    with pytest.raises(CorpusError, match="named 'reference'"):
        evaluate_retrieval(named, QUERIES, None, text=WORDS)


def test_empty_documents_find_nothing():
    empty = Outputs(EvalSet([REFERENCE], documents=DOCUMENTS), {"sys": [""] * 4})
    run = evaluate_retrieval(empty, QUERIES, None, text=WORDS).runs[1]
    assert run.map == 0


def test_the_missing_package_is_named_with_the_step_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[retrieval\]'"):
        evaluate_retrieval(corpus(), QUERIES, None, text=WORDS)


def search(cli, *arguments: str) -> str:
    """What `metra clir` prints about the example."""
    home = examples.HOME
    files = {
        "--docs": "passages.txt",
        "--queries": "queries.tsv",
        "--qrels": "qrels.txt",
    }
    given = [
        part for flag in files for part in (flag, home / "retrieval" / files[flag])
    ]
    return cli("clir", *arguments, "-r", home / "reference.1.txt", *given).out


def test_the_table_on_the_page_is_real(cli, root):
    shown = search(cli, *(examples.HOME / "outputs" / f"{name}.txt" for name in SHOWN))
    page = (root / "docs" / "other-metrics.md").read_text(encoding="utf-8")
    assert shown.partition("\n\n")[0] in page


FAULTS = [
    pytest.param(read_queries, "query\ttext\nq\t\n", "line 2: an empty cell", id="no text"),
    pytest.param(read_queries, "query\ttext\nq\ta\nq\tb\n", "line 3: a second query 'q'",
                 id="the same query twice"),
    pytest.param(read_queries, "query\ttext\n", "has no queries", id="no queries"),
    pytest.param(read_qrels, "q 0 d\n", "line 1: 'q 0 d'; expected query, 0", id="short"),
    pytest.param(read_qrels, "q 0 d x\n", "line 1: 'q 0 d x'", id="no number"),
    pytest.param(read_qrels, "q 0 d 1\n\nq 0 d 0\n", "line 3: d is judged twice for q",
                 id="judged twice"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "text", "message"), FAULTS)
def test_faulty_files_are_refused(tmp_path, read, text, message):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read(str(path))


def test_degrees_of_relevance_are_not_negative(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("q 0 d -1\nq 0 e 0\nq 0 f 0.5\n\nr 0 d 3\n")
    expected = {"q": {"d": 0.0, "e": 0.0, "f": 0.5}, "r": {"d": 3.0}}
    assert read_qrels(str(path)) == expected


ORDERS = [  # documents as found, relevance, AP, DCG of the order found, of the best order
    pytest.param("a b", {"a": 1, "b": 1}, 100, 1 + 1 / math.log2(3), 1 + 1 / math.log2(3),
                 id="all there, in order"),
    pytest.param("x a", {"a": 1}, 50, 1 / math.log2(3), 1, id="one place too low"),
    pytest.param("a x b", {"a": 1, "b": 1}, 100 * (1 + 2 / 3) / 2, 1.5,
                 1 + 1 / math.log2(3), id="one between"),
    pytest.param("a", {"a": 1, "b": 1}, 50, 1, 1 + 1 / math.log2(3), id="one not found"),
    pytest.param("", {"a": 1}, 0, 0, 1, id="nothing found"),
    pytest.param("b a", {"a": 2, "b": 1, "x": 0}, 100, 1 + 2 / math.log2(3),
                 2 + 1 / math.log2(3), id="the better one second"),
]  # fmt: skip


@pytest.mark.seed("3.25")
@pytest.mark.parametrize(("ranked", "relevance", "precision", "gain", "best"), ORDERS)
def test_average_precision_and_ndcg_by_hand(ranked, relevance, precision, gain, best):
    names = ranked.split()
    figures = (f(names, relevance) for f in (compute_average_precision, compute_ndcg))
    assert [*figures] == pytest.approx([precision, 100 * gain / best])
