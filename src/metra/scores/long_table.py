"""Tables of scores: long ones with a line for each value, and wide ones with more.

A long table names the scorer in a column of its own; JSON lines have an object for each
value, with the names of a long table's columns. A matrix has a line for each system (and
segment) and a column for each scorer.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from metra.errors import FormatError
from metra.formats.headed_table import MISSING
from metra.formats.lines import read_lines
from metra.formats.stream import format_path, parse_json
from metra.formats.table import format_rows, split_rows
from metra.scores.columns import (
    ALIASES,
    LARGEST,
    ScoreColumns,
    build_columns,
    is_number,
    parse_flags,
    parse_item_kinds,
    parse_numbers,
    read_columns,
    read_score_head,
    read_score_table,
    require_columns,
)
from metra.scores.judgement import AnswerScores, Judgement, list_outputs
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
    mark_compared,
)
from metra.stats.arrays import Array
from metra.stats.direction import HIGHER, LOWER, Direction
from metra.stats.ranking import average_rankings

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
#: Kinds of items behind the scorer's name in exports of older versions, as in da-repeat.
_OLD_ENDINGS = ("calibration", "repeat", "degraded", "baseline")


def read_matrix(
    path: str,
    units: Sequence[str] = (),
    *,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read every column of numbers as a scorer, named by its heading.

    A column whose first entry is no number is a label, such as a comment; it is left
    alone. Once a column is one of numbers, anything else in it is an error. `columns` names
    the column of each role that its heading does not tell.
    """
    table = read_columns(path, columns=columns)
    kinds = table.item_kinds
    labels = (*_ABOUT, *(["check"] if kinds else []))
    about = {role: index for role, index in table.roles.items() if role in labels}
    if "judge" not in about:  # what judges judged need not be of several systems
        require_columns(about, ("system",), path, "a table of scores")
    values = {}
    headings = zip(table.header, table.columns, strict=True)
    for index, (heading, cells) in enumerate(headings):
        name = heading.strip()
        is_label = not name or index in about.values() or name in units
        if not is_label and _is_scorer(cells):
            scorer = Scorer(name, guess_scorer_kind(name))
            if scorer in values:
                msg = f"{format_path(path)} has two columns {name}; rename one of them."
                raise FormatError(msg)
            values[scorer] = parse_numbers(cells, path, heading)
    if not table.rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    if not values:
        listed = ", ".join(heading.strip() for heading in table.header)
        msg = (
            f"{format_path(path)} has no column of numbers among {listed}; expected one "
            "for each scorer."
        )
        raise FormatError(msg)
    systems, judges = table.get("system"), table.get("judge")
    items, line = table.name_items(units), np.arange(2, table.rows + 2)
    return build_score_table(systems, items, values, judges, kinds, line=line)


def guess_scorer_kind(name: str) -> str:
    """Tell judgements from metrics by the names that judgements go by.

    >>> guess_scorer_kind("ESA-1"), guess_scorer_kind("da_z"), guess_scorer_kind("BLEU")
    ('esa', 'da', '')
    """
    known = _KINDS.fullmatch(name)
    return known[1].lower() if known else ""


def _is_scorer(cells: tuple[str, ...]) -> bool:
    first = next((cell for cell in cells if cell not in MISSING), "")
    # No score is infinite, but a column that begins so is one of scores, and so is one
    # with a decimal comma.
    number = first.strip("+-").lower()
    return is_number(number.replace(",", ".", 1)) or number in ("inf", "infinity")


