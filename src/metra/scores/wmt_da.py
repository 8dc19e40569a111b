"""Direct assessment as WMT publishes it: segment means, or every worker's judgement.

The first has columns SYS SID RAW.SCR Z.SCR N, the second HITId WorkerId … sys_id rid type
sid score time. Blanks or tabs separate the columns, or
what else separates tables.
"""

from collections.abc import Mapping

from metra.errors import FormatError
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path
from metra.scores.columns import parse_numbers, read_columns
from metra.scores.table import ScoredItem, Scorer, Scores, build_score_table

#: Columns of means, and of workers' judgements.
_MEANS = ("sys", "sid", "raw.scr", "z.scr")
_WORKERS = ("workerid", "sys_id", "type", "sid", "score")
#: The kind of item of each type of line. A repeat is the same judge's second judgement of
#: an output, and counts like the first.
_TYPES = {
    **dict.fromkeys(("SYSTEM", "REPEAT"), "judged"),
    **{"REF": "check", "BAD_REF": "degraded"},
}


def is_wmt_da(head: FileHead) -> bool:
    """Tell both kinds of files by their headings."""
    headings = {column.strip().lower() for column in head.columns}
    return headings >= {*_MEANS} or headings >= {*_WORKERS}


def read_wmt_da(path: str) -> Scores:
    """Read means as scorers `da` and `da-z`, or workers' judgements with their judges.

    Lines of the types SYSTEM and REPEAT judge a system's output; REF and BAD_REF are items
    of the kinds check and degraded.
    """
    table = read_columns(path)
    columns = {name.lower(): cells for name, cells in table.by_heading().items()}
    if {*_MEANS} <= columns.keys():
        items = [ScoredItem(name) for name in columns["sid"]]
        values = {
            Scorer("da", "da"): parse_numbers(columns["raw.scr"], path, "RAW.SCR"),
            Scorer("da-z", "da"): parse_numbers(columns["z.scr"], path, "Z.SCR"),
        }
        return build_score_table(columns["sys"], items, values)
    if {*_WORKERS} <= columns.keys():
        return _build_worker_scores(columns, path)
    msg = (
        f"{format_path(path)} has columns {' '.join(table.header) or 'of no name'}; "
        "expected SYS SID RAW.SCR Z.SCR N, or HITId WorkerId … sys_id rid type sid score."
    )
    raise FormatError(msg)


def _build_worker_scores(columns: Mapping[str, tuple[str, ...]], path: str) -> Scores:
    scores = parse_numbers(columns["score"], path, "score")
    types = columns["type"]
    unknown = sorted(set(types) - _TYPES.keys())
    if unknown:
        problem = f"{format_path(path)} has judgements of the type {unknown[0]!r}"
        msg = f"{problem}; expected {', '.join(_TYPES)}."
        raise FormatError(msg)
    sources = columns.get("input.src", ("",) * len(types))
    targets = columns.get("input.trg", ("",) * len(types))
    items = [
        ScoredItem(name, lang=f"{source}-{target}" if source else "")
        for name, source, target in zip(columns["sid"], sources, targets, strict=True)
    ]
    systems, judges = columns["sys_id"], columns["workerid"]
    kinds = [_TYPES[type_] for type_ in types]
    values = {Scorer("da", "da"): scores}
    return build_score_table(systems, items, values, judges, kinds)
