"""Translation memories (TMX) and localisation files (XLIFF): texts in two languages.

As an output or a reference such a file gives its translations, as the source its originals.
Codes of formatting stay out of the texts; entities of the file's own are refused, because they
can grow without end.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn
from xml.parsers import expat

from metra.errors import FormatError
from metra.formats.stream import format_path, read_bytes
from metra.formats.texts.columns import Field, Reader, open_columns
from metra.formats.texts.documents import feed_xml, join_lines
from metra.formats.texts.sources import Source
from metra.limits import check_limit

#: Elements whose text is formatting of another program, not words.
_CODES = frozenset({"bpt", "ept", "ph", "it", "ut", "sub", "x", "bx", "ex"})
#: What surrounds one pair of texts, and what holds other pairs that do not count.
_UNITS = frozenset({"tu", "trans-unit", "segment"})
_ASIDE = frozenset({"alt-trans", "note", "notes", "prop", "matches", "originalData"})


class SegmentPair(NamedTuple):
    """One unit: the original and, if there is one, its translation."""

    source: str
    target: str


def open_reader(source: Source, _: Sequence[Field] | None = None) -> Reader:
    """Open a file from its start, for its one column."""
    field = source.field
    side = 0 if field.role == "source" else 1
    # An empty reference is a missing one.
    blank = None if field.role == "reference" else ""
    pairs = read_pairs(source.path)
    return open_columns({field: [pair[side] or blank for pair in pairs]})


def read_pairs(path: str) -> list[SegmentPair]:
    """Read all pairs of a file."""
    parser = _PairParser(path)
    feed_xml(parser.parser, read_bytes(path), path, "TMX or XLIFF")
    if not parser.pairs:
        msg = f"{format_path(path)} contains no translation; expected TMX or XLIFF."
        raise FormatError(msg)
    return parser.pairs


class _PairParser:
    """The pairs that have been read so far, and the place in the file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pairs: list[SegmentPair] = []
        self._source_language = ""
        self._language = ""
        self._texts: dict[str, str] = {}
        self._pieces: list[str] | None = None
        self._skipped = 0
        self._tags = self._depth = 0
        parser = self.parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._refuse_entity

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._tags += 1
        self._depth += 1
        place = format_path(self.path)
        check_limit("tokens", self._tags, place)
        check_limit("depth", self._depth, place)
        name = name.rpartition(":")[2]
        is_code = self._pieces is not None and name in _CODES
        if self._skipped or name in _ASIDE or is_code:
            self._skipped += 1
        elif name == "header":
            self._source_language = _normalise_language(attributes.get("srclang", ""))
        elif name in _UNITS:
            self._texts = {}
        elif name == "tuv":
            language = attributes.get("xml:lang") or attributes.get("lang", "")
            self._language = _normalise_language(language)
        elif name in ("source", "target", "seg"):
            self._pieces = []

    def _end(self, name: str) -> None:
        self._depth -= 1
        name = name.rpartition(":")[2]
        if self._skipped:
            self._skipped -= 1
        elif name in ("source", "target", "seg") and self._pieces is not None:
            side = self._find_side() if name == "seg" else name
            self._texts.setdefault(side, join_lines("".join(self._pieces)))
            self._pieces = None
        elif name in _UNITS and "source" in self._texts:
            target = self._texts.get("target", "")
            self.pairs.append(SegmentPair(self._texts["source"], target))

    def _find_side(self) -> str:
        """The language tells a memory's original; without one, the first text is it."""
        first = self._source_language
        if first and first != "*all*":
            same = _is_same_language(self._language, first)
            return "source" if same else "target"
        return "target" if "source" in self._texts else "source"

    def _text(self, piece: str) -> None:
        if self._pieces is not None and not self._skipped:
            self._pieces.append(piece)

    def _refuse_entity(self, name: str, *_: Any) -> NoReturn:
        msg = (
            f"{format_path(self.path)}, line {self.parser.CurrentLineNumber} declares "
            f"the entity {name!r}, which is not allowed; write its text out."
        )
        raise FormatError(msg)


def _normalise_language(language: str) -> str:
    return language.lower().replace("_", "-")


def _is_same_language(first: str, second: str) -> bool:
    """Return True if two codes mean the same; en is any English, en-GB is not en-US.

    >>> _is_same_language("en-gb", "en"), _is_same_language("en-gb", "en-us")
    (True, False)
    """
    return f"{first}-".startswith(f"{second}-") or f"{second}-".startswith(f"{first}-")
