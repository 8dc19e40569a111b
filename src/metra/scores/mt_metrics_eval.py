"""Files of mt-metrics-eval: scores and ratings of segments, and the texts beside them.

`LP.NAME.seg.score` (judgements) or `LP/NAME.seg.score` (metrics) has a system and a score
a line, segments in order, None where one is missing; `.sys.score` is for whole systems,
`.domain.score` for systems in each domain, which stands first in a line, and `.doc.score`
for documents, in the order of `documents/LP.docs`, which names the domain and the document
of each segment.
`LP.NAME.JUDGE.seg.rating` holds a judge's marks as JSON, in code points, their ends not
included. A folder, or a zip, is read as a whole. Freitag et al. 2023, WMT.
"""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from metra.errors import FormatError
from metra.formats.compression import read_zip
from metra.formats.lines import read_lines
from metra.formats.stream import format_path, load_json
from metra.formats.table import BLANKS, replace_line_breaks, split_rows
from metra.formats.texts.plain import read_domains
from metra.scores.columns import parse_numbers
from metra.scores.judgement import OMISSION, Judgement, get_marks
from metra.scores.mqm import Weights, find_cost
from metra.scores.spans import Mark, RatingKey, Spans, build_mark, build_spans
from metra.scores.table import (
    LANGUAGE_PAIR,
    ScoredItem,
    Scorer,
    Scores,
    build_score_table,
    concatenate_scores,
)

_LEVELS = ("seg", "sys", "doc", "domain")
#: How the names of score files end.
SUFFIXES = tuple(f".{level}.score" for level in _LEVELS)
_NAME = re.compile(
    rf"(?:({LANGUAGE_PAIR.pattern})\.)?(.+)\.({'|'.join(_LEVELS)})\.score"
)
_NOTHING = "None"


def read_mt_metrics_eval(path: str) -> Scores:
    """Read a score file, or all that lie in a directory or zip and the folders in it."""
    if Path(path).is_dir():
        return _read_folder(Path(path), path)
    if not zipfile.is_zipfile(path):
        return _read_file(Path(path), {})
    with TemporaryDirectory() as folder:
        _unpack_zip(path, folder)
        return _read_folder(Path(folder), path)


def _unpack_zip(path: str, folder: str) -> None:
    """Take the score files, and the names of documents, out of a zip."""
    members = read_zip(path, path, lambda name: name.endswith((".score", ".docs")))
    for name, content in members.items():
        file = Path(folder) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _read_folder(folder: Path, path: str) -> Scores:
    files = sorted(f for f in folder.rglob("*.score") if _NAME.fullmatch(f.name))
    if not files:
        msg = f"{path} has no .seg.score, .sys.score, .doc.score or .domain.score file."
        raise FormatError(msg)
    documents: dict[Path, list[ScoredItem]] = {}
    return concatenate_scores([_read_file(file, documents) for file in files])


def _read_file(file: Path, documents: dict[Path, list[ScoredItem]]) -> Scores:
    """Read a score file; `documents` caches the documents beside it for other files."""
    named = _NAME.fullmatch(file.name)
    if named is None:
        msg = f"{format_path(str(file))}: expected a name such as en-de.mqm.seg.score."
        raise FormatError(msg)
    lang, name, level = named.groups()
    if lang is None and LANGUAGE_PAIR.fullmatch(file.parent.name):
        lang = file.parent.name
    is_human = "human" in file.parent.name
    scorer = Scorer(name, "human" if is_human else "metric")
    lines = _parse_score_lines(read_lines(str(file)), str(file), level)
    items = _list_items(file, lang or "", level, lines, documents)
    scores = parse_numbers([line.score for line in lines], str(file), "the score", 1)
    systems = [line.system for line in lines]
    return build_score_table(systems, items, {scorer: scores})


