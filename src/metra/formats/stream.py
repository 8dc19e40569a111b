"""Bytes of files and of standard input, unpacked where they are packed.

Also here: names made of paths, what identifies a file's content, and small files in TOML
and JSON.
"""

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import lru_cache, wraps
from io import BufferedReader, BytesIO
from itertools import chain
from os.path import basename, splitext
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from metra.errors import FormatError, MetraError, OptionError
from metra.formats.remote import get_remote_state, is_remote, open_remote
from metra.limits import check_limit, check_unpacked, get_limits, refuse_excess

if TYPE_CHECKING:
    from json import JSONDecoder

F = TypeVar("F", bound=Callable[..., Any])

STDIN = "-"

#: So many bytes are read at a time.
BLOCK = 1 << 20

#: How packed files begin, and the suffixes of their names.
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
PACKED_SUFFIXES = frozenset(_MAGIC.values())

# What was read from pipes, by path: some metrics read twice.
PIPES: dict[str, bytes] = {}


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
    if is_remote(path):
        return get_remote_state(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def cache_by_file(size: int) -> Callable[[F], F]:
    """Make a reader return its earlier result until the file changes, for `size` files."""

    def decorate(read: F) -> F:
        @lru_cache(maxsize=size)
        def read_state(_: object, path: str, *args: Any) -> Any:
            with refuse_damage(path):
                return read(path, *args)

        @wraps(read)
        def read_cached(path: str, *args: Any) -> Any:
            # A pipe has no state, and is read again.
            return read_state(get_file_state(path) or object(), path, *args)

        return cast("F", read_cached)

    return decorate


def compute_file_version(path: str) -> str:
    """Return a file's path with a digest of its bytes, for signatures."""
    if "{system}" in path:
        return compute_files_version(path)
    return f"{path}[{compute_file_digest(path)}]"


def compute_files_version(pattern: str) -> str:
    """Return a path with a digest of its files, one for each name in place of `{system}`."""
    from glob import escape, glob
    from hashlib import sha256

    paths = sorted(glob("*".join(map(escape, pattern.split("{system}")))))
    files = "\n".join(map(compute_file_digest, filter(os.path.isfile, paths)))
    return f"{pattern}[sha256:{sha256(files.encode()).hexdigest()[:12]}]"


def compute_file_digest(path: str) -> str:
    """Return a short digest of a file's bytes as they are, packed or not."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableError(path, error.strerror) from None
    return f"sha256:{digest[:12]}"


def read_bytes(path: str) -> bytes:
    """Read a file at once, unpacked."""
    return b"".join(read_blocks(path))


def read_blocks(path: str) -> Iterator[bytes]:
    """Yield the blocks of a file, unpacked, within the limit on files read at once."""
    size = 0
    with closing(ByteStream(path)) as stream:
        while block := stream.read():
            size += len(block)
            check_limit("whole", size, format_path(path))
            yield block


def read_text(path: str) -> str:
    """Read a file at once, unpacked, in UTF-8 and without a byte order mark."""
    return decode_utf8(read_bytes(path), path)


def read_toml(path: str) -> dict[str, Any]:
    """Read a file whole."""
    return parse_toml(read_text(path), path)


def parse_toml(text: str, place: str, expected: str = "") -> dict[str, Any]:
    """Parse TOML; `place` names the file, and `expected` is for messages.

    >>> parse_toml("a = 1", "a.toml")
    {'a': 1}
    """
    import tomllib

    try:
        table = tomllib.loads(text.replace("\r\n", "\n"))
    except RecursionError:
        refuse_excess("depth", place)
    except ValueError as error:
        # Also a number with more digits than Python takes.
        tail = f"; expected {expected}" if expected else ""
        msg = f"{place} is not TOML: {error}{tail}."
        raise FormatError(msg) from None
    check_values(table, place)
    return table


#: What readers raise where a file does not hold what it should.
DAMAGE = (
    *(ValueError, LookupError, TypeError, AttributeError),
    # A SyntaxError is what the standard library raises for XML.
    *(ArithmeticError, RecursionError, SyntaxError),
)


def describe_damage(error: Exception) -> str:
    """Say in a few words what went wrong.

    >>> describe_damage(KeyError("output")), describe_damage(ValueError("No number."))
    ("'output' is missing", 'No number')
    """
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error).split("\n")[0].rstrip(".") or type(error).__name__


@contextmanager
def refuse_damage(path: str) -> Iterator[None]:
    """Turn what a reader did not expect of a file into an error that names the file."""
    try:
        yield
    except MetraError:
        raise
    except DAMAGE as error:
        problem = (
            f"{format_path(path)} is damaged, or not in the format that it appears"
        )
        msg = f"{problem} to be in ({describe_damage(error)}); write it again."
        raise FormatError(msg) from error


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
        return load_json(text, place)
    except json.JSONDecodeError as error:
        msg = f"{place} is not JSON: {error}."
        raise FormatError(msg) from None


def load_json(text: str, place: str) -> Any:
    """Parse JSON within the limits; other text raises the library's own error."""
    limits = get_limits()
    # Every value but the first stands after one of these.
    openings = text.count("[") + text.count("{")
    if openings + text.count(",") > limits.tokens:
        refuse_excess("tokens", place)
    try:
        value = _get_json_decoder(limits.digits).decode(text)
    except RecursionError:
        refuse_excess("depth", place)
    except _LongNumberError:
        refuse_excess("digits", place)
    if openings > limits.depth:
        check_values(value, place)
    if "\\u" in text and _SURROGATE.search(text):
        _refuse_surrogates(value, place)
    return value


class _LongNumberError(ValueError):
    """A whole number with too many digits."""


@lru_cache(maxsize=4)
def _get_json_decoder(digits: int) -> "JSONDecoder":
    """Return a decoder of JSON that refuses long numbers; making one takes its time."""
    from json import JSONDecoder

    def parse_whole_number(number: str) -> int:
        if len(number) > digits:
            raise _LongNumberError
        return int(number)

    return JSONDecoder(parse_int=parse_whole_number)


# How JSON writes the halves of a character of UTF-16.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse_surrogates(value: Any, place: str) -> None:
    """Refuse half a character, which no file and no screen could show."""
    import json

    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        msg = f"{place} holds {half}, half a character of UTF-16; expected both halves."
        raise FormatError(msg) from None


def check_values(value: object, place: str) -> None:
    """Refuse too deep nesting, and whole numbers with too many digits."""
    digits = get_limits().digits
    depth, level = 0, [value]
    while lists := [
        one.values() if isinstance(one, dict) else one
        for one in level
        if isinstance(one, (dict, list))
    ]:
        depth += 1
        check_limit("depth", depth, place)
        level = list(chain(*lists))
        for one in level:
            if isinstance(one, int) and abs(one) >= 10**digits:
                refuse_excess("digits", place)


class ByteStream:
    """A file's unpacked bytes, block by block."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            is_kept = path == STDIN or path in PIPES
            pipe = None if is_kept else _open_file(path)
            is_file = pipe is not None and pipe.seekable()
            raw = cast("IO[bytes]", pipe) if is_file else _open_pipe(path, pipe)
        except (OSError, ValueError) as error:
            # A name may hold a zero.
            raise UnreadableError(path, getattr(error, "strerror", error)) from None
        self.file = self._raw = raw
        head = raw.read(6)
        raw.seek(0)
        for magic, suffix in _MAGIC.items():
            if head.startswith(magic):
                from metra.formats.compression import open_packed

                self.file = open_packed(raw, suffix, "rb")
        self.is_packed = self.file is not raw
        self._unpacked = 0

    def read(self, size: int = BLOCK) -> bytes:
        """Read up to `size` bytes; nothing at the end."""
        try:
            block = self.file.read(size)
        except _list_read_errors() as error:
            problem = f"{format_path(self.path)} is damaged or truncated: {error}"
            msg = f"{problem}; expected a complete compressed file."
            raise FormatError(msg) from None
        if self.is_packed:
            self._unpacked += len(block)
            place = format_path(self.path)
            check_unpacked(self._unpacked, self._raw.tell(), place)
        return block

    def share(self) -> float | None:
        """Return the share of the file that has been read, None for a pipe."""
        if self.path in PIPES:
            return None
        state = get_file_state(self.path)
        return self._raw.tell() / state[1] if state and state[1] else None

    def close(self) -> None:
        """Close the file; what was read from a pipe stays for the next reader."""
        self.file.close()
        self._raw.close()


def _open_file(path: str) -> BufferedReader:
    """Open a file of this machine, or of a store that an address names."""
    if is_remote(path):
        return cast("BufferedReader", open_remote(path))
    return open(path, "rb")


def _open_pipe(path: str, pipe: BufferedReader | None) -> IO[bytes]:
    """Return a reader of a copy in memory, which is made where there is none."""
    if path not in PIPES:
        copy = bytearray()
        with pipe or nullcontext(sys.stdin.buffer) as opened:
            # A piece at a time, so that Ctrl-C is not kept waiting.
            while block := cast("BufferedReader", opened).read1(BLOCK):
                copy += block
                check_limit("whole", len(copy), format_path(path))
        PIPES[path] = bytes(copy)
    return BytesIO(PIPES[path])


class UnreadableError(FormatError):
    """A file that the system does not let us read, and its reason."""

    def __init__(
        self,
        path: str,
        reason: object,
        remedy: str = "check the name and its permissions",
    ) -> None:
        """Name the file, the reason and what to do."""
        self.reason = reason
        super().__init__(f"{path} cannot be read: {reason}; {remedy}.")


def _list_read_errors() -> tuple[type[Exception], ...]:
    """List the errors of files and of the loaded decompressors."""
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
    """Return the encoding of a text: the named one, else by its byte order mark.

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
        msg = (
            f"Unknown encoding {encoding!r}; examples: utf-8, utf-16, cp1252, gb18030 …"
        )
        raise OptionError(msg) from None
    if by_mark and not name.startswith(by_mark):
        problem = f"{format_path(path)} begins with the byte order mark of {by_mark}"
        msg = f"{problem}, but `encoding` is {encoding}; leave it out."
        raise FormatError(msg)
    return name


def decode_utf8(content: bytes, path: str) -> str:
    """Decode a file without its byte order mark; refuse other bytes by line and place."""
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1)
        byte = content[error.start]
        raise FormatError(describe_invalid_utf8(path, line, column, byte)) from None


def describe_invalid_utf8(path: str, line: int, column: int, byte: int) -> str:
    """Describe where a file is not UTF-8; lines are counted from 1, columns from 0."""
    return (
        f"{format_path(path)}, line {line}: byte {column + 1} of the line is "
        f"0x{byte:02x}, which is not UTF-8; convert the file to UTF-8."
    )
