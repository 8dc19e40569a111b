"""Which format a file of scores is in: its name and its first lines tell."""

import json
from contextlib import closing
from pathlib import Path
from zipfile import is_zipfile

from metra.errors import FormatError
from metra.io.stream import STDIN, ByteStream, shown
from metra.meta.read.cells import columns_of

_HEAD = 1 << 16


def recognised(path: str) -> str:
    """Name the format, or say what was found and how to name it."""
    if path != STDIN and Path(path).is_dir():
        return "mt-metrics-eval"
    if path.endswith((".seg.score", ".sys.score", ".doc.score")):
        return "mt-metrics-eval"
    if path != STDIN and is_zipfile(path):
        return "mt-metrics-eval"
    with closing(ByteStream(path)) as stream:
        head = stream.read(_HEAD).decode("utf-8-sig", errors="replace")
    first = head.partition("\n")[0].rstrip("\r")
    if not head:
        msg = f"{shown(path)} is empty; expected scores."
        raise FormatError(msg)
    found = _json(head, first) or _by_header(first) or _by_csv(first)
    if found:
        return found
    msg = (
        f"{shown(path)} begins with {first[:60]!r}, which is no table of scores that is "
        "known; give --input-format."
    )
    raise FormatError(msg)


def _json(head: str, first: str) -> str:
    if not head.lstrip().startswith("{"):
        return ""
    try:
        data = json.loads(first)
    except ValueError:
        return "metra-json"
    if str(data.get("schema", "")).startswith("metra-judgement/"):
        return "metra-judgements"
    return "metra-json" if "metra" in data else "jsonl"


def _by_header(first: str) -> str:
    tabs = first.split("\t")
    names = {name.strip().lower() for name in tabs}
    if {"level", "system", "item", "metric", "score"} <= names:
        return "metra-tsv"
    if {"system", "category", "severity"} <= names:
        return "mqm"
    if first.startswith("SYS SID ") or first.startswith("HITId WorkerId "):
        return "da"
    known = columns_of(tabs)
    if len(tabs) > 1 and ("system" in known or "judge" in known):
        return "long" if {"system", "scorer", "value"} <= known.keys() else "matrix"
    return ""


def _by_csv(first: str) -> str:
    """Tell the exports of Appraise, which have no header: a score stands seventh."""
    import csv

    cells = next(csv.reader([first]), [])
    if len(cells) < 9 or cells[3] not in ("TGT", "BAD", "REF", "CHK"):
        return ""
    return "esa" if len(cells) > 9 and cells[9].startswith("[") else "appraise"
