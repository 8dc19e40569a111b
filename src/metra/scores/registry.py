"""The formats of scores and judgements: `read_scores` recognises a file and gives one record.

To add a format, write a module with a function that reads a path, and add a record to
`SCORE_FORMATS`. A table with fixed headings needs no module: declare its columns in
`TABLE_FORMATS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import is_zipfile

import numpy as np

from metra.errors import CorpusError, FormatError, OptionError
from metra.formats.compression import list_zip, read_zip
from metra.formats.headed_table import is_number, is_workbook_name
from metra.formats.recognise import FileHead, read_head, recognise
from metra.formats.stream import (
    STDIN,
    decode_utf8,
    format_path,
    load_json,
    name_system,
    refuse_damage,
    split_named_path,
)
from metra.limits import check_limit
from metra.scores import (
    appraise,
    judgement_jsonl,
    long_table,
    model_scores,
    mqm,
    mt_metrics_eval,
    pearmut,
)
from metra.scores.alignment import align_tables
from metra.scores.columns import (
    ScoreColumns,
    find_columns,
    read_columns,
    read_object_columns,
    read_objects,
    read_score_head,
)
from metra.scores.faults import leave_out_totals, refuse_faults
from metra.scores.judgement import Judgement, refuse_line
from metra.scores.judgement_jsonl import SCHEMA_NAME
from metra.scores.long_table import TableFormat
from metra.scores.mqm import MqmWeighting
from metra.scores.spans import Mark, RatingKey, Spans, build_mark, build_spans
from metra.scores.table import (
    LANGUAGE_PAIR,
    ScoredItem,
    Scorer,
    Scores,
    concatenate_scores,
)


class ScoreFormat(NamedTuple):
    """A format: the recognition and the readers of its files."""

    name: str
    looks_like: Callable[[FileHead], bool]
    #: Takes a path, or what `read_columns` gives and `units`. None if there are no scores.
    read: Callable[..., Scores] | None = None
    #: For files with marked errors.
    read_spans: Callable[[str], Spans] | None = None
    #: If columns are up to those who write a file, and may tell segments apart.
    read_columns: Callable[..., ScoreColumns] | None = None
    #: Takes the lines, the path, a check of answers and the options that are named here.
    read_judgements: Callable[..., list[Judgement]] | None = None
    options: tuple[str, ...] = ()
    #: True if judgements in other files need what it says.
    completes: bool = False
    #: Content of a file without scores, and the remedy.
    advice: str = ""


def _is_mt_metrics_eval(head: FileHead) -> bool:
    if head.is_folder:
        return any(Path(head.path).rglob("*.score")) or not _is_folder(head)
    is_score_file = head.path.endswith(mt_metrics_eval.SUFFIXES)
    return is_score_file or (_is_zip(head) and not is_workbook_name(head.path))


def _is_zip(head: FileHead) -> bool:
    return not head.is_folder and head.path != STDIN and is_zipfile(head.path)


def _is_folder(head: FileHead) -> bool:
    return head.is_folder and bool(model_scores.list_score_files(head.path))


def read_folder(path: str) -> Scores:
    """Read each file of a folder, of the system that it names or is named after."""
    files = model_scores.list_score_files(path)
    tables = [read_scores(file) for file in files]
    names = [{model_scores.NAMELESS: name_system(file)} for file in files]
    return concatenate_scores([*map(Scores.rename_systems, tables, names)])


#: The file of a campaign's export that has all its answers.
_JUDGEMENTS = "judgements.jsonl"


def _is_export(head: FileHead) -> bool:
    return _is_zip(head) and _JUDGEMENTS in list_zip(head.path, head.path)


def _read_export(path: str) -> Scores:
    content = read_zip(path, path, _JUDGEMENTS.__eq__)[_JUDGEMENTS]
    place = f"{format_path(path)}, {_JUDGEMENTS}"
    lines = decode_utf8(content, place).split("\n")
    check_limit("rows", len(lines), place)
    return judgement_jsonl.parse_judgement_scores(lines, place)


def _is_json(head: FileHead) -> bool:
    return head.text.lstrip().startswith("{")


def _parse_json(head: FileHead) -> object:
    if not head.text.lstrip().startswith(("{", "[")):
        return None
    try:
        return load_json(head.text, head.path)
    except ValueError:
        return None


def _is_pearmut_campaign(head: FileHead) -> bool:
    content = _parse_json(head)
    return isinstance(content, dict) and "data" in content


def _has_keys(*names: str) -> Callable[[FileHead], bool]:
    """Tell JSON lines by keys of the first object."""
    return lambda head: {*names} <= (head.first_object or {}).keys()


def _has_object(name: str, *others: str) -> Callable[[FileHead], bool]:
    """Tell objects that hold another one by its name, and have other keys."""
    return lambda head: (
        isinstance((head.first_object or {}).get(name), dict)
        and _has_keys(*others)(head)
    )


def _has_columns(*names: str) -> Callable[[FileHead], bool]:
    return lambda head: {*names} <= {column.strip().lower() for column in head.columns}


def _is_matrix(head: FileHead) -> bool:
    roles = find_columns(head.columns)
    return len(head.columns) > 1 and ("system" in roles or "judge" in roles)


def _read_span_lines(path: str) -> Spans:
    """Read JSON lines with a system, a segment, a list of errors and perhaps a judge."""
    ratings: dict[RatingKey, list[Mark]] = {}
    for number, (place, entry) in enumerate(read_objects(path), 1):
        with refuse_line(place):
            judge = str(entry.get("source") or entry.get("judge") or "")
            item = ScoredItem(str(entry.get("segment", number)))
            marks = ratings.setdefault((str(entry["system"]), item, judge), [])
            marks += map(build_mark, entry["errors"])
    return build_spans(path, ratings)


#: The columns of a table of results.
RESULT_COLUMNS = ("metric", "evaluator", "text", "translation", "score")
_METRA_TSV = ("level", "system", "item", "metric", "score")
_SPREADSHEET = long_table.SPREADSHEET_COLUMNS[:8]
#: Formats of tables with fixed headings.
TABLE_FORMATS = (
    TableFormat(
        # Direct assessment as WMT publishes it: segment means, or workers' judgements, of
        # which a repeat is the second judgement of an output and counts like the first.
        "da",
        (
            ("sys", "sid", "raw.scr", "z.scr"),
            ("workerid", "sys_id", "type", "sid", "score"),
        ),
        scorers={
            "raw.scr": Scorer("da", "da"),
            "z.scr": Scorer("da-z", "da"),
            "score": Scorer("da", "da"),
        },
        item_kinds={
            **dict.fromkeys(("system", "repeat"), "judged"),
            **{"ref": "check", "bad_ref": "degraded"},
        },
    ),
    TableFormat(
        "results",
        (RESULT_COLUMNS,),
        {
            **{"scorer": ("metric",), "judge": ("evaluator",), "document": ("text",)},
            **{"system": ("translation",), "value": ("native", "score")},
            **{"hundred": ("score",), "reason": ("reason",)},
        },
        needed=("judge",),
        kinds={"human": "human", "automated": "metric"},
        without_judge="all",  # the mean of judges that exports add
    ),
    TableFormat(
        "spreadsheet",
        (_SPREADSHEET,),
        {
            **{"scorer": ("scorer",), "kind": ("scorer",), "value": ("native",)},
            **{"check": ("kind",), "reason": ("reason",)},
        },
    ),
)
_ALL = (
    ScoreFormat(
        "store",
        lambda head: head.content.startswith(b"SQLite format 3\0"),
        advice="is a store of campaigns; export one with `metra judge export`",
    ),
    ScoreFormat("metra-zip", _is_export, _read_export),
    ScoreFormat(
        *("mt-metrics-eval", _is_mt_metrics_eval),
        mt_metrics_eval.read_mt_metrics_eval,
    ),
    ScoreFormat(
        "mt-metrics-eval-ratings",
        lambda head: head.path.removesuffix(".gz").endswith(".seg.rating"),
        read_spans=mt_metrics_eval.read_rating_spans,
        advice="has error marks without scores; give the .seg.score file",
    ),
    ScoreFormat("folder", _is_folder, read_folder),
    ScoreFormat(
        *("metra-table", model_scores.is_printed_table),
        advice="is a table for a terminal; write scores with `metra score --format json`",
    ),
    ScoreFormat(
        *("pearmut", pearmut.is_results),
        pearmut.read_results,
        read_spans=pearmut.read_result_spans,
        read_judgements=pearmut.parse_results,
        options=("languages", "campaign", "protocol"),
    ),
    ScoreFormat(
        *("comet-json", model_scores.is_comet_json, model_scores.read_comet_json),
        read_spans=model_scores.read_comet_spans,
    ),
    ScoreFormat(
        "comet",
        lambda head: model_scores.COMET_LINE.fullmatch(head.first_line) is not None,
        model_scores.read_comet_lines,
    ),
    ScoreFormat(
        "metricx",
        lambda head: _has_keys("prediction")(head) and not _has_keys("scorer")(head),
        model_scores.read_predictions,
    ),
    ScoreFormat(
        "wmt25", _has_object("metric_scores"), model_scores.read_paragraph_lists
    ),
    ScoreFormat(
        "wmt25-human", _has_object("scores", "doc_id"), model_scores.read_rounds
    ),
    ScoreFormat(
        "column",
        lambda head: is_number(head.first_line.strip()),
        model_scores.read_column,
    ),
    ScoreFormat(
        "metra-judgements",
        lambda head: str((head.first_object or {}).get("schema", "")).startswith(
            SCHEMA_NAME
        ),
        judgement_jsonl.read_judgement_scores,
        read_spans=judgement_jsonl.read_judgement_spans,
        read_judgements=judgement_jsonl.parse_judgements,
        options=("protocols",),
    ),
    ScoreFormat(
        *("pearmut-campaign", _is_pearmut_campaign),
        completes=True,
        advice="is a Pearmut campaign without judgements; give its results",
    ),
    ScoreFormat(
        "appraise-batches",
        lambda head: isinstance(_parse_json(head), list),
        completes=True,
        advice="has Appraise batches without judgements; give Appraise's export",
    ),
    ScoreFormat(
        "spans",
        _has_keys("system", "errors"),
        read_spans=_read_span_lines,
        advice="has error marks without scores; use it with `metra meta spans`",
    ),
    ScoreFormat(
        "metra-json",
        lambda head: _is_json(head) and "metra" in (head.first_object or ["metra"]),
        model_scores.read_metra_json,
    ),
    ScoreFormat("metra-tsv", _has_columns(*_METRA_TSV), model_scores.read_metra_tsv),
    ScoreFormat(
        *("mqm", _has_columns("system", "category", "severity"), mqm.read_mqm),
        read_spans=mqm.read_errors,
    ),
    *(ScoreFormat(form.name, form.looks_like, form.read) for form in TABLE_FORMATS),
    ScoreFormat(
        "long",
        lambda head: find_columns(head.columns).keys() >= {"system", "scorer", "value"},
        long_table.build_long_table,
        read_columns=read_columns,
    ),
    ScoreFormat(
        *("jsonl", _is_json, long_table.build_long_table),
        read_columns=read_object_columns,
    ),
    ScoreFormat(
        "matrix", _is_matrix, long_table.build_matrix, read_columns=read_columns
    ),
    ScoreFormat(
        *("esa", appraise.is_esa, partial(appraise.read_appraise, name="esa")),
        read_spans=appraise.read_esa_spans,
        read_judgements=appraise.parse_appraise_judgements,
        options=("outputs", "campaign"),
    ),
    ScoreFormat(
        *("appraise", appraise.is_appraise, appraise.read_appraise),
        read_judgements=appraise.parse_appraise_judgements,
        options=("outputs", "campaign"),
    ),
    ScoreFormat("mqm-wmt", lambda _: False, mqm.read_mqm_as_wmt),
)
#: Bytes to recognise spans by; the first screen of Pearmut's results can be long.
_SPAN_HEAD = 1 << 20
#: The first format that a file looks like reads it.
SCORE_FORMATS: Mapping[str, ScoreFormat] = {form.name: form for form in _ALL}


def read_scores(
    path: str,
    *,
    input_format: str = "auto",
    units: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    wmt: bool = False,
    mqm_weights: MqmWeighting | None = None,
) -> Scores:
    """Read a file or directory of scores; `LANG=PATH` says which language pair it is of.

    The language pair, say `en-de=scores.tsv`, is for files that do not name it. `units`
    names more columns of tables and JSON lines that tell apart what was scored, and
    `columns` the heading of each role that its own heading does not tell, such as
    `{"system": "model"}`. `wmt` reads errors of MQM with the rounding of WMT's official
    scores; `mqm_weights` weighs them otherwise. The table has items of all kinds:
    `metra.scores.selection` chooses those that count.
    """
    lang, equals, file = path.partition("=")
    if not equals or not LANGUAGE_PAIR.fullmatch(lang):
        lang, file = "", path
    name = input_format
    if name == "auto":
        name = recognise_score_format(file, columns)
    if name not in SCORE_FORMATS:
        formats = ", ".join(form.name for form in _ALL if form.read)
        msg = f"No format named {name!r} for {format_path(file)}; known: {formats}."
        raise OptionError(msg)
    if SCORE_FORMATS[name].read is None:
        msg = f"{format_path(file)} {SCORE_FORMATS[name].advice}."
        raise FormatError(msg)
    open_table = SCORE_FORMATS[name].read_columns
    options: dict[str, Any] = {}
    if name == "mqm":
        options = {"columns": columns}
        options |= {"weights": mqm_weights} if mqm_weights else {}
        name = "mqm-wmt" if wmt and not mqm_weights else name
    for option, value in {"units": units, "columns": columns}.items():
        if value and open_table is None and option not in options:
            _refuse_columns(option, file, name)
    read: Any = SCORE_FORMATS[name].read
    with refuse_damage(file):
        if open_table is None:
            scores = read(file, **options)
        else:
            scores = read(open_table(file, columns), units)
            scores = leave_out_totals(scores, format_path(file))
            refuse_faults(scores, format_path(file))
    return _fill_language(scores, lang) if lang else scores


def _fill_language(scores: Scores, lang: str) -> Scores:
    """Give items without a language pair this one."""
    items = (item._replace(lang=item.lang or lang) for item in scores.items)
    return replace(scores, items=tuple(items))


def read_spans(path: str, columns: Mapping[str, str] | None = None) -> Spans:
    """Read the marked errors of a file in any format that has them.

    `columns` names the headings of roles in a table of errors, as in `read_scores`.
    """
    head = read_head(path, _SPAN_HEAD)
    form = recognise(head, [form for form in _ALL if form.read_spans])
    if columns and (form is None or form.name == "mqm"):
        return mqm.read_errors(path, columns=columns)
    if form is not None and form.read_spans is not None:
        with refuse_damage(path):
            spans = form.read_spans(path)
        if len(spans.system):
            return spans
    msg = (
        f"{format_path(path)} has no error spans in a known format; expected a table "
        "of MQM errors, ratings of mt-metrics-eval, ESA by Appraise, results of "
        "Pearmut, xCOMET's JSON, judgements of metra, or JSON lines with system, "
        "segment and errors."
    )
    raise FormatError(msg)


def _refuse_columns(option: str, file: str, name: str) -> None:
    formats = ", ".join(form.name for form in _ALL if form.read_columns)
    formats += ", mqm" if option == "columns" else ""
    msg = (
        f"{format_path(file)} is of the format {name}, whose columns are fixed; "
        f"`{option}` is for {formats}."
    )
    raise OptionError(msg)


def read_score_files(paths: Sequence[str], **options: Any) -> Scores:
    """Read several files into one table; the options are those of `read_scores`.

    Files that number segments differently are joined by texts, or by numbers. Files that
    name no language pair are of the only one that others name.
    """
    tables = [read_scores(path, **options) for path in paths]
    languages = {lang for table in tables for lang in table.languages if lang}
    if len(languages) == 1:
        tables = [_fill_language(table, *languages) for table in tables]
    return concatenate_scores(align_tables(tables, [*map(format_path, paths)]))


def read_evaluator_files(paths: Iterable[str]) -> dict[str, Scores]:
    """Read what evaluators handed in, by file; `EVALUATOR=FILE` names its evaluator.

    Without a name the judges of the file are the evaluators or, if it names none, an
    evaluator called after the file.
    """
    tables: dict[str, Scores] = {}
    for path in paths:
        evaluator, file = split_named_path(path)
        # One file may be handed in by two evaluators.
        place = path if format_path(file) in tables else format_path(file)
        tables[place] = read_evaluator_file(file, evaluator or "")
    return tables


def read_evaluator_file(path: str, evaluator: str = "") -> Scores:
    """Read one file; `evaluator` is the judge of its scores if it names none."""
    scores, place = read_scores(path), format_path(path)
    if not len(scores):
        msg = f"{place} has no scores; expected those of at least one system."
        raise FormatError(msg)
    if evaluator and scores.judges:
        names = ", ".join(sorted(scores.judges))
        msg = f"{place} already names its evaluators ({names}); remove {evaluator!r}."
        raise CorpusError(msg)
    if len(scores.languages) > 1:
        names = ", ".join(filter(None, scores.languages))
        msg = f"{place} has several language pairs ({names}); give a file with one of them."
        raise CorpusError(msg)
    judges = *scores.judges, evaluator or name_system(path)
    judge = np.where(scores.judge < 0, len(scores.judges), scores.judge)
    return replace(scores, judges=judges, judge=judge).compact()


def recognise_score_format(path: str, columns: Mapping[str, str] | None = None) -> str:
    """Return the name of a file's format, by its name and its first lines.

    Where `columns` says what plays which role, it is a table with these columns.
    """
    head = read_score_head(path)
    if columns and not _is_json(head):
        roles = find_columns(head.columns, columns)
        if {*columns} & {*mqm.ERROR_ROLES}:
            return "mqm"
        return "long" if roles.keys() >= {"system", "scorer", "value"} else "matrix"
    form = recognise(head, _ALL)
    if form is not None:
        return form.name
    raise FormatError(_describe_unknown(head))


def _describe_unknown(head: FileHead) -> str:
    """Return why a file is of no known format, and the remedy."""
    place = format_path(head.path)
    if not head.content:
        return f"{place} is empty; expected scores."
    rest = head.text.partition("\n")[2]
    cells = FileHead(head.path, rest.encode()).columns
    if len(head.columns) > 1 and any(map(is_number, cells)):
        listed = ", ".join(column.strip() for column in head.columns[:8])
        return (
            f"{place} has the columns {listed}, but none for the system; if each column "
            "is a system, write a line for each system and segment instead, with the "
            "columns system, segment and score, or give `columns`."
        )
    return (
        f"{place} begins with {head.first_line[:60]!r}, which is not a known score table; "
        "expected output of `metra score` or `metra judge export`, scores of another "
        "program, or a table with the columns system, segment and score."
    )
