"""Output of metrics: `metra score`, COMET, MetricX, WMT 2025's files, a column.

COMET's JSON (`comet-score --to_json`) has a list of segments for each file of outputs, and
its lines name a file, a segment counted from 0 and a score. MetricX adds a prediction to
each of its JSON lines. WMT 2025 has a file for each system with a line a document: lists of
values by metric, one a paragraph; its judgements are lines of their own. A column has a
number a line, for one system that it does not name. In a folder, each file is of the system
that it is named after.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path, load_json, name_system, parse_json
from metra.scores.columns import (
    LARGEST,
    guess_direction,
    parse_numbers,
    read_objects,
    read_score_table,
)
from metra.scores.judgement import refuse_line
from metra.scores.long_table import ROLES, build_scores
from metra.scores.spans import Mark, RatingKey, Spans, build_mark, build_spans
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
    number_texts,
)
from metra.stats.direction import HIGHER, LOWER, find_direction

#: The name of the system of a file that names none.
NAMELESS = ""
_COMET_JSON = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{')
COMET_LINE = re.compile(r"(.+)\tSegment ([0-9]+)\tscore: (\S+)(?:\t.*)?")


def is_comet_json(head: FileHead) -> bool:
    """Tell an object that has a list of objects by the name of each file of outputs."""
    return _COMET_JSON.match(head.text) is not None


def read_comet_json(path: str) -> Scores:
    """Read the segments of each system, which is named after its file of outputs."""
    place = format_path(path)
    data = parse_json("\n".join(read_lines(path)), place)
    systems, items, values, texts = [], [], [], []
    for file, entries in data.items():
        system = name_system(file)
        if system in systems:
            problem = f"{place} has two lists of scores of {system!r}"
            msg = f"{problem}; expected one per system."
            raise FormatError(msg)
        for number, entry in enumerate(_list_entries(entries, file, place), 1):
            systems.append(system)
            items.append(ScoredItem(str(number)))
            where = f"{place}, segment {number} of {file}"
            values.append(_get_number(entry, ("COMET", "score"), where))
            texts.append(_get_text(entry, "mt"))
    by_scorer = {Scorer("COMET", "metric"): values}
    return build_score_table(systems, items, by_scorer, **number_texts(texts))


def _get_text(entry: Mapping[str, object], name: str) -> str:
    text = entry.get(name)
    return text if isinstance(text, str) else ""


def _list_entries(entries: Any, file: str, place: str) -> list[dict[str, Any]]:
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return entries
    msg = f"{place}: {file} has no list of segments; expected output of comet-score."
    raise FormatError(msg)


def read_comet_spans(path: str) -> Spans:
    """Read the errors that xCOMET marks beside its scores."""
    place = format_path(path)
    ratings: dict[RatingKey, list[Mark]] = {}
    data = parse_json("\n".join(read_lines(path)), place)
    for file, entries in data.items():
        for number, entry in enumerate(entries, 1):
            key = name_system(file), ScoredItem(str(number)), "xCOMET"
            with refuse_line(f"{place}, segment {number} of {file}"):
                ratings[key] = [*map(build_mark, entry.get("errors", ()))]
    # COMET's models without marks write the same file.
    ratings = ratings if any(ratings.values()) else {}
    return build_spans(path, ratings, is_automatic=True)


def read_comet_lines(path: str) -> Scores:
    """Read the segments' scores; lines about whole systems are left out."""
    matched = map(COMET_LINE.fullmatch, read_lines(path))
    lines = [(number, line) for number, line in enumerate(matched, 1) if line]
    values = []
    for number, line in lines:
        values += parse_numbers([line[3]], path, "the score", number).tolist()
    return build_score_table(
        [name_system(line[1]) for _, line in lines],
        [ScoredItem(str(int(line[2]) + 1)) for _, line in lines],
        {Scorer("COMET", "metric"): values},
    )


def read_predictions(path: str) -> Scores:
    """Read MetricX's JSON lines: in order for each system, or with ids of segments."""
    systems, items, values, texts = [], [], [], []
    counts: Counter[str] = Counter()
    for place, entry in read_objects(path):
        systems.append(str(entry.get("system_id", entry.get("system", NAMELESS))))
        counts[systems[-1]] += 1
        items.append(ScoredItem(str(entry.get("segment_id", counts[systems[-1]]))))
        values.append(_get_number(entry, ("prediction",), place))
        texts.append(_get_text(entry, "hypothesis"))
    by_scorer = {_build_scorer("MetricX", values): values}
    return build_score_table(systems, items, by_scorer, **number_texts(texts))


