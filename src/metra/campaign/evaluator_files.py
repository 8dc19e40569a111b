"""What evaluators hand in: files of scores and judgements in any format, as one record.

A file is what `metra score` writes as JSON, TSV or a table for a terminal, a table of results
from 0 to 100, what `metra judge export` writes, or any other file of scores that `metra meta`
reads.
"""

import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import nan
from statistics import fmean
from typing import NamedTuple

from metra.campaign.campaign import group_by
from metra.campaign.imports import parse_judgement_lines
from metra.campaign.judgement_files import ALL_SCORE_FORMATS
from metra.campaign.results import NONE, score_texts
from metra.campaign.score_scales import MeasureKind, NativeScore
from metra.errors import CorpusError, FormatError
from metra.formats.annotations.table import read_annotation_table
from metra.formats.compression import list_zip, read_zip
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead, recognise
from metra.formats.stream import (
    STDIN,
    format_path,
    name_system,
    refuse_damage,
    split_named_path,
)
from metra.scores.columns import (
    is_number,
    read_score_head,
    read_score_table,
)
from metra.scores.judgement import Judgement
from metra.scores.judgement_jsonl import is_judgements
from metra.scores.metra import is_printed_table, read_printed_table
from metra.scores.registry import SCORE_FORMATS, read_scores
from metra.scores.table import COUNTED, ScoredItem, Scores

#: The columns of a table of results.
RESULT_COLUMNS = ("metric", "evaluator", "text", "translation", "score")
#: The file of a campaign's export that has all its answers.
_JUDGEMENTS = "judgements.jsonl"


def read_evaluator_files(paths: Iterable[str]) -> list[NativeScore]:
    """Read what evaluators handed in; `EVALUATOR=FILE` says whose scores a file has.

    Without a name they are of the judges that the file names or, if it names none, of an
    evaluator called after the file.
    """
    scores: list[NativeScore] = []
    for path in paths:
        evaluator, file = split_named_path(path)
        scores += read_evaluator_file(file, evaluator or "")
    return scores


def read_evaluator_file(path: str, evaluator: str = "") -> list[NativeScore]:
    """Read one file; `evaluator` is who scored, where the file does not say it."""
    head = read_score_head(path)
    form = recognise(head, _FORMATS)
    if form is None and head.content and not recognise(head, SCORE_FORMATS.values()):
        msg = (
            f"{format_path(path)} begins with {head.first_line[:60]!r}; expected "
            "output of `metra score` or `metra judge export`, or a table with the "
            f"columns {', '.join(RESULT_COLUMNS)}."
        )
        raise FormatError(msg)
    with refuse_damage(path):
        scores = form.read(path) if form is not None else _read_other_scores(path)
    if not scores:
        msg = (
            f"{format_path(path)} has no scores; expected those of at least one system."
        )
        raise FormatError(msg)
    named = {one.evaluator for one in scores if one.evaluator}
    if evaluator and named:
        names = ", ".join(sorted(named))
        msg = (
            f"{format_path(path)} already names its evaluators ({names}); remove "
            f"{evaluator!r}."
        )
        raise CorpusError(msg)
    label = evaluator or name_system(path)
    place = format_path(path)
    return [
        replace(one, evaluator=one.evaluator or label, place=one.place or place)
        for one in scores
    ]


def convert_judgements(
    judgements: Sequence[Judgement], place: str = ""
) -> list[NativeScore]:
    """Return each judge's scores of each text, of a campaign's answers.

    `place` is where they come from, for messages.
    """
    return [
        NativeScore(
            *(one.metric, one.evaluator, one.text, one.translation, one.native),
            hundred=one.score,
            kind="human",
            reason=one.reason,
            place=place,
        )
        for one in score_texts(judgements)
        if one.evaluator
    ]


class EvaluatorFormat(NamedTuple):
    """A kind of file that evaluators hand in: how it is recognised and read."""

    looks_like: Callable[[FileHead], bool]
    read: Callable[[str], list[NativeScore]]


def _read_results(path: str) -> list[NativeScore]:
    """Read a table of results, or of the scores of a campaign's texts."""
    known = {*RESULT_COLUMNS, "items", "native", "reason", "kind"}
    table = read_annotation_table(path, RESULT_COLUMNS, known)
    scores = []
    for row in table.rows:
        cells = row.cells
        if cells["evaluator"] == "all":  # the mean of judges that exports add
            continue
        reason, place = "", f"{table.path}, line {row.line}"
        numbers = [cells["score"], cells.get("native", "") or cells["score"]]
        if NONE in numbers:
            reason = cells.get("reason", "") or "the reason is missing"
        elif not all(map(is_number, numbers)):
            wrong = next(cell for cell in numbers if not is_number(cell))
            expected = f"expected a number from 0 to 100, or {NONE}"
            raise table.error(row, f"the score is {wrong!r}", expected)
        hundred, value = (nan, nan) if reason else map(float, numbers)
        for name in ("metric", "evaluator", "translation"):
            if not cells[name]:
                expected = f"every line needs a {name}"
                raise table.error(row, f"there is no {name}", expected)
        scores.append(
            NativeScore(
                *(cells["metric"], cells["evaluator"], cells["text"]),
                *(cells["translation"], value, hundred),
                kind=_parse_kind(cells.get("kind", ""), place),
                reason=reason,
                place=place,
            )
        )
    return scores


def _parse_kind(cell: str, place: str) -> MeasureKind:
    kinds: dict[str, MeasureKind] = {"": "", "human": "human", "automated": "automated"}
    if cell.lower() not in kinds:
        msg = f"{place}: the kind is {cell!r}; expected human or automated."
        raise FormatError(msg)
    return kinds[cell.lower()]


