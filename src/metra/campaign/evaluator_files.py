"""Files that evaluators hand in: scores and judgements in any format, with their evaluators.

A file is the output of `metra score` (JSON, TSV or a printed table), a table of results from
0 to 100, an export of `metra judge`, or any other file of scores that `metra meta` reads.
"""

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import NamedTuple

import numpy as np

from metra.campaign.judgement_files import ALL_SCORE_FORMATS
from metra.errors import CorpusError, FormatError
from metra.formats.annotations.table import read_annotation_table
from metra.formats.compression import list_zip, read_zip
from metra.formats.recognise import FileHead, recognise
from metra.formats.stream import (
    STDIN,
    format_path,
    name_system,
    refuse_damage,
    split_named_path,
)
from metra.scores.columns import is_number, read_score_head, read_score_table
from metra.scores.judgement_jsonl import parse_judgement_scores
from metra.scores.metra import is_printed_table, read_printed_table
from metra.scores.registry import SCORE_FORMATS, read_scores
from metra.scores.table import ITEM_KINDS, ScoredItem, Scorer, Scores, drop_nameless
from metra.stats.arrays import number_names

#: The columns of a table of results.
RESULT_COLUMNS = ("metric", "evaluator", "text", "translation", "score")
#: A missing score in a table of results.
_MISSING = "n/a"
#: The file of a campaign's export that has all its answers.
_JUDGEMENTS = "judgements.jsonl"


def read_evaluator_files(paths: Iterable[str]) -> dict[str, Scores]:
    """Read what evaluators handed in, by file; `EVALUATOR=FILE` names its evaluator.

    Without a name the judges of the file are the evaluators or, if it names none, an
    evaluator called after the file.
    """
    tables: dict[str, Scores] = {}
    for path in paths:
        evaluator, file = split_named_path(path)
        place = format_path(file)
        # One file may be handed in by two evaluators.
        tables[path if place in tables else place] = read_evaluator_file(
            file, evaluator or ""
        )
    return tables


def read_evaluator_file(path: str, evaluator: str = "") -> Scores:
    """Read one file; `evaluator` is the judge of its scores if it names none."""
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
    if not len(scores):
        msg = (
            f"{format_path(path)} has no scores; expected those of at least one system."
        )
        raise FormatError(msg)
    if evaluator and scores.judges:
        names = ", ".join(sorted(scores.judges))
        msg = (
            f"{format_path(path)} already names its evaluators ({names}); remove "
            f"{evaluator!r}."
        )
        raise CorpusError(msg)
    if len(scores.languages) > 1:
        names = ", ".join(filter(None, scores.languages))
        msg = (
            f"{format_path(path)} has several language pairs ({names}); give a file with "
            "one of them."
        )
        raise CorpusError(msg)
    judges = *scores.judges, evaluator or name_system(path)
    judge = np.where(scores.judge < 0, len(scores.judges), scores.judge)
    return replace(scores, judges=judges, judge=judge).compact()


class EvaluatorFormat(NamedTuple):
    """A kind of file that evaluators hand in: its recogniser and its reader."""

    looks_like: Callable[[FileHead], bool]
    read: Callable[[str], Scores]


class _ScoreLine(NamedTuple):
    scorer: str
    judge: str
    item: ScoredItem
    system: str
    value: float
    hundred: float
    reason: str = ""
    kind: str = ITEM_KINDS[0]


def _build_scores(
    lines: Sequence[_ScoreLine],
    kinds: Mapping[str, str],
    flags: Mapping[str, tuple[str, ...]] | None = None,
) -> Scores:
    """Build the table of lines; `kinds` are those of the scorers."""
    columns = list(zip(*lines, strict=True)) or [()] * len(_ScoreLine._fields)
    scorers, scorer = number_names(columns[0])
    judges, judge = drop_nameless(*number_names(columns[1]))
    items, item = number_names(columns[2])
    systems, system = number_names(columns[3])
    reasons, reason = drop_nameless(*number_names(columns[6]))
    kind = np.array([ITEM_KINDS.index(each) for each in columns[7]], np.int64)
    return Scores(
        *(systems, items, tuple(Scorer(name, kinds.get(name, "")) for name in scorers)),
        judges,
        *(system, item, scorer, judge),
        np.array(columns[4], np.float64),
        hundred=np.array(columns[5], np.float64),
        kind=kind if kind.any() else np.empty(0, np.int64),
        reason=reason,
        reasons=reasons,
        flags=flags or {},
    )


