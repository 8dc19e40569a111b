"""Judgements of one question: a table of a system, a segment and a score a line.

The table of a campaign's scores is read too: of several questions the last one, between 0
and 100, without what does not count for systems. All give the record of scores with one
scorer, of which higher values are better.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from metra.errors import FormatError, UnknownNameError, no_such
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path
from metra.formats.table import DelimitedTable, parse_table
from metra.scores.columns import (
    describe_expected_number,
    is_number,
    read_score_table,
)
from metra.scores.table import ScoredItem, Scorer, Scores, build_score_table
from metra.stats.direction import HIGHER

NEEDED = ("system", "segment", "score")
OPTIONAL = ("document", "judge")
#: The columns of a campaign's scores; where scorer and kind differ, a line is a check.
_CAMPAIGN = ("system", "segment", "scorer", "kind", "hundred")


def is_judgement_table(head: FileHead) -> bool:
    """Tell from its first line whether a file is a table that is read here."""
    names = set(head.columns)
    return set(NEEDED) <= names or set(_CAMPAIGN) <= names


def read_judgement_table(path: str, question: str | None = None) -> Scores:
    """Read a table of judgements with a header; columns may come in any order.

    `question` chooses one of a campaign's several.
    """
    return _build_scores(read_score_table(path), path, question)


def parse_judgement_table(
    lines: Iterable[str], path: str, question: str | None = None
) -> Scores:
    """Parse lines of tab-separated judgements; `path` is for messages."""
    return _build_scores(parse_table(lines, path), path, question)


def _build_scores(table: DelimitedTable, path: str, question: str | None) -> Scores:
    place = format_path(path)
    names = list(table.header)
    is_campaign = set(_CAMPAIGN) <= set(names) and "score" not in names
    if is_campaign:
        names[names.index("hundred")] = "score"
    _check_header(names, place)
    by_scorer: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for line, cells in table.rows:
        entry = dict(zip(names, cells, strict=True))
        if "kind" in entry and "scorer" in entry and entry["scorer"] != entry["kind"]:
            continue
        where = f"{place}, line {line}"
        entry["segment"] = str(_parse_segment(entry["segment"], where))
        if not is_number(entry["score"]):
            expected = describe_expected_number(entry["score"])
            msg = f"{where} has the score {entry['score']!r}; {expected}."
            raise FormatError(msg)
        scorer = entry["scorer"] if is_campaign else ""
        by_scorer.setdefault(scorer, []).append((line, entry))
    if not by_scorer:
        msg = f"{place} has a header but no judgements; expected one per line."
        raise FormatError(msg)
    name = choose_question(list(by_scorer), question)
    entries = [entry for _, entry in by_scorer[name]]
    scores = build_score_table(
        [entry["system"] for entry in entries],
        [ScoredItem(entry["segment"], entry.get("document", "")) for entry in entries],
        {Scorer(name, name or "human"): [float(entry["score"]) for entry in entries]},
        [entry.get("judge", "") for entry in entries],
    )
    return replace(scores, line=np.array([line for line, _ in by_scorer[name]]))


def choose_question(questions: Sequence[str], wanted: str | None) -> str:
    """Return the wanted question, or the last, because the first ones lead to it."""
    if wanted is not None and wanted not in questions:
        raise UnknownNameError(no_such("question", wanted, questions))
    return questions[-1] if wanted is None else wanted


def select_question(scores: Scores, path: str, question: str | None = None) -> Scores:
    """Keep people's judgements of segments by one question, higher values the better.

    `path` is for messages.
    """
    place = format_path(path)
    # What checks judges, such as degraded outputs, is of a kind but not called after it.
    people = [scorer for scorer in scores.scorers if scorer.human]
    named = [scorer for scorer in people if scorer.name == scorer.kind] or people
    if not named:
        names = ", ".join(scores.names)
        problem = f"{place} has scores of {names}, but no human judgements"
        msg = f"{problem}; expected human scores, such as da or mqm."
        raise FormatError(msg)
    name = choose_question([scorer.name for scorer in named], question)
    is_segment = np.array([bool(item.segment) for item in scores.items], bool)
    numbered = replace(scores, line=np.arange(1, len(scores) + 1))
    selected = numbered.keep_lines(is_segment[scores.item]).only(scorers=[name])
    if not len(selected):
        problem = f"{place} has only system or document judgements"
        msg = f"{problem}; expected segment judgements."
        raise FormatError(msg)
    for segment, *_ in selected.items:
        if not (segment.isascii() and segment.isdecimal() and int(segment)):
            expected = "expected its number, counted from 1 through the whole test set"
            msg = f"{place} calls a segment {segment!r}; {expected}."
            raise FormatError(msg)
    [scorer] = selected.scorers
    return replace(
        selected,
        scorers=(scorer._replace(direction=HIGHER),),
        value=scorer.direction.orient(selected.value),
    )


def _check_header(names: list[str], path: str) -> None:
    lacking = [name for name in NEEDED if name not in names]
    if lacking or len(set(names)) < len(names):
        listed = ", ".join(names) or "nothing"
        msg = (
            f"{path}, line 1 names the columns {listed}; expected {', '.join(NEEDED)} "
            f"and optionally {' and '.join(OPTIONAL)}, each once."
        )
        raise FormatError(msg)


def _parse_segment(cell: str, place: str) -> int:
    if not (cell.isascii() and cell.isdecimal() and 0 < int(cell) < 10**15):
        expected = "expected its number, counted from 1 through the whole test set"
        msg = f"{place} has the segment {cell!r}; {expected}."
        raise FormatError(msg)
    return int(cell)
