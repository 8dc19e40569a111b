"""NIST's SGML for machine translation, as mteval reads it: source, reference and test sets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, NoReturn

from metra.errors import FormatError
from metra.formats.atomic import is_folder_name, write_folder, write_pieces
from metra.formats.spool import TEXT_IN_MEMORY, SeekableFile, drain_spool, open_spool
from metra.formats.stream import check_utf8, format_path
from metra.formats.texts import parts, rows, sgml_tags
from metra.formats.texts.columns import Field, Role
from metra.formats.texts.parts import (
    DocumentPart,
    OpenPart,
    ScannedContents,
    ScannedSegment,
)
from metra.formats.texts.rows import Chunks, Fields

SETS: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "output"}

# Where text must not stand; elements that we do not know may hold what they like.
_WITHOUT_TEXT = frozenset(["", "mteval", "doc", "hl", "p", *SETS])

_ABOUT = ("setid", "srclang", "trglang")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([^"']*)""")


def scan(file: SeekableFile, default_name: str) -> ScannedContents:
    """Find and check every set, document and segment id.

    A text whose system or reference has no name is called `default_name`.
    """
    blocks = check_utf8(file.blocks(file.start), file.path)
    scanner = _SgmlScanner(file.path, default_name)
    for tag in sgml_tags.TagReader(blocks, file.path, start=file.start):
        scanner.take(tag)
    return scanner.contents


def read_segments(file: SeekableFile, part: DocumentPart) -> Iterator[ScannedSegment]:
    """Read the segments of one document."""
    blocks = file.blocks(part.start, part.stop)
    number = 0
    for tag in sgml_tags.TagReader(blocks, file.path, start=part.start, line=part.line):
        if tag.name != "seg":
            continue
        if not tag.closing:
            number += 1
            opened = tag
        content = tag.text if tag.closing else b"" if tag.empty else tag.content
        if content is not None:
            segment_id = sgml_tags.read_segment_id(opened, file.path) or str(number)
            text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
            text = sgml_tags.decode_entities(parts.join_lines(text))
            yield ScannedSegment(segment_id, text, opened.line)


@dataclass(slots=True)
class _SgmlScanner:
    """A file's structure while it is being read."""

    path: str
    default_name: str
    contents: ScannedContents = field(default_factory=ScannedContents)
    _open: list[sgml_tags.Tag] = field(default_factory=list)
    _set: sgml_tags.Tag | None = None
    _set_attributes: dict[str, str] = field(default_factory=dict)
    _part: OpenPart | None = None
    _sets: int = 0

    def take(self, tag: sgml_tags.Tag) -> None:
        """Fit the next tag in."""
        if tag.name[:1] in ("!", "?"):
            self._check_declaration(tag)
            return
        self._refuse_stray_text(tag)
        if not tag.name:
            self._end(tag)
        elif tag.closing:
            self._close(tag)
        else:
            self._begin(tag)
            if tag.empty:
                self._leave(tag)
            elif tag.content is None:
                self._open.append(tag)

    def _begin(self, tag: sgml_tags.Tag) -> None:
        if len(self._open) >= parts.DEEPEST:
            self._fail(tag, f"tags are nested deeper than {parts.DEEPEST} here")
        if tag.name == "seg":
            if self._part is None:
                self._fail(tag, "<seg> is outside any <doc>")
            given = sgml_tags.read_segment_id(tag, self.path)
            self._part.add(given or self._part.next_number, self.path, tag.line)
        elif tag.name == "doc":
            self._part = self._open_document(tag)
        elif tag.name in SETS:
            if self._set is not None:
                self._fail(tag, f"<{tag.name}> is inside <{self._set.name}>")
            self._set = tag
            self._sets += 1
            self._set_attributes = sgml_tags.parse_attributes(tag, self.path)
            for name in _ABOUT:
                value = self._set_attributes.get(name, "")
                if value and value != "any":
                    self.contents.about.setdefault(name, value)

    def _open_document(self, tag: sgml_tags.Tag) -> OpenPart:
        if self._set is None or self._part is not None:
            where = "inside another <doc>" if self._part else "outside any set"
            self._fail(tag, f"<doc> is {where}")
        labels = sgml_tags.parse_attributes(tag, self.path)
        document = labels.pop("docid", "").strip()
        if not document:
            self._fail(tag, "<doc> has no docid")
        role = SETS[self._set.name]
        system = labels.pop("sysid", "") or self._set_attributes.get("sysid", "")
        if role == "reference":
            system = self._set_attributes.get("refid", "") or system
        name = "source" if role == "source" else system.strip() or self.default_name
        self.contents.labels[document] = labels | self.contents.labels.get(document, {})
        return OpenPart(Field(role, name), document, start=tag.start, line=tag.line)

    def _close(self, tag: sgml_tags.Tag) -> None:
        if not self._open:
            self._fail(tag, f"</{tag.name}> has no opening tag")
        opened = self._open.pop()
        if opened.name != tag.name:
            why = f"the <{opened.name}> of line {opened.line} is still open"
            what = f"</{tag.name}> found instead of </{opened.name}>, because {why}"
            self._fail(tag, what)
        self._leave(tag)

    def _leave(self, tag: sgml_tags.Tag) -> None:
        if tag.name == "doc" and self._part is not None:
            stop = tag.start if tag.closing else tag.stop
            self._part.close(self.contents, self.path, stop)
            self._part = None
        elif tag.name in SETS:
            self._set = None

    def _refuse_stray_text(self, tag: sgml_tags.Tag) -> None:
        inner = self._open[-1].name if self._open else ""
        if inner == "seg":
            if not tag.closing or tag.name not in ("seg", ""):
                name, line = f"{'/' * tag.closing}{tag.name}", self._open[-1].line
                where = f"inside the <seg> of line {line}, which is not closed"
                self._fail(tag, f"<{name}> is {where}")
        elif tag.text and inner in _WITHOUT_TEXT:
            words = tag.text.decode(errors="replace")[:40]
            self._fail(tag, f"there is text outside any <seg> before it: {words!r}")

    def _end(self, tag: sgml_tags.Tag) -> None:
        if self._open:
            last = f"<{self._open[-1].name}> of line {self._open[-1].line}"
            self._fail(tag, f"the file ends, but the {last} is open")
        if not self._sets:
            sets = "<srcset>, <refset> or <tstset>"
            msg = f"{format_path(self.path)} contains no {sets}; expected NIST SGML."
            raise FormatError(msg)

    def _check_declaration(self, tag: sgml_tags.Tag) -> None:
        kind = tag.name.lower()
        if kind == "?xml":
            if declared := _ENCODING.search(tag.attributes):
                parts.check_declared_encoding(self.path, declared[1].decode())
        elif kind[0] == "!" and kind != "!doctype":
            self._fail(tag, f"<{tag.name}> is a declaration, which is not supported")

    def _fail(self, tag: sgml_tags.Tag, what: str) -> NoReturn:
        msg = (
            f"{format_path(self.path)}, line {tag.line}: {what}; expected <srcset>, "
            "<refset> or <tstset> around <doc> around <seg>, each closed in turn."
        )
        raise FormatError(msg)