def _read_results(path: str) -> Scores:
    """Read a table of results, or of the scores of a campaign's texts."""
    columns = {*RESULT_COLUMNS, "items", "native", "reason", "kind"}
    table = read_annotation_table(path, RESULT_COLUMNS, columns)
    lines, kinds = [], dict[str, str]()
    for row in table.rows:
        cells = row.cells
        if cells["evaluator"] == "all":  # the mean of judges that exports add
            continue
        reason = ""
        numbers = [cells["score"], cells.get("native", "") or cells["score"]]
        if _MISSING in numbers:
            reason = cells.get("reason", "") or "the reason is missing"
        elif not all(map(is_number, numbers)):
            wrong = next(cell for cell in numbers if not is_number(cell))
            expected = f"expected a number from 0 to 100, or {_MISSING}"
            raise table.error(row, f"the score is {wrong!r}", expected)
        hundred, value = (nan, nan) if reason else map(float, numbers)
        for name in ("metric", "evaluator", "translation"):
            if not cells[name]:
                expected = f"every line needs a {name}"
                raise table.error(row, f"there is no {name}", expected)
        kind = cells.get("kind", "").lower()
        if kind not in ("", "human", "automated"):
            expected = "expected human or automated"
            raise table.error(row, f"the kind is {cells['kind']!r}", expected)
        if kind:
            kinds[cells["metric"]] = "metric" if kind == "automated" else kind
        item = ScoredItem(document=cells["text"])
        place = cells["metric"], cells["evaluator"], item, cells["translation"]
        lines.append(_ScoreLine(*place, value, hundred, reason))
    return _build_scores(lines, kinds)


def _read_zip(path: str) -> Scores:
    text = read_zip(path, path, _JUDGEMENTS.__eq__)[_JUDGEMENTS].decode()
    place = f"{format_path(path)}, {_JUDGEMENTS}"
    return parse_judgement_scores(text.split("\n"), place)


def _read_judged(path: str) -> Scores:
    """Read a campaign's table of scores, or its spreadsheet."""
    table = read_score_table(path)
    is_sheet = "native" in table.header
    native = "native" if is_sheet else "value"
    lines, flags = [], dict[str, tuple[str, ...]]()
    for number, cells in table.rows:
        row = dict(zip(table.header, cells, strict=True))
        # In the table, checks of judges are scorers that are not called after their kind.
        if not row["scorer"] or (not is_sheet and row["scorer"] != row["kind"]):
            continue
        reason = row.get("reason", "")
        for name in (native, "hundred") if not reason else ():
            if not is_number(row[name]):
                problem = f"{table.path}, line {number}: {name} is {row[name]!r}"
                msg = f"{problem}; expected a number."
                raise FormatError(msg)
        values = (nan, nan) if reason else (float(row[native]), float(row["hundred"]))
        item = ScoredItem(row["segment"], row["document"])
        place = row["scorer"], row["judge"], item, row["system"]
        kind = row["kind"] if is_sheet else ITEM_KINDS[0]
        lines.append(_ScoreLine(*place, *values, reason, kind))
        if row.get("flags"):
            flags[row["judge"]] = tuple(row["flags"].split("; "))
    return _build_scores(lines, {line.scorer: line.scorer for line in lines}, flags)


def _read_other_scores(path: str) -> Scores:
    """Read scores without checks of judges: scorers of a kind but not called after it."""
    scores = read_scores(path, formats=ALL_SCORE_FORMATS)
    named = {scorer.name for scorer in scores.scorers if scorer.name == scorer.kind}
    return scores.only(
        scorers=[
            scorer.name
            for scorer in scores.scorers
            if not scorer.human or scorer.kind not in named or scorer.name in named
        ]
    )


def _is_export(head: FileHead) -> bool:
    if head.is_folder or head.path == STDIN or not zipfile.is_zipfile(head.path):
        return False
    return _JUDGEMENTS in list_zip(head.path, head.path)


def _has_columns(*names: str) -> Callable[[FileHead], bool]:
    return lambda head: {*names} <= {column.strip().lower() for column in head.columns}


def _is_store(head: FileHead) -> bool:
    return head.content.startswith(b"SQLite format 3\0")


def _refuse_store(path: str) -> Scores:
    msg = f"{format_path(path)} is a store of campaigns; give it with `store`."
    raise FormatError(msg)


_JUDGED = ("system", "document", "segment", "judge", "scorer", "kind", "hundred")
#: The first that a file looks like reads it; other files are tables of scores.
_FORMATS = (
    EvaluatorFormat(_is_store, _refuse_store),
    EvaluatorFormat(_is_export, _read_zip),
    EvaluatorFormat(_has_columns(*RESULT_COLUMNS), _read_results),
    EvaluatorFormat(_has_columns(*_JUDGED, "value"), _read_judged),
    EvaluatorFormat(_has_columns(*_JUDGED, "native"), _read_judged),
    EvaluatorFormat(is_printed_table, read_printed_table),
)
