"""NIST's SGML for machine translation, as mteval reads it: source, reference and test sets.

These files are not XML: names have no case, values need no quotes, an ampersand may stand
for itself, and inside a segment everything but the format's own tags is text. They are read
tag by tag, whatever the length of their lines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

from metra.errors import FormatError
from metra.formats.atomic import (
    drain_spool,
    is_folder_name,
    open_spool,
    write_folder,
    write_pieces,
)
from metra.formats.stream import SeekableFile, check_utf8, format_path
from metra.formats.texts.columns import Field, Role
from metra.formats.texts.parts import (
    DocumentPart,
    OpenPart,
    ScannedContents,
    ScannedSegment,
    join_lines,
)
from metra.formats.texts.rows import (
    DocumentRun,
    FormatRules,
    RowChunk,
    check_names,
    check_values,
    list_text_fields,
    split_documents,
)

# A tag that goes on for longer than this is a tag that is not closed.
LONGEST = 1 << 16

_OWN = re.compile(
    rb"</?(?:mteval|srcset|refset|tstset|doc|hl|p|seg)(?=[\s/>])", re.IGNORECASE
)
_ANY = re.compile(rb"<[/!?a-z]", re.IGNORECASE)

# As much text as is shown of what stands where none should.
_MANY_WORDS = 200

# As many bytes as _OWN may have to see to know a tag.
_MARGIN = 16

_TAG = re.compile(
    rb"""<(/?)([a-z][\w.:-]*+)((?:[^"'<>]++|"[^"<\n]*+"|'[^'<\n]*+')*+)>""",
    re.IGNORECASE,
)
# Nearly all of a file is segments in one piece, which are taken at once.
_SEGMENT = re.compile(
    rb"""\s*+(<seg(?=[\s>])((?:[^"'<>/]++|"[^"<\n]*+")*+)>)([^<]*+)</seg\s*+>""",
    re.IGNORECASE,
)
_PLAIN_ID = re.compile(rb"""\s++id\s*+=\s*+"?([^\s"'<>&/]++)"?\s*+""", re.IGNORECASE)

_DECLARATION = re.compile(rb"<([!?]\w*+)([^<>\[]*+)>")

# A slash belongs to a value without quotes unless it is the last thing in the tag.
_BARE = rb"""(?:[^\s"'<>/]++|/(?=[^\s"'<>]))++"""
_VALUE = rb"""([a-z_][\w.:-]*+)\s*+=\s*+("[^"]*+"|'[^']*+'|""" + _BARE + rb")"
_ATTRIBUTE = re.compile(_VALUE, re.IGNORECASE)
_ATTRIBUTES = re.compile(rb"(?:\s++" + _VALUE + rb")*+\s*+/?", re.IGNORECASE)

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}


class Tag(NamedTuple):
    """A tag, with the text between it and the tag before it.

    Of text outside of segments there is only the beginning, without blanks. A segment in
    one piece is one tag, and `content` is the text in it.
    """

    name: str
    closing: bool
    attributes: bytes
    start: int
    stop: int
    line: int
    text: bytes
    content: bytes | None = None

    @property
    def empty(self) -> bool:
        """Whether it closes itself, as `<seg id="1"/>` does."""
        return self.attributes.endswith(b"/")


class TagReader:
    """The tags of some bytes, then one without a name that stands for the end."""

    def __init__(
        self, blocks: Iterator[bytes], path: str, *, at: int = 0, line: int = 1
    ) -> None:
        self._blocks = blocks
        self._path = path
        self._base = at
        self._line = line
        self._buffer = b""
        self._place = self._counted = 0
        self._pieces: list[bytes] = []
        self._inside = self._ended = False

    def __iter__(self) -> Iterator[Tag]:
        while True:
            while not self._inside and not self._pieces:
                segment = self._segment()
                if segment is None:
                    break
                yield segment
            if not self._find(_OWN if self._inside else _ANY):
                break
            if self._buffer.startswith(b"<!--", self._place):
                self._skip_comment()
                continue
            tag = self._tag()
            self._inside = tag.name == "seg" and not tag.closing and not tag.empty
            yield tag
        end = self._base + len(self._buffer)
        yield Tag("", True, b"", end, end, self._line_here(), self._text())

    def _segment(self) -> Tag | None:
        """Read a whole segment, if one begins here and is in the buffer."""
        found = _SEGMENT.match(self._buffer, self._place)
        if found is None or found.end(1) - found.start(1) > LONGEST:
            return None
        self._place = found.start(1)
        line = self._line_here()
        start = self._base + self._place
        self._place = found.end()
        stop = self._base + self._place
        _, attributes, content = found.groups()
        return Tag("seg", False, attributes, start, stop, line, b"", content)

    def _find(self, wanted: re.Pattern[bytes]) -> bool:
        """Go to the next tag and keep the text before it; say whether there is one."""
        while True:
            found = wanted.search(self._buffer, self._place)
            if found:
                self._keep(found.start())
                if self._ended or found.start() + _MARGIN <= len(self._buffer):
                    return True
            elif self._ended:
                self._keep(len(self._buffer))
                return False
            else:
                self._keep(max(self._place, len(self._buffer) - _MARGIN))
            self._more()

    def _keep(self, stop: int) -> None:
        text = self._buffer[self._place : stop]
        if not self._inside:
            # Outside of segments, all that matters is whether there is any.
            text = text.strip()[:_MANY_WORDS]
        if text:
            self._pieces.append(text)
        self._place = stop

    def _text(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _more(self) -> None:
        """Read a block, and let go of what has been dealt with."""
        self._line_here()
        self._base += self._place
        block = next(self._blocks, b"")
        self._buffer = self._buffer[self._place :] + block
        self._place = self._counted = 0
        self._ended = not block

    def _line_here(self) -> int:
        self._line += self._buffer.count(b"\n", self._counted, self._place)
        self._counted = self._place
        return self._line

    def _tag(self) -> Tag:
        """Read the tag that begins here."""
        line = self._line_here()
        while True:
            special = self._buffer[self._place + 1 : self._place + 2] in (b"!", b"?")
            pattern = _DECLARATION if special else _TAG
            found = pattern.match(self._buffer, self._place)
            if found and found.end() - self._place <= LONGEST:
                break
            if found or self._ended or len(self._buffer) - self._place > LONGEST:
                raise FormatError(self._unreadable(line))
            self._more()
        start = self._base + self._place
        self._place = found.end()
        stop = self._base + self._place
        if special:
            name, attributes = found.groups()
            return Tag(
                name.decode(), False, attributes, start, stop, line, self._text()
            )
        slash, name, attributes = found.groups()
        named = name.decode().lower()
        return Tag(named, bool(slash), attributes, start, stop, line, self._text())

    def _skip_comment(self) -> None:
        line = self._line_here()
        self._place += len(b"<!--")
        while True:
            end = self._buffer.find(b"-->", self._place)
            if end >= 0:
                self._place = end + len(b"-->")
                return
            if self._ended:
                msg = f"{format_path(self._path)}, line {line}: a comment is not closed by -->."
                raise FormatError(msg)
            self._place = max(self._place, len(self._buffer) - 2)
            self._more()

    def _unreadable(self, line: int) -> str:
        head = self._buffer[self._place : self._place + 40].decode(errors="replace")
        if head[1:2] == "!":
            return (
                f"{format_path(self._path)}, line {line} declares something in {head!r}; "
                "declarations are not read, so write the text without them."
            )
        return (
            f"{format_path(self._path)}, line {line}: {head!r} begins like a tag but does not "
            'end like one; expected <NAME KEY="VALUE"> on few lines, or &lt; for a <.'
        )


def read_segment_id(tag: Tag, path: str) -> str | None:
    """Read a segment's id."""
    plain = _PLAIN_ID.fullmatch(tag.attributes)
    if plain:
        return plain[1].decode()
    found = parse_attributes(tag, path).get("id")
    return None if found is None else found.strip()


def parse_attributes(tag: Tag, path: str) -> dict[str, str]:
    """Read a tag's attributes, names in lower case; of two with one name the first counts.

    That is how mteval reads them, and files with two system names in a tag exist.
    """
    if not _ATTRIBUTES.fullmatch(tag.attributes):
        shown_attributes = tag.attributes.decode().strip()
        msg = (
            f"{format_path(path)}, line {tag.line}: the attributes of <{tag.name}> cannot be "
            f'read: {shown_attributes!r}; expected KEY="VALUE" pairs.'
        )
        raise FormatError(msg)
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(tag.attributes):
        if value[:1] in (b'"', b"'"):
            value = value[1:-1]
        found.setdefault(name.decode().lower(), decode_entities(value.decode()))
    return found


def decode_entities(text: str) -> str:
    """Replace the five standard entities, once.

    >>> decode_entities("AT&T &amp;lt; &eacute; &lt;3")
    'AT&T &lt; &eacute; <3'
    """
    if "&" not in text:
        return text
    # The ampersand comes last, so that what it uncovers is not taken for an entity.
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return text


SETS: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "output"}

# Deeper than any file of this format; a file that goes on nesting is broken.
DEEPEST = 20

# Where text must not stand; elements that we do not know may hold what they like.
_WITHOUT_TEXT = frozenset(["", "mteval", "doc", "hl", "p", *SETS])

_ABOUT = ("setid", "srclang", "trglang")
_UTF8 = ("utf-8", "utf8", "us-ascii", "ascii")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([^"']*)""")


def scan(file: SeekableFile, default_name: str) -> ScannedContents:
    """Find and check every set, document and segment id.

    A text whose system or reference has no name is called `default_name`.
    """
    blocks = check_utf8(file.blocks(file.start), file.path)
    scanning = _SgmlScanner(file.path, default_name)
    for tag in TagReader(blocks, file.path, at=file.start):
        scanning.take(tag)
    return scanning.contents


def read_segments(file: SeekableFile, part: DocumentPart) -> Iterator[ScannedSegment]:
    """Read the segments of one document."""
    blocks = file.blocks(part.start, part.stop)
    number = 0
    for tag in TagReader(blocks, file.path, at=part.start, line=part.line):
        if tag.name != "seg":
            continue
        if not tag.closing:
            number += 1
            opened = tag
        content = tag.text if tag.closing else b"" if tag.empty else tag.content
        if content is not None:
            found = read_segment_id(opened, file.path) or str(number)
            yield ScannedSegment(found, _clean_text(content.decode()), opened.line)


@dataclass(slots=True)
class _SgmlScanner:
    """A file's structure while it is being read."""

    path: str
    default_name: str
    contents: ScannedContents = field(default_factory=ScannedContents)
    _open: list[Tag] = field(default_factory=list)
    _set: Tag | None = None
    _set_attributes: dict[str, str] = field(default_factory=dict)
    _part: OpenPart | None = None
    _sets: int = 0

    def take(self, tag: Tag) -> None:
        """Fit the next tag in."""
        if tag.name[:1] in ("!", "?"):
            self._declaration(tag)
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

    def _begin(self, tag: Tag) -> None:
        if len(self._open) >= DEEPEST:
            self._fail(tag, f"tags are nested deeper than {DEEPEST} here")
        if tag.name == "seg":
            if self._part is None:
                self._fail(tag, "<seg> stands outside of any <doc>")
            found = read_segment_id(tag, self.path) or self._part.next_number
            self._part.add(found, self.path, tag.line)
        elif tag.name == "doc":
            self._part = self._document(tag)
        elif tag.name in SETS:
            if self._set is not None:
                self._fail(tag, f"<{tag.name}> stands inside of <{self._set.name}>")
            self._set = tag
            self._sets += 1
            self._set_attributes = parse_attributes(tag, self.path)
            for name in _ABOUT:
                value = self._set_attributes.get(name, "")
                if value and value != "any":
                    self.contents.about.setdefault(name, value)

    def _document(self, tag: Tag) -> OpenPart:
        if self._set is None or self._part is not None:
            where = "inside of another <doc>" if self._part else "outside of any set"
            self._fail(tag, f"<doc> stands {where}")
        found = parse_attributes(tag, self.path)
        document = found.pop("docid", "").strip()
        if not document:
            self._fail(tag, "<doc> has no docid")
        role = SETS[self._set.name]
        system = found.pop("sysid", "") or self._set_attributes.get("sysid", "")
        if role == "reference":
            system = self._set_attributes.get("refid", "") or system
        name = "source" if role == "source" else system.strip() or self.default_name
        self.contents.labels[document] = found | self.contents.labels.get(document, {})
        return OpenPart(Field(role, name), document, start=tag.start, line=tag.line)

    def _close(self, tag: Tag) -> None:
        if not self._open:
            self._fail(tag, f"</{tag.name}> closes what was not opened")
        opened = self._open.pop()
        if opened.name != tag.name:
            self._fail(
                tag,
                f"</{tag.name}> stands where </{opened.name}> is expected, because the "
                f"<{opened.name}> of line {opened.line} is still open",
            )
        self._leave(tag)

    def _leave(self, tag: Tag) -> None:
        if tag.name == "doc" and self._part is not None:
            stop = tag.start if tag.closing else tag.stop
            self._part.close(self.contents, self.path, stop)
            self._part = None
        elif tag.name in SETS:
            self._set = None

    def _refuse_stray_text(self, tag: Tag) -> None:
        inner = self._open[-1].name if self._open else ""
        if inner == "seg":
            if not tag.closing or tag.name not in ("seg", ""):
                sign = "/" if tag.closing else ""
                self._fail(
                    tag,
                    f"<{sign}{tag.name}> stands inside of the <seg> of line "
                    f"{self._open[-1].line}, which is not closed",
                )
        elif tag.text and inner in _WITHOUT_TEXT:
            words = tag.text.decode(errors="replace")[:40]
            self._fail(tag, f"there is text outside of any <seg> before it: {words!r}")

    def _end(self, tag: Tag) -> None:
        if self._open:
            last = self._open[-1]
            self._fail(
                tag, f"the file ends, but the <{last.name}> of line {last.line} is open"
            )
        if not self._sets:
            msg = (
                f"{format_path(self.path)} holds no <srcset>, <refset> or <tstset>; expected "
                "NIST's SGML."
            )
            raise FormatError(msg)

    def _declaration(self, tag: Tag) -> None:
        kind = tag.name.lower()
        if kind == "?xml":
            declared = _ENCODING.search(tag.attributes)
            encoding = declared[1].decode() if declared else "utf-8"
            if encoding.lower() not in _UTF8:
                msg = (
                    f"{format_path(self.path)} is declared to be in {encoding}; convert "
                    "the file to UTF-8 and its declaration too."
                )
                raise FormatError(msg)
        elif kind[0] == "!" and kind != "!doctype":
            self._fail(tag, f"<{tag.name}> declares something, which is not read")

    def _fail(self, tag: Tag, what: str) -> NoReturn:
        msg = (
            f"{format_path(self.path)}, line {tag.line}: {what}; expected <srcset>, "
            "<refset> or <tstset> around <doc> around <seg>, each closed in turn."
        )
        raise FormatError(msg)


def _clean_text(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return decode_entities(join_lines(text))


_TAGS = {role: tag for tag, role in SETS.items()}
_RULES = FormatRules(
    "sgml",
    label=re.compile(r"(?!(?:docid|sysid)$)[a-z_][a-z0-9_.-]*"),
    bad=re.compile(r"[\r\n]"),
)


def write(
    out: str,
    fields: Sequence[Field],
    chunks: Iterable[RowChunk],
    about: Mapping[str, str],
) -> None:
    """Write a file with all sets, or a folder with a file for each."""
    if not is_folder_name(out):
        write_pieces(out, _encode(fields, chunks, about))
        return
    with write_folder(out) as folder:
        _write_files(folder, fields, chunks, about)


def _encode(
    fields: Sequence[Field], chunks: Iterable[RowChunk], about: Mapping[str, str]
) -> Iterator[bytes]:
    with ExitStack() as stack:
        texts = _write_texts(fields, chunks, stack)
        yield b"<mteval>\n"
        for role in _TAGS:
            files = [file for text, file in texts.items() if text.role == role]
            if files:
                yield from _encode_set(role, files, about)
        yield b"</mteval>\n"


def _write_files(
    folder: Path,
    fields: Sequence[Field],
    chunks: Iterable[RowChunk],
    about: Mapping[str, str],
) -> None:
    """Write src.sgm, ref.sgm and a file for each output."""
    with ExitStack() as stack:
        sets: dict[str, tuple[Role, list[IO[bytes]]]] = {}
        for text, file in _write_texts(fields, chunks, stack).items():
            sets.setdefault(_name_file(text), (text.role, []))[1].append(file)
        for name, (role, files) in sets.items():
            with open(folder / name, "wb") as target:
                target.writelines(_encode_set(role, files, about))


def _name_file(text: Field) -> str:
    if text.role != "output":
        return "src.sgm" if text.role == "source" else "ref.sgm"
    name = text.name
    if "/" in name or len(name.encode()) > 200 or name in ("src", "ref"):
        msg = (
            f"The output {name!r} cannot be a file of that name beside src.sgm and ref.sgm; "
            "give it another, short and without a slash: NAME=FILE."
        )
        raise FormatError(msg)
    return f"{name}.sgm"


def _write_texts(
    fields: Sequence[Field], chunks: Iterable[RowChunk], stack: ExitStack
) -> dict[Field, IO[bytes]]:
    """Write the documents of each text to a temporary file: the sets come one by one."""
    texts = list_text_fields(fields)
    check_names(texts, "sgml")
    files = {text: open_spool(stack) for text in texts}
    begun = False
    for run in split_documents(fields, chunks, _RULES):
        for text, file in files.items():
            end = "</doc>\n" if begun and run.begins else ""
            begin = _format_document(run, text) if run.begins else ""
            file.write(f"{end}{begin}{''.join(_format_segments(run, text))}".encode())
        begun = True
    for file in files.values():
        file.write(b"</doc>\n")
    return files


def _format_document(run: DocumentRun, text: Field) -> str:
    system = {} if text.role == "source" else {"sysid": text.name}
    return f"<doc{_format_attributes({'docid': run.document} | system | run.labels)}>\n"


def _format_segments(run: DocumentRun, text: Field) -> Iterator[str]:
    found = check_values(run.chunk, text, "sgml", _find_problem)
    for id_, segment in zip(run.ids, found, strict=True):
        yield f"<seg{_format_attributes({'id': id_})}>{_escape_text(segment)}</seg>\n"


def _find_problem(text: str) -> str | None:
    return "holds a line break" if "\n" in text or "\r" in text else None


def _encode_set(
    role: Role, files: Sequence[IO[bytes]], about: Mapping[str, str]
) -> Iterator[bytes]:
    found = {
        "setid": about.get("setid", "test"),
        "srclang": about.get("srclang", "any"),
        "trglang": about.get("trglang", "any"),
    }
    if role == "source":
        del found["trglang"]
    yield f"<{_TAGS[role]}{_format_attributes(found)}>\n".encode()
    for file in files:
        yield from drain_spool(file)
    yield f"</{_TAGS[role]}>\n".encode()


def _format_attributes(values: Mapping[str, str]) -> str:
    return "".join(
        ' {}="{}"'.format(name, _escape_text(value).replace('"', "&quot;"))
        for name, value in values.items()
    )


def _escape_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
