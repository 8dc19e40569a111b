"""XLIFF and its dialects, TMX and other XML of translation tools, a unit at a time.

Entities of the file's own are refused, because they can grow without end.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from metra.formats.stream import format_path, read_bytes
from metra.formats.texts.documents import feed_xml
from metra.formats.texts.localisation.catalogues import unescape
from metra.formats.texts.localisation.units import Unit, refuse
from metra.limits import check_limit

_UNTRANSLATABLE = "not to be translated"


class Place(NamedTuple):
    """A unit's element, those around it, the file, and the treatment of codes."""

    element: Element
    parents: Sequence[Element]
    path: str
    codes: str

    def get_inherited(self, name: str) -> str:
        """Return an attribute of the unit or of the nearest element around it."""
        values = [owner.get(name) for owner in (*self.parents, self.element)]
        return next((value for value in reversed(values) if value is not None), "")

    def read(self, element: Element | None) -> str | None:
        """Return the text of an element, None if there is no element."""
        return None if element is None else _read_text(element, self.codes)

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error that names the unit."""
        refuse(self.path, f"{problem}.", f"unit {self.element.get('id', '')!r}")


def list_units(
    path: str, form: str, codes: str, encoding: str, *pair: str
) -> list[Unit | str]:
    """List the units of a file; elements that have been read are emptied."""
    units = _UnitParser(path, form, codes, encoding)
    chosen = map(_normalise_language, pair)
    state = units.state = dict(zip(("pair", "second"), chosen, strict=False))
    feed_xml(units.parser, read_bytes(path), path, "XML of a translation tool")
    others = {x[3:] for x in units.units if isinstance(x, str) and x[:3] == "in "}
    if any(not pair or _is_same_language(x, state["second"]) for x in others):
        own = map(state.__getitem__, ("pair" if pair else "first", "second"))
        listed = ", ".join([*own, *sorted(others)])
        refuse(path, f"has several languages ({listed}); choose two with `pair`.")
    return units.units


class _UnitParser:
    """A parser that builds elements without namespaces, and lists the units in them."""

    def __init__(self, path: str, form: str, codes: str, encoding: str) -> None:
        self.path, self.codes = path, codes
        names, self.list_own = _KINDS[form]
        self.names, self.state = names.split(), dict[str, str]()
        self.units: list[Unit | str] = []
        self.builder, self.tags = TreeBuilder(), 0
        self.open: list[Element] = []
        self.taken: Element | None = None
        declared = None if encoding == "auto" else encoding
        parser = self.parser = expat.ParserCreate(declared)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.begin, self.end
        parser.CharacterDataHandler = self.builder.data
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self.refuse_entity

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self.tags += 1
        check_limit("tokens", self.tags, format_path(self.path))
        check_limit("depth", len(self.open) + 1, format_path(self.path))
        own = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        element = self.builder.start(name.rpartition(":")[2], own)
        self.open.append(element)
        if self.taken is None and element.tag in self.names:
            self.taken = element

    def end(self, _: str) -> None:
        element = self.open.pop()
        self.builder.end(element.tag)
        if element is self.taken:
            place = Place(element, self.open, self.path, self.codes)
            self.units += self.list_own(place, self.state)
            self.taken = None
        if self.taken is None:
            element.clear()

    def refuse_entity(self, name: str, *_: Any) -> NoReturn:
        problem = f"declares or uses the entity {name!r}, which is not allowed"
        line = f"line {self.parser.CurrentLineNumber}"
        refuse(self.path, f"{problem}; write its text out.", line)


#: Codes that begin or end formatting, those that stand alone, and marks in the text.
_STARTS, _ENDS = frozenset({"bpt", "bx", "sc"}), frozenset({"ept", "ex", "ec"})
_ALONE = frozenset({"ph", "it", "ut", "x"})
_MARKS = frozenset({"mrk", "sm", "em", "hi"})


def _read_text(element: Element, codes: str) -> str:
    """Return the text of an element, with codes dropped, kept or as placeholders.

    A code is kept as its content or else as its tag; placeholders are {1>, <1} and {1}.
    """
    pieces = [element.text or ""]
    for child in element:
        pieces += _read_child(child, codes)
        pieces.append(child.tail or "")
    return "".join(pieces)


def _read_child(child: Element, codes: str) -> list[str]:
    name = child.tag
    if name in _MARKS:
        is_deleted = child.get("mtype") == "x-sdl-deleted"
        return [] if is_deleted else [_read_text(child, codes)]
    if name in ("cp", "byte"):  # a character that XML cannot hold
        digits = child.get("hex") or child.get("value", "").replace("x", "0x")
        return [chr(int(digits, 16 if name == "cp" else 0))]
    number = next(filter(None, map(child.get, ("id", "startRef", "i", "x"))), name)
    is_code = name in _STARTS | _ENDS | _ALONE
    if codes == "drop":
        # A code that stands for a line break separates words.
        code = " " if child.get("ctype", child.get("type")) == "lb" else ""
        return [code if is_code else _read_text(child, codes)]
    if is_code and codes == "keep":
        return ["".join(child.itertext()) or f'<{name} id="{number}"/>']
    if is_code:
        first, last = "<" if name in _ENDS else "{", ">" if name in _STARTS else "}"
        return [f"{first}{number}{last}"]
    inner = _read_text(child, codes)
    if codes == "keep":
        return [f"<{name}>", inner, f"</{name}>"]
    return [f"{{{number}>", inner, f"<{number}}}"]


#: Codes in Phrase's texts: {1> and <1} around words, {b> for formatting, {1} alone.
_PHRASE = re.compile(r"\{(?:\d+|[a-zA-Z^_])>|<(?:\d+|[a-zA-Z^_])\}|\{\d+\}")


def _list_xliff(place: Place, _: object) -> Iterator[Unit | str]:
    """List the segments of a unit of XLIFF 1.2 or 2."""
    unit = place.element
    roots = " ".join(place.parents[0].attrib.values()) if place.parents else ""
    is_trados, is_phrase = "FileTypes/SdlXliff" in roots, "memsource.com/mxlf" in roots
    is_cleaned = is_phrase and place.codes == "drop"
    files = [each for each in place.parents if each.tag == "file"]
    owner = files[-1].attrib if files else {}
    document = owner.get("original") or owner.get("id", "")
    key = unit.get("id", "")
    # Phrase numbers segments behind the id of a job, which is another in each file.
    key = key.rpartition(":")[2] if is_phrase else key
    segments = [*(_split_unit(place) if unit.tag == "trans-unit" else _list_own(place))]
    for mark, source, target, state in segments:
        whole = f"{key}:{mark}" if len(segments) > 1 else key
        texts = [place.read(source), place.read(target)]
        if is_cleaned:
            texts = [text and _PHRASE.sub("", text) for text in texts]
        if place.get_inherited("translate") == "no":
            if (texts[0] or "").strip():
                yield _UNTRANSLATABLE
            continue
        # Trados numbers segments in the whole file.
        whole = mark if is_trados and mark else whole
        yield Unit(whole, texts[0], texts[1], document, state)


Segment = tuple[str, Element | None, Element | None, str]


def _list_own(place: Place) -> Iterator[Segment]:
    """List the segments of a unit of XLIFF 2."""
    for number, segment in enumerate(place.element.findall("segment"), 1):
        name, state = segment.get("id", str(number)), segment.get("state", "")
        yield name, segment.find("source"), segment.find("target"), state


def _split_unit(place: Place) -> Iterator[Segment]:
    """List the segments of a unit of XLIFF 1.2, which are marked in source and target."""
    unit = place.element
    source, target, segmented = map(unit.find, ("source", "target", "seg-source"))
    sources = _find_marks(place, source if segmented is None else segmented)
    targets = _find_marks(place, target)
    state = unit.get("status", "")
    if target is not None:
        state = target.get("state", state)
    is_whole = not targets and (place.read(target) or "").strip()
    if not sources or is_whole:
        yield "", source, target, state
        return
    states = {each.get("id"): each.get("conf", "") for each in unit.iter("seg")}
    for key, mark in targets.items():
        if key not in sources and (place.read(mark) or "").strip():
            problem = f"has the segment {key!r} in its target only"
            place.refuse(f"{problem}; expected it in both")
    for key, mark in sources.items():
        yield key, mark, targets.get(key), states.get(key) or state


def _find_marks(place: Place, element: Element | None) -> dict[str, Element]:
    marks: dict[str, Element] = {}
    for mark in () if element is None else element.iter("mrk"):
        if mark.get("mtype") == "seg":
            key = mark.get("mid", str(len(marks) + 1))
            if key in marks:
                place.refuse(f"has the segment {key!r} twice; expected it once")
            marks[key] = mark
    return marks


def _list_memory(place: Place, state: dict[str, str]) -> Iterator[Unit | str]:
    """List the one pair of a unit of TMX or TTX, and note the language of its header."""
    unit = place.element
    if unit.tag not in ("tu", "Tu"):
        state["first"] = unit.get("srclang", unit.get("SourceLanguage", ""))
        return
    own = [*unit.findall("tuv"), *unit.findall("Tuv")]
    texts = [(_normalise_language(x.get("lang", x.get("Lang", ""))), x) for x in own]
    if not texts:
        return
    if state.get("first", "") in ("", "*all*"):
        state["first"] = unit.get("srclang") or texts[0][0]
    first = state.get("pair") or _normalise_language(state["first"])
    source = _choose_language(texts, first)
    if source is None:
        yield f"without a text in {first}"
        return
    others = [pair for pair in texts if pair[1] is not source]
    if others:
        state.setdefault("second", others[0][0])
    target = _choose_language(others, state.get("second", ""))
    for language, text in others:
        if text is not target:
            yield f"in {language or 'another language'}"
    pair = (x if x is None else next(x.iterfind("seg"), x) for x in (source, target))
    original, translation = map(place.read, pair)
    yield Unit(unit.get("tuid", ""), original, translation)


def _choose_language(
    texts: Sequence[tuple[str, Element]], wanted: str
) -> Element | None:
    """Return the text in a language, if need be in a variety of it."""
    near = [pair for pair in texts if _is_same_language(pair[0], wanted)]
    return min(near, key=lambda pair: pair[0] != wanted, default=(None, None))[1]


def _normalise_language(language: str) -> str:
    return language.lower().replace("_", "-")


def _is_same_language(first: str, second: str) -> bool:
    """Return True if two codes mean the same; en is any English, en-GB is not en-US.

    >>> _is_same_language("en-gb", "en"), _is_same_language("en-gb", "en-us")
    (True, False)
    """
    return f"{first}-".startswith(f"{second}-") or f"{second}-".startswith(f"{first}-")


def _list_txml(place: Place, _: object) -> Iterator[Unit | str]:
    """List the one segment of Wordfast's element."""
    key = f"{place.get_inherited('blockId')}:{place.element.get('segmentId', '')}"
    source, target = map(place.element.find, ("source", "target"))
    yield Unit(key, place.read(source), place.read(target))


