"""Bytes of files and of standard input, unpacked where they are packed.

Also here: names made of paths, what identifies a file's content, and small files in TOML
and JSON.
"""

import codecs
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache, wraps
from io import BufferedReader
from itertools import chain
from os.path import basename, splitext
from typing import IO, Any, TypeVar, cast

from metra.errors import FormatError, OptionError

T = TypeVar("T")

STDIN = "-"

#: So many bytes are read at a time.
BLOCK = 1 << 20

#: How packed files begin, and the suffixes of their names.
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
PACKED_SUFFIXES = frozenset(_MAGIC.values())

# What was read from pipes, by path: some metrics read twice.
PIPES: dict[str, IO[bytes]] = {}


def format_path(path: str) -> str:
    """Name a path in a message."""
    return "standard input" if path == STDIN else path


def split_file_name(path: str) -> tuple[str, str]:
    """Split a file's name, without folder and suffix of packing, before its suffix."""
    name = basename(path)
    plain, packing = splitext(name)
    return splitext(plain if packing in PACKED_SUFFIXES else name)


def name_system(path: str) -> str:
    """Name a system after its file: no folder, no suffix, no suffix of packing.

    >>> name_system("runs/online-A.en.txt.gz"), name_system("-")
    ('online-A.en', 'stdin')
    """
    return "stdin" if path == STDIN else split_file_name(path)[0]


def split_named_path(whole: str) -> tuple[str | None, str]:
    """Split `NAME=FILE`; the name is None where there is none.

    >>> split_named_path("ann=scores.json"), split_named_path("lp/k=3.json")
    (('ann', 'scores.json'), (None, 'lp/k=3.json'))
    """
    name, equals, path = whole.partition("=")
    is_named = bool(equals and name) and "/" not in name
    # A folder such as lp=en-de is no name.
    is_whole = is_named and os.path.exists(whole) and not os.path.exists(path)
    return (name, path) if is_named and not is_whole else (None, whole)


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


def check_keys(table: object, keys: Sequence[str], place: str) -> dict[str, Any]:
    """Return a table of such a file, which must have these keys and no others."""
    if not isinstance(table, dict) or set(table) != set(keys):
        content = ", ".join(table) if isinstance(table, dict) else repr(table)
        msg = f"{place}: it has {content}; expected {', '.join(keys)}."
        raise FormatError(msg)
    return table


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
            is_kept = path == STDIN or path in PIPES
            raw = None if is_kept else open(path, "rb")  # noqa: SIM115, see `close`
            if raw is None or not raw.seekable():
                raw = _open_pipe(path, raw)
        except OSError as error:
            raise FormatError(_describe_unreadable(path, error)) from None
        self.file = self._raw = raw
        head = raw.read(6)
        raw.seek(0)
        for magic, suffix in _MAGIC.items():
            if head.startswith(magic):
                from metra.formats.compression import open_packed

                self.file = open_packed(raw, suffix, "rb")
        self.is_packed = self.file is not raw

    def read(self, size: int = BLOCK) -> bytes:
        """Read up to `size` bytes; nothing at the end."""
        try:
            return self.file.read(size)
        except _list_read_errors() as error:
            problem = f"{format_path(self.path)} is damaged or breaks off: {error}"
            msg = f"{problem}; expected a whole compressed file."
            raise FormatError(msg) from None

    def share(self) -> float | None:
        """Return the share of the file that has been read, None for a pipe."""
        if self.path in PIPES:
            return None
        size = os.fstat(self._raw.fileno()).st_size
        return self._raw.tell() / size if size else None

    def close(self) -> None:
        """Close the file; what was read from a pipe stays for the next reader."""
        self.file.close()
        self._raw.close()


def _open_pipe(path: str, pipe: BufferedReader | None) -> BufferedReader:
    """Return a reader of a copy, which is made where there is none."""
    from metra.formats.spool import CopyReader, copy_pipe

    if path not in PIPES:
        with pipe or nullcontext(sys.stdin.buffer) as opened:
            PIPES[path] = copy_pipe(cast("BufferedReader", opened))
    return BufferedReader(CopyReader(PIPES[path]))


def _describe_unreadable(path: str, error: OSError) -> str:
    return f"{path} cannot be read: {error.strerror}; check the name and its rights."


def _list_read_errors() -> tuple[type[Exception], ...]:
    """List what files and the decompressors that are in use raise."""
    names = {"zlib": "error", "lzma": "LZMAError", "zstandard": "ZstdError"}
    modules = names.keys() & sys.modules.keys()
    return (OSError, EOFError, *(getattr(sys.modules[m], names[m]) for m in modules))


_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def find_encoding(head: bytes, encoding: str | None, path: str) -> str:
    """Return the encoding of a text: the one that is named, else by its byte order mark.

    >>> find_encoding("a".encode("utf-16"), "auto", "a.txt"), find_encoding(b"a", None, "")
    ('utf-16', 'utf-8')
    """
    by_mark = next(
        (name for mark, name in _MARKS.items() if head.startswith(mark)), None
    )
    if encoding in (None, "auto"):
        return by_mark or "utf-8"
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except LookupError:
        msg = f"There is no encoding {encoding!r}; known are utf-8, utf-16, cp1252, gb18030 …"
        raise OptionError(msg) from None
    if by_mark and not name.startswith(by_mark):
        problem = f"{format_path(path)} begins with the byte order mark of {by_mark}"
        msg = f"{problem}, but `encoding` is {encoding}; leave it out."
        raise FormatError(msg)
    return name


def check_utf8(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """Pass the blocks on, and refuse bytes that are not UTF-8, by line and place in it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, line_start, offset = 1, 0, 0
    for block in chain(blocks, [b""]):
        begun = len(decoder.getstate()[0])
        error = None
        try:
            decoder.decode(block, final=not block)
            sound = block
        except UnicodeDecodeError as raised:
            error = raised
            sound = block[: max(error.start - begun, 0)]
        line += sound.count(b"\n")
        if b"\n" in sound:
            line_start = offset + sound.rindex(b"\n") + 1
        if error:
            column = offset - begun + error.start - line_start
            byte = error.object[error.start]
            raise FormatError(describe_invalid_utf8(path, line, column, byte))
        offset += len(block)
        if block:
            yield block


def describe_invalid_utf8(path: str, line: int, column: int, byte: int) -> str:
    """Describe where a file is not UTF-8; lines are counted from 1, columns from 0."""
    return (
        f"{format_path(path)}, line {line}: byte {column + 1} of the line is "
        f"0x{byte:02x}, which is not UTF-8; convert the file to UTF-8."
    )
