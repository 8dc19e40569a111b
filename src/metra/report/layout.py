"""The sheet that the formats for people share: which cell holds what, which is best.

Short names of measures for tables: without the files they read, where that is enough.
Records as plain dicts and lists, for JSON: a key for every field.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from metra.scoring.results import Results, Score, SystemScores

FILE = re.compile(r".*[/\\].*|.*\.[A-Za-z]\w{1,6}")


def shorten_specs(specs: Sequence[str]) -> dict[str, str]:
    """Leave files out of specs; where two would look the same, give the files' last names.

    >>> shorten_specs(["ie:reference=a/b.tsv,x=1", "bleu"])["ie:reference=a/b.tsv,x=1"]
    'ie:x=1'
    >>> list(shorten_specs(["q:model=a/b.toml", "q:model=a/c.toml"]).values())
    ['q:model=b.toml', 'q:model=c.toml']
    """
    found: dict[str, str] = {}
    ways = [
        [_rewrite_spec(spec, keep=keep) for spec in specs] for keep in (False, True)
    ]
    for at, spec in enumerate(specs):
        found[spec] = next(
            (names[at] for names in ways if names.count(names[at]) == 1), spec
        )
    return found


def _rewrite_spec(spec: str, *, keep: bool) -> str:
    name, _, rest = spec.partition(":")
    options = []
    for option in filter(None, rest.split(",")):
        key, _, value = option.partition("=")
        if not FILE.fullmatch(value):
            options.append(option)
        elif keep:
            last = re.split(r"[/\\]", value)[-1]
            options.append(f"{key}={last}")
    return f"{name}:{','.join(options)}" if options else name


class Style(NamedTuple):
    """Choices of presentation."""

    digits: int = 2
    color: bool = False
    sort: bool = False
    width: int | None = None


class TableCell(NamedTuple):
    """A score as text, its interval as text, and whether it is the best of its column."""

    score: str
    interval: str = ""
    best: bool = False
    #: "good" or "bad" for what is so beyond doubt; colour must not be all that says it.
    tone: str = ""


class ReportTable(NamedTuple):
    """A table: a corner, a heading for each column, and rows of a name and its cells."""

    corner: str
    headings: Sequence[str]
    rows: Sequence[tuple[str, Sequence[TableCell]]]
    title: str = ""


def build_tables(results: Results, style: Style) -> list[ReportTable]:
    """Lay out the systems' scores, then their documents' and segments' where asked for."""
    if results.terms is not None:
        from metra.report.scores import build_comparison_tables

        return [
            *build_comparison_tables(results, style),
            *_build_level_tables(results, style),
        ]
    systems = order_systems(results, style)
    specs = results.specs
    first = next(iter(results.systems)).scores
    named = shorten_specs(specs)
    headings = [format_metric_heading(named[spec], first[spec]) for spec in specs]
    main = _build_table(
        "system",
        headings,
        {entry.name: [entry.scores[spec] for spec in specs] for entry in systems},
        style,
    )
    if results.groups is not None:
        from metra.report.scores import build_group_tables

        return [main, *build_group_tables(results, style)]
    return [main, *_build_level_tables(results, style)]


def order_systems(results: Results, style: Style) -> list[SystemScores]:
    """Give the systems as they came or, if so wished, the best by the first metric first."""
    if not style.sort:
        return list(results.systems)
    return results.ranked(results.specs[0])


def format_metric_heading(spec: str, score: Score) -> str:
    """Name a metric with an arrow that points to the better scores."""
    return f"{spec} {'↑' if score.higher_is_better else '↓'}"


def describe_corpus(results: Results) -> str:
    """Say what was scored."""
    shape = [format_count(results.segments, "segment")]
    if results.documents is not None:
        shape.append(format_count(results.documents, "document"))
    if results.groups is not None:
        shape.append(format_count(len(results.groups), "group"))
    if results.references:
        shape.append(format_count(results.references, "reference"))
    return ", ".join(shape)


