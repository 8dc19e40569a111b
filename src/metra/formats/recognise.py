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
from typing import Any, NamedTuple, TypeVar

from metra.errors import FormatError, UnknownNameError, no_such
from metra.formats import markers
from metra.formats.stream import (
    STDIN,
    ByteStream,
    find_encoding,
    format_path,
    load_json,
    split_file_name,
)

R = TypeVar("R")


class FileHead(NamedTuple):
    """A file's name and its first bytes, by which its format is recognised.

    The bytes are unpacked, in UTF-8 where the file has another byte order mark, and without
    that mark; a folder has none.
    """

    path: str
    content: bytes = b""
    is_folder: bool = False

    @property
    def text(self) -> str:
        """The first bytes as text; other bytes than UTF-8 are replaced."""
        return self.content.decode(errors="replace")

    @property
    def first_line(self) -> str:
        """The first line as text."""
        return self.text.partition("\n")[0].rstrip("\r")

    @property
    def columns(self) -> list[str]:
        """The cells of the first line: the names of the columns, if this is a table."""
        from metra.formats.headed_table import split_header

        return split_header(self.text)

    @property
    def first_object(self) -> dict[str, Any] | None:
        """The first line as a JSON object, None if it is no such object."""
        try:
            value = load_json(self.first_line, self.path)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


def recognise(head: FileHead, formats: Iterable[R]) -> R | None:
    """Return the first format whose `looks_like` accepts the file, None if there is none."""
    tests: Iterable[Any] = formats
    return next((form for form in tests if form.looks_like(head)), None)


def read_head(path: str, size: int = 1 << 16, encoding: str = "auto") -> FileHead:
    """Read what the format of a file or folder is recognised by."""
    if path != STDIN and os.path.isdir(path):
        return FileHead(path, b"", is_folder=True)
    with closing(ByteStream(path)) as stream:
        content = stream.read(size)
    name = find_encoding(content, encoding, path)
    if name != "utf-8":
        content = content.decode(name, errors="replace").encode()
    return FileHead(path, content.removeprefix(codecs.BOM_UTF8))


class TextFormat(NamedTuple):
    """A format of test sets; its module is loaded when a file in it is read or written.

    The module has `write(out, fields, chunks)`, or another `writer`, if the format
    is written, and `open_reader(source, wanted)`; with ids it has `scan` and
    `read_segments` instead.
    """

    name: str
    module: str
    suffixes: tuple[str, ...] = ()
    looks_like: Callable[[FileHead], bool] = lambda _: False
    #: What a file with such a suffix must look like; the name alone is not believed.
    must_be: str = ""
    #: Whether documents and segments have ids, by which files are matched.
    has_ids: bool = False
    #: Whether references may lack documents that other texts have.
    has_partial_references: bool = False
    #: Whether columns have names.
    has_column_names: bool = False
    #: Whether several files without names for their systems are one table.
    has_shards: bool = False
    is_written: bool = True
    #: Whether it is a translation tool's.
    is_localised: bool = False
    #: The function of the module that writes a file.
    writer: str = "write"

    def load(self, purpose: str = "Reading") -> Any:
        """Import the module of the format; the `purpose` is for a message."""
        from importlib import import_module

        if self is PARQUET:
            from metra.text.columns import import_pyarrow

            import_pyarrow(f"{purpose} Parquet")
        return import_module(f"metra.formats.texts.{self.module}")

    def write(self, *arguments: Any) -> None:
        """Write a file, given its path, columns and chunks of rows."""
        getattr(self.load("Writing"), self.writer)(*arguments)


_SGML = r"(?i:<(?:mteval\s*>|(?:src|ref|tst)set\s[^<>]*=))"
_WMT_XML = r"<(?:dataset|collection)(?:\s[^<>]*=|\s*>)"

PLAIN = TextFormat("plain", "plain")
TSV = TextFormat("tsv", "delimited", (".tsv", ".tab"), has_column_names=True)
CSV = TextFormat(
    "csv", "delimited", (".csv",), has_column_names=True, writer="write_csv"
)
PARQUET = TextFormat(
    *("parquet", "parquet", (".parquet", ".pq")),
    lambda head: head.content.startswith(b"PAR1"),
    has_column_names=True,
    has_shards=True,
)
XLSX = TextFormat("xlsx", "xlsx", (".xlsx", ".xlsm"), has_column_names=True)

