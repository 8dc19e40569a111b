"""Marked errors and tags, column by column: who marked which part of which output.

`Spans` is the only record of marks, beside the table of scores. A rating is an output that a
judge or a program looked at, with or without marks. Readers build the record with
`build_spans`, answers of campaigns become one by `collect_spans`, and statistics take the
arrays of `arrange_spans`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metra.errors import CorpusError
from metra.formats.stream import format_path, name_system
from metra.scores.alignment import find_partner, list_numbers
from metra.scores.judgement import NEUTRAL, Judgement
from metra.scores.table import ScoredItem
from metra.stats.arrays import Codes, number_by_appearance, number_names
from metra.stats.span_agreement import SpanColumns
from metra.text.words import from_utf16_inclusive

#: The severity of tags: names and terms that judges marked.
TAG = "tag"
#: A system, an item and a judge or program.
RatingKey: TypeAlias = tuple[str, ScoredItem, str]
Names: TypeAlias = NDArray[np.object_]


class Mark(NamedTuple):
    """A row of `Spans`: a marked part of a text."""

    #: In lower case.
    severity: str
    #: The place in code points, the end not included; None if unknown.
    start: int | None = None
    end: int | None = None
    category: str = ""
    #: The marked text: output, source, or missing for an omission.
    side: str = "output"
    #: The words, if only they are known.
    text: str = ""


@dataclass(frozen=True)
class Spans:
    """The marks of a file, a campaign or a metric, sorted by rating."""

    path: str
    systems: tuple[str, ...]
    items: tuple[ScoredItem, ...]
    #: People, or the programs that marked.
    judges: tuple[str, ...]
    #: Of each rating, and the text of its output if known.
    system: Codes
    item: Codes
    judge: Codes
    texts: Sequence[str | None]
    #: Of each mark: its rating, and the fields of `Mark`; unknown places are -1.
    rating: Codes
    severity: Names
    start: Codes
    end: Codes
    category: Names
    side: Names
    text: Names
    #: True if programs marked, not people.
    is_automatic: bool = False
    #: The answers that count, in a few words; empty if the file is no export of ours.
    selection: str = ""
    #: Whether places count UTF-16 units and ends are included.
    in_utf16: bool = False

    @cached_property
    def names(self) -> list[str]:
        """The name of each item's segment, with its document if only both are unique."""
        names = [item.segment for item in self.items]
        documents = {(item.document, item.segment) for item in self.items}
        if len(documents) == len({*names}):
            return names
        return [f"{item.document}#{item.segment}" for item in self.items]

    @cached_property
    def segments(self) -> Codes:
        """The number of each item's segment, from 0."""
        names, number = number_names(self.names)
        return number_segments(names)[number] if names else number

    @cached_property
    def keys(self) -> list[RatingKey]:
        """The system, the item and the judge of each rating."""
        codes = (self.system.tolist(), self.item.tolist(), self.judge.tolist())
        return [
            (self.systems[system], self.items[item], self.judges[judge])
            for system, item, judge in zip(*codes, strict=True)
        ]

    @cached_property
    def ratings(self) -> Mapping[tuple[str, int], Sequence[int]]:
        """The ratings of each output, by system and number of the segment."""
        ratings: dict[tuple[str, int], list[int]] = {}
        segments = self.segments[self.item].tolist()
        for rating, (key, segment) in enumerate(zip(self.keys, segments, strict=True)):
            ratings.setdefault((key[0], segment), []).append(rating)
        return ratings

    def list_judges(self, system: str, segment: int) -> list[str]:
        """List the judges of an output, by system and number of the segment."""
        return [self.keys[at][2] for at in self.ratings.get((system, segment), ())]

    def list_marks(self, system: str, segment: int) -> list[tuple[str, Mark]]:
        """List the marks of an output, each with its judge."""
        return [
            (self.keys[rating][2], self.get_mark(row))
            for rating in self.ratings.get((system, segment), ())
            for row in range(*np.searchsorted(self.rating, (rating, rating + 1)))
        ]

    def get_mark(self, row: int) -> Mark:
        """Return a row."""
        start, end = (
            None if at < 0 else at for at in (int(self.start[row]), int(self.end[row]))
        )
        about = self.category[row], self.side[row], self.text[row]
        return Mark(self.severity[row], start, end, *about)

    def locate(self, mark: Mark, text: str) -> tuple[int, int] | None:
        """Return the place of a mark in its text, None if it is not there."""
        if mark.start is None or mark.end is None:
            place = text.find(mark.text) if mark.text else -1
            return None if place < 0 else (place, place + len(mark.text))
        start, end = mark.start, mark.end
        if self.in_utf16:
            try:
                start, end = from_utf16_inclusive(text, start, end)
            except ValueError:
                return None
        return (start, end) if 0 <= start < end <= len(text) else None


