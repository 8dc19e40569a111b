"""The files of a named test set, its texts, and subsets of its segments."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from operator import and_
from typing import NamedTuple, TypeVar

from metra.errors import FormatError, OptionError
from metra.formats.recognise import PLAIN, choose_format
from metra.formats.texts.columns import (
    DOCUMENT,
    SEGMENT_ID,
    Field,
    ReadingOptions,
    Role,
)
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.plain import read_domains
from metra.formats.texts.sources import Source, Use
from metra.text.columns import check_lengths

T = TypeVar("T")

#: Fields of a set that hold no texts of their own; others describe its segments.
SOURCE, REFERENCE, DOCUMENTS, ALL = "src", "ref", "docid", "all"
#: The field of mt-metrics-eval's files with the domain and the document of a segment.
DOMAINS_AND_DOCUMENTS = "docs"
#: The place of test sets whose files are plain text, whatever they begin with.
SACREBLEU = "sacrebleu"


class SetLocation(NamedTuple):
    """A test set in one language pair: the files that hold it.

    Files go by the name of what they hold: src, ref or ref:NAME, docid; `all` is a file that
    holds everything (WMT's XML, a table), `docs` mt-metrics-eval's documents, and any other
    name is a label of the segments, such as origlang or domain. Outputs are none of them.
    """

    name: str
    pair: str
    #: The place that knows the set, sacrebleu or mt-metrics-eval, or its path.
    origin: str
    files: Mapping[str, str]
    #: The references that count where the user names none; empty: all of them.
    references: tuple[str, ...] = ()
    #: The pair of the rows to read from a table, which may have several.
    chosen_pair: str = ""

    @property
    def title(self) -> str:
        """The name and the language pair, as messages name them."""
        return f"{self.name}:{self.pair}" if self.pair else self.name


class NamedSet(NamedTuple):
    """The texts of a test set, segment by segment, and which segments are wanted."""

    title: str
    origin: str
    #: Texts, documents and labels of the segments, by what they are in a table of files.
    columns: Mapping[Field, list[str | None]]
    #: Whether each segment is wanted; None: all are.
    kept: list[bool] | None = None
    #: Segments of test suites and segments without a reference, which were left out.
    left_out: int = 0
    #: The conditions that the wanted segments fulfil.
    subset: tuple[str, ...] = ()

    @property
    def segments(self) -> int:
        """The number of segments of the whole set, wanted or not."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def source(self) -> list[str] | None:
        """The source texts; None for a set without them."""
        return self._get_texts(Field("source", "source"))

    @property
    def documents(self) -> list[str] | None:
        """The document of each segment; None for a set without them."""
        return self._get_texts(DOCUMENT)

    @property
    def references(self) -> dict[str, list[str | None]]:
        """The references by name."""
        return self._select("reference")

    @property
    def labels(self) -> dict[str, list[str | None]]:
        """The other properties of each segment, such as its origlang and domain."""
        return self._select("label")

    def keep_segments(self, column: Sequence[T]) -> list[T]:
        """Return the values of the wanted segments from a column of the whole set."""
        check_lengths({self.title: self.segments, "the column": len(column)})
        return list(column if self.kept is None else compress(column, self.kept))

    def _get_texts(self, field: Field) -> list[str] | None:
        column = self.columns.get(field)
        return None if column is None else [text or "" for text in column]

    def _select(self, role: Role) -> dict[str, list[str | None]]:
        columns = self.columns.items()
        return {field.name: column for field, column in columns if field.role == role}


def read_files(location: SetLocation) -> NamedSet:
    """Read the files of a set, with all references: plain text, tables, XML, SGML."""
    for path in location.files.values():
        if not os.path.isfile(path):
            problem = f"{location.title} needs {path}, which no longer exists"
            msg = f"{problem}; restore the file."
            raise FormatError(msg)
    sources = list(_list_set_files(location))
    table = ParallelTable(sources)
    wanted = [f for f in table.fields if f != SEGMENT_ID and f.role != "output"]
    columns = {
        field: column
        for field, column in table.read_columns(wanted).items()
        if field.role == "reference" or any(column)
    }
    texts = NamedSet(location.title, location.origin, columns)
    if DOMAINS_AND_DOCUMENTS in location.files:
        texts = _add_domains(texts, location.files[DOMAINS_AND_DOCUMENTS])
    # Elsewhere an empty reference is one that expects nothing.
    may_lack_references = any(file.format.has_partial_references for file in sources)
    return _leave_out_unscored(texts) if may_lack_references else texts


def _add_domains(texts: NamedSet, path: str) -> NamedSet:
    """Add domains and documents from a file of mt-metrics-eval."""
    rows = read_domains(path)
    check_lengths({texts.title: texts.segments, path: len(rows)})
    domains: list[str | None] = [row[0] for row in rows]
    documents: list[str | None] = [row[1] for row in rows]
    more = {DOCUMENT: documents, Field("label", "domain"): domains}
    return texts._replace(columns={**texts.columns, **more})


def _list_set_files(location: SetLocation) -> Iterator[Source]:
    """List the files of a set as those of a call."""
    uses: dict[str, Use] = {SOURCE: "source", REFERENCE: "reference"}
    uses |= {DOCUMENTS: "document", ALL: "any"}
    for key, path in location.files.items():
        kind, _, name = key.partition(":")
        if kind == DOMAINS_AND_DOCUMENTS:
            continue
        use = uses.get(kind, "label")
        is_plain = use in ("label", "document") or location.origin == SACREBLEU
        form = PLAIN if is_plain else choose_format(path)
        # A reference in a file with everything may have no name.
        name = name or (REFERENCE if kind == ALL else kind)
        reading = ReadingOptions(pair=location.chosen_pair)
        yield Source(path, use, form, name, reading=reading)


def _leave_out_unscored(texts: NamedSet) -> NamedSet:
    """Leave out segments of test suites and segments that no reference has.

    WMT's files hold both, and scored outputs do not; sacreBLEU does the same.
    """
    suites = texts.labels.get("testsuite")
    references = [*texts.references.values()]
    scored = [
        not (suites and suites[index])
        and (not references or any(column[index] for column in references))
        for index in range(texts.segments)
    ]
    if all(scored) or not any(scored):
        return texts
    columns = {f: [*compress(column, scored)] for f, column in texts.columns.items()}
    return texts._replace(columns=columns, left_out=scored.count(False))


def choose_references(
    texts: NamedSet, names: Sequence[str], usual: Sequence[str] = ()
) -> NamedSet:
    """Keep the named references, in this order; else the usual ones.

    Of the usual references some may be missing; without any of them, all count.
    """
    references = texts.references
    names = names or [name for name in usual if name in references]
    for name in names:
        if name not in references:
            has = ", ".join(references) or "none"
            msg = f"{texts.title} has no reference {name!r}; it has: {has}."
            raise OptionError(msg)
    if not names:
        return texts
    columns = {f: c for f, c in texts.columns.items() if f.role == "source"}
    columns |= {Field("reference", name): references[name] for name in names}
    others = {f: c for f, c in texts.columns.items() if f.role != "reference"}
    return texts._replace(columns=columns | others)


_CONDITION = re.compile(r"([^=!]+?)(!?=)(.*)", re.DOTALL)


def select_segments(texts: NamedSet, conditions: Sequence[str]) -> NamedSet:
    """Choose the segments of which every named label has one of its wanted values.

    A condition is LABEL=VALUE or LABEL!=VALUE; `doc` is the document. The origin may be
    `non-LANG`, as sacreBLEU writes it.
    """
    wanted: dict[tuple[str, str], list[str]] = {}
    for condition in conditions:
        parsed = _CONDITION.fullmatch(condition)
        if parsed is None:
            msg = (
                f"{condition!r} is not a condition; expected LABEL=VALUE or "
                "LABEL!=VALUE, such as origlang=en or domain!=social."
            )
            raise OptionError(msg)
        label, sign, value = parsed.groups()
        if label == "origlang" and value.startswith("non-"):
            value, sign = value[4:], "=" if sign == "!=" else "!="
        wanted.setdefault((label, sign), []).append(value)
    if not wanted:
        return texts
    kept = [True] * texts.segments
    for (label, sign), values in wanted.items():
        column = [value or "" for value in _find_label(texts, label)]
        fits = [(value in values) == (sign == "=") for value in column]
        if not any(fits):
            different = [*dict.fromkeys(column)][:20]
            listed = ", ".join(value or "nothing" for value in different)
            asked = f"{label}{sign}{','.join(values)}"
            msg = f"No segment of {texts.title} has {asked}; its values are: {listed}."
            raise OptionError(msg)
        kept = [*map(and_, kept, fits)]
    if not any(kept):
        msg = f"No segment of {texts.title} has {' and '.join(conditions)} together."
        raise OptionError(msg)
    return texts._replace(kept=kept, subset=(*conditions,))


def _find_label(texts: NamedSet, label: str) -> list[str | None]:
    columns = texts.labels
    if DOCUMENT in texts.columns:
        columns["doc"] = texts.columns[DOCUMENT]
    if label not in columns:
        names = ", ".join(columns) or "no labels"
        msg = f"The segments of {texts.title} have no {label!r}; they have: {names}."
        raise OptionError(msg)
    return columns[label]
