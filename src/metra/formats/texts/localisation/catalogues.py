"""Lists of messages: gettext's PO, Java's properties, Apple's strings, ARB of Flutter."""

import codecs
import re
from collections.abc import Iterator

from metra.formats.stream import find_encoding, format_path, parse_json, read_bytes
from metra.formats.texts.localisation.units import Unit, refuse

_CHARSET = re.compile(rb"Content-Type:[^\n]*?charset=([\w.:-]+)")


def list_units(path: str, form: str, _: str, encoding: str) -> Iterator[Unit | str]:
    """List the messages of a file."""
    content = read_bytes(path)
    other = None
    if form == "po" and (header := _CHARSET.search(content)):
        other = header[1].decode() if header[1] != b"CHARSET" else None
    elif form == "properties" and content.decode(errors="ignore").encode() != content:
        other = "latin-1"  # as Java does for what is not UTF-8
    text = decode(content, path, encoding, other)
    if form == "po":
        yield from _list_po(text, path)
        return
    pairs = [*_PAIRS[form](text, path)]
    texts = dict(pairs)  # the last value of a key is the one that programs show
    yield from ["repeated"] * (len(pairs) - len(texts))
    yield from (Unit(key, None, value) for key, value in texts.items())


def decode(content: bytes, path: str, encoding: str, other: str | None = None) -> str:
    """Decode a file as its mark or the user says, else in an `other` encoding or UTF-8."""
    name = find_encoding(content, encoding, path)
    content = content.removeprefix(codecs.BOM_UTF8)
    if name == "utf-8" and encoding == "auto":
        name = other or name
    try:
        return content.decode(name).removeprefix("\ufeff")
    except (LookupError, UnicodeDecodeError) as error:
        refuse(path, f"is not in {name}: {error}; give its `encoding`.")


_STRING = r'"((?:[^"\\]|\\.)*)"'
_PO = re.compile(
    rf"(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?((?:{_STRING}\s*)+)"
)


def _list_po(text: str, path: str) -> Iterator[Unit | str]:
    """List the messages of a catalogue, each plural form by itself."""
    entry: dict[str, str] = {}
    key, is_fuzzy = "", False
    for number, whole in enumerate([*text.split("\n"), 'msgid ""'], 1):
        line = whole.strip()
        match = _PO.fullmatch(line)
        is_next = line.startswith("#") or (match and match[1] in ("msgctxt", "msgid"))
        if is_next and any(name.startswith("msgstr") for name in entry):
            yield from _list_forms(entry, is_fuzzy)
            entry, is_fuzzy = {}, False
        if line.startswith("#~") and line[2:].lstrip().startswith(("msgid ", 'msgid"')):
            yield "obsolete"
        elif line.startswith("#,"):
            is_fuzzy |= "fuzzy" in re.split(r"[\s,]+", line)
        if not line or line.startswith("#"):
            continue
        key = (match and match[1]) or key
        if not match or not key or (match[1] and key in entry):
            expected = "expected a new msgid, msgstr or text in quotes."
            refuse(path, f"has {line[:40]!r}; {expected}", f"line {number}")
        pieces = map(unescape, re.findall(_STRING, match[2]))
        entry[key] = entry.get(key, "") + "".join(pieces)


def _list_forms(entry: dict[str, str], is_fuzzy: bool) -> Iterator[Unit]:
    """List what one message is translated to; the header translates no text."""
    source, context = entry.pop("msgid", ""), entry.pop("msgctxt", "")
    plural = entry.pop("msgid_plural", source)
    for name, target in entry.items() if source or context else ():
        form = name.removeprefix("msgstr")
        text = source if form in ("", "[0]") else plural
        key = "/".join(filter(None, (context, source))) + form
        yield Unit(key, text, target, "", "fuzzy" if is_fuzzy else "")


_CONTINUED = re.compile(r"((?:^|[^\\])(?:\\\\)*)\\$")
_PAIR = re.compile(r"((?:[^\\ \t\f=:]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.S)


def _list_properties(text: str, path: str) -> Iterator[tuple[str, str]]:
    """List keys and values as Java reads them."""
    lines = iter(re.split(r"\r\n|\r|\n", text))
    for line in lines:
        whole = line.lstrip(" \t\f")
        if whole[:1] in ("", "#", "!"):
            continue
        while match := _CONTINUED.search(whole):
            whole = whole[: match.end(1)] + next(lines, "").lstrip(" \t\f")
        key, value = map(unescape, next(_PAIR.finditer(whole)).groups())
        if whole and not key:
            refuse(path, f"has {whole[:40]!r}; expected key=value.")
        if whole:
            yield key, value


_APPLE = re.compile(
    rf"\s+|//[^\n]*|/\*.*?\*/|(?:{_STRING}|([\w.$-]+))\s*=\s*{_STRING}\s*;|(.)", re.S
)
_ESCAPE = re.compile(r"\\(?:[uU]([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def _list_strings(text: str, path: str) -> Iterator[tuple[str, str]]:
    """List the pairs "key" = "value"; of Apple's strings."""
    for match in _APPLE.finditer(text):
        key, bare_key, value, other = match.groups()
        if other:
            at = match.start()
            problem = f'has {text[at : at + 30]!r}; expected "key" = "value";'
            refuse(path, problem, f"line {1 + text.count(chr(10), 0, at)}")
        if value is not None:
            yield unescape(key) if bare_key is None else bare_key, unescape(value)


def unescape(text: str) -> str:
    """Replace escapes with a backslash by the characters that they stand for."""

    def replace(match: re.Match[str]) -> str:
        code, char = match.groups()
        return chr(int(code, 16)) if code else _ESCAPED.get(char, char)

    return _ESCAPE.sub(replace, text)


def _list_arb(text: str, path: str) -> Iterator[tuple[str, str]]:
    """List keys and texts; keys that begin with @ describe others."""
    table = parse_json(text, format_path(path))
    for key, value in table.items() if isinstance(table, dict) else ():
        if key.startswith("@"):
            continue
        if not isinstance(value, str):
            problem = f"has {key!r}: {str(value)[:30]}"
            refuse(path, f"{problem}; expected a text for each key.")
        yield key, value


_PAIRS = {"properties": _list_properties, "strings": _list_strings, "arb": _list_arb}
