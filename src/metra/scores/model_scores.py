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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

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
#: A system, the name of a segment, the value, and the output if it is known.
_Row: TypeAlias = tuple[str, str, float, object]
_COMET_JSON = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{')
COMET_LINE = re.compile(r"(.+)\tSegment ([0-9]+)\tscore: (\S+)(?:\t.*)?")


def is_comet_json(head: FileHead) -> bool:
    """Tell an object that has a list of objects by the name of each file of outputs."""
    return _COMET_JSON.match(head.text) is not None


def read_comet_json(path: str) -> Scores:
    """Read the segments of each system, which is named after its file of outputs."""
    place = format_path(path)
    data = parse_json("\n".join(read_lines(path)), place)
    rows: list[_Row] = []
    for file, entries in data.items():
        system = name_system(file)
        if any(row[0] == system for row in rows):
            problem = f"{place} has two lists of scores of {system!r}"
            msg = f"{problem}; expected one per system."
            raise FormatError(msg)
        if not isinstance(entries, list) or not all(map(_is_object, entries)):
            problem = f"{place}: {file} has no list of segments"
            msg = f"{problem}; expected output of comet-score."
            raise FormatError(msg)
        for number, entry in enumerate(entries, 1):
            where = f"{place}, segment {number} of {file}"
            value = _get_number(entry, ("COMET", "score"), where)
            rows.append((system, str(number), value, entry.get("mt")))
    return _build_rows(rows, Scorer("COMET", "metric"))


def _is_object(entry: object) -> bool:
    return isinstance(entry, dict)


def _build_rows(rows: Iterable[_Row], scorer: Scorer | None = None) -> Scores:
    """Build the table of systems, segments, values and outputs; by default of MetricX."""
    systems, segments, values, outputs = [*zip(*rows, strict=True)] or [()] * 4
    texts = [text if isinstance(text, str) else "" for text in outputs]
    by_scorer = {scorer or _build_scorer("MetricX", values): values}
    items = [*map(ScoredItem, segments)]
    return build_score_table(systems, items, by_scorer, **number_texts(texts))


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
    rows: list[_Row] = []
    for number, line in enumerate(map(COMET_LINE.fullmatch, read_lines(path)), 1):
        if line:
            value = parse_numbers([line[3]], path, "the score", number)[0]
            rows.append((name_system(line[1]), str(int(line[2]) + 1), value, None))
    return _build_rows(rows, Scorer("COMET", "metric"))


def read_predictions(path: str) -> Scores:
    """Read MetricX's JSON lines: in order for each system, or with ids of segments."""
    rows: list[_Row] = []
    counts: Counter[str] = Counter()
    for place, entry in read_objects(path):
        system = str(entry.get("system_id", entry.get("system", NAMELESS)))
        counts[system] += 1
        segment = str(entry.get("segment_id", counts[system]))
        value = _get_number(entry, ("prediction",), place)
        rows.append((system, segment, value, entry.get("hypothesis")))
    return _build_rows(rows)


def read_paragraph_lists(path: str) -> Scores:
    """Read lists of values, one a paragraph of a document, by metric."""
    items: list[ScoredItem] = []
    rows: list[dict[str, float]] = []
    for number, (place, entry) in enumerate(read_objects(path), 1):
        lists = _check_lists(entry.get("metric_scores"), place)
        document = str(entry.get("document_id", number))
        domain, lang = (str(entry.get(key, "")) for key in ("domain", "language_pair"))
        for at, values in enumerate(zip(*lists.values(), strict=True), 1):
            items.append(ScoredItem(f"{document}#{at}", document, domain, lang))
            named, where = dict(zip(lists, values, strict=True)), f"{place}, value {at}"
            rows.append({name: _get_number(named, (name,), where) for name in named})
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name, np.nan) for row in rows] for name in names}
    filled = {_build_scorer(name, column): column for name, column in columns.items()}
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

    Answers have numbers, or are a list of scores with their errors. Segments that all
    judges judged, to see how reliable they are, have a list of answers with numbers for
    each system, and are calibration items.
    """
    rows: list[tuple[str, ScoredItem, str, float, str, float]] = []
    for place, entry in read_objects(path):
        by_system = entry.get("scores")
        if not isinstance(by_system, dict) or "doc_id" not in entry:
            msg = f"{place} has no scores by system, or no doc_id; expected both."
            raise FormatError(msg)
        item = _parse_segment_name(str(entry["doc_id"]), place)
        for system, given in by_system.items():
            answers = _list_answers(given, f"{place}, {system}")
            rows += [(system, item, *answer) for answer in answers]
    if not rows:
        msg = f"{format_path(path)} contains no scores."
        raise FormatError(msg)
    systems, items, kinds, values, judges, errors = zip(*rows, strict=True)
    by_scorer = {Scorer("human", "human"): values}
    counts = np.array(errors)
    return build_score_table(systems, items, by_scorer, judges, kinds, errors=counts)


def _list_answers(given: Any, place: str) -> list[tuple[str, float, str, float]]:
    """List kind, value, judge and number of errors: numbered ones of an object, or a list."""
    answers = []
    for entry in given if isinstance(given, list) else [given]:
        if not isinstance(entry, dict):
            msg = f"{place}: expected an object with a score and its annotator."
            raise FormatError(msg)
        kind = "calibration" if isinstance(given, list) else "judged"
        for key in entry:
            number = key.removeprefix("human")
            is_score = key == "score"
            number = "" if is_score else number
            if is_score or (
                key.startswith("human") and (number.isdecimal() or not number)
            ):
                judge = str(entry.get(f"annotator{number}", ""))
                marks = entry.get(f"errors{number}")
                errors = float(len(marks)) if isinstance(marks, list) else np.nan
                value = _get_number(entry, (key,), place)
                answers.append(("judged" if is_score else kind, value, judge, errors))
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
    numbered = enumerate(values.tolist(), 1)
    rows = ((NAMELESS, str(number), value, None) for number, value in numbered)
    return _build_rows(rows, Scorer("score"))


def list_score_files(folder: str) -> list[str]:
    """List the files of a folder, hidden ones left out."""
    files = sorted(Path(folder).iterdir())
    return [str(f) for f in files if f.is_file() and not f.name.startswith(".")]


def _build_scorer(name: str, values: Sequence[float]) -> Scorer:
    direction = guess_direction(name, np.array(values, np.float64))
    kind = "" if direction is None else "metric"
    return Scorer(name, kind, LOWER if direction is False else HIGHER)


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
    is_bool = isinstance(value, bool)
    if isinstance(value, int | float) and not is_bool and abs(value) <= LARGEST:
        return float(value)
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
