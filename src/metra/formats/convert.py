"""From files in any format to files in another: nothing is lost, or it is an error."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metra.errors import CorpusError, OptionError, no_such
from metra.formats.atomic import STDOUT, write_file, write_folder
from metra.formats.recognise import BY_SUFFIX
from metra.formats.stream import get_suffix
from metra.formats.texts import jsonl, plain, sgml, tsv, wmt_xml
from metra.formats.texts.columns import Field, format_column_name
from metra.formats.texts.rows import TEXTS, RowChunk, refuse_value
from metra.formats.texts.sources import ParallelTable, Source, Values
from metra.text.columns import Text

SEGMENTS = 1024

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionSettings:
    """What the result is to be: its format, what to leave out, what the set is called."""

    to: str = "auto"
    drop: Sequence[str] = ()
    only: Sequence[str] = ()
    about: Mapping[str, str] | None = None


def convert_files(
    files: Sequence[Source],
    out: str,
    wishes: ConversionSettings,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Read the files side by side and write them in another format."""
    form = _choose_format(out, wishes.to)
    table = ParallelTable(files)
    dropped = [_find_column(name, table.fields) for name in wishes.drop]
    fields = [field for field in table.fields if field not in dropped]
    if not any(field.role in TEXTS for field in fields):
        msg = "There is no text to convert; give an output, a reference or the source."
        raise CorpusError(msg)
    about = {**table.about, **(wishes.about or {})}
    chunks = _read_chunks(table, fields, wishes.only, progress)
    if form == "plain" or (form == "sgml" and _is_folder(out)):
        with write_folder(out) as folder:
            if form == "plain":
                plain.write_plain_files(folder, fields, chunks)
            else:
                sgml.write_sgml_files(folder, fields, chunks, about)
        return
    if form == "parquet":
        from metra.text.columns import import_pyarrow

        import_pyarrow("Writing Parquet")
        from metra.formats.texts import parquet

        with write_file(out) as file:
            parquet.write_parquet(file, fields, chunks)
        return
    with write_file(out) as file:
        for piece in _encode_chunks(form, fields, chunks, about):
            file.write(piece)


def _encode_chunks(
    form: str,
    fields: Sequence[Field],
    chunks: Iterator[RowChunk],
    about: Mapping[str, str],
) -> Iterator[bytes]:
    if form == "tsv":
        return tsv.encode_tsv(fields, chunks)
    if form == "jsonl":
        return jsonl.encode_jsonl(fields, chunks)
    write = sgml.encode_sgml if form == "sgml" else wmt_xml.encode_wmt_xml
    return write(fields, chunks, about)


def _choose_format(out: str, to: str) -> str:
    """Tell the format from the name, where it is not given."""
    kind = get_suffix(out)
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


def _find_column(name: str, fields: Sequence[Field]) -> Field:
    """Find a column by its name in tables, or a label by its own."""
    for field in fields:
        if name == format_column_name(field) or (
            field.role == "label" and name == field.name
        ):
            return field
    names = [
        field.name if field.role == "label" else format_column_name(field)
        for field in fields
    ]
    raise OptionError(no_such("column", name, names))


def _read_chunks(
    table: ParallelTable,
    fields: Sequence[Field],
    only: Sequence[str],
    progress: Callable[[int], None],
) -> Iterator[RowChunk]:
    """Read the columns, and keep the rows that are wanted."""
    tests = [_parse_filter(entry, table.fields) for entry in only]
    wanted = list(dict.fromkeys([*fields, *(field for field, _ in tests)]))
    read = kept = 0
    for columns in table.chunks(SEGMENTS, wanted):
        rows = {field: _list_values(values) for field, values in columns.items()}
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
            chunk = RowChunk(kept, {field: rows[field] for field in fields})
            _refuse_surrogates(chunk)
            yield chunk
            kept += count
        progress(read)
    if not kept:
        msg = "There are no segments to convert; expected at least one in every file."
        raise CorpusError(msg)


def _parse_filter(entry: str, fields: Sequence[Field]) -> tuple[Field, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        msg = f"--only {entry!r} has no value; expected NAME=VALUE, or NAME= for none."
        raise OptionError(msg)
    return _find_column(name, fields), value


def _list_values(values: Values) -> list[str | None]:
    if isinstance(values, Text):
        return [values[at] for at in range(len(values))]
    return values


def _refuse_surrogates(chunk: RowChunk) -> None:
    """JSON can name halves of characters, which no file can hold."""
    for field, values in chunk.rows.items():
        try:
            "".join(text for text in values if text).encode()
        except UnicodeEncodeError:
            at = next(
                at for at, text in enumerate(values) if _SURROGATE.search(text or "")
            )
            refuse_value(chunk, at, field, "holds a lone surrogate", "UTF-8")
