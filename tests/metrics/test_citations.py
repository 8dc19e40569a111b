"""Names in print and citations: complete, well formed, and what the docstrings say."""

import inspect
import re

import pytest

from metra.metrics import citations, registry
from metra.metrics.citations import CITATIONS, PAPERS_OF_METHODS

#: A lecture is all there is, or the paper is that of another program.
WITHOUT_PAPER = {"ser", "outside"}
#: Authors and a year, as docstrings name papers.
_PAPER = re.compile(r"[A-Z]\w+(?: et al\.|,? and [A-Z]\w+)? (?:19|20)\d\d\b")


def read_docstring(name: str) -> str:
    return " ".join((inspect.getdoc(registry.find_factory(name)) or "").split())


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_a_metric_has_papers_if_its_docstring_names_one(name):
    names_one = _PAPER.search(read_docstring(name)) and name not in WITHOUT_PAPER
    assert bool(citations.list_papers(name)) == bool(names_one)


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_docstrings_name_the_same_papers(name):
    doc = read_docstring(name)
    for key in citations.list_papers(name):
        paper = CITATIONS[key]
        if key == "post2018":
            assert "sacreBLEU" in doc
            continue
        family = paper.authors[0].partition(",")[0]
        assert re.search(rf"{family}\b.{{0,90}}?\b{paper.year}\b", doc), key


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_a_name_in_print_is_that_of_no_other_metric(name):
    title = citations.get_title(name)
    assert registry.read_spec(title)[0] in (name, title)


VARIANTS = [
    ("chrf:word_order=2", "chrF++", "popovic2017"),
    ("chrf:word_order=1,beta=3", "chrF+", "popovic2017"),
    ("chrf|n:6|word_order:0|beta:2|version:1", "chrF", "popovic2015"),
    ("meteor:variant=2005", "METEOR", "banerjee2005"),
    ("meteor:variant=2007", "METEOR", "lavie2007"),
    ("meteor:lang=de", "METEOR", "denkowski2014"),
    ("llm:model=m,prompt=errors", "LLM", "kocmimqm2023"),
    ("llm|prompt:errors[sha256:12]|model:m|version:1", "LLM", "kocmimqm2023"),
    ("llm|prompt:mine.txt[sha256:12]|answers:errors|version:1", "LLM", "kocmimqm2023"),
    ("llm|prompt:score[sha256:12]|answers:score|version:1", "LLM", "kocmi2023"),
]


@pytest.mark.parametrize(("spec", "title", "paper"), VARIANTS)
def test_variants(spec, title, paper):
    assert citations.get_title(spec) == title
    assert citations.list_papers(spec)[0] == paper


def test_metrics_of_others_keep_their_name():
    assert citations.get_title("mine:x=1") == "mine"
    assert citations.list_papers("mine:x=1") == ()


def test_every_paper_is_used():
    used = {key for keys in PAPERS_OF_METHODS.values() for key in keys}
    specs = [*registry.BUILT_IN, *(spec for spec, _, _ in VARIANTS)]
    used |= {key for spec in specs for key in citations.list_papers(spec)}
    assert used == set(CITATIONS)


@pytest.mark.parametrize("key", CITATIONS)
def test_bibtex_is_balanced(key):
    entry = CITATIONS[key].bibtex
    assert re.match(rf"@\w+\{{{key},\n", entry)
    assert entry.count("{") == entry.count("}")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
    assert len(fields) == entry.count("\n") - 1
    assert {"author", "title", "year"} <= set(fields)
    authors = fields["author"].removesuffix(" and others").split(" and ")
    assert all("," in author for author in authors)
    assert all(fields.values())
