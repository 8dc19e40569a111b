"""Error spans: errors that judges or programs marked in outputs, in one record.

MQM tables (with places, or `<v>` marks), rating files of mt-metrics-eval, ESA as Appraise
exports it, xCOMET's JSON, judgements of our campaigns, and JSON lines are read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead, read_head
from metra.formats.stream import (
    format_path,
    load_json,
    name_system,
    parse_json,
    refuse_damage,
)
from metra.scores import appraise, judgement_jsonl, model_scores
from metra.scores.columns import read_score_table
from metra.scores.judgement import (
    OMISSION,
    Judgement,
    get_marks,
    refuse_line,
)
from metra.scores.mqm import MARKED, MqmError, parse_errors
from metra.scores.mt_metrics_eval import parse_rating_lines
from metra.scores.table import number_segments
from metra.stats.span_agreement import MarkedSpan, RatedUnit, SpanMarks
from metra.text.offsets import from_utf16_inclusive

#: Severities that mark no error.
NO_ERROR = ("no-error", "no error", "")
#: Severities of marks that are no errors.
NEUTRAL = ("neutral", "trivial")
#: Lines that judge no translation.
_ATTENTION = "hotw-test"


class ErrorSpan(NamedTuple):
    """An error in a system's output of a segment, and who marked it."""

    segment: str
    system: str
    #: The place in code points, its end not included; None where it is not known.
    start: int | None
    end: int | None
    severity: str
    category: str = ""
    #: The judge or the program that marked it.
    source: str = ""
    #: The text that it is in: output, source, or missing for what was left out.
    side: str = "output"
    #: The words, where only they are known.
    text: str = ""
    #: Whether places count UTF-16 units and the end is included.
    in_utf16: bool = False


class RatedOutput(NamedTuple):
    """An output that somebody looked for errors in, whether there are any or not."""

    system: str
    segment: str
    source: str


@dataclass(frozen=True, slots=True)
class ErrorSpans:
    """The error spans of a file, and the outputs that were looked at."""

    path: str
    spans: Sequence[ErrorSpan]
    rated: Sequence[RatedOutput]
    #: Whether a program marked them.
    is_automatic: bool = False
    #: The outputs by system and segment, where the file has them.
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)


def locate_span(span: ErrorSpan, text: str) -> tuple[int, int] | None:
    """Return where a span is in the text, None if it is not there.

    >>> locate_span(ErrorSpan("1", "a", None, None, "minor", text="dog"), "a dog")
    (2, 5)
    """
    if span.start is None or span.end is None:
        place = text.find(span.text) if span.text else -1
        return None if place < 0 else (place, place + len(span.text))
    start, end = span.start, span.end
    if span.in_utf16:
        try:
            start, end = from_utf16_inclusive(text, start, end)
        except ValueError:
            return None
    return (start, end) if 0 <= start < end <= len(text) else None


def read_error_spans(path: str) -> ErrorSpans:
    """Read the error spans of a file in any format that has them."""
    head = read_head(path)
    for looks_like, read in _READERS:
        if looks_like(head):
            with refuse_damage(path):
                spans, rated, texts = read(path)
            if not rated:
                break
            rated = list(dict.fromkeys(rated))
            return ErrorSpans(path, spans, rated, read is _read_comet, texts)
    msg = (
        f"{format_path(path)} has no error spans in a known format; expected a table "
        "of MQM errors, ratings of mt-metrics-eval, ESA by Appraise, xCOMET's JSON, "
        "judgements of metra, or JSON lines with system, segment and errors."
    )
    raise FormatError(msg)


Read = tuple[list[ErrorSpan], list[RatedOutput], dict[tuple[str, str], str]]


def _read_mqm(path: str) -> Read:
    spans: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    texts: dict[tuple[str, str], str] = {}
    for error in parse_errors(read_score_table(path)):
        if error.severity == _ATTENTION:
            continue
        segment = error.item.segment
        rated.append(RatedOutput(error.system, segment, error.judge))
        if error.cells.get("target"):
            texts[error.system, segment] = MARKED.sub(r"\1", error.cells["target"])
        if error.severity not in NO_ERROR:
            with refuse_line(f"{format_path(path)}, line {error.line}"):
                spans.append(_build_mqm_span(error))
    return spans, rated, texts


