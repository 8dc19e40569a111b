"""Bytes of files and of standard input, unpacked where they are packed.

Also here: names made of paths, what identifies a file's content, and small files in TOML
and JSON.
"""

import codecs
import os
import sys
import weakref
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from io import SEEK_CUR, SEEK_SET, BufferedReader, RawIOBase
from os.path import basename, splitext
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from metra.errors import FormatError

if TYPE_CHECKING:
    import zstandard

T = TypeVar("T")

STDIN = "-"

#: So many bytes are read at a time.
BLOCK = 1 << 20
SEEKABLE_BLOCK = 1 << 18
# Packed bytes at a time: little, because they may become many.
ZSTD_BLOCK = 1 << 16
#: What is copied stays in memory up to this size.
IN_MEMORY = 64 << 20

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_PACKED_SUFFIXES = {".gz", ".xz", ".zst"}

_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


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
    """Return the suffix that tells the format, whatever the file is packed with."""
    return splitext(_strip_compression(path))[1]


def _strip_compression(path: str) -> str:
    """Return a file's name without its folder and without the suffix of packing."""
    name = basename(path)
    plain, packing = splitext(name)
    return plain if packing in _PACKED_SUFFIXES else name


def get_file_state(path: str) -> tuple[int, int] | None:
    """Return what changes when a file changes, None if the file cannot be read.

    It is quick, for caches; `compute_file_version` is exact, for signatures.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def cache_by_file(read: Callable[[str], T]) -> Callable[[str], T]:
    """Make a reader return what it read before, until the file changes."""

    @lru_cache(maxsize=64)
    def read_state(path: str, _: object) -> T:
        return read(path)

    @wraps(read)
    def read_cached(path: str) -> T:
        return read_state(path, get_file_state(path))

    return read_cached


def compute_file_version(path: str) -> str:
    """Return a file's path with a digest of its bytes, for signatures."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(_describe_unreadable(path, error)) from None
    return f"{path}[sha256:{digest[:12]}]"


def read_toml(path: str, what: str) -> dict[str, Any]:
    """Read a file whole; `what` it should be is for the error message."""
    import tomllib

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
    """Parse JSON; `place` names the file, and the line if there are several.

    >>> parse_json("[1]", "a.json")
    [1]
    """
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        msg = f"{place} is no JSON: {error}."
        raise FormatError(msg) from None


class ByteStream:
    """A file's unpacked bytes, block by block."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._raw = _open_raw(path)
        except OSError as error:
            raise FormatError(_describe_unreadable(path, error)) from None
        self._file = _open_decompressed(self._raw)

    @property
    def is_packed(self) -> bool:
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
        """Return the share of the file that has been read, None for a pipe."""
        if self.path in _PIPES:
            return None
        size = os.fstat(self._raw.fileno()).st_size
        return self._raw.tell() / size if size else None

    def close(self) -> None:
        """Close the file; what was read from a pipe stays for the next reader."""
        if self.is_packed:
            self._file.close()
        self._raw.close()


def _describe_unreadable(path: str, error: OSError) -> str:
    return f"{path} cannot be read: {error.strerror}; check the name and its rights."


def _list_read_errors() -> tuple[type[Exception], ...]:
    """List what files and the decompressors that are in use raise."""
    modules = {"zlib": "error", "lzma": "LZMAError", "zstandard": "ZstdError"}
    raised = [
        getattr(sys.modules[module], name)
        for module, name in modules.items()
        if module in sys.modules
    ]
    return (OSError, EOFError, *raised)


# What was read from pipes, by path.
_PIPES: "dict[str, PipeBuffer]" = {}


def clear_pipe_buffers() -> None:
    """Forget what was read from pipes, so that they are read anew."""
    while _PIPES:
        _PIPES.popitem()[1].close()


def _open_raw(path: str) -> IO[bytes]:
    """Open the file; what cannot be read twice is kept, because some metrics read twice."""
    if path not in _PIPES:
        if path == STDIN:
            _PIPES[path] = PipeBuffer(cast("BufferedReader", sys.stdin.buffer))
        else:
            raw = open(path, "rb")  # noqa: SIM115, closed by its ByteStream
            if raw.seekable():
                return raw
            with raw:
                _PIPES[path] = PipeBuffer(raw)
    return _PIPES[path].reader()


class PipeBuffer:
    """The bytes of a pipe: in memory, in a file without a name where they are many."""

    def __init__(self, pipe: BufferedReader) -> None:
        """Read the pipe to its end, a piece at a time, so that Ctrl-C is not kept waiting."""
        self._copy = _open_temporary()
        while block := pipe.read1(BLOCK):
            self._copy.write(block)

    def reader(self) -> IO[bytes]:
        """Return a file that begins at the first of the bytes."""
        return BufferedReader(_BufferReader(self._copy))

    def close(self) -> None:
        """Drop the bytes."""
        self._copy.close()


class _BufferReader(RawIOBase):
    """One reader's place in the copy."""

    def __init__(self, copy: IO[bytes]) -> None:
        self._copy = copy
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        if whence == SEEK_CUR:
            offset, whence = self._position + offset, SEEK_SET
        self._copy.seek(offset, whence)
        self._position = self._copy.tell()
        return self._position

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        self._copy.seek(self._position)
        block = self._copy.read(len(buffer))
        buffer[: len(block)] = block
        self._position += len(block)
        return len(block)


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