def build_notes(results: Results) -> list[str]:
    """Explain the signs and name the test, if there is one, and say what was scored."""
    if results.terms is None:
        return [describe_corpus(results)]
    from metra.report.scores import build_comparison_legend

    return [*build_comparison_legend(results, results.terms), describe_corpus(results)]


def build_remarks(results: Results) -> list[str]:
    """Say in words how the systems compare, where that was asked for."""
    if results.terms is None:
        return []
    from metra.report.scores import describe_comparisons

    return describe_comparisons(results)


def list_signatures(results: Results) -> list[str]:
    """List each metric's signature, once."""
    scores = results.systems[0].scores.values()
    found = [s for score in scores for s in (score.signature, score.segment_signature)]
    return list(dict.fromkeys(filter(None, found)))


def format_score(value: float, digits: int) -> str:
    """Write a score; where there was nothing to score there is none."""
    return "–" if value != value else f"{value:.{digits}f}"


def _build_table(
    corner: str,
    headings: Sequence[str],
    scores: Mapping[str, Sequence[Score]],
    style: Style,
) -> ReportTable:
    best = [find_best_score(column) for column in zip(*scores.values(), strict=True)]
    rows = [
        (
            name,
            [
                TableCell(
                    format_score(score.score, style.digits),
                    format_interval(score.interval, style.digits),
                    len(scores) > 1 and score.score == top,
                )
                for score, top in zip(row, best, strict=True)
            ],
        )
        for name, row in scores.items()
    ]
    return ReportTable(corner, headings, rows)


def _build_level_tables(results: Results, style: Style) -> Iterable[ReportTable]:
    systems = order_systems(results, style)
    named = shorten_specs(results.specs)
    for spec in results.specs:
        for level in ("document", "segment"):
            columns = []
            for entry in systems:
                values = getattr(entry.scores[spec], f"{level}s")
                if values is None:
                    break
                if level == "segment":
                    values = dict(enumerate(values.tolist(), 1))
                columns.append(values)
            else:
                score = systems[0].scores[spec]
                rows = [
                    (str(name), _build_cells(name, columns, score, style))
                    for name in columns[0]
                ]
                names = [entry.name for entry in systems]
                yield ReportTable(
                    level, names, rows, format_metric_heading(named[spec], score)
                )


def _build_cells(
    name: Any, columns: Sequence[Mapping[Any, float]], score: Score, style: Style
) -> list[TableCell]:
    values = [column[name] for column in columns]
    top = _find_best_value(values, score)
    several = len(set(values)) > 1
    return [
        TableCell(format_score(value, style.digits), "", several and value == top)
        for value in values
    ]


def find_best_score(scores: Sequence[Score]) -> float:
    """Find the best of some scores by the same metric, of those that are there."""
    return _find_best_value([score.score for score in scores], scores[0])


def _find_best_value(values: Sequence[float], score: Score) -> float:
    """Find the best value, of those that are there."""
    there = [value for value in values if value == value]
    return (max if score.higher_is_better else min)(there, default=0.0)


def format_interval(
    ends: tuple[float, float] | None,
    digits: int,
    write: Callable[[float, int], str] = format_score,
) -> str:
    """Write an interval; there may be none."""
    if ends is None:
        return ""
    return f"[{write(ends[0], digits)}, {write(ends[1], digits)}]"


def format_count(count: int, noun: str) -> str:
    """Say how many there are of something."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def convert_record(value: Any) -> Any:
    """Give a record, or whatever is in one, as JSON has it; numbers it lacks become null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: convert_record(getattr(value, field.name))
            for field in fields(value)
        }
    if isinstance(value, dict):
        return {str(key): convert_record(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [convert_record(entry) for entry in value]
    if isinstance(value, float):
        return convert_number(value)
    return value


def convert_number(value: float) -> float | int | None:
    """Write counts as whole numbers, and what JSON has no number for as null."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value
