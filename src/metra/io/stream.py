"""Bytes of a file or of standard input, unpacked where they are packed."""

import os
import sys
from io import BufferedReader
from os.path import basename, splitext
from typing import IO, cast

from metra.errors import FormatError
from metra.io.kept import Kept

STDIN = "-"

BLOCK = 1 << 20

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}

_PACKED_SUFFIXES = {".gz", ".xz", ".zst"}


class ByteStream:
    """A file's unpacked bytes, block by block."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._raw = _opened_raw(path)
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
            raise FormatError(msg) from None
        self._file = _unpacked(self._raw)

    @property
    def packed(self) -> bool:
        """Whether the bytes are unpacked on their way."""
        return self._file is not self._raw

    @property
    def file(self) -> IO[bytes]:
        """The file that the bytes come from."""
        return self._file

    def read(self, size: int = BLOCK) -> bytes:
        """Read up to `size` bytes; nothing at the end."""
        try:
            return self._file.read(size)
        except _damage() as error:
            msg = (
                f"{shown(self.path)} is damaged or breaks off: {error}; "
                "expected a whole compressed file."
            )
            raise FormatError(msg) from None

    def share(self) -> float | None:
        """Tell what share of the file has been read; of a pipe that cannot be told."""
        if self.path in _KEPT:
            return None
        size = os.fstat(self._raw.fileno()).st_size
        return self._raw.tell() / size if size else None

    def close(self) -> None:
        """Close the file; what was read from a pipe stays for the next reader."""
        if self._file is not self._raw:
            self._file.close()
        self._raw.close()


def _damage() -> tuple[type[Exception], ...]:
    """List what files and the decompressors that are in use raise."""
    modules = {"zlib": "error", "lzma": "LZMAError", "zstandard": "ZstdError"}
    raised = [
        getattr(sys.modules[module], name)
        for module, name in modules.items()
        if module in sys.modules
    ]
    return (OSError, EOFError, *raised)


def shown(path: str) -> str:
    """Name a path in a message."""
    return "standard input" if path == STDIN else path


def stem(path: str) -> str:
    """Name a system after its file: no folder, no suffix, no suffix of packing.

    >>> stem("runs/online-A.en.txt.gz"), stem("-")
    ('online-A.en', 'stdin')
    """
    if path == STDIN:
        return "stdin"
    return splitext(_name(path))[0]


def suffix(path: str) -> str:
    """Give the suffix that tells the format, whatever the file is packed with."""
    return splitext(_name(path))[1]


def _name(path: str) -> str:
    """Give a file's name without its folder and without the suffix of packing."""
    name = basename(path)
    plain, packing = splitext(name)
    return plain if packing in _PACKED_SUFFIXES else name


# What was read from pipes, by path.
_KEPT: dict[str, Kept] = {}


def forget() -> None:
    """Let go of what was read from pipes, so that they are read anew."""
    while _KEPT:
        _KEPT.popitem()[1].close()


def _opened_raw(path: str) -> IO[bytes]:
    """Open the file; what cannot be read twice is kept, because some measures read twice."""
    if path not in _KEPT:
        if path == STDIN:
            _KEPT[path] = Kept(cast("BufferedReader", sys.stdin.buffer))
        else:
            raw = open(path, "rb")  # noqa: SIM115, closed by its ByteStream
            if raw.seekable():
                return raw
            with raw:
                _KEPT[path] = Kept(raw)
    return _KEPT[path].reader()


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    head = raw.read(6)
    raw.seek(0)
    packing = next(
        (kind for magic, kind in _MAGIC.items() if head.startswith(magic)), ""
    )
    if packing == "gzip":
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="rb"))
    if packing == "xz":
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if packing == "zstd":
        from metra.io.zstd import ZstdFile

        return cast("IO[bytes]", ZstdFile(raw))
    return raw
