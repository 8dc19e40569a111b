"""Appraise's comma-separated export, for direct assessments and error spans (ESA).

A line has no header: login, system, item, type (TGT, BAD, REF or CHK), source language,
target language, score, document, whether the document as a whole was scored, error marks
(ESA only, Kocmi et al. 2024), start and end time. Marks count UTF-16 units, and their end
is the last one inside; an omission has no place. The texts stand in Appraise's batches,
task by task, as JSON.

WMT's campaigns say more in a document's name: behind `#`, that it fills up a task (`dup`,
`incomplete`) or is degraded (`bad`); and its domain, as `test-en-news_…` in 2024 and
`en-ja_JP_#_news_#_…` in 2025.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metra.errors import FormatError
from metra.formats.headed_table import is_number
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path, load_json, parse_json
from metra.formats.table import COMMAS, split_rows, unescape_formula
from metra.scores.columns import parse_numbers
from metra.scores.judgement import (
    OMISSION,
    Judgement,
    JudgementCheck,
    JudgementKind,
    build_imported_judgement,
    refuse_line,
)
from metra.scores.spans import Mark, RatingKey, Spans, build_mark, build_spans
from metra.scores.table import (
    LANGUAGE_PAIR,
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
)
from metra.text.words import from_utf16_inclusive

#: The kind of judgement that each type of line is; only TGT judges a system's real output.
KINDS: dict[str, JudgementKind] = {
    "TGT": "judged",
    "BAD": "degraded",
    "REF": "reference",
    "CHK": "repeat",
}
#: System, item and type, which tell outputs apart.
OutputKey: TypeAlias = tuple[str, str, str]
#: Kinds of items that fill up a task, by the remark behind the document: WMT counts neither.
_FILLERS = {"dup": "repeat", "incomplete": "incomplete"}
_DOMAIN = re.compile(r"(?:test|dev)-[a-z]{2,3}-([A-Za-z]+)_")


class AppraiseRow(NamedTuple):
    """A line of the export."""

    line: int
    is_whole: bool
    #: Error marks as JSON; empty for direct assessments.
    marks: str
    #: Start and end; empty where they are not there.
    times: list[str]
    judge: str
    system: str
    item: str
    type: str
    source_language: str
    target_language: str
    score: str
    document: str
    domain: str
    #: What is behind the document's name.
    remark: str

    @property
    def kind(self) -> str:
        """The kind of the item; references are there to check judges."""
        if self.is_tutorial:
            return "tutorial"
        if self.type != "TGT":
            return "check" if self.type == "REF" else KINDS[self.type]
        fillers = (kind for name, kind in _FILLERS.items() if name in self.remark)
        return next(fillers, "judged")

    @property
    def is_tutorial(self) -> bool:
        """True if it teaches the judge: WMT's tutorials are documents of this name."""
        return "tutorial" in self.document.lower() and self.document == self.system


def parse_appraise(lines: Iterable[str], path: str) -> list[AppraiseRow]:
    """Parse the lines of an export; empty ones are left out."""
    rows = split_rows(lines, COMMAS)
    return [_parse_row(cells, line, path) for line, cells in rows if cells != [""]]


def _parse_row(row: list[str], line: int, path: str) -> AppraiseRow:
    if len(row) < 9 or row[3] not in KINDS:
        msg = (
            f"{format_path(path)}, line {line} is not a line of an Appraise export; "
            f"expected login, system, item, one of {'/'.join(KINDS)}, two languages, "
            "score, document, …"
        )
        raise FormatError(msg)
    *names, document, whole = map(unescape_formula, row[:9])
    has_marks = len(row) > 9 and row[9].startswith("[")
    marks, *times = row[9:] if has_marks else ["", *row[9:]]
    is_whole = whole.strip().lower() == "true"
    names += split_document_name(document)
    return AppraiseRow(line, is_whole, marks, [*times, "", ""][:2], *names)


def split_document_name(name: str) -> tuple[str, str, str]:
    """Return a document's name, its domain and the remark behind it; empty if not there.

    >>> split_document_name("test-en-news_seattle.7#dup")
    ('test-en-news_seattle.7', 'news', 'dup')
    >>> split_document_name("en-ja_JP_#_literary_#_rink_rats#bad1")
    ('rink_rats', 'literary', 'bad1')
    """
    parts = name.split("_#_")
    if len(parts) > 2 and LANGUAGE_PAIR.fullmatch(parts[0]):
        return parts[2].partition("#")[0], parts[1], parts[-1].partition("#")[2]
    document, _, remark = name.partition("#")
    by_domain = _DOMAIN.match(document)
    return document, by_domain[1] if by_domain else "", remark


def is_appraise(head: FileHead) -> bool:
    """Tell the export by its first line, which is no header: a type stands fourth."""
    row = next(split_rows([head.first_line], COMMAS), None)
    return row is not None and len(row.cells) >= 9 and row.cells[3] in KINDS


def is_esa(head: FileHead) -> bool:
    """Tell an export with error marks by its first line."""
    return is_appraise(head) and bool(parse_appraise([head.first_line], "")[0].marks)


