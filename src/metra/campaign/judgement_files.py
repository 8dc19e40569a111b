"""Judgements in any format that metra reads, as reports take them: a score for an output.

Judgements as metra exports them, in JSON lines: the last revisions' scores.
"""

from contextlib import closing
from pathlib import Path

import numpy as np

from metra.campaign.files import jsonl, tables
from metra.errors import FormatError
from metra.formats.scores.judgement_table import (
    TableJudgement,
    choose_question,
    is_judgement_table,
    parse_judgements,
    read_judgements,
)
from metra.formats.scores.long_table import ROLES, build_scores
from metra.formats.scores.read import read_scores, recognise_score_format
from metra.formats.scores.record import Scores
from metra.formats.stream import STDIN, ByteStream, format_path
from metra.formats.table import find_columns, parse_numbers

_HEAD = 1 << 16


def read_question(path: str, question: str | None = None) -> list[TableJudgement]:
    """Read judgements; of several questions the last, unless `question` names one.

    Where less is better, as with the costs of MQM, scores are turned round by their sign.
    """
    if path == STDIN or is_judgement_table(_first_line(path)):
        return read_judgements(path, question)
    if recognise_score_format(path) == "metra-judgements":
        with closing(ByteStream(path)) as stream:
            content = b"".join(iter(stream.read, b""))
        answers = jsonl.read(content.decode("utf-8-sig"), format_path(path))
        lines = tables.write_long_table(answers).split("\n")[:-1]
        return parse_judgements(lines, format_path(path), question)
    return _convert_scores(read_scores(path), path, question)


def _first_line(path: str) -> str:
    if Path(path).is_dir():
        return ""
    with closing(ByteStream(path)) as stream:
        head = stream.read(_HEAD).decode("utf-8-sig", errors="replace")
    return head.partition("\n")[0].rstrip("\r")


def _convert_scores(
    scores: Scores, path: str, question: str | None
) -> list[TableJudgement]:
    # What checks judges, such as spoilt outputs, is of a kind but not called after it.
    people = [one for one in scores.scorers if one.human]
    named = [one for one in people if one.name == one.kind] or people
    if not named:
        names = ", ".join(scores.names)
        msg = (
            f"{format_path(path)} has scores of {names}, but no judgements of people; "
            "expected a kind of judgement."
        )
        raise FormatError(msg)
    code = scores.find(choose_question([one.name for one in named], question))
    given = (scores.scorer == code) & np.isfinite(scores.value)
    found = [
        _judgement(scores, line, path)
        for line in np.flatnonzero(given).tolist()
        if scores.items[scores.item[line]].segment
    ]
    if not found:
        msg = (
            f"{format_path(path)} has judgements of whole systems or documents only; expected "
            "some of segments."
        )
        raise FormatError(msg)
    return found


def _judgement(scores: Scores, line: int, path: str) -> TableJudgement:
    item = scores.items[scores.item[line]]
    if not (item.segment.isascii() and item.segment.isdecimal()):
        msg = (
            f"{format_path(path)} calls a segment {item.segment!r}; expected its "
            "number, counted "
            "from 1 through the whole test set."
        )
        raise FormatError(msg)
    value = float(scores.value[line])
    higher_is_better = scores.scorers[scores.scorer[line]].higher_is_better
    judge = int(scores.judge[line])
    return TableJudgement(
        system=scores.systems[scores.system[line]],
        segment=int(item.segment),
        score=value if higher_is_better else -value,
        document=item.document or None,
        judge=scores.judges[judge] if judge >= 0 else None,
        line=line + 1,
    )


def read(path: str) -> Scores:
    """Read the scores of all answers, checks as scorers of their own."""
    with closing(ByteStream(path)) as stream:
        content = b"".join(iter(stream.read, b""))
    judgements = jsonl.read(content.decode("utf-8-sig"), format_path(path))
    header, *rows = (
        line.split("\t")
        for line in tables.write_long_table(judgements).split("\n")[:-1]
    )
    if not rows:
        why = {
            reason
            for said in tables.count_undefined(judgements).values()
            for reason in said
        }
        because = f": {'; '.join(sorted(why))}" if why else ""
        msg = f"{format_path(path)} has judgements but no score in them{because}."
        raise FormatError(msg)
    found = find_columns(header)
    columns = list(zip(*rows, strict=True))
    return build_scores(
        {
            role: columns[found[role]] if role in found else [""] * len(rows)
            for role in ROLES
        },
        parse_numbers(columns[found["value"]], path, "the value"),
        path,
    )
