"""XLIFF and its dialects, TMX and other XML of translation tools, a unit at a time.

Entities of the file's own are refused, because they can grow without end.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from metra.errors import FormatError
from metra.formats.stream import format_path, read_bytes
from metra.formats.texts.documents import feed_xml
from metra.formats.texts.localisation.units import Unit
from metra.limits import check_limit

#: The name and the attributes of an element that is open.
Parent = tuple[str, Mapping[str, str]]

_UNTRANSLATABLE = "not to be translated"


class Place(NamedTuple):
    """A unit's element, those around it, the file, and the treatment of codes."""

    element: Element
    parents: Sequence[Parent]
    path: str
    codes: str

    def find(self, name: str) -> Element | None:
        """Return the first child of this name."""
        return next(iter(_list_children(self.element, name)), None)

    def get_inherited(self, name: str) -> str:
        """Return an attribute of the unit or of the nearest element around it."""
        around = [attributes for _, attributes in self.parents]
        owners = [self.element.attrib, *reversed(around)]
        return next((owner[name] for owner in owners if name in owner), "")

    def read(self, element: Element | None) -> str | None:
        """Return the text of an element, None if there is no element."""
        return None if element is None else read_text(element, self.codes)

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error that names the unit."""
        unit = self.element.get("id", "")
        msg = f"{format_path(self.path)}, unit {unit!r} {problem}."
        raise FormatError(msg)


def list_units(path: str, form: str, codes: str, encoding: str) -> list[Unit | str]:
    """List the units of a file; only one of its elements is in memory at a time."""
    names, list_own = _KINDS[form]
    units: list[Unit | str] = []
    state: dict[str, str] = {}

    def take(element: Element, parents: Sequence[Parent]) -> None:
        units.extend(list_own(Place(element, parents, path, codes), state))

    parser = _ElementParser(path, names.split(), take, encoding).parser
    feed_xml(parser, read_bytes(path), path, "XML of a translation tool")
    return units


class _ElementParser:
    """A parser that builds elements of some names, which lose their namespaces."""

    def __init__(
        self, path: str, names: Sequence[str], take: Callable[..., None], encoding: str
    ) -> None:
        self.place, self.names, self.take = format_path(path), names, take
        self.parents: list[Parent] = []
        self.builder: TreeBuilder | None = None
        self.start = self.tags = 0
        parser = self.parser = expat.ParserCreate(
            encoding if encoding != "auto" else None
        )
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.begin, self.end
        parser.CharacterDataHandler = self.add_text
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self.refuse_entity

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self.tags += 1
        check_limit("tokens", self.tags, self.place)
        check_limit("depth", len(self.parents) + 1, self.place)
        name = name.rpartition(":")[2]
        if self.builder is None and name in self.names:
            self.builder, self.start = TreeBuilder(), len(self.parents)
        if self.builder:
            own = {key.rpartition(":")[2]: value for key, value in attributes.items()}
            self.builder.start(name, own)
        self.parents.append((name, attributes))

    def end(self, name: str) -> None:
        self.parents.pop()
        if self.builder:
            self.builder.end(name.rpartition(":")[2])
            if len(self.parents) == self.start:
                element, self.builder = self.builder.close(), None
                self.take(element, self.parents)

    def add_text(self, text: str) -> None:
        if self.builder:
            self.builder.data(text)

    def refuse_entity(self, name: str, *_: Any) -> NoReturn:
        msg = (
            f"{self.place}, line {self.parser.CurrentLineNumber} declares or uses the "
            f"entity {name!r}, which is not allowed; write its text out."
        )
        raise FormatError(msg)


def _list_children(element: Element, name: str) -> list[Element]:
    return [child for child in element if child.tag == name]


#: Codes that begin or end formatting, those that stand alone, and marks in the text.
_STARTS, _ENDS = frozenset({"bpt", "bx", "sc"}), frozenset({"ept", "ex", "ec"})
_ALONE = frozenset({"ph", "it", "ut", "x"})
_MARKS = frozenset({"mrk", "sm", "em", "hi"})


def read_text(element: Element, codes: str) -> str:
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
        return [] if is_deleted else [read_text(child, codes)]
    if name in ("cp", "byte"):  # a character that XML cannot hold
        digits = child.get("hex") or child.get("value", "").replace("x", "0x")
        return [chr(int(digits, 16 if name == "cp" else 0))]
    number = next(filter(None, map(child.get, ("id", "startRef", "i", "x"))), name)
    is_code = name in _STARTS | _ENDS | _ALONE
    if codes == "drop":
        # A code that stands for a line break separates words.
        code = " " if child.get("ctype", child.get("type")) == "lb" else ""
        return [code if is_code else read_text(child, codes)]
    if is_code and codes == "keep":
        return ["".join(child.itertext()) or f'<{name} id="{number}"/>']
    if is_code:
        first, last = "<" if name in _ENDS else "{", ">" if name in _STARTS else "}"
        return [f"{first}{number}{last}"]
    inner = read_text(child, codes)
    if codes == "keep":
        return [f"<{name}>", inner, f"</{name}>"]
    return [f"{{{number}>", inner, f"<{number}}}"]


#: Codes in Phrase's texts: {1> and <1} around words, {b> for formatting, {1} alone.
_PHRASE = re.compile(r"\{(?:\d+|[a-zA-Z^_])>|<(?:\d+|[a-zA-Z^_])\}|\{\d+\}")


def _list_xliff(place: Place, _: object) -> Iterator[Unit | str]:
    """List the segments of a unit of XLIFF 1.2 or 2."""
    unit = place.element
    roots = " ".join(place.parents[0][1].values()) if place.parents else ""
    is_trados, is_phrase = "FileTypes/SdlXliff" in roots, "memsource.com/mxlf" in roots
    is_cleaned = is_phrase and place.codes == "drop"
    files = [owner for name, owner in place.parents if name == "file"]
    document = files[-1].get("original") or files[-1].get("id", "") if files else ""
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
    for number, segment in enumerate(_list_children(place.element, "segment"), 1):
        inner = place._replace(element=segment)
        name, state = segment.get("id", str(number)), segment.get("state", "")
        yield name, inner.find("source"), inner.find("target"), state


def _split_unit(place: Place) -> Iterator[Segment]:
    """List the segments of a unit of XLIFF 1.2, which are marked in source and target."""
    unit, source, target = place.element, place.find("source"), place.find("target")
    segmented = place.find("seg-source")
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
            place.refuse(
                f"has the segment {key!r} in its target only; expected it in both"
            )
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
    texts = [
        (_normalise_language(text.get("lang", text.get("Lang", ""))), text)
        for text in (*_list_children(unit, "tuv"), *_list_children(unit, "Tuv"))
    ]
    if not texts:
        return
    if state.get("first", "") in ("", "*all*"):
        state["first"] = unit.get("srclang") or texts[0][0]
    first = _normalise_language(state["first"])
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
    segs = [
        text if text is None else next(iter(_list_children(text, "seg")), text)
        for text in (source, target)
    ]
    yield Unit(unit.get("tuid", ""), place.read(segs[0]), place.read(segs[1]))


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
    yield Unit(key, place.read(place.find("source")), place.read(place.find("target")))


def _list_qt(place: Place, _: object) -> Iterator[Unit | str]:
    """List the messages of a context, each plural form by itself."""
    context = place.read(place.find("name")) or ""
    for message in place.element.iter("message"):
        inner = place._replace(element=message)
        source, target = inner.find("source"), inner.find("translation")
        state = "" if target is None else target.get("type", "")
        if state in ("obsolete", "vanished"):
            yield state
            continue
        text = inner.read(source)
        key = message.get("id") or "/".join(
            part for part in (context, text, inner.read(inner.find("comment"))) if part
        )
        forms = [] if target is None else _list_children(target, "numerusform")
        for number, form in enumerate(forms):
            yield Unit(f"{key}[{number}]", text, inner.read(form), "", state)
        if not forms:
            if target is not None:
                target = next(iter(_list_children(target, "lengthvariant")), target)
            yield Unit(key, text, inner.read(target), "", state)


def _list_resx(place: Place, _: object) -> Iterator[Unit | str]:
    """List the one string of a resource of .NET; other resources have a type."""
    entry, name = place.element, place.element.get("name", "")
    if {"type", "mimetype"}.isdisjoint(entry.keys()) and not name.startswith(">>"):
        yield Unit(name, None, place.read(place.find("value")) or "")


def _list_android(place: Place, _: object) -> Iterator[Unit | str]:
    """List the strings of a resource of Android: one, an array's or the plural forms."""
    entry, name = place.element, place.element.get("name", "")
    items = _list_children(entry, "item")
    if place.get_inherited("translatable") == "false":
        yield _UNTRANSLATABLE
    elif entry.tag == "string":
        yield Unit(name, None, _unescape_android(place.read(entry) or ""))
    for number, item in enumerate(items):
        key = item.get("quantity", str(number))
        yield Unit(f"{name}[{key}]", None, _unescape_android(place.read(item) or ""))


_ANDROID = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)|\s+", re.S)


def _unescape_android(text: str) -> str:
    r"""Return a string as the program shows it: blanks count in quotes around it only.

    >>> _unescape_android(r' it\'s  "a"   \u00e9 '), _unescape_android('"a  b"')
    ('it\'s "a" é', 'a  b')
    """
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'

    def replace(match: re.Match[str]) -> str:
        code, char = match.groups()
        if code:
            return chr(int(code, 16))
        if char:
            return {"n": "\n", "t": "\t"}.get(char, char)
        return match[0] if is_quoted else " "

    return _ANDROID.sub(replace, text[1:-1] if is_quoted else text)


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
