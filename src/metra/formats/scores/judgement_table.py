"""What people thought of outputs: a table of a system, a segment and a score a line.

The scores that `metra judge export` writes are read too: of several questions the last one,
between 0 and 100, without what does not count for systems.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from metra.errors import FormatError, UnknownNameError, no_such
from metra.formats.lines import LineReader
from metra.formats.stream import format_path

NEEDED = ("system", "segment", "score")
OPTIONAL = ("document", "judge")
#: The columns of a campaign's scores; where scorer and kind differ, a line is a check.
_CAMPAIGN = ("system", "segment", "scorer", "kind", "hundred")


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """One person's score of one output; segments are counted from 1."""

    system: str
    segment: int
    score: float
    document: str | None = None
    judge: str | None = None
    #: Where it stands in its file, counted from 1.
    line: int = 0


def is_judgement_table(header: str) -> bool:
    """Tell from its first line whether a file is a table that is read here."""
    names = set(header.split("\t"))
    return set(NEEDED) <= names or set(_CAMPAIGN) <= names


def read_judgements(path: str, question: str | None = None) -> list[TableJudgement]:
    """Read tab-separated judgements with a header; columns may come in any order.

    `question` chooses one of a campaign's several.
    """
    with closing(LineReader(path)) as lines:
        return parse_judgements(_read_lines(lines), format_path(path), question)


def parse_judgements(
    lines: Iterable[str], path: str, question: str | None = None
) -> list[TableJudgement]:
    """Take judgements from the lines of a table; `path` says in errors where they are from."""
    rows = iter(lines)
    header = next(rows, "")
    names = header.split("\t") if header else []
    campaign = set(_CAMPAIGN) <= set(names) and "score" not in names
    if campaign:
        names[names.index("hundred")] = "score"
    _check_header(names, path)
    by_scorer: dict[str, list[TableJudgement]] = {}
    for scorer, judgement in _parse_rows(rows, names, 2, path):
        by_scorer.setdefault(scorer if campaign else "", []).append(judgement)
    if not by_scorer:
        msg = f"{path} has a header and no judgements; expected one a line."
        raise FormatError(msg)
    return by_scorer[choose_question(list(by_scorer), question)]


def choose_question(questions: Sequence[str], wanted: str | None) -> str:
    """The question that is wanted; the last if none is, because the first ones lead to it."""
    if wanted is None:
        return questions[-1]
    if wanted not in questions:
        raise UnknownNameError(no_such("question", wanted, questions))
    return wanted


def _read_lines(lines: LineReader) -> Iterator[str]:
    while len(text := lines.read(4096)):
        for at in range(len(text)):
            yield str(text[at])


def _check_header(names: list[str], path: str) -> None:
    lacking = [name for name in NEEDED if name not in names]
    if lacking or len(set(names)) < len(names):
        listed = ", ".join(names) or "nothing"
        msg = (
            f"{path}, line 1 names the columns {listed}; expected {', '.join(NEEDED)} "
            f"and, if you like, {' and '.join(OPTIONAL)}, each once, between tabs."
        )
        raise FormatError(msg)


def _parse_rows(
    rows: Iterator[str], names: list[str], first: int, path: str
) -> Iterator[tuple[str, TableJudgement]]:
    for line, row in enumerate(rows, first):
        cells = row.split("\t")
        if len(cells) != len(names):
            msg = (
                f"{path}, line {line} has {len(cells)} columns but the header has "
                f"{len(names)}; each line needs as many tabs as the header."
            )
            raise FormatError(msg)
        entry = dict(zip(names, cells, strict=True))
        scorer = entry.get("scorer", "")
        if "kind" in entry and "scorer" in entry and scorer != entry["kind"]:
            continue
        yield (
            scorer,
            TableJudgement(
                entry["system"],
                _parse_segment(entry["segment"], path, line),
                _parse_score(entry["score"], path, line),
                entry.get("document"),
                entry.get("judge"),
                line,
            ),
        )


def _parse_segment(cell: str, path: str, line: int) -> int:
    if not (cell.isascii() and cell.isdecimal() and 0 < int(cell) < 10**15):
        msg = (
            f"{path}, line {line} has the segment {cell!r}; expected its number, "
            "counted from 1 through the whole test set."
        )
        raise FormatError(msg)
    return int(cell)


def _parse_score(cell: str, path: str, line: int) -> float:
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        msg = f"{path}, line {line} has the score {cell!r}; expected a number."
        raise FormatError(msg)
    return score
