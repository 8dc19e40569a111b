"""Recognise the format of a file by its name and its first bytes.

Every kind of file that comes in several formats (test sets, scores, campaigns of other
programs) has a table of records, one a format, each with a test of how such a file begins.
`recognise` walks a table and returns the first record whose test succeeds, so that adding
a format takes a module and a line in its table.
"""

import codecs
import os
import re
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from metra.errors import FormatError
from metra.formats.stream import STDIN, ByteStream, format_path, get_suffix

T = TypeVar("T")


class FileHead(NamedTuple):
    """What a format is recognised by: a file's name and its first bytes.

    The bytes are unpacked and without a byte order mark; a folder has none.
    """

    path: str
    content: bytes
    is_folder: bool = False

    @property
    def suffix(self) -> str:
        """The suffix of the name in lower case, without that of compression."""
        return get_suffix(self.path).lower()

    @property
    def text(self) -> str:
        """The first bytes as text; what is not UTF-8 is replaced."""
        return self.content.decode(errors="replace")

    @property
    def first_line(self) -> str:
        """The first line as text."""
        return self.text.partition("\n")[0].rstrip("\r")

    @property
    def columns(self) -> list[str]:
        """The first line cut at tabs: the names of the columns, if this is a table."""
        from metra.formats.table import split_rows

        return next(split_rows([self.first_line])).cells

    @property
    def first_object(self) -> dict[str, Any] | None:
        """The first line as a JSON object, None if it is no such object."""
        import json

        try:
            value = json.loads(self.first_line)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


class Format(NamedTuple, Generic[T]):
    """A format: its name, how a file in it is recognised, and the function that reads it."""

    name: str
    looks_like: Callable[[FileHead], bool]
    read: Callable[..., T]


class Recognisable(Protocol):
    """A record of a format, whatever else it holds."""

    @property
    def looks_like(self) -> Callable[[FileHead], bool]:
        """Test whether a file begins as files in this format do."""
        ...


R = TypeVar("R", bound=Recognisable)


def recognise(head: FileHead, formats: Iterable[R]) -> R | None:
    """Return the first of the formats that the file looks like, None if there is none."""
    return next((form for form in formats if form.looks_like(head)), None)


def read_head(path: str, size: int = 1 << 16) -> FileHead:
    """Read what the format of a file or folder is recognised by."""
    if path != STDIN and os.path.isdir(path):
        return FileHead(path, b"", is_folder=True)
    with closing(ByteStream(path)) as stream:
        return FileHead(path, stream.read(size).removeprefix(codecs.BOM_UTF8))


BY_SUFFIX = {
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".sgm": "sgml",
    ".sgml": "sgml",
    ".xml": "wmt-xml",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".tmx": "tmx",
    ".xlf": "xliff",
    ".xliff": "xliff",
}

_PARQUET = b"PAR1"

_MARKED_UP = (".sgm", ".sgml", ".xml")

_HEAD = 1 << 12
_BEFORE_ROOT = rb"(?:\s|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*"
_ROOTS = {
    "sgml": re.compile(
        _BEFORE_ROOT + rb"<(?:mteval\s*>|(?:src|ref|tst)set\s[^<>]*=)",
        re.IGNORECASE | re.DOTALL,
    ),
    "wmt-xml": re.compile(
        _BEFORE_ROOT + rb"<(?:dataset|collection)(?:\s[^<>]*=|\s*>)", re.DOTALL
    ),
}


def recognise_format(path: str) -> str:
    """Recognise a file's format.

    A name that ends in .tsv, .jsonl or .parquet is believed. Any other file may turn out
    to be marked up, or Parquet, by the way it begins; what does not is plain text.
    """
    kind = get_suffix(path).lower()
    if kind in BY_SUFFIX and kind not in _MARKED_UP:
        return BY_SUFFIX[kind]
    head = read_head(path, _HEAD).content
    if head.startswith(_PARQUET):
        return "parquet"
    for name, root in _ROOTS.items():
        if root.match(head):
            return name
    if kind == ".xml" and not _is_wide(head):
        begin = head[:40].decode(errors="replace")
        msg = (
            f"{format_path(path)} begins with {begin!r}; expected WMT's XML (<dataset>) or "
            "NIST's (<srcset>, <refset>, <tstset>), or give --input-format."
        )
        raise FormatError(msg)
    return BY_SUFFIX.get(kind, "plain")


def _is_wide(head: bytes) -> bool:
    """Tell UTF-16 and UTF-32, which the readers refuse by their name."""
    return head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"\0\0\xfe\xff"))


FORMATS = ("plain", "tsv", "jsonl", "sgml", "wmt-xml", "parquet")

# What is read but not written: texts in two languages.
READ_ONLY = ("tmx", "xliff")

# In these, documents and segments have ids, by which files are matched.
WITH_IDS = ("sgml", "wmt-xml")

# In these, columns have names.
TABLES = ("tsv", "jsonl", "parquet")