def read_paragraph_lists(path: str) -> Scores:
    """Read lists of values, one a paragraph of a document, by metric."""
    items: list[ScoredItem] = []
    columns: dict[str, list[float]] = {}
    for number, (place, entry) in enumerate(read_objects(path), 1):
        lists = _check_lists(entry.get("metric_scores"), place)
        document = str(entry.get("document_id", number))
        about = (entry.get(key, "") for key in ("domain", "language_pair"))
        domain, lang = map(str, about)
        start, length = len(items), len(next(iter(lists.values())))
        items += [
            ScoredItem(f"{document}#{paragraph}", document, domain, lang)
            for paragraph in range(1, length + 1)
        ]
        for name, values in lists.items():
            column = columns.setdefault(name, [np.nan] * start)
            column += [np.nan] * (start - len(column))
            column += (
                _get_number({name: value}, (name,), f"{place}, value {at}")
                for at, value in enumerate(values, 1)
            )
    filled = {
        _build_scorer(name, column): column + [np.nan] * (len(items) - len(column))
        for name, column in columns.items()
    }
    return build_score_table([name_system(path)] * len(items), items, filled)


def _check_lists(lists: object, place: str) -> dict[str, list[object]]:
    """Refuse anything but lists of one length by name."""
    if not isinstance(lists, dict) or not lists:
        msg = f"{place} has no metric_scores; expected lists of values by metric."
        raise FormatError(msg)
    lengths = {
        name: len(values) if isinstance(values, list) else -1
        for name, values in lists.items()
    }
    if len({*lengths.values()}) > 1 or -1 in lengths.values():
        counts = ", ".join(f"{count} of {name}" for name, count in lengths.items())
        msg = f"{place} has {counts}; expected lists of equal length for each metric."
        raise FormatError(msg)
    return lists


def read_rounds(path: str) -> Scores:
    """Read the scores of both rounds of judging as the scorer `human`, with their judges.

    Segments that all judges judged, to see how reliable they are, have a list of answers
    for each system, and are calibration items.
    """
    systems: list[str] = []
    items: list[ScoredItem] = []
    answers: list[_RoundAnswer] = []
    for place, entry in read_objects(path):
        by_system = entry.get("scores")
        if not isinstance(by_system, dict) or "doc_id" not in entry:
            msg = f"{place} has no scores by system, or no doc_id; expected both."
            raise FormatError(msg)
        item = _parse_segment_name(str(entry["doc_id"]), place)
        for system, given in by_system.items():
            listed = _list_answers(given, f"{place}, {system}")
            systems += [system] * len(listed)
            items += [item] * len(listed)
            answers += listed
    if not answers:
        msg = f"{format_path(path)} contains no scores."
        raise FormatError(msg)
    kinds, values, judges = zip(*answers, strict=True)
    by_scorer = {Scorer("human", "human"): values}
    return build_score_table(systems, items, by_scorer, judges, kinds)


class _RoundAnswer(NamedTuple):
    """The kind of an answer's item, its value and its judge."""

    kind: str
    value: float
    judge: str


def _list_answers(given: Any, place: str) -> list[_RoundAnswer]:
    """List a system's answers: numbered ones of an object, or a list of objects."""
    entries = given if isinstance(given, list) else [given]
    answers = []
    for entry in entries:
        if not isinstance(entry, dict):
            msg = f"{place}: expected an object with a score and its annotator."
            raise FormatError(msg)
        kind = "calibration" if isinstance(given, list) else "judged"
        for key in entry:
            number = key.removeprefix("human")
            if key.startswith("human") and (number.isdecimal() or not number):
                judge = str(entry.get(f"annotator{number}", ""))
                value = _get_number(entry, (key,), place)
                answers.append(_RoundAnswer(kind, value, judge))
    return answers


def _parse_segment_name(name: str, place: str) -> ScoredItem:
    """Parse LANG_#_DOMAIN_#_DOCUMENT_#_SEGMENT; paragraphs are counted from 1, as in lists."""
    parts = name.split("_#_")
    if len(parts) != 4 or not parts[3].isdecimal():
        msg = (
            f"{place}: doc_id is {name!r}; expected LANG_#_DOMAIN_#_DOCUMENT_#_NUMBER."
        )
        raise FormatError(msg)
    lang, domain, document, number = parts
    return ScoredItem(f"{document}#{int(number) + 1}", document, domain, lang)


