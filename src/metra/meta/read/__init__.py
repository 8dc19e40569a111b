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
    "metra-tsv": metra_tsv.read,
    "mt-metrics-eval": mt_metrics_eval.read,
    "da": da.read,
    "mqm": mqm.read,
    "esa": esa.read,
    "appraise": appraise.read,
}
FORMATS = tuple(READERS)


def read(path: str, *, input_format: str = "auto") -> Scores:
    """Read a file or directory of scores; `LANG=PATH` says which language pair it is of.

    The language pair, say `en-de=scores.tsv`, is for files that do not name it.
    """
    lang, at, rest = path.partition("=")
    if at and _is_language_pair(lang):
        return _of_language(read(rest, input_format=input_format), lang)
    kind = recognised(path) if input_format == "auto" else input_format
    if kind not in READERS:
        msg = (
            f"No format named {kind!r} for {shown(path)}; known: {', '.join(READERS)}."
        )
        raise OptionError(msg)
    return READERS[kind](path)


def read_all(paths: Sequence[str], *, input_format: str = "auto") -> Scores:
    """Read several files into one table."""
    return joined([read(path, input_format=input_format) for path in paths])


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