def number_segments(names: Sequence[str]) -> Codes:
    """Number segments from 0: as their names do, from 0 or 1, or in order.

    Names such as s1 to s9 are numbers if none is missing; 1.0 is 1.
    """
    if all(re.fullmatch(r"\d{1,7}\.0+", name) for name in names):
        names = [name.partition(".")[0] for name in names]
    parted = [re.fullmatch(r"(.*\D)(\d{1,7})", name) for name in names]
    if len({part and part[1] for part in parted}) == 1 and all(parted):
        ends = sorted({int(part[2]) for part in parted if part})
        if ends in ([*range(len(names))], [*range(1, len(names) + 1)]):
            names = [part[2] for part in parted if part]
    if all(name.isdecimal() and len(name) < 8 for name in names):
        numbers = np.array([*map(int, names)])
        if len({*names}) == len(names):  # else they are counted within documents
            return numbers if numbers.min() == 0 else numbers - 1
    return np.arange(len(names))


def build_spans(
    path: str,
    ratings: Mapping[RatingKey, Sequence[Mark]],
    texts: Sequence[str | None] = (),
    *,
    is_automatic: bool = False,
    in_utf16: bool = False,
) -> Spans:
    """Build the record of ratings and their marks; `texts` are the outputs of ratings."""
    systems, system = number_names([system for system, _, _ in ratings])
    items, item = number_names([item for _, item, _ in ratings])
    judges, judge = number_names([judge for _, _, judge in ratings])
    sizes = np.array([len(marks) for marks in ratings.values()], np.int64)
    return Spans(
        path,
        *(systems, items, judges, system, item, judge),
        texts or [None] * len(ratings),
        np.repeat(np.arange(len(sizes)), sizes),
        **_build_columns([mark for marks in ratings.values() for mark in marks]),
        is_automatic=is_automatic,
        in_utf16=in_utf16,
    )


def collect_spans(judgements: Iterable[Judgement], path: str = "") -> Spans:
    """Collect the errors and tags that judges marked in outputs.

    Give last revisions. Calibration items, repeats and degraded copies do not count. Several
    answers of a judge on the same output are one rating.
    """
    answered = [one for one in judgements if one.counts]
    # Most answers share their value with others: each value is read once.
    values = {id(one.value): one.value for one in answered}
    listed = {key: list_answer_marks(value) for key, value in values.items()}
    ratings: dict[RatingKey, list[Mark]] = {}
    texts: dict[RatingKey, str] = {}
    for one in answered:
        marks = listed[id(one.value)]
        if marks is not None:
            key = one.systems[0], ScoredItem(str(one.segment)), one.judge
            ratings.setdefault(key, []).extend(marks)
            texts.setdefault(key, one.outputs[0])
    return build_spans(path, ratings, [*texts.values()])


def list_answer_marks(value: Mapping[str, Any]) -> list[Mark] | None:
    """List the marks of an answer; None if it was asked for none."""
    marks: list[Mark] | None = None
    for step in value.values():
        if isinstance(step, dict) and "tags" in step:
            marks = marks or []
            for tag in step["tags"]:
                marks.append(Mark(TAG, tag["start"], tag["end"], tag.get("type", "")))
        elif isinstance(step, list) and all(
            isinstance(entry, dict) and "severity" in entry for entry in step[:1]
        ):
            marks = [*(marks or []), *map(build_mark, step)]
    return marks


def build_mark(entry: Mapping[str, Any]) -> Mark:
    """Build a mark from an entry with the names that most formats use."""
    get = entry.get
    places = (get("start"), get("end"))
    start, end = (None if place is None else int(place) for place in places)
    side, text = get("side", "output"), str(get("text") or get("span") or "")
    category = str(get("category") or "").lower()
    return Mark(str(entry["severity"]).lower(), start, end, category, side, text)


def _build_columns(marks: Sequence[Mark]) -> dict[str, Any]:
    """Build the columns of rows, by name."""
    fields = [*zip(*marks, strict=True)] or [()] * len(Mark._fields)
    columns: dict[str, Any] = {}
    for name, values in zip(Mark._fields, fields, strict=True):
        is_place = name in ("start", "end")
        cells = [-1 if cell is None else cell for cell in values]
        columns[name] = np.array(cells, np.int64 if is_place else object)
    return columns


