"""What format a file is in: its name says so, and for marked-up files its first bytes.

The names of the formats that corpora come in.
"""

import codecs
import re
from contextlib import closing

from metra.errors import FormatError
from metra.formats.stream import ByteStream, format_path, get_suffix

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
    with closing(ByteStream(path)) as stream:
        head = stream.read(_HEAD).removeprefix(codecs.BOM_UTF8)
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
