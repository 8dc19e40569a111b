"""Convert files in any format to another: nothing is lost, or it is an error."""

from collections.abc import Iterator, Sequence

from metra.errors import CorpusError, OptionError, UnknownNameError, no_such
from metra.formats.atomic import is_folder_name
from metra.formats.recognise import FORMATS, PLAIN, TextFormat, find_format_by_suffix
from metra.formats.texts.columns import (
    TEXT_ROLES,
    Field,
    format_column_name,
    list_values,
)
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.rows import RowChunk, check_names
from metra.formats.texts.sources import Source, get_kept_segments
from metra.stats.parallel import Progress

SEGMENTS = 1024


def convert_files(
    files: Sequence[Source],
    out: str,
    *,
    to: str = "auto",
    drop: Sequence[str] = (),
    only: Sequence[str] = (),
    progress: Progress = lambda *_: None,
) -> None:
    """Read the files side by side and write them in the format `to`.

    `drop` names columns to leave out, and `only` is what rows must have, as LABEL=VALUE.
    """
    form = choose_written_format(out, to)
    table = ParallelTable(files)
    dropped = [_find_column(name, table.fields) for name in drop]
    fields = [field for field in table.fields if field not in dropped]
    if not any(field.role in TEXT_ROLES for field in fields):
        msg = "No text was given; give an output, a reference or the source."
        raise CorpusError(msg)
    check_names(fields, form.name)
    tests = [_parse_filter(entry, table.fields) for entry in only]
    kept = get_kept_segments(files)
    chunks = _read_chunks(table, fields, tests, kept, progress)
    form.write(out, fields, chunks)


def choose_written_format(out: str, to: str) -> TextFormat:
    """Return the given format, else the one that the name of the result tells."""
    written = {name: form for name, form in FORMATS.items() if form.is_written}
    if to != "auto":
        if to not in written:
            raise UnknownNameError(no_such("format to write", to, written))
        return written[to]
    form = find_format_by_suffix(out) or (PLAIN if is_folder_name(out) else None)
    if form is None:
        msg = (
            f"The format of {out} cannot be detected from its name; give `to` FORMAT, "
            "or a name that ends in .tsv, .csv, .xlsx, .json, .jsonl or .parquet, or a "
            "folder's."
        )
        raise OptionError(msg)
    if not form.is_written:
        problem = f"{out} would be {form.name}, which metra reads but does not write"
        msg = f"{problem}; give another name, or `to` with one of {', '.join(written)}."
        raise OptionError(msg)
    return form


def _find_column(name: str, fields: Sequence[Field]) -> Field:
    """Find a column by its name in tables, or a label by its own."""
    for field in fields:
        is_label = field.role == "label"
        if name == format_column_name(field) or (is_label and name == field.name):
            return field
    names = [f.name if f.role == "label" else format_column_name(f) for f in fields]
    raise OptionError(no_such("column", name, names))


def _read_chunks(
    table: ParallelTable,
    fields: Sequence[Field],
    tests: Sequence[tuple[Field, str]],
    kept: Sequence[bool] | None,
    progress: Progress,
) -> Iterator[RowChunk]:
    """Read the columns of rows that pass the tests and that the test set keeps."""
    wanted = list(dict.fromkeys([*fields, *(label for label, _ in tests)]))
    read_count = kept_count = 0
    for columns in table.chunks(SEGMENTS, wanted):
        rows = {field: list_values(values) for field, values in columns.items()}
        numbers = range(read_count, read_count + len(next(iter(rows.values()))))
        chosen = [
            index
            for index, number in enumerate(numbers)
            if (kept is None or kept[number])
            and all((rows[label][index] or "") == value for label, value in tests)
        ]
        read_count = numbers.stop
        if chosen:
            chunk = {field: [rows[field][at] for at in chosen] for field in fields}
            yield RowChunk(kept_count, chunk)
            kept_count += len(chosen)
        progress(read_count, table.share())
    if not kept_count:
        msg = "The input has no segments; expected at least one in every file."
        raise CorpusError(msg)


def _parse_filter(entry: str, fields: Sequence[Field]) -> tuple[Field, str]:
    name, equals, value = entry.partition("=")
    if not equals:
        msg = f"`only` {entry!r} has no value; expected NAME=VALUE, or NAME= for none."
        raise OptionError(msg)
    return _find_column(name, fields), value