def read_long_table(
    path: str,
    units: Sequence[str] = (),
    *,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read columns system, scorer, value and, as far as there, segment, document, judge,
    kind, domain, lang, higher_is_better, item_type, hundred and flags; other columns are
    left alone, unless they are units, which tell segments apart.
    """
    table = read_columns(path, columns=columns)
    headings = [heading.strip() for heading in table.header]
    if {*JUDGEMENT_COLUMNS} <= {
        *headings
    }:  # a campaign's, which explains missing scores
        roles = table.roles | {"reason": headings.index("reason")}
        table = replace(table, roles=roles)
    return _build_long(table, units)


def read_declared_table(
    path: str,
    columns: Mapping[str, Sequence[str]],
    *,
    needed: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    without_judge: str | None = None,
) -> Scores:
    """Read a long table with fixed headings: those of each role, the first that exists.

    `needed` are roles that no row may leave empty, beside system and scorer. `kinds` are
    the kinds of scorers by the words of the table. Rows of `without_judge` are dropped.
    """
    table = read_score_table(path)
    names = [name.strip().lower() for name in table.header]
    chosen = {
        role: next((heading for heading in headings if heading in names), "")
        for role, headings in columns.items()
    }
    chosen = {role: heading for role, heading in chosen.items() if heading}
    declared = build_columns(table, path, chosen)
    scores = _build_long(declared, needed=needed, words=kinds)
    if not len(scores):
        msg = f"{format_path(path)} has rows, but no scores in them."
        raise FormatError(msg)
    if without_judge not in scores.judges:
        return scores
    is_dropped = scores.judge == scores.judges.index(without_judge)
    return scores.keep_lines(~is_dropped).compact()


def _build_long(
    table: ScoreColumns,
    units: Sequence[str] = (),
    *,
    needed: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Scores:
    path = table.path
    require_columns(table.roles, ("system", "scorer", "value"), path, "a long table")
    if not table.rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    by_role = {role: table.get(role) for role in ROLES}
    about = zip(*table.name_items(units), strict=True)
    by_role |= dict(zip(ScoredItem._fields, about, strict=True))
    values, hundred = _parse_column(table, "value"), _parse_column(table, "hundred")
    if hundred is not None:
        values = np.where(np.isfinite(values), values, hundred)
        values = np.where(np.isfinite(hundred), values, np.nan)
    is_used = np.isfinite(values) | np.array([bool(why) for why in by_role["reason"]])
    for role in ("system", "scorer", *needed):
        rows = np.flatnonzero(is_used & (np.array(by_role[role]) == ""))
        if len(rows):
            place = f"{format_path(path)}, line {rows[0] + 2}"
            name = table.header[table.roles[role]].strip()
            msg = f"{place} has no {name}; every line needs one."
            raise FormatError(msg)
    if words is not None:
        by_role["kind"] = [_translate_kind(k, words, path) for k in by_role["kind"]]
    scores = build_scores(
        by_role, values, path, kinds=table.item_kinds, hundred=hundred
    )
    answers = table.get("answer")
    if "answer" not in table.roles or not all(map(str.isdecimal, answers)):
        return scores
    numbers = np.array([*map(int, answers)], np.int64)
    return mark_compared(replace(scores, answer=numbers[scores.line - 2]))


def _parse_column(table: ScoreColumns, role: str) -> Any:
    """Parse the numbers of a role; None if no column has it."""
    if role not in table.roles:
        return None
    name = table.header[table.roles[role]].strip()
    return parse_numbers(table.get(role), table.path, f"the {name}")


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
) -> Scores:
    """Build a table of parallel columns by role, a line a value."""
    names = columns["scorer"]
    if kinds is None:
        names, kinds = _split_old_endings(names, columns["kind"])
    by_scorer: dict[Scorer, list[int]] = {}
    scorers = zip(names, columns["kind"], columns["direction"], strict=True)
    for row, (name, kind, direction) in enumerate(scorers):
        parsed = parse_direction(direction)
        if parsed is None:
            msg = (
                f"{format_path(path)}, line {row + 2}: the direction is {direction!r}; "
                "expected true or false, higher or lower, or a target such as target=100."
            )
            raise FormatError(msg)
        kind = kind or guess_scorer_kind(name)
        scorer = Scorer(name, kind, parsed, bool(direction))
        by_scorer.setdefault(scorer, []).append(row)
    items = list(map(ScoredItem, *(columns[role] for role in ScoredItem._fields)))
    tables = []
    for scorer, rows in by_scorer.items():
        optional: dict[str, Any] = {"line": np.array(rows) + 2}
        if hundred is not None:
            optional["hundred"] = hundred[rows]
            if not scorer.is_declared:
                inferred = _infer_direction(values[rows], hundred[rows])
                scorer = scorer._replace(direction=inferred)
        cells: list[Any] = [columns["system"], items, columns["judge"], kinds]
        cells.append(columns["reason"])
        parts = ([column[row] for row in rows] for column in cells)
        systems, scored, judges, item_kinds, reasons = parts
        tables.append(
            build_score_table(
                *(systems, scored, {scorer: values[rows]}, judges, item_kinds, reasons),
                **optional,
            )
        )
    flags = parse_flags(columns["judge"], columns["flags"])
    return replace(concatenate_scores(tables), flags=flags)


def _split_old_endings(
    names: Sequence[str], kinds: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Split names such as da-repeat of the kind da into the scorer and the kind of item."""
    scorers, item_kinds = [], []
    for name, kind in zip(names, kinds, strict=True):
        base, dash, ending = name.rpartition("-")
        is_old = bool(dash) and base == kind and ending in _OLD_ENDINGS
        scorers.append(base if is_old else name)
        item_kinds.append(ending if is_old else "judged")
    return scorers, item_kinds


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


def read_jsonl(
    path: str,
    units: Sequence[str] = (),
    *,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read objects with system, scorer and value; null is a missing value.

    `columns` names the key of each role that has another one.
    """
    keys = {role: name.lower() for role, name in (columns or {}).items()}
    by_role: dict[str, list[str]] = {role: [] for role in (*ROLES, "check")}
    values, hundred = [], []
    for number, line in enumerate(read_lines(path), 1):
        place = f"{format_path(path)}, line {number}"
        entry = parse_json(line, place)
        if not isinstance(entry, dict):
            msg = f"{place} is not a JSON object; expected {{…}}."
            raise FormatError(msg)
        lower = {str(key).lower(): value for key, value in entry.items()}
        for role, cells in by_role.items():
            cells.append(_format_value(_find_value(lower, role, keys)))
        names = [by_role["segment"][-1], *(_format_value(entry.get(u)) for u in units)]
        by_role["segment"][-1] = " ".join(filter(None, names))
        for role in ("system", "scorer"):
            if not by_role[role][-1]:
                msg = f"{place} has no {keys.get(role, role)}."
                raise FormatError(msg)
        values.append(_parse_number(_find_value(lower, "value", keys), place))
        hundred.append(_parse_number(_find_value(lower, "hundred", keys), place))
    if not values:
        msg = f"{format_path(path)} is empty; expected one JSON object per line."
        raise FormatError(msg)
    in_hundred = np.array(hundred)
    is_own = bool(np.isfinite(in_hundred).any())
    kinds = parse_item_kinds(by_role["check"], own=is_own)
    return build_scores(
        *(by_role, np.array(values), path),
        kinds=kinds if any(by_role["check"]) else None,
        hundred=in_hundred if is_own else None,
    )


def _find_value(entry: dict[str, object], role: str, keys: Mapping[str, str]) -> object:
    names = [keys[role]] if role in keys else ALIASES[role]
    return next((entry[name] for name in names if name in entry), None)


def _format_value(value: object) -> str:
    return "" if value is None else str(value)


def _parse_number(value: object, place: str) -> float:
    if value is None:
        return np.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{place}: the value is {value!r}; expected a number."
        raise FormatError(msg)
    if not abs(value) <= LARGEST:
        msg = f"{place}: the value is {value}; the value is too large."
        raise FormatError(msg)
    return float(value)


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
    """Read a ranking: a system and its rank on each line, with a tab between them.

    Or a table of several rankings, with a header: system, rank and, to tell rankings apart,
    segment, document and judge. A ranking may leave out systems and have ties; each
    system's ranks are averaged (`average_rankings`).
    """
    header = [cell.strip().lower() for cell in read_score_head(path).columns]
    if "rank" in header:
        return _average_ranks(read_columns(path), header.index("rank"))
    ranks: dict[str, float] = {}
    for line, (name, *rank) in split_rows(read_lines(path)):
        text = "\t".join(rank)
        if not (name.strip() or rank):
            continue
        if not is_number(text):
            written = "\t".join([name, *rank])
            msg = (
                f"{path}, line {line}: {written!r}; expected a system's name, a tab and its "
                "rank, where 1 is the best."
            )
            raise FormatError(msg)
        _add_rank(ranks, name, float(text), f"{path}, line {line}")
    return ranks


def _average_ranks(table: ScoreColumns, column: int) -> dict[str, float]:
    """Average the rankings of a table, each by one judge of one segment or document."""
    path = table.path
    require_columns(table.roles, ("system",), path, "a table of ranks")
    values = parse_numbers(table.columns[column], path, "the rank")
    about = [table.get(role) for role in ("lang", "document", "segment", "judge")]
    rankings: dict[tuple[str, ...], dict[str, float]] = {}
    names = zip(table.get("system"), values.tolist(), *about, strict=True)
    for line, (system, rank, *ranking) in enumerate(names, 2):
        if rank == rank:
            ranks = rankings.setdefault(tuple(ranking), {})
            _add_rank(ranks, system, rank, f"{path}, line {line}")
    systems = list(dict.fromkeys(name for ranks in rankings.values() for name in ranks))
    grid = np.full((len(rankings), len(systems)), np.nan)
    for row, ranks in zip(grid, rankings.values(), strict=True):
        for system, rank in ranks.items():
            row[systems.index(system)] = -rank
    # Averages that only rounding tells apart are ties.
    averages = average_rankings(grid).round(9).tolist()
    known = zip(systems, averages, strict=True)
    return {system: average for system, average in known if average == average}


def _add_rank(ranks: dict[str, float], system: str, rank: float, place: str) -> None:
    if system in ranks:
        msg = (
            f"{place} ranks {system!r} again; expected each system once in a ranking, "
            "or columns segment, document or judge that separate rankings."
        )
        raise FormatError(msg)
    if rank < 1:
        msg = f"{place}: the rank is {rank:g}; expected 1 for the best, or more."
        raise FormatError(msg)
    ranks[system] = rank


def format_long_table(scores: Scores) -> str:
    """Return the scores as tab-separated lines that are read again to the last digit."""
    lines = ["\t".join(SCORE_COLUMNS)]
    columns = (scores.system, scores.item, scores.scorer, scores.judge, scores.value)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for system, item_index, scorer_index, judge, value in rows:
        item, scorer = scores.items[item_index], scores.scorers[scorer_index]
        cells = (
            scores.systems[system],
            item.segment,
            item.document,
            scorer.name,
            repr(value),
            scores.judges[judge] if judge >= 0 else "",
            scorer.kind,
            item.domain,
            item.lang,
            scorer.direction.text,
        )
        lines.append("\t".join(cells))
    return "\n".join(lines)


def format_judgement_table(
    judgements: Sequence[Judgement],
    scored: AnswerScores,
    *,
    whole: Collection[str] = (),
    flags: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """Return a line for each score of each output, or the reason for having none.

    `whole` are protocols that judge documents as a whole, and `flags` the reasons to look at
    a judge.
    """
    rows: list[tuple[str, ...]] = [JUDGEMENT_COLUMNS]
    pairs = zip(judgements, scored, strict=True)
    for number, (judgement, outputs) in enumerate(pairs, 1):
        lang = f"{judgement.source_language}-{judgement.target_language}"
        reasons = "; ".join(flags.get(judgement.judge, ()))
        place = locate_judgement(judgement, whole)
        for system, _, scores in list_outputs(judgement, outputs):
            for score in scores:
                native, hundred = (
                    repr(value) if score.is_defined else ""
                    for value in (score.native, score.hundred)
                )
                rows.append(
                    (
                        *(system, score.scorer, native, *place, judgement.judge),
                        *(score.scorer, lang),
                        "true" if score.higher_is_better else "false",
                        *(hundred, judgement.kind, reasons, str(number), score.reason),
                    )
                )
    return format_rows(rows)


def locate_judgement(judgement: Judgement, whole: Collection[str]) -> tuple[str, str]:
    """Return the segment and the document; whole documents have no segment."""
    segment, document = str(judgement.segment), judgement.document
    is_whole = judgement.protocol in whole
    return ("", document or segment) if is_whole else (segment, document)