def read_appraise(path: str, name: str = "da") -> Scores:
    """Read scores from 0 to 100 as the scorer `name`, with the kinds of their items.

    Tutorials, which WMT's files list like systems, are of a kind of their own; documents
    that a task was filled up with are repeats or incomplete; judgements that the same judge
    replaced by another one later are earlier ones.
    """
    rows = parse_appraise(read_lines(path), path)
    if not rows:
        msg = f"{format_path(path)} is empty; expected lines of Appraise's export."
        raise FormatError(msg)
    scores = parse_numbers([row.score for row in rows], path, "the score", 1)
    items = []
    for row in rows:
        lang = f"{row.source_language}-{row.target_language}"
        segment = "" if row.is_whole else row.item
        items.append(ScoredItem(segment, row.document, row.domain, lang))
    kinds = [
        "earlier" if is_old else row.kind
        for row, is_old in zip(rows, _find_earlier(rows), strict=True)
    ]
    systems, judges = [row.system for row in rows], [row.judge for row in rows]
    by_scorer = {Scorer(name, name): scores}
    errors = np.array([*map(_count_marks, rows)])
    return build_score_table(systems, items, by_scorer, judges, kinds, errors=errors)


def _count_marks(row: AppraiseRow) -> float:
    """Count the marked errors of a line; NaN if it has no list of them."""
    try:
        return float(len(load_json(row.marks, "the marks"))) if row.marks else nan
    except (ValueError, TypeError):
        return nan


def _find_earlier(rows: Sequence[AppraiseRow]) -> list[bool]:
    """Find judgements that the same judge changed later: an export has both."""
    keys = [*map(_GET_ANSWER, rows)]
    order = sorted(range(len(rows)), key=lambda at: _get_end(rows[at]))
    last = {keys[at]: at for at in order}
    return [last[key] != at for at, key in enumerate(keys)]


_GET_ANSWER = attrgetter(
    *("is_whole", "type", "judge", "system", "item", "document", "remark")
)


def _get_end(row: AppraiseRow) -> float:
    """Return when a judgement was made; all at once where it is not known."""
    end = row.times[1] or row.times[0]
    return float(end) if is_number(end) else 0.0


def read_esa_spans(path: str) -> Spans:
    """Read the error marks of outputs, whose places are in UTF-16 units."""
    ratings: dict[RatingKey, list[Mark]] = {}
    for row in parse_appraise(read_lines(path), path):
        if row.type != "TGT" or row.is_tutorial or row.is_whole:
            continue
        marks = ratings.setdefault((row.system, ScoredItem(row.item), row.judge), [])
        with refuse_line(f"{format_path(path)}, line {row.line}"):
            for mark in load_json(row.marks or "[]", "the marks"):
                entry = {**mark, "category": mark.get("error_type")}
                if mark["start_i"] == OMISSION:
                    entry["side"] = OMISSION
                else:
                    entry |= {"start": mark["start_i"], "end": mark["end_i"]}
                marks.append(build_mark(entry))
    return build_spans(path, ratings, in_utf16=True)


def parse_appraise_judgements(
    lines: Iterable[str],
    path: str,
    *,
    outputs: Mapping[OutputKey, tuple[str | None, str]],
    check: JudgementCheck,
    campaign: str = "appraise",
) -> list[Judgement]:
    """Parse judgements.

    `outputs` holds the source and the text of each system, item and type, as
    `index_batches` gives them: marks can only be placed in the text that was judged.
    """
    judgements = []
    for row in parse_appraise(lines, path):
        text = outputs.get((row.system, row.item, row.type), (None, ""))
        with refuse_line(f"{path}, line {row.line}"):
            judgements.append(check(_build_judgement(row, *text, campaign)))
    return judgements


def _build_judgement(
    row: AppraiseRow, source: str | None, output: str, campaign: str
) -> Judgement:
    protocol = "esa" if row.marks else "da"
    value: dict[str, Any] = {protocol: float(row.score)}
    if row.marks:
        marks = load_json(row.marks, "the marks")
        value["errors"] = [_parse_mark(mark, output) for mark in marks]
    shown_at, submitted_at = (float(cell) if cell else None for cell in row.times)
    return build_imported_judgement(
        f"{campaign}:{row.line}",
        (row.source_language, row.target_language),
        system=row.system,
        output=output,
        campaign=campaign,
        protocol=protocol,
        judge=row.judge,
        kind=KINDS[row.type],
        document=row.document,
        segment=int(row.item),
        source=source,
        value=value,
        shown_at=shown_at,
        submitted_at=submitted_at,
    )


def _parse_mark(mark: Mapping[str, Any], output: str) -> dict[str, Any]:
    if mark["start_i"] == OMISSION:
        return {"side": OMISSION, "severity": mark["severity"]}
    span = from_utf16_inclusive(output, mark["start_i"], mark["end_i"])
    return {"start": span.start, "end": span.end, "severity": mark["severity"]}


def index_batches(text: str, path: str) -> dict[OutputKey, tuple[str, str]]:
    """Return source and output of each system, item and type, as the export names them."""
    tasks = parse_json(text, path)
    if not isinstance(tasks, list):
        msg = f"{path} is not a list; expected Appraise's batches: a list of tasks."
        raise FormatError(msg)
    texts: dict[OutputKey, tuple[str, str]] = {}
    for number, task in enumerate(tasks, 1):
        items = task.get("items") if isinstance(task, Mapping) else None
        if not isinstance(items, list):
            msg = f"{path}, task {number} has no items; expected Appraise's batches."
            raise FormatError(msg)
        for index, item in enumerate(items, 1):
            key, output = _parse_item(item, f"{path}, task {number}, item {index}")
            texts[key] = output
    return texts


def _parse_item(item: Any, place: str) -> tuple[OutputKey, tuple[str, str]]:
    try:
        kind, target = str(item["itemType"]), item["targetText"]
        if kind not in KINDS or not isinstance(target, str):
            raise KeyError(kind)
        key = str(item["targetID"]), str(item["itemID"]), kind
        return key, (str(item["sourceText"]), target)
    except (KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{place} cannot be read ({error}); expected targetID, targetText, sourceText, "
            f"itemID, and itemType as one of {'/'.join(KINDS)}."
        )
        raise FormatError(msg) from None
