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
from metra.formats.stream import STDIN, format_path, refuse_damage
from metra.scores import (
    appraise,
    judgement_jsonl,
    long_table,
    metra,
    model_scores,
    mqm,
    mt_metrics_eval,
    wmt_da,
)
from metra.scores.columns import ALIASES, find_columns, read_score_head
from metra.scores.mqm import MqmWeighting
from metra.scores.table import (
    LANGUAGE_PAIR,
    ScoredItem,
    Scores,
    concatenate_scores,
)


class ScoreFormat(NamedTuple):
    """A format of scores: how files are recognised and read."""

    name: str
    looks_like: Callable[[FileHead], bool]
    #: Takes a path; also `units` and `columns` if `has_columns`.
    read: Callable[..., Scores]
    #: Whether columns are up to those who write a file, and may tell segments apart.
    has_columns: bool = False


def _is_mt_metrics_eval(head: FileHead) -> bool:
    if head.is_folder:
        return any(Path(head.path).rglob("*.score")) or not _is_folder(head)
    is_score_file = head.path.endswith(
        tuple(f".{level}.score" for level in ("seg", "sys", "doc", "domain"))
    )
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
    ScoreFormat(*("wmt25-human", model_scores.is_rounds), model_scores.read_rounds),
    ScoreFormat("column", model_scores.is_column, model_scores.read_column),
    ScoreFormat(
        *("metra-judgements", judgement_jsonl.is_judgements),
        judgement_jsonl.read_judgement_scores,
    ),
    ScoreFormat(
        "metra-json",
        lambda head: _is_json(head) and "metra" in (head.first_object or ["metra"]),
        metra.read_metra_json,
    ),
    ScoreFormat("metra-tsv", _has_columns(*_METRA_TSV), metra.read_metra_tsv),
    ScoreFormat("mqm", _has_columns("system", "category", "severity"), mqm.read_mqm),
    ScoreFormat("da", wmt_da.is_wmt_da, wmt_da.read_wmt_da),
    ScoreFormat(
        "long",
        lambda head: find_columns(head.columns).keys() >= {"system", "scorer", "value"},
        long_table.read_long_table,
        has_columns=True,
    ),
    ScoreFormat("jsonl", _is_json, long_table.read_jsonl, has_columns=True),
    ScoreFormat("matrix", _is_matrix, long_table.read_matrix, has_columns=True),
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
    columns: Mapping[str, str] | None = None,
    wmt: bool = False,
    mqm_weights: MqmWeighting | None = None,
    formats: Mapping[str, ScoreFormat] = SCORE_FORMATS,
) -> Scores:
    """Read a file or directory of scores; `LANG=PATH` says which language pair it is of.

    The language pair, say `en-de=scores.tsv`, is for files that do not name it. `units`
    names more columns of tables and JSON lines that tell apart what was scored, and
    `columns` the heading of each role that its own heading does not tell, such as
    `{"system": "model"}`. `wmt` reads errors of MQM with the rounding of WMT's official
    scores; `mqm_weights` weighs them otherwise. Judgements of metra and its own tables of
    scores need what protocols and metrics know: give the `formats` of
    `metra.campaign.judgement_files`.
    """
    lang, equals, file = path.partition("=")
    if not equals or not LANGUAGE_PAIR.fullmatch(lang):
        lang, file = "", path
    name = input_format
    if name == "auto":
        name = recognise_score_format(file, columns)
    if name not in formats:
        known = ", ".join(formats)
        msg = f"No format named {name!r} for {format_path(file)}; known: {known}."
        raise OptionError(msg)
    options: dict[str, Any] = {}
    given: dict[str, Any] = {"units": units, "columns": columns}
    for option, value in given.items():
        if value and not formats[name].has_columns:
            _refuse_columns(option, file, name, formats)
        options |= {option: value} if value else {}
    if name == "mqm":
        options |= {"weights": mqm_weights} if mqm_weights else {}
        name = "mqm-wmt" if wmt and not mqm_weights else name
    with refuse_damage(file):
        scores = formats[name].read(file, **options)
    if not lang:
        return scores
    items = (ScoredItem(*item[:3], item.lang or lang) for item in scores.items)
    return replace(scores, items=tuple(items))


def _refuse_columns(
    option: str, file: str, name: str, formats: Mapping[str, ScoreFormat]
) -> None:
    known = ", ".join(known for known, form in formats.items() if form.has_columns)
    msg = (
        f"{format_path(file)} is of the format {name}, whose columns are fixed; "
        f"`{option}` is for {known}."
    )
    raise OptionError(msg)


def read_score_files(paths: Sequence[str], **options: Any) -> Scores:
    """Read several files into one table; the options are those of `read_scores`."""
    return concatenate_scores([read_scores(path, **options) for path in paths])


def parse_roles(given: Sequence[str]) -> dict[str, str]:
    """Parse ROLE=HEADING, such as system=model.

    >>> parse_roles(["system=model"])
    {'system': 'model'}
    """
    columns = {}
    for each in given:
        role, equals, heading = each.partition("=")
        if role not in ALIASES or not equals or not heading:
            known = ", ".join(ALIASES)
            msg = f"`columns` has {each!r}; expected ROLE=HEADING with one of {known}."
            raise OptionError(msg)
        columns[role] = heading
    return columns


def recognise_score_format(path: str, columns: Mapping[str, str] | None = None) -> str:
    """Return the name of a file's format, by its name and its first lines.

    Where `columns` says what plays which role, it is a table with these columns.
    """
    head = read_score_head(path)
    if columns and not _is_json(head):
        roles = find_columns(head.columns, columns)
        return "long" if roles.keys() >= {"system", "scorer", "value"} else "matrix"
    form = recognise(head, SCORE_FORMATS.values())
    if form is not None:
        return form.name
    msg = f"{format_path(path)} is empty; expected scores."
    if head.content:
        msg = (
            f"{format_path(path)} begins with {head.first_line[:60]!r}, which is not "
            "a known score table; give `input_format`."
        )
    raise FormatError(msg)