def read_column(path: str) -> Scores:
    """Read a number a line: the segments of a system that the file does not name."""
    lines = [line.strip() for line in read_lines(path)]
    values = parse_numbers(lines, path, "the score", 1)
    items = [ScoredItem(str(number)) for number in range(1, len(lines) + 1)]
    scorer = Scorer("score")
    return build_score_table([NAMELESS] * len(lines), items, {scorer: values})


def list_score_files(folder: str) -> list[str]:
    """List the files of a folder, hidden ones left out."""
    files = sorted(Path(folder).iterdir())
    return [str(f) for f in files if f.is_file() and not f.name.startswith(".")]


def _build_scorer(name: str, values: list[float]) -> Scorer:
    numbers = np.array(values, np.float64)
    direction = guess_direction(name, numbers[np.isfinite(numbers)])
    kind = "" if direction is None else "metric"
    return Scorer(name, kind, HIGHER if direction is not False else LOWER)


def _get_number(
    entry: Mapping[str, object], keys: tuple[str, ...], place: str
) -> float:
    """Return the number of the first key in the entry; NaN for null."""
    key = next((key for key in keys if key in entry), None)
    if key is None:
        msg = f"{place} has no {' or '.join(keys)}."
        raise FormatError(msg)
    value = entry[key]
    if value is None:
        return np.nan
    is_number_kind = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number_kind and abs(cast("float", value)) <= LARGEST:
        return float(cast("float", value))
    msg = f"{place}: {key} is {json.dumps(value)}; expected a finite number."
    raise FormatError(msg)


def read_metra_json(path: str) -> Scores:
    """Read the scores of systems, and of segments and documents where there are any."""
    try:
        data = load_json("\n".join(read_lines(path)), format_path(path))
        return concatenate_scores([*map(_build_system_scores, data["systems"])])
    except FormatError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{format_path(path)} is not what `metra score --format json` writes "
            f"({type(error).__name__}: {error})."
        )
        raise FormatError(msg) from None


def _build_system_scores(entry: dict[str, Any]) -> Scores:
    tables = []
    for spec, score in entry["scores"].items():
        direction = find_direction(score["higher_is_better"], score.get("target"))
        scorer = Scorer(spec, "metric", direction)
        segments = entry.get("segments", {}).get(spec, [])
        documents = entry.get("documents", {}).get(spec, {})
        for items, values in (
            ([ScoredItem()], [score["score"]]),
            ([ScoredItem(str(n)) for n in range(1, len(segments) + 1)], segments),
            ([ScoredItem("", name) for name in documents], list(documents.values())),
        ):
            if items:
                column = {scorer: np.array(values, np.float64)}
                systems = [entry["name"]] * len(items)
                tables.append(build_score_table(systems, items, column))
    return concatenate_scores(tables)


def read_metra_tsv(path: str) -> Scores:
    """Read the scores of systems, documents and segments."""
    table = read_score_table(path)
    rows = [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]
    rows = [row for row in rows if row["level"] in ("system", "document", "segment")]
    if not rows:
        msg = f"{format_path(path)} has a header but no scores."
        raise FormatError(msg)
    values = parse_numbers([row["score"] for row in rows], path, "score")
    for row in rows:
        if not row.get("better"):
            msg = (
                f"{format_path(path)} does not give the direction of {row['metric']!r}, "
                "because an older version wrote it; add a column better with true or "
                "false."
            )
            raise FormatError(msg)
    columns = dict.fromkeys(ROLES, [""] * len(rows)) | {
        "system": [row["system"] for row in rows],
        "scorer": [row["metric"] for row in rows],
        "kind": ["metric"] * len(rows),
        "direction": [row["better"] for row in rows],
    }
    for level in ("segment", "document"):
        columns[level] = [row["item"] if row["level"] == level else "" for row in rows]
    return build_scores(columns, values, path)


def is_printed_table(head: FileHead) -> bool:
    """Tell a table of systems that `metra score` printed for a terminal."""
    lines = (line.split() for line in head.text.split("\n"))
    return any(line[:1] == ["system"] and {*"↑↓"} & {*line} for line in lines)
