"""Direct assessment as WMT publishes it: segment means, or every worker's judgement.

The first has columns SYS SID RAW.SCR Z.SCR N, the second HITId WorkerId … sys_id rid type
sid score time. In both, blanks or tabs part the columns.
"""

from metra.errors import FormatError
from metra.formats.scores.record import ScoredItem, Scorer, Scores, build_score_table
from metra.formats.stream import format_path
from metra.formats.table import parse_numbers, read_rows


def read_wmt_da(path: str) -> Scores:
    """Read means as scorers `da` and `da-z`, or workers' judgements with their judges.

    Of the workers' lines only those of the type SYSTEM judge a system: REPEAT becomes
    the scorer `da-repeat`, REF `da-ref` and BAD_REF `da-bad-ref`, for quality control.
    """
    header, rows = read_rows(path, delimiter=None)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else {}
    if {"SYS", "SID", "RAW.SCR", "Z.SCR"} <= columns.keys():
        items = [ScoredItem(name) for name in columns["SID"]]
        values = {
            Scorer("da", "da"): parse_numbers(columns["RAW.SCR"], path, "RAW.SCR"),
            Scorer("da-z", "da"): parse_numbers(columns["Z.SCR"], path, "Z.SCR"),
        }
        return build_score_table(columns["SYS"], items, values)
    if {"WorkerId", "sys_id", "type", "sid", "score"} <= columns.keys():
        return _read_workers(columns, path)
    msg = (
        f"{format_path(path)} has columns {' '.join(header) or 'of no name'}; expected SYS SID "
        "RAW.SCR Z.SCR N, or HITId WorkerId … sys_id rid type sid score."
    )
    raise FormatError(msg)


_SCORERS = {
    "SYSTEM": "da",
    "REPEAT": "da-repeat",
    "REF": "da-ref",
    "BAD_REF": "da-bad-ref",
}


def _read_workers(columns: dict[str, tuple[str, ...]], path: str) -> Scores:
    scores = parse_numbers(columns["score"], path, "score")
    kinds = columns["type"]
    unknown = sorted(set(kinds) - _SCORERS.keys())
    if unknown:
        msg = (
            f"{format_path(path)} has judgements of the type {unknown[0]!r}; "
            f"expected {', '.join(_SCORERS)}."
        )
        raise FormatError(msg)
    sources = columns.get("Input.src", ("",) * len(kinds))
    targets = columns.get("Input.trg", ("",) * len(kinds))
    items = [
        ScoredItem(name, lang=f"{source}-{target}" if source else "")
        for name, source, target in zip(columns["sid"], sources, targets, strict=True)
    ]
    nothing = float("nan")
    values = {
        Scorer(name, "da"): [
            value if found == kind else nothing
            for value, found in zip(scores.tolist(), kinds, strict=True)
        ]
        for kind, name in _SCORERS.items()
        if kind in kinds
    }
    return build_score_table(columns["sys_id"], items, values, columns["WorkerId"])
