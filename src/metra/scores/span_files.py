"""Files of marked errors: `read_spans` recognises their format and gives one record.

MQM tables (with places, or `<v>` marks), rating files of mt-metrics-eval, ESA as Appraise
exports it, results of Pearmut, xCOMET's JSON, judgements of our campaigns, and JSON lines are
read.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

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
from metra.scores import appraise, judgement_jsonl, model_scores, mqm, pearmut
from metra.scores.judgement import OMISSION, AnswerStep, Judgement, refuse_line
from metra.scores.mt_metrics_eval import parse_rating_lines
from metra.scores.selection import DEFAULT, select_judgements
from metra.scores.spans import (
    Mark,
    RatingKey,
    Spans,
    build_mark,
    build_spans,
    collect_spans,
)
from metra.scores.table import ScoredItem

#: Bytes to recognise a file by; the first screen of Pearmut's results can be long.
_HEAD = 1 << 20


def read_spans(path: str) -> Spans:
    """Read the marked errors of a file in any format that has them."""
    head = read_head(path, _HEAD)
    for looks_like, read in _READERS:
        if looks_like(head):
            with refuse_damage(path):
                spans = read(path)
            if not len(spans.system):
                break
            return spans
    msg = (
        f"{format_path(path)} has no error spans in a known format; expected a table "
        "of MQM errors, ratings of mt-metrics-eval, ESA by Appraise, results of "
        "Pearmut, xCOMET's JSON, judgements of metra, or JSON lines with system, "
        "segment and errors."
    )
    raise FormatError(msg)


def _read_ratings(path: str) -> Spans:
    ratings: dict[RatingKey, list[Mark]] = {}
    name = Path(path).name.removesuffix(".gz").removesuffix(".seg.rating")
    for line in parse_rating_lines(read_lines(path), path, judge=name.split(".")[-1]):
        if line.marks is not None:
            key = line.system, ScoredItem(str(line.segment)), line.judge
            ratings.setdefault(key, []).extend(map(build_mark, line.marks))
    return build_spans(path, ratings)


def _read_esa(path: str) -> Spans:
    ratings: dict[RatingKey, list[Mark]] = {}
    for row in appraise.parse_appraise(read_lines(path), path):
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


def _read_comet(path: str) -> Spans:
    place = format_path(path)
    ratings: dict[RatingKey, list[Mark]] = {}
    data = parse_json("\n".join(read_lines(path)), place)
    for file, entries in data.items():
        for number, entry in enumerate(entries, 1):
            key = name_system(file), ScoredItem(str(number)), "xCOMET"
            with refuse_line(f"{place}, segment {number} of {file}"):
                ratings[key] = [*map(build_mark, entry.get("errors", ()))]
    # COMET's models without marks write the same file.
    return build_spans(
        path, ratings if any(ratings.values()) else {}, is_automatic=True
    )


def _read_judgements(path: str) -> Spans:
    judgements, scores = judgement_jsonl.read_judged(path)
    spans = collect_spans(select_judgements(judgements, scores, DEFAULT), path)
    return replace(spans, selection=DEFAULT.describe(scores))


def _read_pearmut(path: str) -> Spans:
    step = AnswerStep("errors", ("neutral", "minor", "major"), has_categories=True)
    judgements = pearmut.parse_results(
        *(read_lines(path), format_path(path)),
        languages=("und", "und"),
        steps_of=lambda _: [step],
        check=lambda one: one,
    )
    return collect_spans(_keep_latest(judgements), path)


def _keep_latest(judgements: Iterable[Judgement]) -> Iterable[Judgement]:
    """Return the last revision of each answer, in the order of the first ones."""
    latest: dict[tuple[str, str, int], Judgement] = {}
    for one in judgements:
        last = latest.setdefault((one.judge, one.task, one.segment), one)
        if one.revision >= last.revision:
            latest[one.judge, one.task, one.segment] = one
    return latest.values()


def _read_jsonl(path: str) -> Spans:
    ratings: dict[RatingKey, list[Mark]] = {}
    for number, line in enumerate(read_lines(path), 1):
        place = f"{format_path(path)}, line {number}"
        with refuse_line(place):
            entry = parse_json(line, place)
            judge = str(entry.get("source") or entry.get("judge") or "")
            item = ScoredItem(str(entry.get("segment", number)))
            marks = ratings.setdefault((str(entry["system"]), item, judge), [])
            marks += map(build_mark, entry["errors"])
    return build_spans(path, ratings)


def _has_columns(head: FileHead) -> bool:
    columns = {column.strip().lower() for column in head.columns}
    return columns >= {"system", "category", "severity"}


_READERS: tuple[tuple[Callable[[FileHead], bool], Callable[[str], Spans]], ...] = (
    (_has_columns, mqm.read_errors),
    (
        lambda head: head.path.removesuffix(".gz").endswith(".seg.rating"),
        _read_ratings,
    ),
    (appraise.is_esa, _read_esa),
    (judgement_jsonl.is_judgements, _read_judgements),
    (
        lambda head: {"annotation", "user_id"} <= (head.first_object or {}).keys(),
        _read_pearmut,
    ),
    (model_scores.is_comet_json, _read_comet),
    (
        lambda head: {"system", "errors"} <= (head.first_object or {}).keys(),
        _read_jsonl,
    ),
)
