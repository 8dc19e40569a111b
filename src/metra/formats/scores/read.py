"""Readers of scores and judgements: one file a format, all give the same table.

Which format a file of scores is in: its name and its first lines tell.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from zipfile import is_zipfile

from metra.errors import FormatError, OptionError
from metra.formats.scores import (
    appraise,
    long_table,
    metra,
    mqm,
    mt_metrics_eval,
    wmt_da,
)
from metra.formats.scores.record import ScoredItem, Scores, concatenate_scores
from metra.formats.stream import STDIN, ByteStream, format_path
from metra.formats.table import find_columns

_HEAD = 1 << 16


def recognise_score_format(path: str) -> str:
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
        msg = f"{format_path(path)} is empty; expected scores."
        raise FormatError(msg)
    found = (
        _recognise_json(head, first)
        or _recognise_header(first)
        or _recognise_csv(first)
    )
    if found:
        return found
    msg = (
        f"{format_path(path)} begins with {first[:60]!r}, which is no table of scores that is "
        "known; give --input-format."
    )
    raise FormatError(msg)


def _recognise_json(head: str, first: str) -> str:
    if not head.lstrip().startswith("{"):
        return ""
    try:
        data = json.loads(first)
    except ValueError:
        return "metra-json"
    if str(data.get("schema", "")).startswith("metra-judgement/"):
        return "metra-judgements"
    return "metra-json" if "metra" in data else "jsonl"


def _recognise_header(first: str) -> str:
    tabs = first.split("\t")
    names = {name.strip().lower() for name in tabs}
    if {"level", "system", "item", "metric", "score"} <= names:
        return "metra-tsv"
    if {"system", "category", "severity"} <= names:
        return "mqm"
    if first.startswith("SYS SID ") or first.startswith("HITId WorkerId "):
        return "da"
    known = find_columns(tabs)
    if len(tabs) > 1 and ("system" in known or "judge" in known):
        return "long" if {"system", "scorer", "value"} <= known.keys() else "matrix"
    return ""


def _recognise_csv(first: str) -> str:
    """Tell the exports of Appraise, which have no header: a score stands seventh."""
    import csv

    cells = next(csv.reader([first]), [])
    if len(cells) < 9 or cells[3] not in ("TGT", "BAD", "REF", "CHK"):
        return ""
    return "esa" if len(cells) > 9 and cells[9].startswith("[") else "appraise"


def _read_judgements(path: str) -> Scores:
    from metra.campaign.judgement_files import read

    return read(path)


READERS: dict[str, Callable[[str], Scores]] = {
    "long": long_table.read_long_table,
    "jsonl": long_table.read_jsonl,
    "matrix": long_table.read_matrix,
    "metra-json": metra.read_metra_json,
    "metra-judgements": _read_judgements,
    "metra-tsv": metra.read_metra_tsv,
    "mt-metrics-eval": mt_metrics_eval.read_mt_metrics_eval,
    "da": wmt_da.read_wmt_da,
    "mqm": mqm.read_mqm,
    "mqm-wmt": mqm.read_mqm_as_wmt,
    "esa": appraise.read_esa,
    "appraise": appraise.read_appraise,
}
FORMATS = tuple(READERS)
#: Readers of files whose columns are up to their writers.
WITH_UNITS: dict[str, Callable[[str, Sequence[str]], Scores]] = {
    "long": long_table.read_long_table,
    "jsonl": long_table.read_jsonl,
    "matrix": long_table.read_matrix,
}


#: Formats that the official scorer of WMT reads otherwise.
AS_WMT = {"mqm": "mqm-wmt"}


def read_scores(
    path: str,
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    wmt: bool = False,
) -> Scores:
    """Read a file or directory of scores; `LANG=PATH` says which language pair it is of.

    The language pair, say `en-de=scores.tsv`, is for files that do not name it. `units`
    names more columns of tables and JSON lines that tell apart what was scored. `wmt` reads
    errors of MQM with the rounding of WMT's official scores.
    """
    lang, at, rest = path.partition("=")
    if at and _is_language_pair(lang):
        whole = read_scores(rest, input_format=input_format, units=units, wmt=wmt)
        return _set_language(whole, lang)
    kind = recognise_score_format(path) if input_format == "auto" else input_format
    kind = AS_WMT.get(kind, kind) if wmt else kind
    if kind not in READERS:
        msg = f"No format named {kind!r} for {format_path(path)}; known: {', '.join(READERS)}."
        raise OptionError(msg)
    if not units:
        return READERS[kind](path)
    if kind not in WITH_UNITS:
        msg = (
            f"{format_path(path)} is of the format {kind}, which has no columns of one's own; "
            f"--unit is for {', '.join(WITH_UNITS)}."
        )
        raise OptionError(msg)
    return WITH_UNITS[kind](path, units)


def read_score_files(
    paths: Sequence[str],
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    wmt: bool = False,
) -> Scores:
    """Read several files into one table."""
    return concatenate_scores(
        [
            read_scores(path, input_format=input_format, units=units, wmt=wmt)
            for path in paths
        ]
    )


def _set_language(scores: Scores, lang: str) -> Scores:
    from dataclasses import replace

    items = tuple(ScoredItem(*item[:3], item.lang or lang) for item in scores.items)
    return replace(scores, items=items)


def _is_language_pair(name: str) -> bool:
    """Tell `en-de` or `zh_Hans-en`, which are not paths.

    >>> _is_language_pair("en-de"), _is_language_pair("runs/a-b")
    (True, False)
    """
    first, _, second = name.partition("-")
    return all(
        2 <= len(part) <= 8 and part.replace("_", "").isalnum()
        for part in (first, second)
    )