def _list_items(
    file: Path,
    lang: str,
    level: str,
    lines: Sequence["_ScoreLine"],
    documents: dict[Path, list[ScoredItem]],
) -> list[ScoredItem]:
    """Return the segment, document, domain or whole test set of each line."""
    if level in ("sys", "domain"):
        return [ScoredItem(domain=line.domain, lang=lang) for line in lines]
    _check_counts(lines, str(file), level)
    folders = (folder / "documents" / f"{lang}.docs" for folder in file.parents[:3])
    beside = next((path for path in folders if path.is_file()), None)
    if beside is None and level == "doc":
        msg = (
            f"{format_path(str(file))} has document scores, which need "
            f"documents/{lang or 'LP'}.docs next to the folder of the scores; the "
            "file does not exist."
        )
        raise FormatError(msg)
    if beside is None:
        return [ScoredItem(str(line.segment), lang=lang) for line in lines]
    if beside not in documents:
        documents[beside] = _read_documents(beside, lang)
    segments = documents[beside]
    if level == "doc":
        named = dict.fromkeys(item._replace(segment="") for item in segments)
        segments = list(named)
    most = max(line.segment for line in lines)
    if most != len(segments):
        what = "segments" if level == "seg" else "documents"
        msg = (
            f"{format_path(str(file))} has {most} {what} of a system but "
            f"{format_path(str(beside))} has {len(segments)}; each system needs a line for "
            "each of them."
        )
        raise FormatError(msg)
    return [segments[line.segment - 1] for line in lines]


def _read_documents(file: Path, lang: str) -> list[ScoredItem]:
    """Read the domain and the document of each segment."""
    return [
        ScoredItem(str(number), document, domain, lang)
        for number, (domain, document) in enumerate(read_domains(str(file)), 1)
    ]


class _ScoreLine(NamedTuple):
    """A line of a score file; segments are counted from 1 for each system."""

    system: str
    segment: int
    score: str
    domain: str = ""


def _parse_score_lines(lines: Iterable[str], path: str, level: str) -> list[_ScoreLine]:
    """Parse a system and a score a line, behind the domain in scores of domains."""
    expected = "a system's name and its score"
    if level == "domain":
        expected = "a domain, a system's name and its score there"
    counts: Counter[str] = Counter()
    parsed = []
    for number, cells in split_rows(lines, BLANKS):
        if len(cells) != 2 + (level == "domain"):
            msg = (
                f"{path}, line {number} is {' '.join(cells)!r}; expected {expected}, "
                "or None where it is missing."
            )
            raise FormatError(msg)
        *domain, system, score = cells
        counts[system] += 1
        parsed.append(_ScoreLine(system, counts[system], score, *domain))
    return parsed


def _check_counts(lines: Sequence[_ScoreLine], path: str, level: str) -> None:
    what = "segment" if level == "seg" else "document"
    counts = {line.system: line.segment for line in lines}
    # In blocks of lines, each system has one.
    starts = sum(a.system != b.system for a, b in pairwise(lines)) + 1
    half = len(lines) // 2
    pairs = [(line.system, line.score) for line in lines]
    if len(counts) < starts == 2 * len(counts) < half and pairs[:half] == pairs[half:]:
        msg = f"{path} has every line twice, one half like the other; give each line once."
        raise FormatError(msg)
    if len(set(counts.values())) > 1:
        least, most = (choose(counts, key=counts.__getitem__) for choose in (min, max))
        msg = (
            f"{path} has {counts[most]} {what}s of {most} but {counts[least]} of {least}; "
            f"each system needs a line a {what}, with None where a score is missing."
        )
        raise FormatError(msg)


class RatingLine(NamedTuple):
    """A line of a rating file; the marks are None where the judge did not judge."""

    system: str
    segment: int
    judge: str
    marks: list[dict[str, Any]] | None