def _build_mqm_span(error: MqmError) -> ErrorSpan:
    cells = error.cells
    side, start, end, text = OMISSION, None, None, ""
    if cells.get("start", "") != "":
        side = "source" if cells.get("in_source") == "1" else "output"
        start, end = int(cells["start"]), int(cells["end"])
        side = OMISSION if start == end else side
    else:
        for name, column in (("output", "target"), ("source", "source")):
            marked = MARKED.search(cells.get(column, ""))
            if marked:
                side, start, text = name, marked.start(), marked[1]
                end = start + len(text)
                break
    about = (error.severity, error.category, error.judge, side, text)
    return ErrorSpan(error.item.segment, error.system, start, end, *about)


def _read_ratings(path: str) -> Read:
    spans: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    name = Path(path).name.removesuffix(".gz").removesuffix(".seg.rating")
    for line in parse_rating_lines(read_lines(path), path, judge=name.split(".")[-1]):
        if line.marks is not None:
            rated.append(RatedOutput(line.system, str(line.segment), line.judge))
            spans += (
                _build_span(mark, rated[-1], side=mark["side"]) for mark in line.marks
            )
    return spans, rated, {}


def _read_esa(path: str) -> Read:
    spans: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    for row in appraise.parse_appraise(read_lines(path), path):
        if row.type != "TGT" or row.is_tutorial or row.is_whole:
            continue
        rated.append(RatedOutput(row.system, row.item, row.judge))
        with refuse_line(f"{format_path(path)}, line {row.line}"):
            for mark in load_json(row.marks or "[]", "the marks"):
                if mark["start_i"] == OMISSION:
                    place: dict[str, Any] = {"side": OMISSION}
                else:
                    place = {"start": int(mark["start_i"]), "end": int(mark["end_i"])}
                category = mark.get("error_type") or ""
                entry = place | {"severity": mark["severity"], "category": category}
                spans.append(_build_span(entry, rated[-1], in_utf16=True))
    return spans, rated, {}


def _read_comet(path: str) -> Read:
    place = format_path(path)
    spans: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    data = parse_json("\n".join(read_lines(path)), place)
    for file, entries in data.items():
        for number, entry in enumerate(entries, 1):
            rated.append(RatedOutput(name_system(file), str(number), "xCOMET"))
            with refuse_line(f"{place}, segment {number} of {file}"):
                spans += (_build_span(e, rated[-1]) for e in entry.get("errors", ()))
    return (spans, rated, {}) if spans else ([], [], {})


def _read_judgements(path: str) -> Read:
    judgements = judgement_jsonl.parse_judgements(
        read_lines(path), format_path(path), protocols=None, check=lambda one: one
    )
    return list_marked_errors(one for one in judgements if one.counts)


def list_marked_errors(judgements: Iterable[Judgement]) -> Read:
    """List the errors that judges marked, the outputs that they looked at, and their texts."""
    spans: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    texts: dict[tuple[str, str], str] = {}
    for one in judgements:
        if any(isinstance(value, list) for value in one.value.values()):
            rated.append(RatedOutput(one.systems[0], str(one.segment), one.judge))
            texts[one.systems[0], str(one.segment)] = one.outputs[0]
            marks = get_marks(one)
            spans += (
                _build_span(mark, rated[-1], side=mark.get("side", "output"))
                for mark in marks
                if "severity" in mark
            )
    return spans, rated, texts


def _read_jsonl(path: str) -> Read:
    spans: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    for number, line in enumerate(read_lines(path), 1):
        place = f"{format_path(path)}, line {number}"
        with refuse_line(place):
            entry = parse_json(line, place)
            source = str(entry.get("source") or entry.get("judge") or "")
            segment = str(entry.get("segment", number))
            rated.append(RatedOutput(str(entry["system"]), segment, source))
            spans += (
                _build_span(error, rated[-1], side=error.get("side", "output"))
                for error in entry["errors"]
            )
    return spans, rated, {}


def _build_span(
    entry: dict[str, Any],
    rated: RatedOutput,
    *,
    side: str = "output",
    in_utf16: bool = False,
) -> ErrorSpan:
    """Build a span of a mark by the names that most formats have."""
    start, end = entry.get("start"), entry.get("end")
    return ErrorSpan(
        rated.segment,
        rated.system,
        None if start is None else int(start),
        None if end is None else int(end),
        str(entry["severity"]).lower(),
        str(entry.get("category") or "").lower(),
        rated.source,
        entry.get("side", side),
        str(entry.get("text") or entry.get("span") or ""),
        in_utf16,
    )


