"""MQM ratings, a line for each marked error, weighed as Google does.

Major errors cost 5, minor ones 1, minor errors of punctuation 0.1, a text that is no
translation 25; neutral marks, errors of the source and creative reinterpretations cost
nothing. Freitag et al. 2021, TACL. The score is minus what the errors cost, so that
higher is better.
"""

from collections.abc import Callable
from functools import reduce
from operator import add

from metra.errors import FormatError
from metra.formats.scores.record import ScoredItem, Scorer, Scores, build_score_table
from metra.formats.stream import format_path
from metra.formats.table import find_columns, read_rows, require_columns

#: In tenths, so that equal scores are equal whatever was added up in which order.
_SEVERITIES = {
    "major": 50,
    "critical": 50,
    "minor": 10,
    "neutral": 0,
    "no-error": 0,
    "no error": 0,
    "trivial": 0,
    "": 0,
}


def read_mqm(path: str) -> Scores:
    """Read the errors of each rater and add up what they cost.

    A rater who found nothing has a line without an error (`no-error`). Rows of attention
    tests (severity HOTW-test) judge no translation and are left out.
    """
    return _read_errors(path, lambda costs: sum(costs) / 10)


def read_mqm_as_wmt(path: str) -> Scores:
    """Read them as they stand in WMT's official scores, rounding noise and all.

    The official program adds up floating-point numbers in the order of the errors, so that
    0.1 + 1 + 0.1 is not 0.1 + 0.1 + 1 and equal judgements are not always equal.
    """
    # `sum` mends rounding in newer Pythons, which is not wanted here.
    return _read_errors(path, lambda costs: reduce(add, (cost / 10 for cost in costs)))


def _read_errors(path: str, total: Callable[[list[int]], float]) -> Scores:
    header, rows = read_rows(path)
    found = find_columns(header)
    names = [name.strip().lower() for name in header]
    require_columns(found, ("system",), path, "a table of MQM errors")
    for name in ("category", "severity"):
        if name not in names:
            msg = (
                f"{format_path(path)} has no column {name}, which a table of MQM "
                "errors needs."
            )
            raise FormatError(msg)
    if "segment" not in found:
        require_columns(
            found, ("document",), path, "a table of MQM errors without segment ids"
        )
    inside = next(
        (
            names.index(name)
            for name in ("docsegid", "doc_seg_id", "doc_id")
            if name in names
        ),
        None,
    )
    if names.count("doc_id") and "doc" in names:
        found["document"] = names.index("doc")
    costs: dict[tuple[str, ScoredItem, str], list[int]] = {}
    for at, row in enumerate(rows, 2):
        severity = row[names.index("severity")].strip().lower()
        if severity == "hotw-test":
            continue
        segment = row[found["segment"]] if "segment" in found else ""
        if not segment and inside is not None:
            segment = f"{row[found['document']]}#{row[inside]}"
        item = ScoredItem(
            segment,
            row[found["document"]] if "document" in found else "",
            row[found["domain"]] if "domain" in found else "",
            row[found["lang"]] if "lang" in found else "",
        )
        judge = row[found["judge"]] if "judge" in found else ""
        key = row[found["system"]], item, judge
        category = row[names.index("category")].strip().lower()
        costs.setdefault(key, []).append(_compute_cost(severity, category, path, at))
    if not costs:
        msg = f"{format_path(path)} has no ratings in it."
        raise FormatError(msg)
    systems, items, judges = zip(*costs, strict=True)
    values = [0.0 - total(each) for each in costs.values()]
    return build_score_table(systems, items, {Scorer("mqm", "mqm"): values}, judges)


def _compute_cost(severity: str, category: str, path: str, line: int) -> int:
    if severity not in _SEVERITIES:
        msg = (
            f"{format_path(path)}, line {line}: the severity is {severity!r}; expected major, "
            "minor, neutral or no-error."
        )
        raise FormatError(msg)
    if category.startswith("non-translation"):
        return 250 if severity == "major" else _SEVERITIES[severity]
    if category.startswith("source") or category.endswith("creative reinterpretation"):
        return 0
    if severity == "minor" and category == "fluency/punctuation":
        return 1
    return _SEVERITIES[severity]
