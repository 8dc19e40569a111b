"""MQM errors as tables, a line for each error: WMT's, Marot's and our own.

The weights are those of Freitag et al. 2021, TACL: a major error costs 5 points, a minor
one 1, a minor error of punctuation 0.1, a non-translation 25; neutral marks,
errors of the source and creative reinterpretations cost nothing. A score is minus the cost
of all errors, so that higher is better. Other weights, a cap on the cost of a segment and
costs by length are a `MqmWeighting`.

In Marot's table, the place of an error is marked in the text with `<v>` and `</v>`, in others
with `<tag>`. A table with other headings is read by naming its columns.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, TypeAlias, TypeVar

from metra.errors import FormatError, OptionError, format_count
from metra.formats.stream import format_path
from metra.formats.table import DelimitedTable, replace_line_breaks
from metra.scores.columns import (
    check_headings,
    find_columns,
    read_score_table,
    refuse_repeats,
    require_columns,
)
from metra.scores.judgement import (
    NEUTRAL,
    OMISSION,
    Judgement,
    get_marks,
    refuse_line,
)
from metra.scores.spans import Mark, RatingKey, Spans, build_spans
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    number_texts,
)

#: What an error costs, in tenths of a point, by severity (empty for any) and the beginning
#: of its category; the first line that fits counts, and nothing if none does. Tenths add
#: up to the same whatever their order.
Weights: TypeAlias = tuple[tuple[str, str, int], ...]

Cost = TypeVar("Cost", bound=float | Fraction)

NON_TRANSLATION = "non-translation"
_CREATIVE = "accuracy/creative reinterpretation"
MQM_WEIGHTS: Weights = (
    ("neutral", "", 0),
    ("", "source", 0),
    ("", _CREATIVE, 0),
    ("major", NON_TRANSLATION, 250),
    ("minor", "fluency/punctuation", 1),
    ("major", "", 50),
    ("minor", "", 10),
)
#: With the severities that our own protocol does not have.
TABLE_WEIGHTS: Weights = (*MQM_WEIGHTS, ("critical", "", 50))
_NO_ERROR = "no-error"
#: Severities of rows without an error, and those that cost nothing.
_NO_ERRORS = (_NO_ERROR, "no error", "")
_FREE = (*NEUTRAL, *_NO_ERRORS)
MARKED = re.compile(r"<(?:v|tag)>(.*?)</(?:v|tag)>", re.DOTALL)
#: Roles of columns that only tables of errors have, by their usual headings.
ERROR_ROLES = ("category", "severity", "target", "source", "start", "end")
COLUMNS = (
    *("system", "doc", "docSegId", "globalSegId", "rater"),
    *("source", "target", "category", "severity", "metadata"),
)


def find_cost(
    weights: Sequence[tuple[str, str, Cost]], severity: str, category: str
) -> Cost | int:
    """Return the cost of an error, in what the weights count: tenths of a point.

    >>> find_cost(MQM_WEIGHTS, "minor", "fluency/punctuation")
    1
    """
    for of_severity, of_category, cost in weights:
        if of_severity in ("", severity) and category.startswith(of_category):
            return cost
    return 0


@dataclass(frozen=True)
class MqmWeighting:
    """Costs of errors, the largest cost of a segment, and the length to divide by."""

    #: As `Weights`, in tenths of a point.
    weights: tuple[tuple[str, str, int | Fraction], ...] = TABLE_WEIGHTS
    #: In points.
    cap: Fraction | None = None
    #: The cost is of so many words or characters of the output; 0 for the whole segment.
    length: int = 0
    by_words: bool = True
    #: What an output without rows is, where a table lists errors only.
    unlisted: str = ""

    def add_costs(self, costs: Sequence[int | Fraction], output: str) -> float:
        """Add up the costs of a segment's errors, in points."""
        points = Fraction(sum(costs), 10)
        if self.cap is not None:
            points = min(points, self.cap)
        if self.length:
            size = len(output.split() if self.by_words else output)
            points = points * self.length / max(size, 1)
        return float(points)


