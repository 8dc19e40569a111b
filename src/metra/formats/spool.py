"""Temporary copies, in memory while they are small: of pipes, of packed files, of texts."""

import codecs
import weakref
from collections.abc import Iterator
from functools import partial
from io import SEEK_CUR, SEEK_SET, BufferedReader, RawIOBase
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from metra.errors import FormatError
from metra.formats.stream import BLOCK, ByteStream, format_path

#: What is copied stays in memory up to this size.
IN_MEMORY = 64 << 20
#: The same for a text that is written; there may be a hundred of them.
TEXT_IN_MEMORY = 1 << 22
SEEKABLE_BLOCK = 1 << 18

_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def open_spool(most: int = IN_MEMORY) -> IO[bytes]:
    """Open a temporary file that is in memory up to a size."""
    return cast("IO[bytes]", SpooledTemporaryFile(max_size=most))


def drain_spool(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what was written, and empty the file."""
    file.seek(0)
    yield from iter(partial(file.read, BLOCK), b"")
    file.seek(0)
    file.truncate()


def copy_pipe(pipe: BufferedReader) -> IO[bytes]:
    """Read a pipe to its end, a piece at a time, so that Ctrl-C is not kept waiting."""
    copy = open_spool()
    while block := pipe.read1(BLOCK):
        copy.write(block)
    return copy


class CopyReader(RawIOBase):
    """One reader's place in a copy."""

    def __init__(self, copy: IO[bytes]) -> None:
        self._copy = copy
        self._position = 0

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read in any order."""
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Go to a place."""
        if whence == SEEK_CUR:
            offset, whence = self._position + offset, SEEK_SET
        self._copy.seek(offset, whence)
        self._position = self._copy.tell()
        return self._position

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Read as many bytes as there is room for."""
        self._copy.seek(self._position)
        block = self._copy.read(len(buffer))
        buffer[: len(block)] = block
        self._position += len(block)
        return len(block)


class SeekableFile:
    """A file that can be read in any order; a packed one is unpacked to a temporary file.

    The file stays open as long as this object lives, because corpora are read twice.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        stream = ByteStream(path)
        self._file: IO[bytes] = stream.file
        if stream.is_packed:
            self._file = open_spool()
            while block := stream.read():
                self._file.write(block)
            stream.close()
        weakref.finalize(self, self._file.close)
        head = b"".join(self.blocks(0, 4))
        for mark, name in _OTHER_MARKS.items():
            if head.startswith(mark):
                msg = f"{format_path(path)} is {name}; convert the file to UTF-8."
                raise FormatError(msg)
        #: Where the text begins: after the byte order mark, if there is one.
        self.start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0

    def blocks(self, start: int, stop: int | None = None) -> Iterator[bytes]:
        """Read from one place up to another, or to the end, a block at a time."""
        position = start
        while stop is None or position < stop:
            left = SEEKABLE_BLOCK if stop is None else stop - position
            self._file.seek(position)
            block = self._file.read(min(SEEKABLE_BLOCK, left))
            if not block:
                return
            position += len(block)
            yield block
