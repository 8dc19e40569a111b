"""Names of metrics in print, and the papers of metrics and tests (`papers.bib`)."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from metra.metrics.options import match_outside
from metra.metrics.registry import BUILT_IN, find_factory

#: The papers of each paired test, of the correction and of the intervals.
PAPERS_OF_METHODS = {
    "ar": ("noreen1989", "riezler2005"),
    "bootstrap": ("koehn2004",),
    "holm": ("holm1979",),
    "bh": ("benjamini1995",),
    "interval": ("efron1993",),
}

_WORDS = re.compile(r"\bword_order[=:]([1-9]\d*)\b")
#: Metrics whose papers depend on an option, and the papers of each value.
_PAPERS_OF_VARIANTS = (
    ("chrf", _WORDS, ("popovic2017", "post2018")),
    ("meteor", re.compile(r"\bvariant[=:]2005\b"), ("banerjee2005",)),
    ("meteor", re.compile(r"\bvariant[=:]2007\b"), ("lavie2007",)),
    (
        "llm",
        re.compile(r"\b(prompt[=:]errors|answers[=:](errors|gemba-mqm))\b"),
        ("kocmimqm2023", "fernandes2023", "lu2024"),
    ),
)


class Citation(NamedTuple):
    """A paper, as a bibliography lists it."""

    #: The entry in BibTeX; letters outside ASCII stay as they are (UTF-8).
    bibtex: str

    @property
    def authors(self) -> tuple[str, ...]:
        """Family names, then given names, as BibTeX has them."""
        return tuple(self.find_field("author").split(" and "))

    @property
    def year(self) -> int:
        """The year of publication."""
        return int(self.find_field("year"))

    def find_field(self, name: str) -> str:
        """Return the text of a field, empty if the entry has none.

        >>> CITATIONS["koehn2004"].find_field("pages")
        '388--395'
        """
        match = re.search(rf"^  {name} = \{{(.*)\}},$", self.bibtex, re.MULTILINE)
        return match[1] if match else ""

    def format_authors(self) -> str:
        """Name the authors as in running text.

        >>> CITATIONS["papineni2002"].format_authors()
        'Papineni et al.'
        >>> CITATIONS["koehn2004"].format_authors()
        'Koehn'
        """
        families = [author.partition(",")[0] for author in self.authors]
        if len(families) > 2:
            return f"{families[0]} et al."
        return " and ".join(families)


def get_title(spec: str) -> str:
    """Return what a metric is called in print, by its spec or signature.

    >>> get_title("bleu:tok=intl"), get_title("chrf:word_order=2"), get_title("mine")
    ('BLEU', 'chrF++', 'mine')
    """
    name = get_metric_name(spec)
    words = _WORDS.search(spec) if name == "chrf" else None
    plus = "" if words is None else "+" if words[1] == "1" else "++"
    return f"{_read_declaration(name, 'title', name)}{plus}"


def get_metric_name(spec: str) -> str:
    """Return the name of the metric at the start of a spec or signature."""
    return re.split(r"[:|@]", spec, maxsplit=1)[0]


def is_outside(spec: str) -> bool:
    """Tell whether a spec or signature names scores of another program."""
    return match_outside(spec) is not None or "|better:" in spec


def list_papers(spec: str) -> tuple[str, ...]:
    """Return the keys of the papers that define a metric, by its spec or signature.

    >>> list_papers("chrf:word_order=2")
    ('popovic2017', 'post2018')
    """
    name = get_metric_name(spec)
    if is_outside(spec):
        return ()
    for metric, pattern, papers in _PAPERS_OF_VARIANTS:
        if metric == name and pattern.search(spec):
            return papers
    return _read_declaration(name, "papers", ())


def _read_declaration(name: str, field: str, default: Any) -> Any:
    """Return what the factory of a metric declares, the default of other programs'."""
    if name not in BUILT_IN:
        return default
    return getattr(find_factory(name), field)


def format_bibliography(keys: Iterable[str]) -> str:
    """Write the entries of a bibliography in BibTeX, each once."""
    return "\n\n".join(CITATIONS[key].bibtex for key in dict.fromkeys(keys))


def _read_citations() -> dict[str, Citation]:
    """Read the entries of `papers.bib`, which an empty line separates."""
    text = Path(__file__).with_name("papers.bib").read_text(encoding="utf-8")
    entries = re.finditer(r"@\w+\{(\w+),\n(?:  .*\n)+\}", text)
    return {entry[1]: Citation(entry[0]) for entry in entries}


CITATIONS = _read_citations()