def parse_weighting(spec: str) -> MqmWeighting:
    """Parse weights such as `critical:10,minor/style:0.5,source:yes,cap:25,per:100 words`.

    SEVERITY:POINTS, SEVERITY/CATEGORY:POINTS or */CATEGORY:POINTS (of any severity) stand
    beside the usual weights, or in the place of the same one; the longest category that an
    error's begins with decides. `source:yes` lets errors of the source cost what others do,
    `cap` is the most that a segment costs, and `per` divides the cost by a length. In a
    table of errors only, outputs without rows are perfect or unrated, as `unlisted` says.
    """
    costs: dict[tuple[str, str], int | Fraction] = {
        (severity, category): cost for severity, category, cost in TABLE_WEIGHTS
    }
    options: dict[str, Any] = {}
    for part in filter(None, map(str.strip, spec.split(","))):
        name, colon, value = (each.strip().lower() for each in part.rpartition(":"))
        if not colon or not name:
            _refuse_weight(part, "NAME:VALUE, such as critical:10 or cap:25")
        if name == "source":
            if value not in ("yes", "no"):
                _refuse_weight(part, "source:yes or source:no")
            if value == "yes":
                del costs["", "source"]
        elif name == "unlisted":
            if value not in ("perfect", "unrated"):
                _refuse_weight(part, "unlisted:perfect or unlisted:unrated")
            options[name] = value
        elif name == "per":
            options |= _parse_length(part, value)
        elif name == "cap":
            options["cap"] = _parse_points(part, value)
        else:
            severity, _, category = name.partition("/")
            cost = _parse_points(part, value) * 10
            costs["" if severity == "*" else severity, category] = cost
    # The longest category first, and of one category those of a severity.
    order = sorted(costs, key=lambda key: (-len(key[1]), not key[0]))
    weights = tuple((*key, costs[key]) for key in order)
    return MqmWeighting(weights, **options)


def _parse_length(part: str, value: str) -> dict[str, Any]:
    matched = re.fullmatch(r"(?:(\d{1,6}) )?(word|character)s?", value)
    if matched is None or matched[1] == "0":
        _refuse_weight(part, "per:word, per:100 words or per:1000 characters")
        return {}
    return {"length": int(matched[1] or 1), "by_words": matched[2] == "word"}


def _parse_points(part: str, value: str) -> Fraction:
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value):
        _refuse_weight(part, "a number of points, zero or more, after the colon")
    return Fraction(value)


def _refuse_weight(part: str, expected: str) -> None:
    msg = f"`mqm_weights` has {part!r}; expected {expected}."
    raise OptionError(msg)


