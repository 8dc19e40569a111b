"""Plain text: a line is a segment, and nothing else is."""

from metra.errors import FormatError
from metra.io.stream import ByteStream, shown
from metra.text.lines import LineBuffer, NotUtf8, Text


class Lines:
    """A file's lines, some at a time."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.count = 0
        self._bytes = ByteStream(path)
        self._buffer = LineBuffer()
        self._ended = False

    def read(self, most: int) -> Text:
        """Read the next lines: fewer than `most` only where the file ends."""
        while self._buffer.ready < most and not self._ended:
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
            msg = (
                f"{shown(self.path)}, line {line + 1}: byte {column + 1} of the line is "
                f"0x{byte:02x}, which is not UTF-8; convert the file to UTF-8."
            )
            raise FormatError(msg) from None
        self.count += len(text)
        return text

    def share(self) -> float | None:
        """Tell what share of the file has been read, if that can be told."""
        return 1.0 if self._ended else self._bytes.share()

    def close(self) -> None:
        """Let go of the file before its end."""
        self._bytes.close()
