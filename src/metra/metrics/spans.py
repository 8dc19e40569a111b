"""Errors that judges or programs marked in outputs, weighed as MQM weighs them."""

from collections.abc import Iterable, Sequence
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
from metra.formats.stream import compute_file_version, format_path
from metra.metrics import record
from metra.metrics.options import FromZero
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.metrics.units import Detail, check_last_segment, measure_extent
from metra.scores.judgement import NEUTRAL
from metra.scores.mqm import NON_TRANSLATION, find_cost
from metra.scores.registry import read_spans
from metra.scores.spans import Spans

#: Severities, the worst first; neutral ones cost nothing.
SEVERITIES = ("critical", "major", "minor", *NEUTRAL)
#: Costs by severity and the beginning of the category; the first that fits counts.
SpanWeights: TypeAlias = tuple[tuple[str, str, float], ...]


@metric_factory(title="MQM", papers="freitag2021")
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
    Appraise, results of Pearmut, xCOMET's JSON, judgements from campaigns of metra, or
    JSON lines with system, segment and errors. The penalty of an error depends on its
    severity; neutral marks, source errors and creative reinterpretations have none. The
    penalties of a segment are averaged over its raters, and the score of a system is
    the mean over the rated segments; an unrated segment has no score. The parts count
    errors by severity and category; `metra score --details` lists them, and `metra
    report` underlines them.

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
    table = read_spans(file)
    severities, categories = list_kinds(table)
    names = (*severities, *categories)
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
        columns=("score", "segments", *names),
        rows=partial(rows, table=table, weights=weights, names=names),
        aggregate=record.compute_mean,
        parts=partial(parts, names=names),
        needs=frozenset(),
        settled={"file": compute_file_version(file)},
        notes=Notes(
            details=partial(details, table=table),
            marked=lambda: table,
            basis="neural" if table.is_automatic else "people",
        ),
    )
    return record.check_on_fit(metric, partial(check_batches, table=table))


def list_kinds(table: Spans) -> tuple[list[str], list[str]]:
    """List the severities of errors, the worst first, and their categories."""
    used = {*table.severity.tolist()}
    if unknown := used.difference(SEVERITIES):
        row = next(at for at, name in enumerate(table.severity) if name in unknown)
        system, item, _ = table.keys[table.rating[row]]
        msg = (
            f"{format_path(table.path)} has the severity {table.severity[row]!r} in "
            f"segment {item.segment} of {system!r}; expected one of "
            f"{', '.join(SEVERITIES)}."
        )
        raise FormatError(msg)
    categories = sorted({*filter(None, table.category.tolist())})
    return [name for name in SEVERITIES if name in used], categories


def check_batches(batches: Iterable[Batch], *, table: Spans) -> None:
    """Raise an error if a system or a segment is not in the text, or not in the file."""
    extent, path = measure_extent(batches), format_path(table.path)
    for system in extent.systems:
        if system not in table.systems:
            unknown = no_such("system", system or "", table.systems, owner=path)
            raise UnknownNameError(unknown)
    check_last_segment(path, int(table.segments.max(initial=-1)), extent.segments)


def rows(
    batch: AnyBatch, *, table: Spans, weights: SpanWeights, names: Sequence[str]
) -> Array:
    """Score, 1 if anybody rated the segment, and errors by severity and category."""
    system, first = batch.place.system, batch.place.first
    if system is None:
        msg = (
            f"The errors of {format_path(table.path)} are of the segments of a test "
            "set, by number and system; they cannot score a single segment."
        )
        raise CorpusError(msg)
    column = {name: at for at, name in enumerate(names, 2)}
    result = np.zeros((len(batch), 2 + len(names)))
    for index in range(len(batch)):
        ratings = table.ratings.get((system, first + index), ())
        if not ratings:
            continue
        cost = 0.0
        for _, mark in table.list_marks(system, first + index):
            cost += find_cost(weights, mark.severity, mark.category)
            result[index, column[mark.severity]] += 1
            if mark.category:
                result[index, column[mark.category]] += 1
        result[index, 0] = 0.0 - cost / len(ratings)
        result[index, 1] = 1
    return result


def parts(totals: Array, *, names: Sequence[str]) -> Parts:
    """Rated segments, and errors by severity and category."""
    return dict(zip(["segments", *names], map(float, totals[1:]), strict=True))


def details(batch: AnyBatch, *, table: Spans) -> list[Detail]:
    """The errors of each segment, with their words."""
    listed = []
    for index in range(len(batch)):
        output = batch.hyps.text[index] or ""
        place = batch.place.system or "", batch.place.first + index
        for _, mark in table.list_marks(*place):
            about = {"category": mark.category} if mark.category else {}
            words = mark.text or f"({mark.side})"
            if mark.side == "output" and (span := table.locate(mark, output)):
                words = output[slice(*span)]
            listed.append(Detail(index, mark.severity, words, about))
    return listed