def parse_rating_lines(
    lines: Iterable[str], path: str, *, judge: str = ""
) -> list[RatingLine]:
    """Parse a system, marks and a judge a line; `judge` is for lines that name none."""
    counts: Counter[str] = Counter()
    parsed = []
    for number, cells in split_rows(lines):
        if cells == [""]:
            continue
        cells += [judge] if len(cells) == 2 and judge else []
        if len(cells) != 3:
            problem = f"{path}, line {number} has {len(cells)} columns"
            msg = f"{problem}; expected system, rating and judge."
            raise FormatError(msg)
        system, rating, who = cells
        counts[system] += 1
        marks = _parse_marks(rating, f"{path}, line {number}")
        parsed.append(RatingLine(system, counts[system], who, marks))
    return parsed


def read_rating_spans(path: str) -> Spans:
    """Read the marks of a rating file, by the judge whom its lines or its name give."""
    ratings: dict[RatingKey, list[Mark]] = {}
    name = Path(path).name.removesuffix(".gz").removesuffix(".seg.rating")
    for line in parse_rating_lines(read_lines(path), path, judge=name.split(".")[-1]):
        if line.marks is not None:
            key = line.system, ScoredItem(str(line.segment)), line.judge
            ratings.setdefault(key, []).extend(map(build_mark, line.marks))
    return build_spans(path, ratings)


def _parse_marks(rating: str, place: str) -> list[dict[str, Any]] | None:
    if rating == _NOTHING:
        return None
    try:
        return [_parse_mark(error) for error in load_json(rating, place)["errors"]]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{place}: the rating is not JSON with errors ({error})."
        raise FormatError(msg) from None


def _parse_mark(error: dict[str, Any]) -> dict[str, Any]:
    side = "source" if error.get("is_source_error") else "output"
    if error["start"] == error["end"]:
        side = OMISSION
    mark = {"side": side} | {key: error[key] for key in ("start", "end", "severity")}
    if error.get("category") and error["category"] != OMISSION:
        mark["category"] = error["category"]
    return mark


def format_folder(
    judgements: Sequence[Judgement],
    scores: Scores,
    *,
    systems: Sequence[str],
    segments: int,
    weights: Weights | None,
) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder with their paths: scores, marks by judge, and texts.

    All judgements count for systems and follow one protocol; `scores` are their rows. A
    protocol that judges documents as a whole has files of documents, each on one line.
    `weights` are those of its marks; None if it asks for none.
    """
    first = judgements[0]
    pair = f"{first.source_language}-{first.target_language}"
    size: dict[str, Any] = {"systems": systems, "segments": segments}
    for scorer in scores.names:
        level = "doc" if scores.find_level(scorer) == "document" else "seg"
        path = f"human-scores/{pair}.{scorer}.{level}.score"
        documents = _name_documents(judgements, segments) if level == "doc" else ()
        yield path, format_scores(scores, scorer, documents=documents, **size)
    if weights is not None:
        by_judge: dict[str, list[Judgement]] = {}
        for judgement in judgements:
            by_judge.setdefault(judgement.judge, []).append(judgement)
        # Of two judges whose names make one file name, the second has it.
        owners = {_format_file_name(judge): judge for judge in sorted(by_judge)}
        for name, judge in owners.items():
            path = f"human-scores/{pair}.{first.protocol}.{name}.seg.rating"
            given = by_judge[judge]
            yield path, format_ratings(given, judge=judge, weights=weights, **size)
    names = make_file_names(systems)
    is_whole = any(item.level == "document" for item in scores.items)
    yield from _format_texts(judgements, pair, names, segments, is_whole).items()
    rows = (f"{name}\t{' '.join(system.split())}\n" for system, name in names.items())
    yield "systems.tsv", "".join(rows)


def _name_documents(judgements: Iterable[Judgement], segments: int) -> list[str]:
    """Return the name of the document of each line; those without one have its number."""
    documents = [str(number) for number in range(1, segments + 1)]
    for one in judgements:
        documents[one.segment - 1] = one.document or str(one.segment)
    return documents


def format_scores(
    scores: Scores,
    name: str,
    *,
    systems: Sequence[str],
    segments: int,
    documents: Sequence[str] = (),
) -> str:
    """Return a scorer's means over judges; costs are negated, so that higher is better.

    `documents` are the documents of the lines, for a scorer of documents.
    """
    level = scores.find_level(name)
    items = [item for item in scores.items if item.level == level]
    lines = {document: at for at, document in enumerate(documents, 1)}
    direction = scores.scorers[scores.find(name)].direction
    means = direction.orient(scores.matrix(name, level=level)) + 0.0
    cells = {}
    for system, row in zip(scores.systems, means.tolist(), strict=True):
        for item, mean in zip(items, row, strict=True):
            if mean == mean:
                line = lines[item.document] if documents else int(item.segment)
                cells[system, line] = repr(mean)
    return _format_cells(cells, systems, segments)


def format_ratings(
    judgements: Iterable[Judgement],
    *,
    systems: Sequence[str],
    segments: int,
    judge: str,
    weights: Weights,
) -> str:
    """Return one judge's marks, a line for each system and segment."""
    ratings = {
        (judgement.systems[0], judgement.segment): _format_rating(judgement, weights)
        for judgement in judgements
    }
    return _format_cells(ratings, systems, segments, f"\t{replace_line_breaks(judge)}")


