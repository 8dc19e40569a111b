"""Lines of text files: cut at line feeds only, checked to be UTF-8, packed or not.

A file that begins with the byte order mark of UTF-16 or UTF-32 is decoded on the way, and so
is one whose encoding the user has named.
"""

import codecs
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from metra.errors import FormatError, MetraError
from metra.formats import stream
from metra.limits import check_limit, get_limits, refuse_excess
from metra.text.columns import LineBuffer, NotUtf8, Text

#: So many lines are read at a time where all of them are wanted.
CHUNK = 1024


#: What to say where a file is not UTF-8 and the encoding can be named.
_NAME_ENCODING = (
    ", or give `encoding`, for example cp1252, in which Excel writes CSV on Windows."
)


def read_lines(path: str) -> list[str]:
    """Read all lines of a file; `-` is standard input."""
    most = get_limits().rows
    with closing(LineReader(path)) as reader:
        lines = list(islice(reader, most + 1))
    check_limit("rows", len(lines), stream.format_path(path))
    return lines


def list_strings(text: Text) -> list[str]:
    """Return the lines of a text as strings."""
    return [text[index] or "" for index in range(len(text))]


def has_other_ends(line: str | None) -> bool:
    """Return True if the only line of a file has carriage returns for line ends."""
    return "\r" in (line or "").rstrip("\r")


class LineReader:
    """A file's lines, some at a time; the file is opened where it is first read.

    A line ends at a line feed, nowhere else; a carriage return before it and a byte order
    mark at the start of the file belong to no line. `encoding` is `auto`, or what the user
    has named, or None where they cannot name one.
    """

    def __init__(self, path: str, encoding: str | None = None) -> None:
        self.path = path
        self.encoding = encoding
        #: The encoding as it turned out, when something has been read.
        self.read_as = ""
        # UTF-8 needs none: Rust checks it.
        self._decoder: codecs.IncrementalDecoder | None = None
        self.count = 0
        self._buffer = LineBuffer()
        self._bytes: stream.ByteStream | None = None
        self._ended = False
        self._longest = get_limits().line
        # Bytes since the last line feed.
        self._open = 0

    def __iter__(self) -> Iterator[str]:
        while len(text := self.read(CHUNK)):
            yield from list_strings(text)

    def read(self, most: int) -> Text:
        """Read the next lines: fewer than `most` only where the file ends."""
        try:
            self._fill_buffer(most)
        except MetraError:
            self.close()
            raise
        try:
            text = self._buffer.pop(most)
        except NotUtf8 as error:
            line, column, byte = error.args
            msg = stream.describe_invalid_utf8(self.path, line + 1, column, byte)
            if self.encoding is not None:
                msg = msg.removesuffix(".") + _NAME_ENCODING
            raise FormatError(msg) from None
        self.count += len(text)
        # A file that is one line has no line ends, or those of the first Macs.
        is_alone = self._ended and self.count == len(text) == 1 + self._buffer.ready
        if is_alone and has_other_ends(text[0]):
            msg = (
                f"{stream.format_path(self.path)} has lines that end in carriage returns "
                "only; save it with Windows or Unix line endings."
            )
            raise FormatError(msg)
        return text

    def _fill_buffer(self, most: int) -> None:
        """Read until the buffer holds so many lines, or the file ends."""
        size = 0
        while self._buffer.ready < most and not self._ended:
            if self._bytes is None:
                self._bytes = stream.ByteStream(self.path)
            block = self._bytes.read(min(stream.BLOCK, self._longest))
            size += len(block)
            self._check_size(block, size)
            if not self.read_as:
                self.read_as = stream.find_encoding(block, self.encoding, self.path)
                if self.read_as != "utf-8":
                    self._decoder = codecs.getincrementaldecoder(self.read_as)()
            self._buffer.push(self._check_zeros(self._recode(block)))
            if not block:
                self._buffer.finish()
                self._ended = True
                self._bytes.close()

    def _check_size(self, block: bytes, size: int) -> None:
        """Refuse a line that exceeds the limit, and too many bytes of lines together."""
        check_limit("whole", size, stream.format_path(self.path))
        end = block.rfind(b"\n")
        self._open = len(block) - end - 1 + (self._open if end < 0 else 0)
        if self._open > self._longest:
            line = self.count + self._buffer.ready + 1
            refuse_excess("line", f"{stream.format_path(self.path)}, line {line}")

    def _check_zeros(self, block: bytes) -> bytes:
        """Refuse zero bytes, which no program writes into a text."""
        place = block.find(b"\0")
        if place >= 0:
            line = self.count + self._buffer.ready + block.count(b"\n", 0, place) + 1
            msg = (
                f"{stream.format_path(self.path)}, line {line}, has a zero byte (U+0000); the "
                "file is damaged or no text: write it again, or remove the byte."
            )
            raise FormatError(msg)
        return block

    def _recode(self, block: bytes) -> bytes:
        """Turn bytes of another encoding into UTF-8."""
        if self._decoder is None:
            return block
        try:
            return self._decoder.decode(block, final=not block).encode()
        except UnicodeError as error:
            reason = getattr(error, "reason", str(error))
            line = self.count + self._buffer.ready + 1
            place = f"{stream.format_path(self.path)}, line {line} or later,"
            msg = (
                f"{place} is not {self.read_as} ({reason}); convert the file to UTF-8."
            )
            raise FormatError(msg) from None

    def share(self) -> float | None:
        """Return the share of the file that has been read, None if it is not known."""
        if self._ended or self._bytes is None:
            return 1.0 if self._ended else None
        return self._bytes.share()

    def close(self) -> None:
        """Close the file before its end."""
        if self._bytes is not None:
            self._bytes.close()