def read_mqm(
    path: str,
    *,
    weights: MqmWeighting | None = None,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Read the errors of each rater and add up what they cost, by the usual weights or others.

    A rater who found nothing has a line without an error (`no-error`). Rows of attention
    tests (severity HOTW-test) judge no translation and are left out. `columns` is as in
    `read_errors`.
    """
    weighting = weights or MqmWeighting()
    errors, costs = _read_costs(path, weighting, columns)
    if weighting.length and None in errors.texts:
        msg = (
            f"{format_path(path)} has no column target, which `mqm_weights` needs to "
            "divide by length."
        )
        raise FormatError(msg)
    values = [
        0.0 - weighting.add_costs(each, text or "")
        for each, text in zip(costs, errors.texts, strict=True)
    ]
    return _build_mqm_scores(errors, values)


def read_mqm_as_wmt(path: str, *, columns: Mapping[str, str] | None = None) -> Scores:
    """Read them as they stand in WMT's official scores, rounding noise and all.

    The official program adds up floating-point numbers in the order of the errors, so that
    0.1 + 1 + 0.1 is not 0.1 + 0.1 + 1 and equal judgements are not always equal.
    """
    errors, costs = _read_costs(path, MqmWeighting(), columns)
    # `sum` mends rounding in newer Pythons, which is not wanted here.
    values = [0.0 - reduce(add, (cost / 10 for cost in each), 0.0) for each in costs]
    return _build_mqm_scores(errors, values)


def read_errors(
    path: str,
    severities: Collection[str] = (),
    unlisted: str = "",
    columns: Mapping[str, str] | None = None,
) -> Spans:
    """Read the errors of a table; others than these severities are refused, if any are given.

    Rows of attention tests are left out. Outputs without rows were not rated, unless the
    table lists errors only: `unlisted` is for these. `columns` names the heading of each
    role that its own heading does not tell.
    """
    ratings: dict[RatingKey, list[Mark]] = {}
    texts: dict[RatingKey, str | None] = {}
    name, allowed = format_path(path), {*severities, *_FREE}
    table = read_score_table(path)
    #: Systems with rows that say that there is no error.
    complete: set[str] = set()
    refuse_repeats([row.cells for row in table.rows], path)
    for line, key, cells in parse_errors(table, columns or {}):
        severity = cells["severity"].strip().lower()
        if severity == "hotw-test":
            continue
        place = f"{name}, line {line}"
        category = cells["category"].strip().lower()
        if not severity and category.replace("-", " ") not in ("", "no error"):
            msg = f"{place}: an error of {category!r} has no severity; fill it in."
            raise FormatError(msg)
        if severity in _NO_ERRORS:
            complete.add(key[0])
        if severities and severity not in allowed:
            expected = ", ".join(sorted(filter(None, severities)))
            msg = (
                f"{place}: the severity is {severity!r}; expected {expected} or "
                "no-error, or give `mqm_weights`."
            )
            raise FormatError(msg)
        marks = ratings.setdefault(key, [])
        text = MARKED.sub(r"\1", cells["target"]) if "target" in cells else None
        texts[key] = text or texts.get(key, text)
        if severity not in _NO_ERRORS:
            with refuse_line(place):
                marks.append(_build_mark(cells))
    missing = _find_unlisted(ratings, complete)
    if missing and not unlisted:
        system, item, _ = missing[0]
        listed = item.segment or item.document
        msg = (
            f"{name} lists errors only: it has no row with no-error of {system!r}, and no "
            f"row for {format_count(len(missing), 'rating')}, such as that of {system!r} "
            f"for segment {listed}; add rows with the severity no-error for rated outputs "
            "without errors, or give `mqm_weights` unlisted:perfect or unlisted:unrated."
        )
        raise FormatError(msg)
    if unlisted == "perfect":
        ratings |= {key: [] for key in missing}
        texts |= dict.fromkeys(missing)
    return build_spans(path, ratings, [*texts.values()])


def _find_unlisted(
    ratings: Iterable[RatingKey], complete: Collection[str]
) -> list[RatingKey]:
    """Find ratings of other segments that each rater of an incomplete system would have."""
    keys = dict.fromkeys(ratings)
    raters = {(system, judge) for system, _, judge in keys}
    systems = dict.fromkeys(key[0] for key in keys if key[0] not in complete)
    rated = dict.fromkeys(key[1:] for key in keys)
    grid = ((system, *each) for system in systems for each in rated)
    absent = [key for key in grid if key not in keys]
    # Where others list what is without errors, raters may have rated some systems only.
    return [key for key in absent if not complete or (key[0], key[2]) in raters]


def _read_costs(
    path: str, weighting: MqmWeighting, columns: Mapping[str, str] | None
) -> tuple[Spans, list[list[int | Fraction]]]:
    """Read errors of the severities that have weights, and list what each rating's cost."""
    severities = {severity for severity, _, _ in weighting.weights}
    errors = read_errors(path, severities, weighting.unlisted, columns)
    if not len(errors.system):
        msg = f"{format_path(path)} contains no ratings."
        raise FormatError(msg)
    costs: list[list[int | Fraction]] = [[] for _ in errors.texts]
    rows = (errors.rating.tolist(), errors.severity, errors.category)
    for rating, severity, category in zip(*rows, strict=True):
        is_creative = category.endswith("creative reinterpretation")
        kind = _CREATIVE if is_creative else category
        costs[rating].append(find_cost(weighting.weights, severity, kind))
    return errors, costs


def _build_mqm_scores(errors: Spans, values: Sequence[float]) -> Scores:
    systems, items, judges = zip(*errors.keys, strict=True)
    by_scorer, texts = {Scorer("mqm", "mqm"): values}, number_texts(errors.texts)
    return build_score_table(systems, items, by_scorer, judges, **texts)


def parse_errors(
    table: DelimitedTable, given: Mapping[str, str]
) -> Iterator[tuple[int, RatingKey, dict[str, str]]]:
    """Parse the rows of a table: the line, the rating, and the cells by name of column.

    `given` are the headings of roles. Segments may be numbered within their documents.
    """
    check_headings(table.header, table.path, given)
    columns = find_columns(table.header, given)
    names = [name.strip().lower() for name in table.header]
    chosen = {
        given[role].strip().lower(): role for role in ERROR_ROLES if role in given
    }
    # A column whose name is the role of another one is neither.
    names = [chosen.get(n, "" if n in chosen.values() else n) for n in names]
    what = "a table of MQM errors"
    for role in ("system", "category", "severity"):
        if role not in columns and role not in names:
            headings = ", ".join(name.strip() for name in table.header)
            msg = (
                f"{format_path(table.path)} has no column {role}, which {what} needs; "
                f"found: {headings}. Give `columns` {role}=HEADING."
            )
            raise FormatError(msg)
    if "segment" not in columns:
        what += " without segment ids"
        require_columns(columns, ("document",), table.path, what)
    if "doc_id" in names and "doc" in names:
        columns["document"] = names.index("doc")
    number_in_document = next(
        (name for name in ("docsegid", "doc_seg_id", "doc_id") if name in names), None
    )
    for line, row in table.rows:
        cells = dict(zip(names, row, strict=True))
        roles = {role: row[index] for role, index in columns.items()}
        segment, document = roles.get("segment", ""), roles.get("document", "")
        if not segment and number_in_document is not None:
            segment = f"{document}#{cells[number_in_document]}"
        item = ScoredItem(
            segment, document, roles.get("domain", ""), roles.get("lang", "")
        )
        yield line, (roles["system"], item, roles.get("judge", "")), cells


def _build_mark(cells: Mapping[str, str]) -> Mark:
    """Build the mark of a row: by start and end, or by `<v>` and `</v>` in a text."""
    severity = cells["severity"].strip().lower()
    category = cells["category"].strip().lower()
    if cells.get("start", "") != "":
        start, end = int(cells["start"]), int(cells["end"])
        side = "source" if cells.get("in_source") == "1" else "output"
        side = OMISSION if start == end else side
        return Mark(severity, start, end, category, side)
    for side, column in (("output", "target"), ("source", "source")):
        marked = MARKED.search(cells.get(column, ""))
        if marked:
            start, words = marked.start(), marked[1]
            end = start + len(words)
            return Mark(severity, start, end, category, side, words)
    return Mark(severity, category=category, side=OMISSION)


def format_marot(judgements: Iterable[Judgement]) -> str:
    """Return Marot's table of the judgements that count for systems."""
    lines = ["\t".join(COLUMNS)]
    for judgement in judgements:
        if judgement.protocol != "mqm":
            msg = f"Marot's table does not support {judgement.protocol}; expected mqm."
            raise OptionError(msg)
        if judgement.counts:
            marks: list[dict[str, Any] | None] = [*get_marks(judgement)]
            lines += [_format_line(judgement, mark) for mark in marks or [None]]
    return "".join(f"{line}\n" for line in lines)


def _format_line(judgement: Judgement, mark: dict[str, Any] | None) -> str:
    texts = {"source": judgement.source or "", "output": judgement.outputs[0]}
    if mark is not None and mark["side"] != OMISSION:
        text = texts[mark["side"]]
        start, end = mark["start"], mark["end"]
        texts[mark["side"]] = f"{text[:start]}<v>{text[start:end]}</v>{text[end:]}"
    metadata = {}
    if judgement.submitted_at is not None:
        metadata["timestamp"] = round(1000 * judgement.submitted_at)
    cells = [
        judgement.systems[0],
        judgement.document,
        str(judgement.segment),
        str(judgement.segment),
        judgement.judge,
        texts["source"],
        texts["output"],
        mark["category"] if mark else _NO_ERROR,
        mark["severity"] if mark else _NO_ERROR,
    ]
    return "\t".join([*map(replace_line_breaks, cells), json.dumps(metadata)])