def _list_qt(place: Place, _: object) -> Iterator[Unit | str]:
    """List the messages of a context, each plural form by itself."""
    context = place.read(place.element.find("name")) or ""
    for message in place.element.iter("message"):
        target = message.find("translation")
        state = "" if target is None else target.get("type", "")
        if state in ("obsolete", "vanished"):
            yield state
            continue
        text, comment = (place.read(message.find(x)) for x in ("source", "comment"))
        key = message.get("id") or "/".join(filter(None, (context, text, comment)))
        forms = [] if target is None else target.findall("numerusform")
        for number, form in enumerate(forms):
            yield Unit(f"{key}[{number}]", text, place.read(form), "", state)
        if not forms:
            if target is not None:
                target = next(target.iterfind("lengthvariant"), target)
            yield Unit(key, text, place.read(target), "", state)


def _list_resx(place: Place, _: object) -> Iterator[Unit | str]:
    """List the one string of a resource of .NET; other resources have a type."""
    entry, name = place.element, place.element.get("name", "")
    if {"type", "mimetype"}.isdisjoint(entry.keys()) and not name.startswith(">>"):
        yield Unit(name, None, place.read(entry.find("value")) or "")


def _list_android(place: Place, _: object) -> Iterator[Unit | str]:
    """List the strings of a resource of Android: one, an array's or the plural forms."""
    entry, name = place.element, place.element.get("name", "")
    if place.get_inherited("translatable") == "false":
        yield _UNTRANSLATABLE
    elif entry.tag == "string":
        yield Unit(name, None, _unescape_android(place.read(entry) or ""))
    for number, item in enumerate(entry.findall("item")):
        key = item.get("quantity", str(number))
        yield Unit(f"{name}[{key}]", None, _unescape_android(place.read(item) or ""))


def _unescape_android(text: str) -> str:
    r"""Return a string as the program shows it: blanks count in quotes around it only.

    >>> _unescape_android(r' it\'s  "a"   \u00e9 '), _unescape_android('"a  b"')
    ('it\'s "a" é', 'a  b')
    """
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return unescape(text[1:-1] if is_quoted else re.sub(r"\s+", " ", text))


#: The elements that hold units, and what lists these.
_KINDS: dict[str, tuple[str, Callable[..., Iterator[Unit | str]]]] = {
    "xliff": ("trans-unit unit", _list_xliff),
    "tmx": ("header tu", _list_memory),
    "ttx": ("UserSettings Tu", _list_memory),
    "txml": ("segment", _list_txml),
    "qt": ("context", _list_qt),
    "resx": ("data", _list_resx),
    "android": ("string plurals string-array", _list_android),
}
