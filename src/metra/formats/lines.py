"""Lines of text files: cut at line feeds only, checked to be UTF-8, packed or not."""

from collections.abc import Iterator
from contextlib import closing

from metra.errors import FormatError
from metra.formats.stream import ByteStream, describe_invalid_utf8
from metra.text.columns import LineBuffer, NotUtf8, Text

#: So many lines are read at a time where all of them are wanted.
CHUNK = 1024


def read_lines(path: str) -> list[str]:
    """Read all lines of a file; `-` is standard input."""
    with closing(LineReader(path)) as lines:
        return list(lines)


def list_strings(text: Text) -> list[str]:
    """Return the lines of a text as strings."""
    return [text[index] or "" for index in range(len(text))]


class LineReader:
    """A file's lines, some at a time; the file is opened where it is first read.

    A line ends at a line feed, nowhere else; a carriage return before it and a byte order
    mark at the start of the file belong to no line.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.count = 0
        self._buffer = LineBuffer()
        self._bytes: ByteStream | None = None
        self._ended = False

    def __iter__(self) -> Iterator[str]:
        while len(text := self.read(CHUNK)):
            yield from list_strings(text)

    def read(self, most: int) -> Text:
        """Read the next lines: fewer than `most` only where the file ends."""
        while self._buffer.ready < most and not self._ended:
            if self._bytes is None:
                self._bytes = ByteStream(self.path)
            block = self._bytes.read()
            if block:
                self._buffer.push(block)
            else:
                self._buffer.finish()
                self._ended = True
                self._bytes.close()
        try:
            text = self._buffer.pop(most)
        except NotUtf8 as error:
            line, column, byte = error.args
            msg = describe_invalid_utf8(self.path, line + 1, column, byte)
            raise FormatError(msg) from None
        self.count += len(text)
        return text

    def share(self) -> float | None:
        """Return the share of the file that has been read, None if it is not known."""
        if self._ended or self._bytes is None:
            return 1.0 if self._ended else None
        return self._bytes.share()

    def close(self) -> None:
        """Close the file before its end."""
        if self._bytes is not None:
            self._bytes.close()