def _has_columns(head: FileHead) -> bool:
    columns = {column.strip().lower() for column in head.columns}
    return columns >= {"system", "category", "severity"}


_READERS: tuple[tuple[Callable[[FileHead], bool], Callable[[str], Read]], ...] = (
    (_has_columns, _read_mqm),
    (
        lambda head: head.path.removesuffix(".gz").endswith(".seg.rating"),
        _read_ratings,
    ),
    (appraise.is_esa, _read_esa),
    (judgement_jsonl.is_judgements, _read_judgements),
    (model_scores.is_comet_json, _read_comet),
    (
        lambda head: {"system", "errors"} <= (head.first_object or {}).keys(),
        _read_jsonl,
    ),
)


def collect_marks(
    files: Sequence[ErrorSpans],
    outputs: Mapping[str, Sequence[str | None]] | None = None,
) -> tuple[SpanMarks, Counter[str]]:
    """Gather the marks of several files by output and rater, and count what has no place.

    `outputs` are the texts of each system, segment by segment. They tell where spans are of
    which only the words are known, and how long outputs are. Segments have the numbers that
    `MarkedErrors` gives them. Neutral marks are no errors. A rater without a name is called
    like the file, and so is one who has marked the same output in two files.
    """
    texts = {
        RatedUnit(system, str(at)): text
        for system, column in (outputs or {}).items()
        for at, text in enumerate(column, 1)
        if text is not None
    }
    marks: dict[RatedUnit, dict[str, list[MarkedSpan]]] = {}
    unplaced: Counter[str] = Counter()
    for file in files:
        numbers = dict(
            zip(
                names := list_segment_names(file.rated),
                (str(at + 1) for at in number_segments(names).tolist()),
                strict=True,
            )
        )
        for (system, segment), text in file.texts.items():
            texts.setdefault(RatedUnit(system, numbers[segment]), text)
        raters = _name_raters(file, numbers, marks)
        for system, segment, source in file.rated:
            unit = RatedUnit(system, numbers[segment])
            marks.setdefault(unit, {})[raters[source]] = []
        for span in file.spans:
            if span.severity in NEUTRAL:
                continue
            unit = RatedUnit(span.system, numbers[span.segment])
            if span.side != "output":
                unplaced[span.side] += 1
            elif place := _locate_mark(span, texts.get(unit)):
                is_major = span.severity != "minor"
                marks[unit][raters[span.source]].append(MarkedSpan(*place, is_major))
            else:
                unplaced["unknown"] += 1
    lengths = {unit: len(texts[unit]) for unit in marks if unit in texts}
    return SpanMarks(marks, lengths), unplaced


def _name_raters(
    file: ErrorSpans,
    numbers: Mapping[str, str],
    marks: Mapping[RatedUnit, Mapping[str, object]],
) -> dict[str, str]:
    """Return what each source of a file is called among the raters of all files."""
    names = {}
    for system, segment, source in file.rated:
        if source in marks.get(RatedUnit(system, numbers[segment]), ()):
            names[source] = f"{source} ({name_system(file.path)})"
        names.setdefault(source, source or name_system(file.path))
    return names


def _locate_mark(span: ErrorSpan, text: str | None) -> tuple[int, int] | None:
    """Return where a span is; without the text, places are taken for code points."""
    if text is not None:
        return locate_span(span, text)
    if span.start is None or span.end is None:
        return None
    end = span.end + 1 if span.in_utf16 else span.end
    return (span.start, end) if 0 <= span.start < end else None


def list_by_place(
    spans: ErrorSpans, numbers: dict[str, int]
) -> dict[tuple[str, int], list[ErrorSpan]]:
    """Return the spans by system and number of the segment."""
    placed: dict[tuple[str, int], list[ErrorSpan]] = {}
    for span in spans.spans:
        placed.setdefault((span.system, numbers[span.segment]), []).append(span)
    return placed


def list_segment_names(rated: Iterable[RatedOutput]) -> list[str]:
    """Return the names of the segments, in order of first appearance."""
    return list(dict.fromkeys(each.segment for each in rated))
