"""Files of scores in any format: `read_scores` recognises them and gives one record.

To add a format, write a module with a function that reads a path, and add a record to
`SCORE_FORMATS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import is_zipfile

from metra.errors import FormatError, OptionError
from metra.formats.headed_table import is_workbook_name
from metra.formats.recognise import FileHead, recognise
from metra.formats.scores import (
    appraise,
    judgement_jsonl,
    long_table,
    metra,
    model_scores,
    mqm,
    mt_metrics_eval,
    wmt_da,
)
from metra.formats.scores.columns import find_columns, read_score_head
from metra.formats.scores.record import ScoredItem, Scores, concatenate_scores
from metra.formats.stream import STDIN, format_path, refuse_damage


class ScoreFormat(NamedTuple):
    """A format of scores: how files are recognised and read."""

    name: str
    looks_like: Callable[[FileHead], bool]
    #: Takes a path; also `units` if `has_units`.
    read: Callable[..., Scores]
    #: Whether columns are up to those who write a file, and may tell segments apart.
    has_units: bool = False


def _is_mt_metrics_eval(head: FileHead) -> bool:
    if head.is_folder:
        return any(Path(head.path).rglob("*.score")) or not _is_folder(head)
    is_score_file = head.path.endswith((".seg.score", ".sys.score", ".doc.score"))
    is_zip = head.path != STDIN and is_zipfile(head.path)
    return is_score_file or (is_zip and not is_workbook_name(head.path))


def _is_folder(head: FileHead) -> bool:
    return head.is_folder and bool(model_scores.list_score_files(head.path))


def read_folder(path: str) -> Scores:
    """Read each file of a folder, of the system that it names or is named after."""
    tables = []
    for file in model_scores.list_score_files(path):
        tables.append(model_scores.name_nameless(read_scores(file), file))
    return concatenate_scores(tables)


def _is_json(head: FileHead) -> bool:
    return head.text.lstrip().startswith("{")


def _has_columns(*names: str) -> Callable[[FileHead], bool]:
    return lambda head: {*names} <= {column.strip().lower() for column in head.columns}


def _is_matrix(head: FileHead) -> bool:
    roles = find_columns(head.columns)
    return len(head.columns) > 1 and ("system" in roles or "judge" in roles)


def _refuse_judgements(path: str) -> Scores:
    msg = (
        f"{format_path(path)} holds judgements, whose scores depend on their protocols; "
        "give the `formats` of metra.campaign.judgement_files."
    )
    raise FormatError(msg)


_METRA_TSV = ("level", "system", "item", "metric", "score")
_ALL = (
    ScoreFormat(
        *("mt-metrics-eval", _is_mt_metrics_eval),
        mt_metrics_eval.read_mt_metrics_eval,
    ),
    ScoreFormat("folder", _is_folder, read_folder),
    ScoreFormat("comet-json", model_scores.is_comet_json, model_scores.read_comet_json),
    ScoreFormat("comet", model_scores.is_comet_lines, model_scores.read_comet_lines),
    ScoreFormat(
        *("metricx", model_scores.is_predictions), model_scores.read_predictions
    ),
    ScoreFormat(
        *("wmt25", model_scores.is_paragraph_lists), model_scores.read_paragraph_lists
    ),
    ScoreFormat("column", model_scores.is_column, model_scores.read_column),
    ScoreFormat("metra-judgements", judgement_jsonl.is_judgements, _refuse_judgements),
    ScoreFormat(
        "metra-json",
        lambda head: _is_json(head) and "metra" in (head.first_object or ["metra"]),
        metra.read_metra_json,
    ),
    ScoreFormat("metra-tsv", _has_columns(*_METRA_TSV), metra.read_metra_tsv),
    ScoreFormat("mqm", _has_columns("system", "category", "severity"), mqm.read_mqm),
    ScoreFormat(
        "da",
        lambda head: head.first_line.startswith(("SYS SID ", "HITId WorkerId ")),
        wmt_da.read_wmt_da,
    ),
    ScoreFormat(
        "long",
        lambda head: find_columns(head.columns).keys() >= {"system", "scorer", "value"},
        long_table.read_long_table,
        has_units=True,
    ),
    ScoreFormat("jsonl", _is_json, long_table.read_jsonl, has_units=True),
    ScoreFormat("matrix", _is_matrix, long_table.read_matrix, has_units=True),
    ScoreFormat("esa", appraise.is_esa, appraise.read_esa),
    ScoreFormat("appraise", appraise.is_appraise, appraise.read_appraise),
    ScoreFormat("mqm-wmt", lambda _: False, mqm.read_mqm_as_wmt),
)
#: The first format that a file looks like reads it. `metra.campaign.judgement_files` has the
#: same table with what protocols and metrics know.
SCORE_FORMATS: Mapping[str, ScoreFormat] = {form.name: form for form in _ALL}


def read_scores(
    path: str,
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    wmt: bool = False,
    formats: Mapping[str, ScoreFormat] = SCORE_FORMATS,
) -> Scores:
    """Read a file or directory of scores; `LANG=PATH` says which language pair it is of.

    The language pair, say `en-de=scores.tsv`, is for files that do not name it. `units`
    names more columns of tables and JSON lines that tell apart what was scored. `wmt` reads
    errors of MQM with the rounding of WMT's official scores. Judgements of metra and its
    own tables of scores need what protocols and metrics know: give the `formats` of
    `metra.campaign.judgement_files`.
    """
    lang, equals, file = path.partition("=")
    if not equals or not _is_language_pair(lang):
        lang, file = "", path
    name = recognise_score_format(file) if input_format == "auto" else input_format
    if wmt and name == "mqm":
        name = "mqm-wmt"
    if name not in formats:
        known = ", ".join(formats)
        msg = f"No format named {name!r} for {format_path(file)}; known: {known}."
        raise OptionError(msg)
    if units and not formats[name].has_units:
        known = ", ".join(known for known, form in formats.items() if form.has_units)
        msg = (
            f"{format_path(file)} is of the format {name}, which has no columns of one's "
            f"own; `units` is for {known}."
        )
        raise OptionError(msg)
    with refuse_damage(file):
        scores = formats[name].read(file, *([units] if units else []))
    if not lang:
        return scores
    items = (ScoredItem(*item[:3], item.lang or lang) for item in scores.items)
    return replace(scores, items=tuple(items))


def read_score_files(paths: Sequence[str], **options: Any) -> Scores:
    """Read several files into one table; the options are those of `read_scores`."""
    return concatenate_scores([read_scores(path, **options) for path in paths])


def recognise_score_format(path: str) -> str:
    """Return the name of a file's format, by its name and its first lines."""
    head = read_score_head(path)
    form = recognise(head, SCORE_FORMATS.values())
    if form is not None:
        return form.name
    msg = f"{format_path(path)} is empty; expected scores."
    if head.content:
        msg = (
            f"{format_path(path)} begins with {head.first_line[:60]!r}, which is no table "
            "of scores that is known; give `input_format`."
        )
    raise FormatError(msg)


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
