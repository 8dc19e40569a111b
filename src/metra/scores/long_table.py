"""Tables of scores: long ones with a line for each value, and wide ones with more.

A long table names the scorer in a column of its own; JSON lines have an object for each
value, with the names of a long table's columns. A matrix has a line for each system (and
segment) and a column for each scorer. Judgements are written as a spreadsheet for people,
in which cells that would run as formulas have an apostrophe before them.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from metra.errors import FormatError
from metra.formats.headed_table import MISSING, is_number
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path
from metra.formats.table import (
    escape_formula,
    format_rows,
    replace_line_breaks,
    split_rows,
)
from metra.scores.columns import (
    ScoreColumns,
    find_columns,
    guess_direction,
    parse_numbers,
    read_columns,
    read_score_head,
    require_columns,
)
from metra.scores.judgement import (
    UNSCORED,
    Judgement,
    find_outputs,
    has_scores,
    mark_compared,
)
from metra.scores.table import (
    ITEM_KINDS,
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.stats.arrays import Array
from metra.stats.direction import HIGHER, LOWER, Direction

#: Columns that say what a line is about rather than how good it is.
_ABOUT = ("system", "segment", "document", "judge", "domain", "lang", "kind")
ROLES = (*_ABOUT, "scorer", "direction", "flags", "reason")
#: How a direction is written; a number is a target.
_DIRECTIONS = {
    **dict.fromkeys(("", "true", "yes", "1", "higher", "up"), HIGHER),
    **dict.fromkeys(("false", "no", "0", "lower", "down"), LOWER),
}
_KINDS = re.compile(
    r"(mqm|da|esa|esaai|sqm|adequacy|fluency|hter|human|raw|z)(?:[-_. ].*|\d*)",
    re.IGNORECASE,
)
#: The columns of a table of scores, and of one of judgements, as we write them.
SCORE_COLUMNS = (
    *("system", "segment", "document", "scorer", "value", "judge", "kind", "domain"),
    *("lang", "higher_is_better"),
)
JUDGEMENT_COLUMNS = (
    *("system", "scorer", "value", "segment", "document", "judge", "kind", "lang"),
    *("higher_is_better", "hundred", "item_type", "flags", "answer", "reason"),
)


def build_matrix(table: ScoreColumns, units: Sequence[str] = ()) -> Scores:
    """Take every column of numbers for a scorer, named by its heading.

    A column whose first entry is no number is a label, such as a comment; it is left
    alone. Once a column is one of numbers, anything else in it is an error. A column judge
    that does not name judges has the scores of a model that judged.
    """
    if _has_judge_scores(table):
        roles = {role: at for role, at in table.roles.items() if role != "judge"}
        table = replace(table, roles=roles)
    path, kinds = table.path, table.item_kinds
    labels = (*_ABOUT, *(["check"] if kinds else []))
    about = {role: index for role, index in table.roles.items() if role in labels}
    if "judge" not in about:  # what judges judged need not be of several systems
        require_columns(about, ("system",), path, "a table of scores")
    values: dict[Scorer, Array] = {}
    headings = zip(table.header, table.columns, strict=True)
    for index, (heading, cells) in enumerate(headings):
        name = heading.strip()
        is_label = not name or index in about.values() or name in units
        if not is_label and _is_scorer(cells):
            numbers = parse_numbers(cells, path, heading)
            if name in {scorer.name for scorer in values}:
                msg = f"{format_path(path)} has two columns {name}; rename one of them."
                raise FormatError(msg)
            kind = guess_scorer_kind(name)
            values[Scorer(name, kind, _infer_known(name, numbers))] = numbers
    if not values:
        listed = ", ".join(heading.strip() for heading in table.header)
        msg = (
            f"{format_path(path)} has no column of numbers among {listed}; expected one "
            "for each scorer."
        )
        raise FormatError(msg)
    return _build_wide(table, values, kinds, units)


def _build_wide(
    table: ScoreColumns,
    values: Mapping[Scorer, Array],
    kinds: Sequence[str] | None,
    units: Sequence[str] = (),
) -> Scores:
    systems, judges = table.get("system"), table.get("judge")
    items, line = table.name_items(units), np.arange(table.rows) + table.first
    return build_score_table(systems, items, values, judges, kinds, line=line)


def guess_scorer_kind(name: str) -> str:
    """Tell judgements from metrics by the names that judgements go by.

    >>> guess_scorer_kind("ESA-1"), guess_scorer_kind("da_z"), guess_scorer_kind("BLEU")
    ('esa', 'da', '')
    """
    match = _KINDS.fullmatch(name)
    return match[1].lower() if match else ""


def _has_judge_scores(table: ScoreColumns) -> bool:
    """Return True if judges have fractions for names, or are the only numbers."""
    judges = [cell for cell in table.get("judge") if cell not in MISSING]
    if not judges or not all(map(is_number, judges)):
        return False
    places = {*table.roles.values()}
    others = (cells for at, cells in enumerate(table.columns) if at not in places)
    is_whole = all(float(judge).is_integer() for judge in judges)
    named = table.roles.keys() & {"value", "scorer"}
    return not is_whole or not (named or any(map(_is_scorer, others)))


def _is_scorer(cells: tuple[str, ...]) -> bool:
    first = next((cell for cell in cells if cell not in MISSING), "")
    # No score is infinite, but a column that begins so is one of scores, and so is one
    # with a decimal comma.
    number = first.strip("+-−% ").lower()
    spellings = number.replace(",", ".", 1), number.replace(",", "")
    return any(map(is_number, spellings)) or number in ("inf", "infinity")


def build_long_table(table: ScoreColumns, units: Sequence[str] = ()) -> Scores:
    """Take columns system, scorer, value and, as far as there, segment, document, judge,
    kind, domain, lang, higher_is_better, item_type, hundred and flags; other columns are
    left alone, unless they are units, which tell segments apart.
    """
    headings = [heading.strip() for heading in table.header]
    if {*JUDGEMENT_COLUMNS} <= {*headings}:  # a campaign's explains missing scores
        roles = table.roles | {"reason": headings.index("reason")}
        table = replace(table, roles=roles)
    return _build_long(table, units)


class TableFormat(NamedTuple):
    """A format of tables with fixed headings, which are given in small letters."""

    name: str
    #: The headings that a file is recognised by: all of one of these groups.
    headings: tuple[Sequence[str], ...]
    #: Headings of each role, the first that exists; others have their usual names.
    columns: Mapping[str, Sequence[str]] = {}
    #: Scorers by the headings of their values; none if a column names the scorer.
    scorers: Mapping[str, Scorer] = {}
    #: Roles that no row may leave empty, beside system and scorer.
    needed: Sequence[str] = ()
    #: Kinds of scorers, and of items, by the words of the table in small letters.
    kinds: Mapping[str, str] = {}
    item_kinds: Mapping[str, str] = {}
    #: A judge whose rows are dropped, such as the mean of judges.
    without_judge: str = ""

    def looks_like(self, head: FileHead) -> bool:
        """Tell a file by its headings."""
        headings_read = {column.strip().lower() for column in head.columns}
        return any({*headings} <= headings_read for headings in self.headings)

    def read(self, path: str) -> Scores:
        """Read a file."""
        table = read_columns(path)
        names = [name.strip().lower() for name in table.header]
        chosen = {
            role: next((heading for heading in headings if heading in names), "")
            for role, headings in self.columns.items()
        }
        roles = find_columns(names, {role: one for role, one in chosen.items() if one})
        table = replace(table, roles=roles)
        if not self.scorers:
            return self._read_long(table)
        if not any({*headings} <= {*names} for headings in self.headings):
            expected = ", or ".join(" ".join(each) for each in self.headings)
            listed = " ".join(table.header)
            msg = f"{format_path(path)} has columns {listed}; expected {expected}."
            raise FormatError(msg)
        values = {
            scorer: parse_numbers(table.find(heading), path, heading)
            for heading, scorer in self.scorers.items()
            if heading in names
        }
        return _build_wide(table, values, self._find_item_kinds(table))

    def _find_item_kinds(self, table: ScoreColumns) -> list[str] | None:
        if not self.item_kinds or "check" not in table.roles:
            return None
        words = table.get("check")
        for word in sorted({*words}):
            if word.lower() not in self.item_kinds:
                problem = (
                    f"{format_path(table.path)} has judgements of the type {word!r}"
                )
                msg = f"{problem}; expected {', '.join(self.item_kinds)}."
                raise FormatError(msg)
        return [self.item_kinds[word.lower()] for word in words]

    def _read_long(self, table: ScoreColumns) -> Scores:
        scores = _build_long(table, needed=self.needed, words=self.kinds)
        if not len(scores):
            msg = f"{format_path(table.path)} has rows, but no scores in them."
            raise FormatError(msg)
        if self.without_judge not in scores.judges:
            return scores
        is_dropped = scores.judge == scores.judges.index(self.without_judge)
        return scores.keep_lines(~is_dropped).compact()


def _build_long(
    table: ScoreColumns,
    units: Sequence[str] = (),
    *,
    needed: Sequence[str] = (),
    words: Mapping[str, str] = MappingProxyType({}),
) -> Scores:
    path = table.path
    require_columns(table.roles, ("system", "scorer", "value"), path, "a long table")
    by_role = {role: table.get(role) for role in ROLES}
    about = zip(*table.name_items(units), strict=True)
    by_role |= dict(zip(ScoredItem._fields, about, strict=True))
    values: Any = table.parse("value")
    hundred = table.parse("hundred")
    if hundred is not None:
        values = np.where(np.isfinite(values), values, hundred)
        values = np.where(np.isfinite(hundred), values, np.nan)
    is_used = np.isfinite(values) | np.array([bool(why) for why in by_role["reason"]])
    for role in ("system", "scorer", *needed):
        rows = np.flatnonzero(is_used & (np.array(by_role[role]) == ""))
        if len(rows):
            place = f"{format_path(path)}, line {rows[0] + table.first}"
            name = table.header[table.roles[role]].strip()
            msg = f"{place} has no {name}; every line needs one."
            raise FormatError(msg)
    if words:
        by_role["kind"] = [_translate_kind(k, words, path) for k in by_role["kind"]]
    scores = build_scores(
        *(by_role, values, path),
        kinds=table.item_kinds,
        hundred=hundred,
        first=table.first,
    )
    answers = table.get("answer")
    if "answer" not in table.roles or not all(map(str.isdecimal, answers)):
        return scores
    numbers = np.array([*map(int, answers)], np.int64)
    return mark_compared(replace(scores, answer=numbers[scores.line - table.first]))


def _translate_kind(cell: str, words: Mapping[str, str], path: str) -> str:
    if cell and cell.lower() not in words:
        expected = " or ".join(words)
        msg = f"{format_path(path)}: the kind is {cell!r}; expected {expected}."
        raise FormatError(msg)
    return words.get(cell.lower(), "")


def build_scores(
    columns: Mapping[str, Sequence[str]],
    values: Array,
    path: str,
    *,
    kinds: Sequence[str] | None = None,
    hundred: Array | None = None,
    first: int = 2,
) -> Scores:
    """Build a table of parallel columns by role, a line a value from line `first` on."""
    names = columns["scorer"]
    kinds = kinds or ["judged"] * len(names)
    by_scorer: dict[Scorer, list[int]] = {}
    scorers = zip(names, columns["kind"], columns["direction"], strict=True)
    for row, (name, kind, direction) in enumerate(scorers):
        parsed = parse_direction(direction)
        if parsed is None:
            msg = (
                f"{format_path(path)}, line {row + first}: the direction is {direction!r}; "
                "expected true or false, higher or lower, or a target such as target=100."
            )
            raise FormatError(msg)
        kind = kind or guess_scorer_kind(name)
        scorer = Scorer(name, kind, parsed, bool(direction))
        by_scorer.setdefault(scorer, []).append(row)
    items = list(map(ScoredItem, *(columns[role] for role in ScoredItem._fields)))
    tables = []
    for scorer, rows in by_scorer.items():
        optional: dict[str, Any] = {"line": np.array(rows) + first}
        inferred = _infer_known(scorer.name, values[rows])
        if hundred is not None:
            optional["hundred"] = hundred[rows]
            inferred = _infer_direction(values[rows], hundred[rows])
        if not scorer.is_declared:
            scorer = scorer._replace(direction=inferred)
        cells = columns["system"], items, columns["judge"], kinds, columns["reason"]
        parts: Any = ([column[row] for row in rows] for column in cells)
        systems, scored, judges, item_kinds, reasons = parts
        tables.append(
            build_score_table(
                *(systems, scored, {scorer: values[rows]}, judges, item_kinds, reasons),
                **optional,
            )
        )
    pairs = dict.fromkeys(zip(columns["judge"], columns["flags"], strict=True))
    flags = {judge: tuple(why.split("; ")) for judge, why in pairs if why}
    return replace(concatenate_scores(tables), flags=flags)


def _infer_known(name: str, values: Array) -> Direction:
    return LOWER if guess_direction(name, values) is False else HIGHER


def _infer_direction(values: Array, hundred: Array) -> Direction:
    """Return the direction of values beside the same from 0 to 100, higher if it is open."""
    is_known = np.isfinite(values) & np.isfinite(hundred)
    values, hundred = values[is_known], hundred[is_known]
    slope = np.dot(values - values.mean(), hundred) if len(values) else 0.0
    return LOWER if slope < 0 else HIGHER


def parse_direction(cell: str) -> Direction | None:
    """Parse a direction: true, false, higher, lower or target=NUMBER; None if it is none.

    >>> parse_direction("lower").arrow, parse_direction("target=100").arrow
    ('↓', '→100')
    """
    name, equals, target = cell.lower().partition("=")
    if equals and name.strip() == "target" and is_number(target):
        return Direction(float(target))
    return _DIRECTIONS.get(cell.lower())


def read_named_pairs(path: str) -> dict[str, str]:
    """Read a file with a name, a tab and its class a line; each name once."""
    classes: dict[str, str] = {}
    for line, (name, *labels) in split_rows(read_lines(path)):
        if not labels or name in classes:
            problem = "names a system twice" if labels else "has no tab"
            msg = f"{format_path(path)}, line {line} {problem}; expected NAME, a tab, CLASS."
            raise FormatError(msg)
        classes[name] = "\t".join(labels).strip()
    return classes


def read_ranks(path: str) -> dict[str, float]:
    """Read a ranking: a system, a tab and its rank a line, or a table with these columns."""
    ranks: dict[str, float] = {}
    for line, system, rank in _parse_ranks(path):
        place = f"{path}, line {line}"
        if system in ranks:
            msg = f"{place} ranks {system!r} again; expected each system once."
            raise FormatError(msg)
        if rank < 1:
            msg = f"{place}: the rank is {rank:g}; expected 1 for the best, or more."
            raise FormatError(msg)
        ranks[system] = rank
    return ranks


def _parse_ranks(path: str) -> Iterator[tuple[int, str, float]]:
    """Parse the line, the system and the rank of each row that has a rank."""
    if "rank" in [cell.strip().lower() for cell in read_score_head(path).columns]:
        table = read_columns(path)
        require_columns(table.roles, ("system",), path, "a table of ranks")
        values = parse_numbers(table.find("rank"), path, "the rank").tolist()
        rows = zip(count(table.first), table.get("system"), values, strict=False)
        yield from (row for row in rows if row[2] == row[2])
        return
    for line, (name, *cells) in split_rows(read_lines(path)):
        text = "\t".join(cells)
        if not (name.strip() or cells):
            continue
        if not is_number(text):
            written = "\t".join([name, *cells])
            msg = (
                f"{path}, line {line}: {written!r}; expected a system's name, a tab and its "
                "rank, where 1 is the best."
            )
            raise FormatError(msg)
        yield line, name, float(text)


def list_cells(scores: Scores) -> dict[str, list[str]]:
    """List the cells of each row by the columns that our tables have."""
    items = [scores.items[at] for at in scores.item.tolist()]
    scorers = [scores.scorers[at] for at in scores.scorer.tolist()]
    judges = [(*scores.judges, "")[at] for at in scores.judge.tolist()]
    flags = {judge: "; ".join(why) for judge, why in scores.flags.items()}
    rows = scores.list_rows()
    return {
        "system": [scores.systems[at] for at in scores.system.tolist()],
        "segment": [item.segment for item in items],
        "document": [item.document for item in items],
        "domain": [item.domain for item in items],
        "lang": [item.lang for item in items],
        "scorer": [scorer.name for scorer in scorers],
        "kind": [scorer.kind for scorer in scorers],
        "higher_is_better": [scorer.direction.text for scorer in scorers],
        "value": ["" if row.reason else format_number(row.value) for row in rows],
        "hundred": [format_number(row.hundred) for row in rows],
        "reason": [row.reason for row in rows],
        "judge": judges,
        "flags": [flags.get(judge, "") for judge in judges],
        "item_type": [ITEM_KINDS[at] for at in scores.get_kinds().tolist()],
        "answer": [str(at + 1) for at in scores.answer.tolist()] or [""] * len(scores),
    }


def format_number(value: float | None) -> str:
    """Return all digits of a number, or nothing for NaN and None."""
    return "" if value is None or value != value else repr(value)


def format_long_table(scores: Scores) -> str:
    """Return the scores as tab-separated lines with all digits."""
    cells = list_cells(scores)
    rows = zip(*(cells[name] for name in SCORE_COLUMNS), strict=True)
    return "\n".join(map("\t".join, [SCORE_COLUMNS, *rows]))


def format_judgement_table(scores: Scores) -> str:
    """Return a line for each score of each output, or the reason for having none."""
    cells = list_cells(scores)
    rows = zip(*(cells[name] for name in JUDGEMENT_COLUMNS), strict=True)
    scored = (row for row in rows if has_scores(row[-1]))
    return format_rows([JUDGEMENT_COLUMNS, *scored])


SPREADSHEET_COLUMNS = (
    *("judge", "system", "document", "segment", "kind", "scorer"),
    *("native", "hundred", "reason", "shown_at", "submitted_at", "active_seconds"),
    *("cannot", "wording", "comment", "output", "flags", "lang", "higher_is_better"),
    "answer",
)
UNDEFINED_COLUMNS = (
    *("system", "scorer", "segment", "document", "judge", "native", "reason"),
)


#: Columns of numbers, and of words that cannot look like a formula.
_PLAIN = {
    *("segment", "kind", "native", "hundred", "shown_at", "submitted_at"),
    *("active_seconds", "flags", "lang", "higher_is_better", "answer"),
}
#: Columns that are empty in the row of an answer without scores.
_OF_SCORES = ("scorer", "native", "hundred", "reason", "higher_is_better")


def format_spreadsheet(
    judgements: Sequence[Judgement], scores: Scores
) -> Iterator[str]:
    """Yield the lines of the spreadsheet, the headings first.

    `scores` is the table of the judgements. A missing score has a line with the reason,
    and an answer without scores has one line.
    """
    # A line that is written comes back from `writerow`.
    echo: Any = SimpleNamespace(write=str)
    lines: Any = csv.writer(echo, lineterminator="\r\n")
    yield lines.writerow(SPREADSHEET_COLUMNS)
    cells = _list_answer_cells(judgements, scores)
    columns = [
        cells[name] if name in _PLAIN else map(escape_formula, cells[name])
        for name in SPREADSHEET_COLUMNS
    ]
    yield from map(lines.writerow, zip(*columns, strict=True))


def _list_answer_cells(
    judgements: Sequence[Judgement], scores: Scores
) -> dict[str, list[str]]:
    """List the cells of columns that only the spreadsheet has, or has otherwise."""
    cells, rows = list_cells(scores), scores.list_rows()
    answers = [judgements[at] for at in scores.answer.tolist()]
    outputs = zip(answers, find_outputs(judgements, scores), strict=True)
    cells |= {
        "native": [format_number(row.value) for row in rows],
        "kind": cells["item_type"],
        "shown_at": [format_number(one.shown_at) for one in answers],
        "submitted_at": [format_number(one.submitted_at) for one in answers],
        "active_seconds": [
            format_number(None if one.active_ms is None else one.active_ms / 1000)
            for one in answers
        ],
        "cannot": [one.cannot or "" for one in answers],
        "wording": [one.wording for one in answers],
        "comment": [one.comment for one in answers],
        "output": [one.outputs[place] for one, place in outputs],
    }
    scored = [has_scores(row.reason) for row in rows]
    for name in _OF_SCORES:
        pairs = zip(cells[name], scored, strict=True)
        cells[name] = [cell if is_scored else "" for cell, is_scored in pairs]
    return cells


def format_undefined(scores: Scores) -> str:
    """Return a line for each missing score and each skipped output."""
    return format_rows([UNDEFINED_COLUMNS, *list_undefined(scores)])


def list_undefined(scores: Scores) -> list[list[str]]:
    """List the cells of `UNDEFINED_COLUMNS` of each missing score."""
    cells = list_cells(scores)
    cells["native"] = [format_number(row.value) for row in scores.list_rows()]
    rows = zip(*(cells[name] for name in UNDEFINED_COLUMNS), strict=True)
    missing = (row for row in rows if row[-1] not in ("", UNSCORED))
    return [[*map(replace_line_breaks, row)] for row in missing]
