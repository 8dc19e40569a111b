"""WMT's XML, written: documents with source, references and outputs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from metra.errors import FormatError
from metra.io.carried import Chunk, check_names, present, refuse
from metra.io.fields import Field, column_name
from metra.io.parts import named
from metra.io.runs import Rules, Run, runs, texts_of
from metra.io.spool import emptied, spool
from metra.io.wmt_xml import NAMES, TEXTS

_TAGS = {role: tag for tag, role in TEXTS.items()}

# What XML has no way to write, not even as a character reference.
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_RULES = Rules(
    "wmt-xml", label=re.compile(r"(?!id$)[A-Za-z_][A-Za-z0-9_.-]*"), bad=_NOT_XML
)
_REFERENCES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_IN_TEXT = str.maketrans({k: v for k, v in _REFERENCES.items() if k not in '"\t'})
_IN_ATTRIBUTE = str.maketrans(_REFERENCES)


def pieces(
    fields: Sequence[Field], chunks: Iterable[Chunk], about: Mapping[str, str]
) -> Iterator[bytes]:
    """Give the file's bytes, a document at a time."""
    texts = texts_of(fields)
    check_names(texts, "wmt-xml")
    with ExitStack() as stack:
        document = _Document(texts, about, stack)
        identity = {"id": about.get("setid", "test")}
        yield b"<?xml version='1.0' encoding='utf-8'?>\n"
        yield f"<dataset{_attributes(identity)}>\n".encode()
        collection = ""
        for run in runs(fields, chunks, _RULES):
            if run.begins:
                yield from document.end()
                wanted = run.labels.get("collection", "")
                if wanted != collection:
                    yield b"</collection>\n" if collection else b""
                    attributes = _attributes({"id": wanted})
                    yield f"<collection{attributes}>\n".encode() if wanted else b""
                    collection = wanted
            document.add(run)
        yield from document.end()
        document.refuse_empty_references()
        yield b"</collection>\n" if collection else b""
        yield b"</dataset>\n"


class _Document:
    """A document's texts side by side; they are written one after the other at its end."""

    def __init__(
        self, texts: Sequence[Field], about: Mapping[str, str], stack: ExitStack
    ) -> None:
        self._files = {text: spool(stack) for text in texts}
        self._about = about
        self._begin = ""
        self._missing: dict[Field, bool] = {}
        self._never = {text for text in texts if text.role == "reference"}

    def add(self, run: Run) -> None:
        """Take the next segments, of a new document or of the same."""
        if run.begins:
            labels = {k: v for k, v in run.labels.items() if k != "collection"}
            self._begin = f"<doc{_attributes({'id': run.document} | labels)}>\n"
            self._missing = {}
        for text, file in self._files.items():
            if text.role == "reference" and self._is_missing(run, text):
                continue
            self._never.discard(text)
            found = present(run.chunk, text, "wmt-xml", _problem)
            lines = (
                f"<seg{_attributes({'id': id_})}>{segment.translate(_IN_TEXT)}</seg>\n"
                for id_, segment in zip(run.ids, found, strict=True)
            )
            file.write("".join(lines).encode())

    def _is_missing(self, run: Run, text: Field) -> bool:
        """Tell whether the reference lacks the document; it cannot lack parts of one."""
        for at, segment in enumerate(run.chunk.rows[text]):
            missing = segment is None
            if missing != self._missing.setdefault(text, missing):
                lacks = "is missing" if missing else "is not missing"
                what = f"{lacks}, unlike others of its document"
                refuse(run.chunk, at, text, what, "wmt-xml")
        return self._missing[text]

    def end(self) -> Iterator[bytes]:
        """Write the document that is open, if any, and make room for the next."""
        if not self._begin:
            return
        yield self._begin.encode()
        for text, file in self._files.items():
            if self._missing.get(text):
                continue
            tag = _TAGS[text.role]
            language = "srclang" if text.role == "source" else "trglang"
            attributes = {
                "lang": self._about.get(language, ""),
                NAMES[tag]: text.name,
            }
            given = {k: v for k, v in attributes.items() if k and v}
            yield f"<{tag}{_attributes(given)}>\n<p>\n".encode()
            yield from emptied(file)
            yield f"</p>\n</{tag}>\n".encode()
        yield b"</doc>\n"
        self._begin = ""

    def refuse_empty_references(self) -> None:
        """Refuse a reference that no document has: not even its name would be written."""
        for text in self._never:
            msg = (
                f"All of {named(text)} is missing, so wmt-xml cannot carry it; leave it out "
                f"with --drop {column_name(text)!r}."
            )
            raise FormatError(msg)


def _problem(text: str) -> str | None:
    found = _NOT_XML.search(text)
    return f"holds the character U+{ord(found[0]):04X}" if found else None


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(
        f' {name}="{value.translate(_IN_ATTRIBUTE)}"' for name, value in values.items()
    )
