"""Tables of scores: long ones with a line for each value, and wide ones with more.

A long table names the scorer in a column of its own; JSON lines have an object for each
value, with the names of a long table's columns. A matrix has a line for each system (and
segment) and a column for each scorer.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from metra.errors import FormatError
from metra.formats.headed_table import MISSING
from metra.formats.lines import read_lines
from metra.formats.stream import format_path, parse_json
from metra.formats.table import format_rows, replace_line_breaks, split_rows
from metra.scores.columns import (
    ALIASES,
    LARGEST,
    ScoreColumns,
    is_number,
    name_checks,
    parse_numbers,
    read_columns,
    read_score_head,
    require_columns,
)
from metra.scores.judgement import ScoredJudgement
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)
from metra.stats.arrays import Array
from metra.stats.direction import HIGHER, LOWER, Direction
from metra.stats.ranking import average_rankings

#: Columns that say what a line is about rather than how good it is.
_ABOUT = ("system", "segment", "document", "judge", "domain", "lang", "kind")
ROLES = (*_ABOUT, "scorer", "direction")
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
    *("higher_is_better", "hundred"),
)


def read_matrix(
    path: str,
    units: Sequence[str] = (),
    *,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read every column of numbers as a scorer, named by its heading.

    A column whose first entry is no number is a label, such as a comment; it is left
    alone. Once a column is one of numbers, anything else in it is an error. Checks become
    scorers of their own. `columns` names the column of each role that its heading does not
    tell.
    """
    table = read_columns(path, columns=columns)
    labels = (*_ABOUT, *(["check"] if table.checks else []))
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
            values[scorer] = parse_numbers(cells, path, heading)
    if not table.rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    if not values:
        msg = f"{format_path(path)} has no column of numbers; expected one for each scorer."
        raise FormatError(msg)
    if table.checks:
        values = _split_checks(values, table.checks)
    systems, judges = table.get("system"), table.get("judge")
    return build_score_table(systems, table.name_items(units), values, judges)


def _split_checks(
    values: Mapping[Scorer, Array], endings: Sequence[str]
) -> dict[Scorer, Array]:
    """Give each kind of check scorers of its own."""
    kinds = np.array(endings)
    return {
        scorer._replace(name=f"{scorer.name}{ending}"): np.where(
            kinds == ending, cells, np.nan
        )
        for scorer, cells in values.items()
        for ending in dict.fromkeys(endings)
    }


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
    kind, domain, lang and higher_is_better; other columns are left alone, unless they are
    units, which tell segments apart, or say that a line is a check.
    """
    table = read_columns(path, columns=columns)
    require_columns(table.roles, ("system", "scorer", "value"), path, "a long table")
    if not table.rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    by_role = {role: table.get(role) for role in ROLES}
    items = table.name_items(units)
    about = zip(*items, strict=True)
    by_role |= dict(zip(ScoredItem._fields, about, strict=True))
    if table.checks:
        names = zip(by_role["scorer"], table.checks, strict=True)
        by_role["scorer"] = [f"{name}{ending}" for name, ending in names]
        kinds = zip(by_role["kind"], table.get("scorer"), strict=True)
        by_role["kind"] = [kind or guess_scorer_kind(name) for kind, name in kinds]
    values = parse_numbers(table.get("value"), path, "the value")
    return build_scores(by_role, values, path)


def build_scores(
    columns: Mapping[str, Sequence[str]], values: Array, path: str
) -> Scores:
    """Build a table of parallel columns by role, a line a value."""
    by_scorer: dict[Scorer, list[int]] = {}
    scorers = zip(columns["scorer"], columns["kind"], columns["direction"], strict=True)
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
        about: list[Any] = [columns["system"], items, columns["judge"]]
        systems, scored, judges = ([column[row] for row in rows] for column in about)
        values_of = {scorer: values[rows]}
        tables.append(build_score_table(systems, scored, values_of, judges))
    return concatenate_scores(tables)


def parse_direction(cell: str) -> Direction | None:
    """Parse a direction: true, false, higher, lower or target=NUMBER; None if it is none.

    >>> parse_direction("lower").arrow, parse_direction("target=100").arrow
    ('↓', '→100')
    """
    name, equals, target = cell.lower().partition("=")
    if equals and name.strip() == "target" and is_number(target):
        return Direction(float(target))
    return _DIRECTIONS.get(cell.lower())


def format_direction(direction: Direction) -> str:
    """Return a direction as tables have it: true, false or target=NUMBER."""
    if direction.target is not None:
        return f"target={direction.target:g}"
    return "true" if direction.higher_is_better else "false"


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
    values = []
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
    if not values:
        msg = f"{format_path(path)} is empty; expected one JSON object per line."
        raise FormatError(msg)
    endings = name_checks(by_role["check"]) or [""] * len(values)
    names = [
        f"{name}{end}" for name, end in zip(by_role["scorer"], endings, strict=True)
    ]
    return build_scores(by_role | {"scorer": names}, np.array(values), path)


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
            format_direction(scorer.direction),
        )
        lines.append("\t".join(cells))
    return "\n".join(lines)


def format_judgement_table(judgements: Iterable[ScoredJudgement]) -> str:
    """Return a line for each score of each output; checks are scorers of their own."""
    return format_rows(chain([JUDGEMENT_COLUMNS], generate_rows(judgements)))


def generate_rows(judgements: Iterable[ScoredJudgement]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `JUDGEMENT_COLUMNS` of each score that is defined."""
    for scored in judgements:
        judgement = scored.judgement
        ending = "" if judgement.counts else f"-{judgement.kind}"
        lang = f"{judgement.source_language}-{judgement.target_language}"
        for system, _, scores in scored.by_output():
            yield from (
                (
                    system,
                    f"{score.scorer}{ending}",
                    repr(score.native),
                    "" if scored.is_whole else str(judgement.segment),
                    judgement.document,
                    judgement.judge,
                    score.scorer,
                    lang,
                    "true" if score.higher_is_better else "false",
                    repr(score.hundred),
                )
                for score in scores
                if score.is_defined
            )


def convert_judgements(judgements: Iterable[ScoredJudgement]) -> Scores:
    """Build the table that reading `format_judgement_table` again gives."""
    rows = list(generate_rows(judgements))
    cells = [[replace_line_breaks(cell) for cell in row] for row in rows]
    columns = dict(zip(JUDGEMENT_COLUMNS, zip(*cells, strict=True), strict=True))
    columns["direction"] = columns["higher_is_better"]
    columns["domain"] = ("",) * len(rows)
    return build_scores(columns, np.array(list(map(float, columns["value"]))), "")