def join_spans(
    tables: Sequence[Spans], outputs: Mapping[str, Sequence[str | None]] | None = None
) -> Spans:
    """Join tables: segments by number, and marks with their places in code points.

    `outputs` are the texts of each system, segment by segment, for marks with known words
    only and for the lengths of outputs. A rater without a name is called like the file, and
    so is one who marked the same output in two files.
    """
    texts: dict[tuple[str, ScoredItem], str] = {
        (system, ScoredItem(str(number))): text
        for system, column in (outputs or {}).items()
        for number, text in enumerate(column, 1)
        if text is not None
    }
    ratings: dict[RatingKey, list[Mark]] = {}
    for table, segments in zip(tables, _number_together(tables), strict=True):
        numbers = (segments[table.item] + 1).tolist()
        sources = [
            ((system, ScoredItem(str(number))), judge)
            for (system, _, judge), number in zip(table.keys, numbers, strict=True)
        ]
        units = [unit for unit, _ in sources]
        pairs = dict(zip(units, table.texts, strict=True))
        _check_texts(table.path, pairs, texts)
        texts = {unit: text for unit, text in pairs.items() if text} | texts
        names: dict[str, str] = {}
        for unit, judge in sources:
            if (*unit, judge) in ratings:
                names[judge] = f"{judge} ({name_system(table.path)})"
            names.setdefault(judge, judge or name_system(table.path))
        keys = [(*unit, names[judge]) for unit, judge in sources]
        ratings |= {key: [] for key in keys}
        for row, rating in enumerate(table.rating.tolist()):
            mark, key = table.get_mark(row), keys[rating]
            if mark.side == "output":
                mark = _place_mark(table, mark, texts.get(key[:2]))
            ratings[key].append(mark)
    return build_spans("", ratings, [texts.get(key[:2]) for key in ratings])


def _number_together(tables: Sequence[Spans]) -> list[Codes]:
    """Number each table's segments from 0: by names that tables share, or by each table's."""
    numbers = {table.path: list_numbers(table.names) for table in tables}
    if not all(numbers.values()):
        codes = number_names([name for table in tables for name in table.names])[1]
        parts = np.split(codes, np.cumsum([len(table.names) for table in tables])[:-1])
        sizes = [len({*part.tolist()}) for part in parts]
        are_shared = len({*codes.tolist()}) < sum(sizes)
        return parts if are_shared else [table.segments for table in tables]
    for path, own in numbers.items():
        if 0 in own and not find_partner(own, path, numbers):
            # All of them count from 0, even if some lack the first segment.
            return [np.array([*map(int, table.names)], np.int64) for table in tables]
    return [table.segments for table in tables]


def _check_texts(
    path: str,
    own: Mapping[tuple[str, ScoredItem], str | None],
    texts: Mapping[tuple[str, ScoredItem], str],
) -> None:
    """Refuse a table most of whose outputs are other ones elsewhere."""
    both = [
        (" ".join(text.split()), texts[unit])
        for unit, text in own.items()
        if text and unit in texts
    ]
    differ = sum(text != " ".join(other.split()) for text, other in both)
    if differ > 1 and 2 * differ > len(both):
        msg = (
            f"{format_path(path)} has other texts for {differ:,} of {len(both):,} outputs than "
            "the other files; check that they number segments alike."
        )
        raise CorpusError(msg)


def _place_mark(table: Spans, mark: Mark, text: str | None) -> Mark:
    """Return a mark with its place; without the text, places are taken for code points."""
    if text is not None:
        start, end = table.locate(mark, text) or (None, None)
        return mark._replace(start=start, end=end)
    if mark.end is None or not table.in_utf16:
        return mark
    return mark._replace(end=mark.end + 1)


def arrange_spans(spans: Spans) -> tuple[SpanColumns, Counter[str]]:
    """Arrange marks by output and rater, and count those without a place in the output.

    Neutral marks are no errors.
    """
    is_error = ~np.isin(spans.severity, np.array(NEUTRAL, object))
    is_inside = is_error & (spans.side == "output")
    unplaced = Counter(spans.side[is_error & ~is_inside].tolist())
    length = np.array([len(text or "") for text in spans.texts], np.int64)
    start, end, room = spans.start, spans.end, length[spans.rating]
    has_place = (start >= 0) & (start < end) & ((room == 0) | (end <= room))
    if unknown := int((is_inside & ~has_place).sum()):
        unplaced["unknown"] = unknown
    rows = np.flatnonzero(is_inside & has_place)
    segment = spans.segments[spans.item]
    output = number_by_appearance(segment * len(spans.systems) + spans.system)[1]
    first = np.unique(output, return_index=True)[1]
    lengths = np.zeros(len(first), np.int64)
    lengths[output] = length
    # Raters are numbered as they appear, output by output.
    by_output = np.argsort(output, kind="stable")
    judges, rater = number_by_appearance(spans.judge[by_output])
    order = np.lexsort((rater, output[by_output]))
    place = np.empty_like(order)
    place[by_output[order]] = np.arange(len(order))
    rows = rows[np.argsort(place[spans.rating[rows]], kind="stable")]
    columns = SpanColumns(
        tuple(spans.judges[at] for at in judges.tolist()),
        number_by_appearance(segment[first])[1],
        lengths,
        output[by_output[order]],
        rater[order],
        place[spans.rating[rows]],
        *(start[rows], end[rows], (spans.severity[rows] != "minor").astype(np.bool_)),
    )
    return columns, unplaced