def _format_cells(
    cells: Mapping[tuple[str, int], str],
    systems: Sequence[str],
    segments: int,
    end: str = "",
) -> str:
    names = make_file_names(systems)
    return "".join(
        f"{names[system]}\t{cells.get((system, segment), _NOTHING)}{end}\n"
        for system in systems
        for segment in range(1, segments + 1)
    )


def _format_rating(judgement: Judgement, weights: Weights) -> str:
    errors = []
    for mark in get_marks(judgement):
        category, severity = mark.get("category", ""), mark["severity"]
        is_omission = "category" not in mark and mark["side"] == OMISSION
        errors.append(
            {
                "start": mark["start"],
                "end": mark["end"],
                "category": OMISSION if is_omission else category,
                "severity": severity,
                "score": find_cost(weights, severity, category) / 10,
                "is_source_error": mark["side"] == "source",
            }
        )
    return json.dumps({"errors": errors})


def make_file_names(systems: Sequence[str]) -> dict[str, str]:
    """Give each system a name that can be a file's, without spaces; none twice.

    >>> make_file_names(["my system", "my_system", "../other"])
    {'my system': 'my_system', 'my_system': 'my_system-2', '../other': '.._other'}
    """
    names: dict[str, str] = {}
    for system in systems:
        plain = name = "_".join(re.split(r"[\s/\\\0]+", system.strip())) or "system"
        number = 1
        while name in names.values():
            number += 1
            name = f"{plain}-{number}"
        names[system] = name
    return names


def _format_file_name(judge: str) -> str:
    """Return a judge's name as part of a file's: letters, digits and hyphens only.

    >>> _format_file_name("Ann B./x")
    'Ann-B--x'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in judge) or "judge"


def _format_texts(
    judgements: Sequence[Judgement],
    pair: str,
    names: Mapping[str, str],
    segments: int,
    is_whole: bool,
) -> dict[str, str]:
    """Return sources, documents and outputs as far as they were judged."""
    sources, documents = [""] * segments, [""] * segments
    outputs = {name: [""] * segments for name in names}
    for judgement in judgements:
        index = judgement.segment - 1
        sources[index], documents[index] = judgement.source or "", judgement.document
        for system, output in zip(judgement.systems, judgement.outputs, strict=True):
            outputs[system][index] = output
    if is_whole:
        documents = _name_documents(judgements, segments)
    files = {f"sources/{pair}.txt": sources, f"documents/{pair}.docs": documents}
    for system, texts in outputs.items():
        files[f"system-outputs/{pair}/{names[system]}.txt"] = texts
    starts = {f"documents/{pair}.docs": "all\t"}
    return {
        path: "".join(
            f"{starts.get(path, '')}{replace_line_breaks(line)}\n" for line in lines
        )
        for path, lines in files.items()
    }