class ZstdFile:
    """The unpacked bytes of one or more frames of zstd.

    The library's own reader takes half a file for a whole one; this one does not.
    """

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
        block, self._ready = self._ready[:size], self._ready[size:]
        return block

    def _unpack(self, block: bytes) -> None:
        if self._frame is None:
            import zstandard

            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = self._frame.decompress(block)
        self._rest = b""
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._frame = None

    def close(self) -> None:
        """Forget what was read ahead; the packed file is closed by whoever opened it."""
        self._rest = self._ready = b""


class SeekableFile:
    """A file that can be read in any order; a packed one is unpacked to a temporary file.

    The file stays open as long as this object lives, because corpora are read twice.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        stream = ByteStream(path)
        if stream.is_packed:
            self._file = _open_temporary()
            while block := stream.read():
                self._file.write(block)
            stream.close()
            weakref.finalize(self, self._file.close)
        else:
            self._file = stream.file
            weakref.finalize(self, stream.close)
        self.start = self._find_start()

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

    def _find_start(self) -> int:
        """Find where the text begins: after the byte order mark, if there is one."""
        head = b"".join(self.blocks(0, 4))
        for mark, name in _OTHER_MARKS.items():
            if head.startswith(mark):
                msg = f"{format_path(self.path)} is {name}; convert the file to UTF-8."
                raise FormatError(msg)
        return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0


def _open_temporary() -> IO[bytes]:
    from tempfile import SpooledTemporaryFile

    return cast("IO[bytes]", SpooledTemporaryFile(max_size=IN_MEMORY))


def check_utf8(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """Pass the blocks on, and refuse bytes that are not UTF-8, by line and place in it."""
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
            line_start = before.rfind(b"\n") + 1
            column = place - line_start if line_start else column + place
            raise FormatError(
                describe_invalid_utf8(path, line, column, error.object[error.start])
            ) from None
        yield block
        line += block.count(b"\n")
        line_start = block.rfind(b"\n") + 1
        column = len(block) - line_start if line_start else column + len(block)
    if rest := decoder.getstate()[0]:
        raise FormatError(
            describe_invalid_utf8(path, line, column - len(rest), rest[0])
        )


def describe_invalid_utf8(path: str, line: int, column: int, byte: int) -> str:
    """Describe where a file is not UTF-8; lines are counted from 1, columns from 0."""
    return (
        f"{format_path(path)}, line {line}: byte {column + 1} of the line is "
        f"0x{byte:02x}, which is not UTF-8; convert the file to UTF-8."
    )