#: Formats of translation tools: suffixes, and how files begin.
_LOCALISED: dict[str, tuple[str, Callable[[FileHead], bool]]] = {
    "tmx": (".tmx", markers.has_root("tmx")),
    "xliff": (".xlf .xliff .sdlxliff .mxliff .mqxliff", markers.has_root("xliff")),
    "ttx": (".ttx", markers.has_root("TRADOStag")),
    "txml": (".txml", markers.has_root("txml")),
    "qt": ("", markers.has_root("TS", r"<(?:context|/TS)|language")),
    "resx": (".resx", markers.has_root("root", "resheader|<data |schema.*microsoft")),
    "android": ("", markers.has_root("resources", "<(?:string|plurals)")),
    "po": (".po .pot", markers.begins_with(markers.PO, b"#m")),
    "properties": (".properties", lambda _: False),
    "strings": (".strings", markers.begins_with(markers.STRINGS, b'"/')),
    "arb": (".arb", markers.begins_with(markers.ARB, b"{")),
    "subtitles": (
        ".srt .vtt .sbv .ass .ssa",
        markers.begins_with(markers.SUBTITLES, b"W[0123456789"),
    ),
}
_ALL = (
    PLAIN,
    TSV,
    CSV,
    TextFormat("jsonl", "jsonl", (".jsonl", ".ndjson"), has_column_names=True),
    TextFormat(
        "json", "jsonl", (".json",), has_column_names=True, writer="write_array"
    ),
    XLSX,
    TextFormat(
        *("sgml", "sgml", (".sgm", ".sgml")),
        markers.begins_with(markers.BEFORE_ROOT + _SGML, b"<"),
        has_ids=True,
        is_written=False,
    ),
    TextFormat(
        *("wmt-xml", "wmt_xml", (".xml",)),
        markers.begins_with(markers.BEFORE_ROOT + _WMT_XML, b"<"),
        "WMT's XML (<dataset>) or NIST's (<srcset>, <refset>, <tstset>)",
        has_ids=True,
        has_partial_references=True,
        is_written=False,
    ),
    PARQUET,
    *(
        TextFormat(
            *(name, "localisation.units", tuple(suffixes.split()), looks_like),
            is_written=False,
            is_localised=True,
        )
        for name, (suffixes, looks_like) in _LOCALISED.items()
    ),
)

#: The formats of test sets by name.
FORMATS = {form.name: form for form in _ALL}

# So many bytes hold the first tag of a file.
_HEAD = 1 << 12


def choose_format(
    path: str, input_format: str = "auto", encoding: str | None = None
) -> TextFormat:
    """Return the format of a test set: the named one, else the recognised one.

    A name that ends in .csv, .jsonl or .parquet is believed, unless the content is binary.
    Any other file may turn out to be marked up, or Parquet, by the way it begins; what does
    not is plain text, unless its name or its content says that it is something else.
    """
    if input_format != "auto":
        if input_format not in FORMATS:
            raise UnknownNameError(no_such("format", input_format, FORMATS))
        return FORMATS[input_format]
    by_name = find_format_by_suffix(path) or PLAIN
    if by_name.module not in _BY_CONTENT and not by_name.has_ids:
        return by_name
    head = read_head(path, _HEAD, encoding or "auto")
    by_content = recognise(head, FORMATS.values())
    if by_content is None and by_name.must_be:
        start = head.content[:40].decode(errors="replace")
        problem = f"{format_path(path)} begins with {start!r}"
        msg = f"{problem}; expected {by_name.must_be}, or give `input_format`."
        raise FormatError(msg)
    is_open = by_name is PLAIN or by_name.has_ids or by_name.is_localised
    if by_content is not None and is_open:
        return by_content
    if other_kind := _find_other_kind(head, by_name):
        msg = f"{format_path(path)} {other_kind}."
        raise FormatError(msg)
    return by_name


#: Modules of formats that are text without marks of their own, so that content is looked at.
_BY_CONTENT = ("plain", "delimited", "jsonl", "localisation.units")

#: XML of translation tools, whose readers say what is wrong.
_XML = ("tmx", "xliff", "ttx", "txml", "resx")

#: Kinds of files that hold no segments line by line, by the suffixes of their names.
_OTHER_KINDS = {
    **dict.fromkeys((".doc", ".docx", ".odt", ".rtf"), "a word processor document"),
    **dict.fromkeys((".ppt", ".pptx", ".odp"), "a presentation"),
    **dict.fromkeys((".htm", ".html", ".xhtml"), "a web page"),
    **dict.fromkeys((".sub", ".smi", ".ttml", ".dfxp"), "a subtitle file"),
    **dict.fromkeys((".tbx", ".tbxm"), "a glossary of terms"),
    **dict.fromkeys((".idml", ".indd"), "an InDesign document"),
    **dict.fromkeys((".md", ".markdown", ".rst"), "a document with markup"),
    **dict.fromkeys((".tex", ".ltx"), "a LaTeX document"),
    **dict.fromkeys((".trn", ".stm", ".ctm", ".lrc"), "a transcript with ids or times"),
    **dict.fromkeys((".stringsdict", ".xcstrings"), "a string catalogue"),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar", ".bz2"), "an archive"),
    **dict.fromkeys((".yaml", ".yml", ".toml", ".ini", ".cfg"), "a configuration file"),
    **dict.fromkeys((".arrow", ".feather", ".avro", ".orc"), "a binary table"),
    **dict.fromkeys((".npy", ".npz", ".pkl", ".pickle", ".pt"), "a Python file"),
    **dict.fromkeys((".xls", ".xlsb", ".ods"), "a workbook other than .xlsx"),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), "a database"),
    ".pdf": "a PDF",
}


