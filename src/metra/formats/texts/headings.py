"""Headings of columns in the words of people, and kinds of content without texts."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize


class Heading(NamedTuple):
    """The kind of a heading in headings.tsv, and how sure it is."""

    kind: str
    #: Whether it has words beside the known name, such as that of a system.
    has_more: bool = False

    @property
    def is_text(self) -> bool:
        """Return True if a column with this heading may hold texts of the test set."""
        return self.kind in ("source", "reference", "output", "human", "target")

    @property
    def is_doubtful(self) -> bool:
        """Return True if the content of the column decides."""
        return self.kind == "label" and self.has_more


@cache
def _load_kinds() -> dict[str, str]:
    """Return the kind of each known name, written without blanks."""
    lines = Path(__file__).with_name("headings.tsv").read_text("utf-8").split("\n")
    entries = (line.split("\t") for line in lines if line and line[0] != "#")
    return {
        "".join(_split_words(name)): kind
        for kind, names in entries
        for name in names.split("|")
    }


# Letters and digits of any script, and the signs for numbers; `sysA` and `mt1` are two words.
_WORD = re.compile(r"[^\W\d_]+|\d+|[#°]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LANGUAGE = re.compile(r"[(\[][A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?[)\]]")
_MOST_WORDS = 5
#: Shorter labels, such as no, may be the codes of languages.
_SHORT = 4


def _split_words(heading: str) -> list[str]:
    spaced = _HUMP.sub(" ", _LANGUAGE.sub("", normalize("NFKC", heading)))
    return _WORD.findall(spaced.casefold())


def find_heading(name: str) -> Heading | None:
    """Return the kind of a heading, None if it is not known.

    >>> find_heading("Ausgangstext"), find_heading("MT (DeepL)"), find_heading("reformer")
    (Heading(kind='source', has_more=False), Heading(kind='output', has_more=True), None)
    """
    kinds, words = _load_kinds(), _split_words(name)
    if kind := kinds.get("".join(words)):
        return Heading(kind, has_more=kind == "label" and len(name.strip()) < _SHORT)
    if not 1 < len(words) <= _MOST_WORDS:
        return None
    # Systems have numbers or letters: system A, model 2.
    if words[0] in ("system", "engine", "model") and len("".join(words[1:])) == 1:
        return Heading("output", has_more=True)
    ends = [kinds.get(words[at]) for at in (0, -1)]
    for kind in ("comment", "label"):
        if kind in ends:
            return Heading(kind, has_more=True)
    for size in range(len(words) - 1, 0, -1):
        for part in (words[-size:], words[:size]):
            heading = Heading(kinds.get("".join(part), ""), has_more=True)
            if heading.is_text:
                return heading
    return None


_NUMBER = re.compile(r"[+-]?\d[\d.,'’\u00a0\u202f ]*(?:[eE][+-]?\d+)? ?%?")
_DATE = re.compile(
    r"\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[T ,]+\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?"
)
_DIGITS = re.compile(r"\d+")
#: Fewer rows tell nothing about what repeats.
_FEW = 3
_MANY = 12
_LONGEST_CODE = 16


def classify_content(cells: Sequence[str | None]) -> str:
    """Name the content of a column that holds no texts; an empty string if it may hold texts.

    >>> classify_content(["0.5", "1"]), classify_content(["a b", "c"])
    ('numbers', '')
    """
    if len(cells) < 2:
        return ""
    filled = [cell.strip() for cell in cells if cell and cell.strip()]
    if not filled:
        return "empty"
    for kind, pattern in (("numbers", _NUMBER), ("dates", _DATE)):
        if all(map(pattern.fullmatch, filled)):
            return kind
    distinct = {*filled}
    if len(filled) < _FEW:
        return ""
    if len(distinct) == 1:
        return "one value"
    shapes = {_DIGITS.sub("0", cell) for cell in distinct}
    if len(shapes) == 1 and "0" in shapes.pop() and " " not in filled[0]:
        return "ids"
    is_short = all(len(cell) <= _LONGEST_CODE for cell in distinct)
    return "codes" if is_short and len(distinct) * 4 <= len(filled) >= _MANY else ""
