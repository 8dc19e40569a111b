"""Marot's table of MQM errors: a line an error, its place marked in the text.

Exact places are in the metadata besides, because a text may itself contain `<v>`.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from metra.campaign.judgement import keep_latest
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError, OptionError
from metra.formats.scores.judgement import OMISSION, Judgement, get_marks
from metra.formats.table import replace_line_breaks

COLUMNS = (
    "system",
    "doc",
    "docSegId",
    "globalSegId",
    "rater",
    "source",
    "target",
    "category",
    "severity",
    "metadata",
)
_NO_ERROR = "no-error"
_MARKED = re.compile(r"<v>(.*?)</v>", re.DOTALL)


def write(judgements: Iterable[Judgement]) -> str:
    """Write the last revision of each judgement that counts."""
    lines = ["\t".join(COLUMNS)]
    for judgement in keep_latest(judgements):
        if judgement.protocol != "mqm":
            msg = f"Marot's table has no place for {judgement.protocol}; expected mqm."
            raise OptionError(msg)
        if not judgement.counts:
            continue
        marks: list[dict[str, Any] | None] = [*get_marks(judgement)]
        lines += ["\t".join(_row(judgement, mark)) for mark in marks or [None]]
    return "".join(f"{line}\n" for line in lines)


def read(
    text: str, place: str, *, languages: tuple[str, str], campaign: str = "marot"
) -> list[Judgement]:
    """Read a table again; lines of one rater, system and segment become one judgement."""
    lines = text.split("\n")
    if tuple(lines[0].split("\t")) != COLUMNS:
        msg = f"{place}, line 1 is {lines[0][:60]!r}; expected {', '.join(COLUMNS)}."
        raise FormatError(msg)
    found: dict[tuple[str, str, str], list[tuple[str, dict[str, str]]]] = {}
    for at, line in enumerate(lines[1:], 2):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            msg = (
                f"{place}, line {at} has {len(cells)} columns; expected {len(COLUMNS)}."
            )
            raise FormatError(msg)
        row = dict(zip(COLUMNS, cells, strict=True))
        key = row["rater"], row["system"], row["globalSegId"]
        found.setdefault(key, []).append((f"{place}, line {at}", row))
    return [_judgement(rows, languages, campaign) for rows in found.values()]


def _row(judgement: Judgement, mark: dict[str, Any] | None) -> list[str]:
    texts = {"source": judgement.source or "", "output": judgement.outputs[0]}
    exact: dict[str, Any] = {"texts": dict(texts), "document": judgement.document}
    if mark is not None:
        exact["mark"] = mark
        if mark["side"] != OMISSION:
            whole = texts[mark["side"]]
            start, end = mark["start"], mark["end"]
            marked = f"{whole[:start]}<v>{whole[start:end]}</v>{whole[end:]}"
            texts[mark["side"]] = marked
    metadata: dict[str, Any] = {"metra": exact}
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
    return [*map(replace_line_breaks, cells), json.dumps(metadata, ensure_ascii=True)]


def _judgement(
    rows: list[tuple[str, dict[str, str]]], languages: tuple[str, str], campaign: str
) -> Judgement:
    place, first = rows[0]
    asked = PROTOCOLS["mqm"]
    try:
        metadata = json.loads(first["metadata"] or "{}")
        exact = metadata.get("metra", {})
        submitted = metadata.get("timestamp")
        texts = exact.get("texts") or {
            "source": _plain(first["source"]),
            "output": _plain(first["target"]),
        }
        marks = [_mark(row) for _, row in rows if row["severity"].lower() != _NO_ERROR]
        value = asked.relax_rules().check({"mqm": marks}, texts)
        segment = int(first["globalSegId"])
        submitted_at = None if submitted is None else float(submitted) / 1000
    except (ValueError, AttributeError, TypeError) as error:
        msg = f"{place} cannot be read: {str(error).rstrip('.')}."
        raise FormatError(msg) from None
    name = f"{campaign}:{first['rater']}:{first['system']}:{segment}"
    return Judgement(
        id=name,
        campaign=campaign,
        protocol="mqm",
        protocol_version=asked.version,
        source_language=languages[0],
        target_language=languages[1],
        judge=first["rater"],
        task=name,
        kind="judged",
        systems=(first["system"],),
        document=exact.get("document", first["doc"]),
        segment=segment,
        source=texts["source"],
        outputs=(texts["output"],),
        value=value,
        submitted_at=submitted_at,
    )


def _mark(row: dict[str, str]) -> dict[str, Any]:
    exact = json.loads(row["metadata"] or "{}").get("metra", {}).get("mark")
    if exact:
        return dict(exact)
    kind = {
        "severity": row["severity"].lower(),
        "category": row["category"].lower(),
    }
    for side, column in (("output", "target"), ("source", "source")):
        marked = _MARKED.search(row[column])
        if marked:
            start = marked.start()
            return kind | {"side": side, "start": start, "end": start + len(marked[1])}
    return kind | {"side": OMISSION}


def _plain(text: str) -> str:
    return _MARKED.sub(r"\1", text)
