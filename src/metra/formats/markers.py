"""Beginnings of files of translation tools, and of other files without lines of text."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.formats.recognise import FileHead

#: What stands before the first tag: declarations, comments and a document type.
BEFORE_ROOT = r"(?s:\s|<\?[^>]*>|<!--.*?-->|(?i:<!DOCTYPE)[^>\[]*>)*+"
_ROOT = BEFORE_ROOT + r"<([\w.:-]+)((?:\s[^<>]*)?)/?>"

#: What XML without a reader is, by its root; the part before a colon does not count.
_XML_KINDS = {
    **dict.fromkeys(("martif", "tbx"), "a glossary (TBX) of terms, not segments"),
    **dict.fromkeys(("html", "HTML"), "a web page"),
    **dict.fromkeys(("Story", "Document"), "a part of an InDesign document"),
    "plist": "a property list; export XLIFF from Xcode",
    "tt": "TTML subtitles; export SRT",
}


def has_root(name: str, inside: str = "") -> "Callable[[FileHead], bool]":
    """Return a test of a file's first tag, and of a pattern anywhere in its beginning."""

    def looks_like(head: "FileHead") -> bool:
        is_root = _find_root(head.content)[0] == name
        return is_root and re.search(inside.encode(), head.content) is not None

    return looks_like


def _find_root(content: bytes) -> tuple[str, bytes]:
    """Return the name of the first tag, without its prefix, and its attributes."""
    is_markup = content.lstrip().startswith(b"<")
    root = re.match(_ROOT.encode(), content) if is_markup else None
    name = root[1].decode(errors="replace").rpartition(":")[2] if root else ""
    return name, root[2] if root else b""


def begins_with(pattern: str, firsts: bytes) -> "Callable[[FileHead], bool]":
    """Return a test of how a file begins; `firsts` are its possible first signs."""
    signs = tuple(firsts[at : at + 1] for at in range(len(firsts)))

    def looks_like(head: "FileHead") -> bool:
        is_likely = head.content.lstrip().startswith(signs)
        return is_likely and bool(re.match(pattern.encode(), head.content, re.M))

    return looks_like


CLOCK = r"(?:\d+:)?\d{1,2}:\d\d[.,]\d{1,3}"
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
#: Comments and empty lines in front of messages.
_COMMENTS = r"(?:[ \t]*(?:#.*)?\r?\n)*+"
PO = rf"{_COMMENTS}(?:msgctxt {QUOTED}\s+(?:{QUOTED}\s+)*)?msgid {QUOTED}"
STRINGS = rf"(?:\s|//.*|/\*(?s:.)*?\*/)*+{QUOTED}\s*=\s*{QUOTED}\s*;"
SUBTITLES = (
    rf"\s*(?:WEBVTT(?:[ \t].*)?$|\[Script Info\]|(?:\d+\s*\n)?{CLOCK}\s*-->\s*{CLOCK}|"
    rf"{CLOCK},{CLOCK}\s*$)"
)
ARB = r'\s*\{\s*"@@(?:locale|last_modified)"'

_ROW = r"[ \t]*(?::?-+:?[ \t]*)?(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\r?$"
#: Kinds of markup: a sign without which none is looked for, and how such a file begins.
_BEGINNINGS = {
    "is a word processor document (RTF)": ("{\\rtf", r"\{\\rtf\d"),
    "is a PDF": ("%PDF-", r"%PDF-"),
    "is a PHP program": ("<?php", r"<\?php\b"),
    "is a resource script of Windows": (
        *("STRINGTABLE", r"\s*STRINGTABLE\b.*\n\s*(?:BEGIN|\{)"),
    ),
    "looks like YAML": (
        ":",
        r"(?:(?:#.*|---)\n)*[\w.-]+:[ \t]*\r?\n(?:[ \t]+(?:-|[\w.-]+:) .*\n){2}",
    ),
    "looks like Markdown": ("# ", r"#{1,6} .*\n(?:[ \t]*\r?\n)*(?:[*+-] .*\n){3}"),
    "looks like XML without a head": (
        *("</", r"\s*<\w[^<>\n]*>\s*\n(?:\s*<(\w+)[^<>]*>.*</\1>\s*\n){3}"),
    ),
    "looks like LaTeX": (
        "\\",
        r"(?:\s|%.*$)*+\\(?:document(?:class|style)|usepackage|begin\{|(?:section|chapter)\*?\{)",
    ),
    "looks like Markdown with a table": ("|", rf"(?:.*\n){{0,40}}?.*\|.*\n{_ROW}"),
}
#: Kinds of files whose lines look alike, but for some: a sign, most lines, and the others.
_LINES = {
    "looks like lyrics with times (LRC)": (
        *("]", r"\[\d+(?::\d{1,2}){1,2}(?:\.\d+)?\].*", r"\[[a-z]+:.*\]"),
    ),
    "looks like subtitles by frames (MicroDVD); export SRT": (
        *("}{", r"\{\d+\}\{\d*\}.*", ""),
    ),
    "looks like a transcript (STM, CTM)": (
        *(" ", r"(?:\S+ ){2,3}\d+\.\d+ \d+\.\d+ .*", ";;.*"),
    ),
    "looks like texts with ids (TRN)": (
        *(")", r".*\((?=[^()]*[-_])[\w.-]+\d\)", ";;.*"),
    ),
    "looks like a list of key=value, such as Java's properties": (
        *("=", r"[A-Za-z_][\w.-]*(?:\[\w*\])?[ \t]*=.*", r"[#;!].*|\[[^\]]*\]"),
    ),
}


def find_markup(head: "FileHead") -> str | None:
    """Name the kind of a file of markup or of keys, None if it looks like text."""
    name, attributes = _find_root(head.content)
    first = head.content.lstrip()[:10].upper()
    is_xml = re.match(rb"<(?:\?XML|!DOCTYPE)\s", first) or b"xmlns" in attributes
    if is_xml or name in ("html", "HTML"):
        other = f"XML ({name or 'with entities'})"
        return f"is {_XML_KINDS.get(name, other)}"
    for kind, (sign, pattern) in _BEGINNINGS.items():
        if sign in head.text and re.match(pattern, head.text, re.MULTILINE):
            return kind
    lines = head.text.split("\n")
    whole = [line.strip() for line in lines[:-1] or lines if line.strip()]
    for kind, (sign, pattern, aside) in _LINES.items():
        if sum(sign in line for line in whole) < 3:
            continue
        rest = [line for line in whole if not re.fullmatch(pattern, line)]
        is_usual = len(whole) - len(rest) > 2
        if is_usual and all(re.fullmatch(aside, line) for line in rest):
            return kind
    return None
