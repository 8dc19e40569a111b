"""The files of a named test set, its texts, and subsets of its segments."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import compress
from typing import NamedTuple, TypeVar

from metra.errors import CorpusError, FormatError, OptionError, format_count
from metra.formats.lines import read_lines
from metra.formats.recognise import PLAIN, choose_format
from metra.formats.texts.columns import DOCUMENT, SEGMENT_ID, Field
from metra.formats.texts.parallel import ParallelTable
from metra.formats.texts.sources import Source, Use
from metra.text.columns import check_lengths

T = TypeVar("T")

#: Fields of a set that hold no texts of their own; others describe its segments.
SOURCE, REFERENCE, DOCUMENTS, OUTPUT, ALL = "src", "ref", "docid", "hyp", "all"
#: The field of mt-metrics-eval's files with the domain and the document of a segment.
DOMAINS_AND_DOCUMENTS = "docs"
#: The place of test sets whose files are plain text, whatever they begin with.
SACREBLEU = "sacrebleu"


class SetLocation(NamedTuple):
    """A test set in one language pair: the files that hold it.

    Files go by the name of what they hold: src, ref or ref:NAME, docid, hyp:NAME; `all` is
    a file that holds everything (WMT's XML, a table), `docs` mt-metrics-eval's documents,
    and any other name is a label of the segments, such as origlang or domain.
    """

    name: str
    pair: str
    #: The place that knows the set, sacrebleu or mt-metrics-eval, or its path.
    origin: str
    files: Mapping[str, str]
    #: The references that count where the user names none; empty: all of them.
    references: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name and the language pair, as messages name them."""
        return f"{self.name}:{self.pair}" if self.pair else self.name


class NamedSet(NamedTuple):
    """The texts of a test set, segment by segment, and which segments are wanted."""

    title: str
    origin: str
    source: list[str] | None
    references: dict[str, list[str | None]]
    documents: list[str] | None = None
    #: What is known about each segment, such as its origlang and domain.
    labels: Mapping[str, list[str | None]] = {}
    #: Whether each segment is wanted; None: all are.
    kept: list[bool] | None = None
    #: Segments of test suites and segments without a reference, which were left out.
    left_out: int = 0
    #: The conditions that the wanted segments fulfil.
    subset: tuple[str, ...] = ()

    @property
    def segments(self) -> int:
        """The number of segments of the whole set, wanted or not."""
        return len(next(iter(self.columns().values()), ()))

    def keep_segments(self, column: Sequence[T]) -> list[T]:
        """Return the values of the wanted segments from a column of the whole set."""
        check_lengths({self.title: self.segments, "the column": len(column)})
        return list(column if self.kept is None else compress(column, self.kept))

    def columns(self) -> dict[Field, list[str | None]]:
        """Return all columns, by what they are in a table of files."""
        columns: dict[Field, list[str | None]] = {}
        if self.source is not None:
            columns[Field("source", "source")] = list(self.source)
        for name, column in self.references.items():
            columns[Field("reference", name)] = column
        if self.documents is not None:
            columns[DOCUMENT] = list(self.documents)
        return columns | {Field("label", n): c for n, c in self.labels.items()}


def read_files(location: SetLocation) -> NamedSet:
    """Read the files of a set: plain text, tables, WMT's XML, SGML."""
    sources = list(_list_set_files(location))
    table = ParallelTable(sources)
    wanted = [f for f in table.fields if f != SEGMENT_ID and f.role != "output"]
    by_role: dict[str, dict[str, list[str | None]]] = {}
    for field, column in table.read_columns(wanted).items():
        by_role.setdefault(field.role, {})[field.name] = column
    texts = NamedSet(
        location.title,
        location.origin,
        _find_column(by_role.get("source", {})),
        by_role.get("reference", {}),
        _find_column(by_role.get("document", {})),
        {name: c for name, c in by_role.get("label", {}).items() if any(c)},
    )
    if DOMAINS_AND_DOCUMENTS in location.files:
        texts = _add_domains(texts, location.files[DOMAINS_AND_DOCUMENTS])
    # Elsewhere an empty reference is one that expects nothing.
    may_lack_references = any(file.format.has_partial_references for file in sources)
    return leave_out_unscored(texts) if may_lack_references else texts


def _find_column(columns: Mapping[str, list[str | None]]) -> list[str] | None:
    """Return the only column of a kind, None if there is none or it is empty."""
    column = next(iter(columns.values()), [])
    return [value or "" for value in column] if any(column) else None


def _add_domains(texts: NamedSet, path: str) -> NamedSet:
    """Add domains and documents from a file of mt-metrics-eval."""
    rows = [line.split() for line in read_lines(path)]
    for number, row in enumerate(rows, 1):
        if len(row) < 2:
            msg = (
                f"{path}, line {number} has {format_count(len(row), 'column')}; "
                "expected the domain and the document of a segment."
            )
            raise FormatError(msg)
    check_lengths({texts.title: texts.segments, path: len(rows)})
    domains: list[str | None] = [row[0] for row in rows]
    labels = {**texts.labels, "domain": domains}
    return texts._replace(documents=[row[1] for row in rows], labels=labels)


def _list_set_files(location: SetLocation) -> Iterator[Source]:
    """List the files of a set as those of a call."""
    uses: dict[str, Use] = {SOURCE: "source", REFERENCE: "reference"}
    uses |= {DOCUMENTS: "document", ALL: "any"}
    for key, path in location.files.items():
        kind, _, name = key.partition(":")
        if kind in (OUTPUT, DOMAINS_AND_DOCUMENTS):
            continue
        use = uses.get(kind, "label")
        is_plain = use in ("label", "document") or location.origin == SACREBLEU
        form = PLAIN if is_plain else choose_format(path)
        # A reference in a file with everything may have no name.
        yield Source(path, use, form, name or (REFERENCE if kind == ALL else kind))


def leave_out_unscored(texts: NamedSet) -> NamedSet:
    """Leave out segments of test suites and segments that no reference has.

    WMT's files hold both, and scored outputs do not; sacreBLEU does the same.
    """
    suites = texts.labels.get("testsuite")
    columns = list(texts.references.values())
    scored = [
        not (suites and suites[index])
        and (not columns or any(c[index] for c in columns))
        for index in range(texts.segments)
    ]
    if all(scored) or not any(scored):
        return texts
    return texts._replace(
        source=None if texts.source is None else list(compress(texts.source, scored)),
        references=_compress_columns(texts.references, scored),
        documents=None
        if texts.documents is None
        else list(compress(texts.documents, scored)),
        labels=_compress_columns(texts.labels, scored),
        left_out=scored.count(False),
    )


def _compress_columns(
    columns: Mapping[str, list[str | None]], wanted: Sequence[bool]
) -> dict[str, list[str | None]]:
    return {name: list(compress(column, wanted)) for name, column in columns.items()}


def choose_references(
    texts: NamedSet, names: Sequence[str], usual: Sequence[str] = ()
) -> NamedSet:
    """Keep the named references, in this order; else the usual ones.

    Of the usual references some may be missing; without any of them, all count.
    """
    columns = texts.references
    names = names or [name for name in usual if name in columns]
    for name in names:
        if name not in columns:
            has = ", ".join(columns) or "none"
            msg = f"{texts.title} has no reference {name!r}; it has: {has}."
            raise OptionError(msg)
    chosen = {name: columns[name] for name in dict.fromkeys(names)}
    return texts._replace(references=chosen) if names else texts


def concatenate_sets(parts: Sequence[NamedSet]) -> NamedSet:
    """Put sets one below the other, as if they were one."""
    first = parts[0]
    if len(parts) == 1:
        return first
    counts = {len(part.references) for part in parts}
    has_source = all(part.source is not None for part in parts)
    has_documents = all(part.documents is not None for part in parts)
    if len(counts) > 1:
        numbers = ", ".join(f"{len(p.references)} of {p.title}" for p in parts)
        msg = (
            f"The test sets differ in their number of references ({numbers}); choose as "
            "many of each."
        )
        raise CorpusError(msg)
    columns = zip(*(part.references.values() for part in parts), strict=True)
    labels = dict.fromkeys(name for part in parts for name in part.labels)
    return NamedSet(
        "+".join(part.title for part in parts),
        ", ".join(dict.fromkeys(part.origin for part in parts)),
        [text for p in parts for text in p.source or ()] if has_source else None,
        dict(zip(first.references, map(_concatenate, columns), strict=True)),
        _concatenate_documents(parts) if has_documents else None,
        {
            name: _concatenate(
                part.labels.get(name, [None] * part.segments) for part in parts
            )
            for name in labels
        },
        left_out=sum(part.left_out for part in parts),
    )


def _concatenate_documents(parts: Sequence[NamedSet]) -> list[str]:
    """Return the documents of all parts; where two parts share an id, sets are named."""
    ids = [set(part.documents or ()) for part in parts]
    are_distinct = sum(map(len, ids)) == len(set().union(*ids))
    return [
        document if are_distinct else f"{part.title}/{document}"
        for part in parts
        for document in part.documents or ()
    ]


def _concatenate(columns: Iterable[list[str | None]]) -> list[str | None]:
    return [value for column in columns for value in column]


_CONDITION = re.compile(r"([^=!]+?)(!?=)(.*)", re.DOTALL)


def select_segments(texts: NamedSet, conditions: Sequence[str]) -> NamedSet:
    """Choose the segments of which every named label has one of its wanted values.

    A condition is LABEL=VALUE or LABEL!=VALUE; a value may be a pattern with * and ?, and
    `doc` is the document. The origin may be `non-LANG`, as sacreBLEU writes it.
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
    for (label, sign), patterns in wanted.items():
        column = _find_label(texts, label)
        fits = {
            value: any(_is_like(value or "", pattern) for pattern in patterns)
            for value in dict.fromkeys(column)
        }
        if not any(fits[value] == (sign == "=") for value in column):
            values = ", ".join(value or "nothing" for value in list(fits)[:20])
            asked = f"{label}{sign}{','.join(patterns)}"
            msg = f"No segment of {texts.title} has {asked}; its values are: {values}."
            raise OptionError(msg)
        kept = [
            keep and fits[value] == (sign == "=")
            for keep, value in zip(kept, column, strict=True)
        ]
    if not any(kept):
        msg = f"No segment of {texts.title} has {' and '.join(conditions)} together."
        raise OptionError(msg)
    return texts._replace(kept=kept, subset=(*conditions,))


def _is_like(value: str, pattern: str) -> bool:
    """Tell whether a value equals the pattern, whatever its signs, or matches it."""
    return value == pattern or fnmatchcase(value, pattern)


def _find_label(texts: NamedSet, label: str) -> list[str | None]:
    columns = dict(texts.labels)
    if texts.documents is not None:
        columns["doc"] = list(texts.documents)
    if label not in columns:
        names = ", ".join(columns) or "no labels"
        msg = f"The segments of {texts.title} have no {label!r}; they have: {names}."
        raise OptionError(msg)
    return columns[label]
