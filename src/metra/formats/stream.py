"""Bytes of a file or of standard input, unpacked where they are packed.

What can be read once only, kept so that it can be read again, by several readers.
A file's unpacked bytes from any place in it, and the check that they are UTF-8.
Files packed with zstd, read to their ends: the library takes half a file for a whole.
Small files in TOML, with errors that name the file.
JSON that somebody else wrote: what it holds, or a sentence that says where it breaks.
Whether a file is still what it was when it was read.
"""

import codecs
import io
import json
import os
import sys
import tomllib
import weakref
from collections.abc import Iterator
from hashlib import file_digest
from io import BufferedReader
from os.path import basename, splitext
from typing import IO, Any, cast

import zstandard

from metra.errors import FormatError

BLOCK = 1 << 20
IN_MEMORY = 64 << 20


class PipeBuffer:
    """The bytes of a pipe: in memory, in a file without a name where they are many."""

    def __init__(self, pipe: io.BufferedReader) -> None:
        """Read the pipe to its end, a piece at a time, so that Ctrl-C is not kept waiting."""
        from tempfile import SpooledTemporaryFile

        self._copy = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115, see close
        while block := pipe.read1(BLOCK):
            self._copy.write(block)

    def reader(self) -> IO[bytes]:
        """Give the bytes from their start."""
        return io.BufferedReader(_BufferReader(self._copy))

    def close(self) -> None:
        """Let go of the bytes."""
        self._copy.close()


class _BufferReader(io.RawIOBase):
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


STDIN = "-"


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
            self._raw = _open_raw(path)
        except OSError as error:
            msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
            raise FormatError(msg) from None
        self._file = _open_decompressed(self._raw)

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
        except _list_read_errors() as error:
            msg = (
                f"{format_path(self.path)} is damaged or breaks off: {error}; "
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


def _list_read_errors() -> tuple[type[Exception], ...]:
    """List what files and the decompressors that are in use raise."""
    modules = {"zlib": "error", "lzma": "LZMAError", "zstandard": "ZstdError"}
    raised = [
        getattr(sys.modules[module], name)
        for module, name in modules.items()
        if module in sys.modules
    ]
    return (OSError, EOFError, *raised)


def format_path(path: str) -> str:
    """Name a path in a message."""
    return "standard input" if path == STDIN else path


def name_system(path: str) -> str:
    """Name a system after its file: no folder, no suffix, no suffix of packing.

    >>> name_system("runs/online-A.en.txt.gz"), name_system("-")
    ('online-A.en', 'stdin')
    """
    if path == STDIN:
        return "stdin"
    return splitext(_strip_compression(path))[0]


def get_suffix(path: str) -> str:
    """Give the suffix that tells the format, whatever the file is packed with."""
    return splitext(_strip_compression(path))[1]


def _strip_compression(path: str) -> str:
    """Give a file's name without its folder and without the suffix of packing."""
    name = basename(path)
    plain, packing = splitext(name)
    return plain if packing in _PACKED_SUFFIXES else name


# What was read from pipes, by path.
_KEPT: dict[str, PipeBuffer] = {}


def clear_pipe_buffers() -> None:
    """Let go of what was read from pipes, so that they are read anew."""
    while _KEPT:
        _KEPT.popitem()[1].close()


def _open_raw(path: str) -> IO[bytes]:
    """Open the file; what cannot be read twice is kept, because some measures read twice."""
    if path not in _KEPT:
        if path == STDIN:
            _KEPT[path] = PipeBuffer(cast("BufferedReader", sys.stdin.buffer))
        else:
            raw = open(path, "rb")  # noqa: SIM115, closed by its ByteStream
            if raw.seekable():
                return raw
            with raw:
                _KEPT[path] = PipeBuffer(raw)
    return _KEPT[path].reader()


def _open_decompressed(raw: IO[bytes]) -> IO[bytes]:
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
        return cast("IO[bytes]", ZstdFile(raw))
    return raw


SEEKABLE_BLOCK = 1 << 18

_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class SeekableFile:
    """A file that can be read in any order; a packed one is unpacked to a temporary file.

    The file stays open as long as this object lives, because corpora are read twice.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        stream = ByteStream(path)
        if stream.packed:
            self._file = _copy_to_temporary(stream)
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
            size = SEEKABLE_BLOCK if stop is None else min(SEEKABLE_BLOCK, stop - at)
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
                msg = f"{format_path(self.path)} is {name}; convert the file to UTF-8."
                raise FormatError(msg)
        return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0


def _copy_to_temporary(stream: ByteStream) -> IO[bytes]:
    from tempfile import SpooledTemporaryFile

    copy = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115, closed with its owner
    while block := stream.read():
        copy.write(block)
    return cast("IO[bytes]", copy)


def check_utf8(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
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
                _describe_invalid_utf8(path, line, found, error.object[error.start])
            ) from None
        yield block
        line += block.count(b"\n")
        cut = block.rfind(b"\n") + 1
        column = len(block) - cut if cut else column + len(block)
    if rest := decoder.getstate()[0]:
        raise FormatError(
            _describe_invalid_utf8(path, line, column - len(rest), rest[0])
        )


def _describe_invalid_utf8(path: str, line: int, column: int, byte: int) -> str:
    return (
        f"{format_path(path)}, line {line}: byte {column + 1} of the line is 0x{byte:02x}, "
        "which is not UTF-8; convert the file to UTF-8."
    )


# Packed bytes at a time: little, because they may become many.
ZSTD_BLOCK = 1 << 16


class ZstdFile:
    """The unpacked bytes of one or more frames."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._rest = b""
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Unpack up to `size` bytes; nothing at the end, an EOFError in a frame's middle."""
        while not self._ready:
            block = self._rest or self._packed.read(ZSTD_BLOCK)
            if not block:
                if self._frame is not None:
                    msg = "the last frame is not complete"
                    raise EOFError(msg)
                return b""
            self._unpack(block)
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def _unpack(self, block: bytes) -> None:
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = self._frame.decompress(block)
        self._rest = b""
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._frame = None

    def close(self) -> None:
        """Forget what was read ahead; the packed file is closed by whoever opened it."""
        self._rest = self._ready = b""


def read_toml(path: str, what: str) -> dict[str, Any]:
    """Read a file whole; `what` it should be is for the error message."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; expected {what} in TOML."
        raise FormatError(msg) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is no TOML: {error}."
        raise FormatError(msg) from None


def parse_json(text: str, place: str) -> Any:
    """Read JSON; `place` names the file, and the line if there are several.

    >>> parse_json("[1]", "a.json")
    [1]
    """
    try:
        return json.loads(text)
    except ValueError as error:
        msg = f"{place} is no JSON: {error}."
        raise FormatError(msg) from None


def compute_file_version(path: str) -> str:
    """Return a file's path with a digest of its bytes, for signatures."""
    try:
        with open(path, "rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; check the name and its rights."
        raise FormatError(msg) from None
    return f"{path}[sha256:{digest[:12]}]"


def get_file_state(path: str) -> tuple[int, int] | None:
    """Tell one state of a file from another; None if it cannot be read."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size
