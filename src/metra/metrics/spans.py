"""Errors that judges or programs marked in outputs, weighed as MQM weighs them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from metra.corpus.batch import Batch
from metra.errors import (
    CorpusError,
    FormatError,
    OptionError,
    UnknownNameError,
    no_such,
)
from metra.formats.lines import read_lines
from metra.formats.recognise import read_head
from metra.formats.stream import compute_file_version, format_path, parse_json
from metra.metrics.options import FromZero
from metra.metrics.record import (
    AnyBatch,
    Array,
    Metric,
    Notes,
    Parts,
    check_on_fit,
    metric_factory,
)
from metra.metrics.units import Detail
from metra.scores.error_spans import (
    ErrorSpan,
    ErrorSpans,
    RatedOutput,
    list_by_place,
    list_segment_names,
    locate_span,
    read_error_spans,
)
from metra.scores.mqm import NON_TRANSLATION, find_cost
from metra.scores.table import number_segments

#: Severities that cost something, the worst first, and the others that are known.
SEVERITIES = ("critical", "major", "minor")
_FREE = ("neutral", "trivial")
#: Costs by severity and the beginning of the category; the first that fits counts.
SpanWeights: TypeAlias = tuple[tuple[str, str, float], ...]


@metric_factory
def spans(
    *,
    file: str = "",
    minor: FromZero = 1,
    major: FromZero = 5,
    critical: FromZero = 5,
    punctuation: FromZero = 0.1,
    non_translation: FromZero = 25,
) -> Metric:
    """Negative weighted sum of marked errors per segment, as in MQM. Higher is better.

    Errors are read from a file: a table of MQM errors (from Marot or WMT, or with
    columns start and end), ratings of mt-metrics-eval (.seg.rating), ESA exports of
    Appraise, xCOMET's JSON, judgements from campaigns of metra, or JSON lines with
    system, segment and errors, or with the answer of GEMBA-MQM. The penalty of an error
    depends on its severity; neutral marks, source errors and creative reinterpretations
    have none. The penalties of a segment are averaged over its raters, and the score of
    a system is the mean over the rated segments; an unrated segment has no score. The
    parts count errors by severity and category; `metra score --details` lists them, and
    `metra report` underlines them.

    Freitag et al. 2021, TACL.

    Options:
        file: file of errors.
        minor: weight of a minor error.
        major: weight of a major error.
        critical: weight of a critical error.
        punctuation: weight of a minor punctuation error.
        non_translation: weight of a major error of the category non-translation.
    """
    if not file:
        msg = "spans needs a file of errors; give file=FILE."
        raise OptionError(msg)
    table = MarkedErrors.build(_read_spans(file))
    weights: SpanWeights = (
        ("neutral", "", 0),
        ("trivial", "", 0),
        ("", "source", 0),
        ("", "accuracy/creative reinterpretation", 0),
        ("major", NON_TRANSLATION, non_translation),
        ("minor", "fluency/punctuation", punctuation),
        ("critical", "", critical),
        ("major", "", major),
        ("minor", "", minor),
    )
    metric = Metric(
        name="spans",
        columns=("score", "segments", *table.severities, *table.categories),
        rows=partial(rows, table=table, weights=weights),
        aggregate=aggregate,
        parts=partial(parts, table=table),
        needs=(),
        settled={"file": compute_file_version(file)},
        notes=Notes(
            details=partial(details, table=table),
            marked=table,
            basis="neural" if table.is_automatic else "people",
        ),
    )
    return check_on_fit(metric, table.check)


@dataclass(frozen=True, slots=True)
class MarkedErrors:
    """Errors by system and segment, counted from 0, and how many looked for them."""

    path: str
    spans: Mapping[tuple[str, int], Sequence[ErrorSpan]]
    #: By system and segment, those who looked at it.
    sources: Mapping[tuple[str, int], Sequence[str]]
    systems: Sequence[str]
    severities: Sequence[str]
    categories: Sequence[str]
    #: Whether programs marked them, not people.
    is_automatic: bool = False

    @classmethod
    def build(cls, read: ErrorSpans) -> "MarkedErrors":
        """Number the segments, and list severities and categories."""
        names = list_segment_names(read.rated)
        numbers = dict(zip(names, number_segments(names).tolist(), strict=True))
        sources: dict[tuple[str, int], list[str]] = {}
        for system, segment, source in read.rated:
            sources.setdefault((system, numbers[segment]), []).append(source)
        severities = {span.severity for span in read.spans}
        for span in read.spans:
            if span.severity not in (*SEVERITIES, *_FREE):
                msg = (
                    f"{format_path(read.path)} has the severity {span.severity!r} in "
                    f"segment {span.segment} of {span.system!r}; expected one of "
                    f"{', '.join((*SEVERITIES, *_FREE))}."
                )
                raise FormatError(msg)
        return cls(
            read.path,
            list_by_place(read, numbers),
            sources,
            list(dict.fromkeys(each.system for each in read.rated)),
            [name for name in (*SEVERITIES, *_FREE) if name in severities],
            sorted({span.category for span in read.spans if span.category}),
            read.is_automatic,
        )

    def check(self, batches: Iterable[Batch]) -> None:
        """Raise an error if a system or a segment is not in the text, or not in the file."""
        count = 0
        systems: Sequence[str] = ()
        for batch in batches:
            count += len(batch)
            systems = batch.place.systems or [batch.place.system or ""]
        for system in systems:
            if system not in self.systems:
                owner = format_path(self.path)
                raise UnknownNameError(
                    no_such("system", system, self.systems, owner=owner)
                )
        last = max((at for _, at in self.sources), default=-1)
        if last >= count:
            msg = (
                f"{format_path(self.path)} refers to segment {last + 1}, but the text "
                f"has {count} segments; the errors must belong to the text."
            )
            raise CorpusError(msg)

    def get(self, system: str | None, segment: int) -> Sequence[ErrorSpan]:
        """Return the errors of a system's segment, counted from 0."""
        return self.spans.get((system or "", segment), ())