def _find_other_kind(head: FileHead, by_name: TextFormat) -> str | None:
    """Say what a file is that would be read as plain text, or as a table, but is not."""
    kind = _OTHER_KINDS.get(split_file_name(head.path)[1].lower())
    if kind and by_name is PLAIN:
        save = "save its text as plain text, one segment per line"
        return f"is {kind} by its name; {save}, or give `input_format`"
    if head.content.startswith(b"PK\x03\x04"):
        kind = "looks like a workbook or an archive"
        return f"{kind}; give `input_format` xlsx, or unpack it"
    if _is_binary(head.content):
        kind = "is binary, or in an unknown encoding"
        return f"{kind}; give a text file, or `encoding`, for example utf-16-le"
    if kind := _find_log(head.text, by_name):
        remedy = "give a file with the texts alone, one per line"
        return f"{kind}; {remedy}, or if it is text `input_format` plain"
    first = head.text.lstrip()[:1]
    if first and first in "{l" and re.match(_OWN_SCORES, head.text):
        kind = "contains scores from `metra score`, not texts"
        return f"{kind}; use it with `metra meta`, or as a metric: NAME@FILE"
    is_xml = by_name.has_ids or by_name.name in _XML
    kind = None if is_xml else markers.find_markup(head)
    if kind and (by_name is PLAIN or first == "<"):
        return f"{kind}; save its text as plain text, or give `input_format`"
    if by_name is not PLAIN:
        return None
    kind, form = "looks like a table: its first line has known headings", None
    if first and first in "[{" and _is_json(head):
        kind, form = "looks like JSON", "json" if first == "[" else "jsonl"
    form = form or _find_table_kind(head)
    return form and f"{kind}; give `input_format` {form}, or plain if it is text"


_ROWS = 'rows of a table without headings (1,"text")'
#: Lines that decoders write, by what they write beside the texts; one of its signs first.
_LOGS = {
    "an n-best list of Moses (0 ||| text ||| …)": (
        *(" ||| ", r"\d+ \|\|\| .* \|\|\| .+"),
    ),
    "output of fairseq-generate (H-0, score and text, in another order)": (
        *("\t", "| fairseq"),
        r"(?:[STP]-\d+\t|[HD]-\d+\t-?(?:\d|inf|nan)|.* \| INFO \| fairseq).*",
    ),
    "a list of Python (['text', …])": ("['", r"\['.*'\]"),
    _ROWS: (',"', ';"', r'\d+[,;]".*"'),
}


def _find_log(text: str, by_name: TextFormat) -> str | None:
    """Say which decoder wrote most lines at the start of a file, None if none did."""
    for kind, (*signs, pattern) in _LOGS.items():
        if any(map(text.__contains__, signs)):
            whole = [*map(str.rstrip, text.split("\n")[: text.count("\n") or 1])]
            fitting = [*filter(re.compile(pattern).fullmatch, whole)]
            is_table = kind == _ROWS and by_name is not PLAIN
            is_headed = is_table and whole[0] not in fitting
            if len(fitting) > 0.8 * len(whole) and not is_headed:
                return f"looks like {kind}"
    return None


#: How the scores begin that metra writes, as JSON and as TSV.
_OWN_SCORES = (
    r'\s*\{\s*"metra": "[^"]*",\s*"schema"|level\tsystem\titem\tmetric\tscore\t'
)


def _is_binary(content: bytes) -> bool:
    """Return True for zero bytes between letters (UTF-16), or beside bytes outside of UTF-8."""
    if b"\0" not in content:
        return False
    letters, zeros = sorted((content[::2], content[1::2]), key=lambda x: x.count(0))
    if len(content) > 4 and b"\0" not in letters and zeros.count(0) * 2 > len(zeros):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return True
    return False


_JSON_OBJECT = rf"\s*\{{\s*{markers.QUOTED}\s*:"
_JSON_ARRAY = rf"\s*\[(?:{_JSON_OBJECT}|\s*{markers.QUOTED}\s*(?:,\s*\"|\]\s*\Z))"


def _is_json(head: FileHead) -> bool:
    """Return True if a file begins with an array of strings or objects, or with objects."""
    if re.match(_JSON_ARRAY, head.text):
        return True
    if not re.match(_JSON_OBJECT, head.text):
        return False
    first, line_end, rest = head.text.partition("\n")
    if head.first_object is not None:
        # A lone line may be an example in a text.
        return not rest.strip() or rest.lstrip().startswith("{")
    return not line_end or first.rstrip().endswith(("{", "[", ","))


def _find_table_kind(head: FileHead) -> str | None:
    """Return the format of a table whose headings are known, None if it is none."""
    for form, mark in (("tsv", "\t"), ("csv", ";"), ("csv", ",")):
        # Tabs are rare in texts; commas stand before a blank.
        is_likely = mark == "\t" or " " not in head.first_line
        if is_likely and mark in head.first_line:
            from metra.formats.texts.roles import count_headings

            cells = head.first_line.split(mark)
            if count_headings([cell.strip('"') for cell in cells]) > 1:
                return form
    return None


def find_format_by_suffix(path: str) -> TextFormat | None:
    """Return the format that a file's name tells, None if it tells none."""
    suffix = split_file_name(path)[1].lower()
    return next((form for form in FORMATS.values() if suffix in form.suffixes), None)
