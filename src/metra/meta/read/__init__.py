"""Readers of scores and judgements: one file a format, all give the same table."""

from collections.abc import Callable, Sequence

from metra.errors import OptionError
from metra.io.stream import shown
from metra.meta.read import (
    appraise,
    da,
    esa,
    jsonl,
    long_table,
    matrix,
    metra_json,
    metra_judgements,
    metra_tsv,
    mqm,
    mt_metrics_eval,
)
from metra.meta.read.recognise import recognised
from metra.meta.scores import Item, Scores, joined

READERS: dict[str, Callable[[str], Scores]] = {
    "long": long_table.read,
    "jsonl": jsonl.read,
    "matrix": matrix.read,
    "metra-json": metra_json.read,
    "metra-judgements": metra_judgements.read,
    "metra-tsv": metra_tsv.read,
    "mt-metrics-eval": mt_metrics_eval.read,
    "da": da.read,
    "mqm": mqm.read,
    "mqm-wmt": mqm.read_as_wmt,
    "esa": esa.read,
    "appraise": appraise.read,
}
FORMATS = tuple(READERS)
#: Readers of files whose columns are up to their writers.
WITH_UNITS: dict[str, Callable[[str, Sequence[str]], Scores]] = {
    "long": long_table.read,
    "jsonl": jsonl.read,
    "matrix": matrix.read,
}


#: Formats that the official scorer of WMT reads otherwise.
AS_WMT = {"mqm": "mqm-wmt"}


def read(
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
        whole = read(rest, input_format=input_format, units=units, wmt=wmt)
        return _of_language(whole, lang)
    kind = recognised(path) if input_format == "auto" else input_format
    kind = AS_WMT.get(kind, kind) if wmt else kind
    if kind not in READERS:
        msg = (
            f"No format named {kind!r} for {shown(path)}; known: {', '.join(READERS)}."
        )
        raise OptionError(msg)
    if not units:
        return READERS[kind](path)
    if kind not in WITH_UNITS:
        msg = (
            f"{shown(path)} is of the format {kind}, which has no columns of one's own; "
            f"--unit is for {', '.join(WITH_UNITS)}."
        )
        raise OptionError(msg)
    return WITH_UNITS[kind](path, units)


def read_all(
    paths: Sequence[str],
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    wmt: bool = False,
) -> Scores:
    """Read several files into one table."""
    return joined(
        [read(path, input_format=input_format, units=units, wmt=wmt) for path in paths]
    )


def _of_language(scores: Scores, lang: str) -> Scores:
    from dataclasses import replace

    items = tuple(Item(*item[:3], item.lang or lang) for item in scores.items)
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