def rows(batch: AnyBatch, *, table: MarkedErrors, weights: SpanWeights) -> Array:
    """Score, whether it was looked at, and errors by severity and category."""
    system, first = batch.place.system, batch.place.first
    if system is None:
        msg = (
            f"The errors of {format_path(table.path)} are of the segments of a test "
            "set, by number and system; they cannot score a single segment."
        )
        raise CorpusError(msg)
    names = [*table.severities, *table.categories]
    column = {name: at for at, name in enumerate(names, 2)}
    result = np.zeros((len(batch), 2 + len(names)))
    for index in range(len(batch)):
        sources = table.sources.get((system, first + index), ())
        if not sources:
            continue
        cost = 0.0
        for span in table.get(system, first + index):
            cost += find_cost(weights, span.severity, span.category)
            result[index, column[span.severity]] += 1
            if span.category:
                result[index, column[span.category]] += 1
        result[index, 0] = 0.0 - cost / len(sources)
        result[index, 1] = 1
    return result


def aggregate(totals: Array) -> Array:
    """The mean over the segments that were looked at; NaN of none."""
    with np.errstate(invalid="ignore"):
        return np.divide(totals[..., 0], totals[..., 1])


def parts(totals: Array, *, table: MarkedErrors) -> Parts:
    """Segments that were looked at, and errors by severity and category."""
    names = ["segments", *table.severities, *table.categories]
    return dict(zip(names, map(float, totals[1:]), strict=True))


def details(batch: AnyBatch, *, table: MarkedErrors) -> list[Detail]:
    """The errors of each segment, with their words."""
    found = []
    outputs = batch.hyps.text
    for index in range(len(batch)):
        for span in table.get(batch.place.system, batch.place.first + index):
            about = {"category": span.category} if span.category else {}
            words = span.text or f"({span.side})"
            if span.side == "output":
                place = locate_span(span, outputs[index] or "")
                words = (outputs[index] or "")[slice(*place)] if place else words
            found.append(Detail(index, span.severity, words, about))
    return found


def _read_spans(path: str) -> ErrorSpans:
    """Read errors; also answers of language models as GEMBA-MQM words them."""
    head = read_head(path)
    if "answer" not in (head.first_object or ()):
        return read_error_spans(path)
    from metra.metrics.llm.answers import read_error_lists
    from metra.metrics.llm.cache import ModelAnswer

    marked: list[ErrorSpan] = []
    rated: list[RatedOutput] = []
    for number, line in enumerate(read_lines(path), 1):
        place = f"{format_path(path)}, line {number}"
        entry = parse_json(line, place)
        if not isinstance(entry, dict) or not isinstance(entry.get("system"), str):
            msg = f"{place} has no system; expected system, segment and answer."
            raise FormatError(msg)
        source = str(entry.get("model") or "GEMBA-MQM")
        segment = str(entry.get("segment", number))
        rated.append(RatedOutput(entry["system"], segment, source))
        try:
            answer = ModelAnswer(str(entry.get("answer", "")), "stop", 0, 0)
            errors = read_error_lists(answer)
        except ValueError as error:
            msg = f"{place}: the answer cannot be read: {error}."
            raise FormatError(msg) from None
        marked += (
            ErrorSpan(
                *(segment, entry["system"], None, None),
                *(error.severity, error.category.lower(), source),
                text=error.text,
            )
            for error in errors
        )
    return ErrorSpans(path, marked, rated, is_automatic=True)