_TAGS = {role: tag for tag, role in SETS.items()}
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_RULES = rows.MarkupRules(
    "sgml",
    label=re.compile(r"(?!(?:docid|sysid)$)[a-z_][a-z0-9_.-]*"),
    bad=re.compile(r"[\r\n]"),
    find_problem=lambda text: (
        "contains a line break" if "\n" in text or "\r" in text else None
    ),
    in_text=str.maketrans(_ESCAPES),
    in_attribute=str.maketrans(_ESCAPES | {'"': "&quot;"}),
)


def write(out: str, fields: Fields, chunks: Chunks, about: Mapping[str, str]) -> None:
    """Write a file with all sets, or a folder with src.sgm, ref.sgm and each output."""
    with ExitStack() as stack:
        if not is_folder_name(out):
            write_pieces(out, _encode(fields, chunks, about, stack))
            return
        folder = stack.enter_context(write_folder(out))
        sets: dict[str, tuple[Role, list[IO[bytes]]]] = {}
        for text, file in _write_texts(fields, chunks, stack).items():
            sets.setdefault(_name_file(text), (text.role, []))[1].append(file)
        for name, (role, files) in sets.items():
            with open(folder / name, "wb") as target:
                target.writelines(_encode_set(role, files, about))


def _encode(
    fields: Fields, chunks: Chunks, about: Mapping[str, str], stack: ExitStack
) -> Iterator[bytes]:
    texts = _write_texts(fields, chunks, stack)
    yield b"<mteval>\n"
    for role in _TAGS:
        files = [file for text, file in texts.items() if text.role == role]
        if files:
            yield from _encode_set(role, files, about)
    yield b"</mteval>\n"


def _name_file(text: Field) -> str:
    if text.role != "output":
        return "src.sgm" if text.role == "source" else "ref.sgm"
    name = text.name
    if "/" in name or len(name.encode()) > 200 or name in ("src", "ref"):
        msg = (
            f"The output {name!r} cannot be a file next to src.sgm and ref.sgm; give "
            "it another short name without a slash: NAME=FILE."
        )
        raise FormatError(msg)
    return f"{name}.sgm"


def _write_texts(
    fields: Fields, chunks: Chunks, stack: ExitStack
) -> dict[Field, IO[bytes]]:
    """Write the documents of each text to a temporary file: the sets come one by one."""
    texts = rows.list_text_fields(fields)
    files = {text: stack.enter_context(open_spool(TEXT_IN_MEMORY)) for text in texts}
    begun = False
    for run in rows.split_documents(fields, chunks, _RULES):
        for text, file in files.items():
            if run.begins:
                system = {} if text.role == "source" else {"sysid": text.name}
                names = {"docid": run.document} | system | run.labels
                end = "</doc>\n" if begun else ""
                file.write(f"{end}<doc{_RULES.format_attributes(names)}>\n".encode())
            file.write(_RULES.format_segments(run, text).encode())
        begun = True
    for file in files.values():
        file.write(b"</doc>\n")
    return files


def _encode_set(
    role: Role, files: Sequence[IO[bytes]], about: Mapping[str, str]
) -> Iterator[bytes]:
    attributes = dict.fromkeys(_ABOUT, "any") | {"setid": "test"}
    attributes |= {name: about[name] for name in _ABOUT if name in about}
    if role == "source":
        del attributes["trglang"]
    yield f"<{_TAGS[role]}{_RULES.format_attributes(attributes)}>\n".encode()
    for file in files:
        yield from drain_spool(file)
    yield f"</{_TAGS[role]}>\n".encode()
