"""What can be read once only, kept so that it can be read again, by several readers."""

import io
from typing import IO

BLOCK = 1 << 20
IN_MEMORY = 64 << 20


class Kept:
    """The bytes of a pipe: in memory, in a file without a name where they are many."""

    def __init__(self, pipe: io.BufferedReader) -> None:
        """Read the pipe to its end, a piece at a time, so that Ctrl-C is not kept waiting."""
        from tempfile import SpooledTemporaryFile

        self._copy = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115, see close
        while block := pipe.read1(BLOCK):
            self._copy.write(block)

    def reader(self) -> IO[bytes]:
        """Give the bytes from their start."""
        return io.BufferedReader(_Reader(self._copy))

    def close(self) -> None:
        """Let go of the bytes."""
        self._copy.close()


class _Reader(io.RawIOBase):
    """One reader's place in the copy."""

    def __init__(self, copy: IO[bytes]) -> None:
        self._copy = copy
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset, whence = self._at + offset, io.SEEK_SET
        self._copy.seek(offset, whence)
        self._at = self._copy.tell()
        return self._at

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        self._copy.seek(self._at)
        block = self._copy.read(len(buffer))
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)
