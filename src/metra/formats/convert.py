"""From files in any format to files in another: nothing is lost, or it is an error."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metra.errors import CorpusError, OptionError, no_such
from metra.formats.atomic import STDOUT, whole_file, whole_folder
from metra.formats.recognise import BY_SUFFIX
from metra.formats.stream import suffix
from metra.formats.texts import jsonl, plain, sgml, tsv, wmt_xml
from metra.formats.texts.columns import Field, column_name
from metra.formats.texts.rows import TEXTS, Chunk, refuse
from metra.formats.texts.sources import Joined, Source, Values
from metra.text.columns import Text

SEGMENTS = 1024

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the result is to be: its format, what to leave out, what the set is called."""

    to: str = "auto"
    drop: Sequence[str] = ()
    only: Sequence[str] = ()
    about: Mapping[str, str] | None = None


def convert(
    files: Sequence[Source],
    out: str,
    wishes: Wishes,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Read the files side by side and write them in another format."""
    form = _target(out, wishes.to)
    table = Joined(files)
    dropped = [_column(name, table.fields) for name in wishes.drop]
    fields = [field for field in table.fields if field not in dropped]
    if not any(field.role in TEXTS for field in fields):
        msg = "There is no text to convert; give an output, a reference or the source."
        raise CorpusError(msg)
    about = {**table.about, **(wishes.about or {})}
    chunks = _chunks(table, fields, wishes.only, progress)
    if form == "plain" or (form == "sgml" and _is_folder(out)):
        with whole_folder(out) as folder:
            if form == "plain":
                plain.fill(folder, fields, chunks)
            else:
                sgml.fill(folder, fields, chunks, about)
        return
    if form == "parquet":
        from metra.text.columns import pyarrow

        pyarrow("Writing Parquet")
        from metra.formats.texts import parquet

        with whole_file(out) as file:
            parquet.write(file, fields, chunks)
        return
    with whole_file(out) as file:
        for piece in _pieces(form, fields, chunks, about):
            file.write(piece)


def _pieces(
    form: str,
    fields: Sequence[Field],
    chunks: Iterator[Chunk],
    about: Mapping[str, str],
) -> Iterator[bytes]:
    if form == "tsv":
        return tsv.pieces(fields, chunks)
    if form == "jsonl":
        return jsonl.pieces(fields, chunks)
    write = sgml.pieces if form == "sgml" else wmt_xml.pieces
    return write(fields, chunks, about)


def _target(out: str, to: str) -> str:
    """Tell the format from the name, where it is not given."""
    kind = suffix(out)
    if to == "auto":
        if kind in BY_SUFFIX:
            return BY_SUFFIX[kind]
        if not _is_folder(out):
            msg = (
                f"The format of {out} does not follow from its name; give --to FORMAT, or "
                "a name that ends in .tsv, .jsonl, .sgm, .xml or .parquet, or a folder's."
            )
            raise OptionError(msg)
        to = "plain"
    if to == "plain" and not _is_folder(out):
        msg = (
            f"Plain text is a folder with a file for each text, but {out} is a file's "
            "name; give -o FOLDER."
        )
        raise OptionError(msg)
    return to


def _is_folder(out: str) -> bool:
    return out != STDOUT and (
        out.endswith("/") or Path(out).is_dir() or not Path(out).suffix
    )


def _column(name: str, fields: Sequence[Field]) -> Field:
    """Find a column by its name in tables, or a label by its own."""
    for field in fields:
        if name == column_name(field) or (field.role == "label" and name == field.name):
            return field
    names = [
        field.name if field.role == "label" else column_name(field) for field in fields
    ]
    raise OptionError(no_such("column", name, names))


def _chunks(
    table: Joined,
    fields: Sequence[Field],
    only: Sequence[str],
    progress: Callable[[int], None],
) -> Iterator[Chunk]:
    """Read the columns, and keep the rows that are wanted."""
    tests = [_test(entry, table.fields) for entry in only]
    wanted = list(dict.fromkeys([*fields, *(field for field, _ in tests)]))
    read = kept = 0
    for columns in table.chunks(SEGMENTS, wanted):
        rows = {field: _listed(values) for field, values in columns.items()}
        count = len(next(iter(rows.values())))
        read += count
        if tests:
            places = [
                at
                for at in range(count)
                if all((rows[field][at] or "") == value for field, value in tests)
            ]
            rows = {field: [rows[field][at] for at in places] for field in fields}
            count = len(places)
        if count:
            chunk = Chunk(kept, {field: rows[field] for field in fields})
            _refuse_surrogates(chunk)
            yield chunk
            kept += count
        progress(read)
    if not kept:
        msg = "There are no segments to convert; expected at least one in every file."
        raise CorpusError(msg)


def _test(entry: str, fields: Sequence[Field]) -> tuple[Field, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        msg = f"--only {entry!r} has no value; expected NAME=VALUE, or NAME= for none."
        raise OptionError(msg)
    return _column(name, fields), value


def _listed(values: Values) -> list[str | None]:
    if isinstance(values, Text):
        return [values[at] for at in range(len(values))]
    return values


def _refuse_surrogates(chunk: Chunk) -> None:
    """JSON can name halves of characters, which no file can hold."""
    for field, values in chunk.rows.items():
        try:
            "".join(text for text in values if text).encode()
        except UnicodeEncodeError:
            at = next(
                at for at, text in enumerate(values) if _SURROGATE.search(text or "")
            )
            refuse(chunk, at, field, "holds a lone surrogate", "UTF-8")
