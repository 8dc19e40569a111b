"""Bytes of a file or of standard input, unpacked where they are packed."""

import sys
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from metra.errors import FormatError

STDIN = "-"

BLOCK = 1 << 20
_IN_MEMORY = 64 << 20

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}

_PACKED_SUFFIXES = {".gz", ".xz", ".zst"}


class ByteStream:
    """A file's unpacked bytes, block by block; `done` and `size` are of the file itself."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._raw = _opened_raw(path)
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
            raise FormatError(msg) from None
        self._file = _unpacked(self._raw)

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

    def close(self) -> None:
        """Close the file; a pipe's copy stays for the next reader."""
        if self._file is not self._raw:
            self._file.close()
        if isinstance(self._raw, BufferedReader):
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
    plain = Path(path)
    if plain.suffix in _PACKED_SUFFIXES:
        plain = plain.with_suffix("")
    return plain.stem


def suffix(path: str) -> str:
    """Give the suffix that tells the format, whatever the file is packed with."""
    plain = Path(path)
    return (plain.with_suffix("") if plain.suffix in _PACKED_SUFFIXES else plain).suffix


def _opened_raw(path: str) -> IO[bytes]:
    """Open the file; what cannot be read twice is kept, because some measures read twice."""
    if path != STDIN:
        raw = open(path, "rb")  # noqa: SIM115, closed by its ByteStream
        if raw.seekable():
            return raw
        raw.close()
    kept = _kept(path)
    kept.seek(0)
    return kept


@cache
def _kept(path: str) -> IO[bytes]:
    from tempfile import SpooledTemporaryFile

    copy = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115, lives as long as we
    pipe = sys.stdin.buffer if path == STDIN else open(path, "rb")  # noqa: SIM115
    while block := pipe.read(BLOCK):
        copy.write(block)
    return cast("IO[bytes]", copy)


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    head = raw.read(6)
    raw.seek(0)
    packing = next(
        (kind for magic, kind in _MAGIC.items() if head.startswith(magic)), ""
    )
    if packing == "gzip":
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if packing == "xz":
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if packing == "zstd":
        import zstandard

        reader = zstandard.ZstdDecompressor()
        return cast(
            "IO[bytes]",
            reader.stream_reader(raw, read_across_frames=True, closefd=False),
        )
    return raw