def _read_judgements(path: str) -> list[NativeScore]:
    return convert_judgements(
        parse_judgement_lines(read_lines(path), format_path(path))
    )


def _read_zip(path: str) -> list[NativeScore]:
    text = read_zip(path, path, _JUDGEMENTS.__eq__)[_JUDGEMENTS].decode()
    place = f"{format_path(path)}, {_JUDGEMENTS}"
    return convert_judgements(parse_judgement_lines(text.split("\n"), place))


def _read_tabs(path: str) -> list[NativeScore]:
    # Checks of judges are scorers that are not called after their kind.
    return _average_judged(path, "value", lambda row: row["scorer"] == row["kind"])


def _read_spreadsheet(path: str) -> list[NativeScore]:
    return _average_judged(path, "native", lambda row: row["kind"] in COUNTED)


def _average_judged(
    path: str, native: str, counts: Callable[[dict[str, str]], bool]
) -> list[NativeScore]:
    """Average a campaign's scores over the segments of each text, by judge and system."""
    table = read_score_table(path)
    rows = []
    for line, cells in table.rows:
        row = dict(zip(table.header, cells, strict=True))
        if counts(row) and row["scorer"] and row["hundred"]:
            for name in (native, "hundred"):
                if not is_number(row[name]):
                    problem = f"{table.path}, line {line}: {name} is {row[name]!r}"
                    msg = f"{problem}; expected a number."
                    raise FormatError(msg)
            rows.append(row)

    def place_of(row: dict[str, str]) -> tuple[str, str, str, str]:
        return row["scorer"], row["judge"], row["document"], row["system"]

    return [
        NativeScore(
            *place,
            fmean(float(row[native]) for row in mine),
            fmean(float(row["hundred"]) for row in mine),
            kind="human",
        )
        for place, mine in group_by(rows, place_of).items()
    ]


def _read_printed(path: str) -> list[NativeScore]:
    return _convert_scores(read_printed_table(path), path)


def _read_other_scores(path: str) -> list[NativeScore]:
    return _convert_scores(read_scores(path, formats=ALL_SCORE_FORMATS), path)


def _convert_scores(scores: Scores, path: str) -> list[NativeScore]:
    """Return each judge's scores of systems and texts; segments are averaged by text.

    Scores of segments count only where nothing larger was scored: most metrics are no means.
    """
    if len(scores.languages) > 1:
        known = ", ".join(filter(None, scores.languages))
        msg = (
            f"{format_path(path)} has several language pairs ({known}); give a file with "
            "one of them."
        )
        raise CorpusError(msg)
    lines = group_by(_list_lines(scores), lambda line: line.scorer)
    natives = []
    for scorer in scores.scorers:
        # What checks judges, such as degraded outputs, is of a kind but not called after it.
        named = any(one.name == one.kind == scorer.kind for one in scores.scorers)
        if scorer.human and named and scorer.name != scorer.kind:
            continue
        mine = lines.get(scorer.name, [])
        larger = [line for line in mine if line.item.level != "segment"]
        places = group_by(
            larger or mine, lambda line: (line.judge, line.item.document, line.system)
        )
        kind: MeasureKind = "automated" if scorer.kind == "metric" else ""
        natives += [
            NativeScore(
                *(scorer.name, *place, fmean(line.value for line in values)),
                higher_is_better=scorer.higher_is_better,
                kind="human" if scorer.human else kind,
            )
            for place, values in places.items()
        ]
    return natives


class _ScoreLine(NamedTuple):
    """One line of a table of scores, with names instead of numbers."""

    scorer: str
    judge: str
    item: ScoredItem
    system: str
    value: float


def _list_lines(scores: Scores) -> Iterator[_ScoreLine]:
    columns = (scores.scorer, scores.judge, scores.item, scores.system, scores.value)
    names = scores.names
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for scorer, judge, item, system, value in rows:
        judge_name = scores.judges[judge] if judge >= 0 else ""
        place = scores.items[item]
        yield _ScoreLine(
            names[scorer], judge_name, place, scores.systems[system], value
        )


def _is_export(head: FileHead) -> bool:
    if head.is_folder or head.path == STDIN or not zipfile.is_zipfile(head.path):
        return False
    return _JUDGEMENTS in list_zip(head.path, head.path)


def _has_columns(*names: str) -> Callable[[FileHead], bool]:
    return lambda head: {*names} <= {column.strip().lower() for column in head.columns}


def _is_store(head: FileHead) -> bool:
    return head.content.startswith(b"SQLite format 3\0")


def _refuse_store(path: str) -> list[NativeScore]:
    msg = f"{format_path(path)} is a store of campaigns; give it with `store`."
    raise FormatError(msg)


_JUDGED = ("system", "document", "judge", "scorer", "kind", "hundred")
#: The first that a file looks like reads it; other files are tables of scores.
_FORMATS = (
    EvaluatorFormat(_is_store, _refuse_store),
    EvaluatorFormat(_is_export, _read_zip),
    EvaluatorFormat(_has_columns(*RESULT_COLUMNS), _read_results),
    EvaluatorFormat(_has_columns(*_JUDGED, "value"), _read_tabs),
    EvaluatorFormat(_has_columns(*_JUDGED, "native"), _read_spreadsheet),
    EvaluatorFormat(is_judgements, _read_judgements),
    EvaluatorFormat(is_printed_table, _read_printed),
)
