"""A file's unpacked bytes from any place in it, and the check that they are UTF-8."""

import codecs
import weakref
from collections.abc import Iterator
from typing import IO, cast

from metra.errors import FormatError
from metra.io.kept import IN_MEMORY
from metra.io.stream import ByteStream, shown

BLOCK = 1 << 18

_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class Seekable:
    """A file that can be read in any order; a packed one is unpacked to a temporary file.

    The file stays open as long as this object lives, because corpora are read twice.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        stream = ByteStream(path)
        if stream.packed:
            self._file = _copy(stream)
            stream.close()
            weakref.finalize(self, self._file.close)
        else:
            self._file = stream.file
            weakref.finalize(self, stream.close)
        self.start = self._after_mark()

    def blocks(self, start: int, stop: int | None = None) -> Iterator[bytes]:
        """Read from one place up to another, or to the end, a block at a time."""
        at = start
        while stop is None or at < stop:
            size = BLOCK if stop is None else min(BLOCK, stop - at)
            self._file.seek(at)
            block = self._file.read(size)
            if not block:
                return
            at += len(block)
            yield block

    def _after_mark(self) -> int:
        """Find where the text begins: after the byte order mark, if there is one."""
        head = b"".join(self.blocks(0, 4))
        for mark, name in _OTHER_MARKS.items():
            if head.startswith(mark):
                msg = f"{shown(self.path)} is {name}; convert the file to UTF-8."
                raise FormatError(msg)
        return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0


def _copy(stream: ByteStream) -> IO[bytes]:
    from tempfile import SpooledTemporaryFile

    copy = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115, closed with its owner
    while block := stream.read():
        copy.write(block)
    return cast("IO[bytes]", copy)


def checked_utf8(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """Hand the blocks on, and refuse bytes that are not UTF-8, by line and place in it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, column = 1, 0
    for block in blocks:
        begun = len(decoder.getstate()[0])
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            place = error.start - begun
            before = block[: max(place, 0)]
            line += before.count(b"\n")
            cut = before.rfind(b"\n") + 1
            found = place - cut if cut else column + place
            raise FormatError(
                _not_utf8(path, line, found, error.object[error.start])
            ) from None
        yield block
        line += block.count(b"\n")
        cut = block.rfind(b"\n") + 1
        column = len(block) - cut if cut else column + len(block)
    if rest := decoder.getstate()[0]:
        raise FormatError(_not_utf8(path, line, column - len(rest), rest[0]))


def _not_utf8(path: str, line: int, column: int, byte: int) -> str:
    return (
        f"{shown(path)}, line {line}: byte {column + 1} of the line is 0x{byte:02x}, "
        "which is not UTF-8; convert the file to UTF-8."
    )
