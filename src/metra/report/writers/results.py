"""Scores as text, JSON and tab-separated values, and for papers.

Tables for papers are in `metra.report.writers.paper`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from metra.report.table import MISSING, Style, format_score, render_tsv
from metra.report.terminal import (
    DIM,
    escape_controls,
    explain_best_marks,
    render_table,
    style_text,
)
from metra.report.writers.headings import (
    build_metric_columns,
    describe_corpus,
    list_signatures,
    order_systems,
)
from metra.scoring.json import write_results
from metra.scoring.results import GroupScores, Results, Score
from metra.scoring.table import Cell, Column, Table, make_table, mark_best
from metra.stats.defaults import LEAST_UNITS

COLUMNS = ("level", "system", "item", "metric", "score", "low", "high", "signature")
#: Further columns where systems are compared. There a score is a difference, and the item
#: the baseline.
TEST_COLUMNS = (
    *("standard_error", "effect", "p_value", "p_holm", "significant", "p_bh"),
    *("family", "family_size", "gain"),
)


def render(results: Results, form: str, style: Style) -> str:
    """Write the results in one of the formats of text, without a final newline."""
    return "".join(write(results, form, style))


def write(results: Results, form: str, style: Style) -> Iterator[str]:
    """Write the results like `render`, in pieces: of many groups, only a few are held."""
    if form in WRITERS:
        yield from WRITERS[form](results, style)
        return
    from metra.report.writers.paper import render_paper

    yield render_paper(results, form, style)


def render_terminal(results: Results, style: Style) -> str:
    """Lay out the results for a terminal."""
    tables = build_tables(results, style)
    words = describe_results(results)
    above, remarks = (
        "\n".join(map(escape_controls, lines))
        for lines in (words.headlines, words.remarks)
    )
    blocks = [*filter(None, [above]), *(render_table(table, style) for table in tables)]
    notes = [*explain_best_marks(tables), *words.notes]
    notes += list_signatures(results, style.signature)
    below = "\n".join(style_text(note, DIM, style) for note in notes)
    if style.verbose:
        from metra.report.writers.details import describe_parts

        blocks.append("\n".join(describe_parts(results, style)))
    blocks.extend(filter(None, [remarks, below]))
    scores = results.systems[0].scores.values()
    if any(score.alignments for score in scores):
        from metra.report.writers.alignments import render_alignments

        blocks.extend(render_alignments(results, style))
    if any(score.details is not None for score in scores):
        from metra.report.writers.details import render_details

        blocks.extend(render_details(results, style))
    return "\n\n".join(blocks)


def write_tsv(results: Results) -> Iterator[str]:
    """Write one long table: a line for every score of every level, numbers in full."""
    compared = () if results.terms is None else TEST_COLUMNS
    yield render_tsv([(*COLUMNS, *compared, "better")])
    blank = ("",) * len(compared)
    for line in chain(
        ((*row, *blank, better) for *row, better in _list_score_rows(results)),
        _list_comparison_rows(results) if compared else (),
    ):
        yield f"\n{render_tsv([line])}"


def render_scores_only(results: Results, style: Style) -> str:
    """Write nothing but the scores: a line for each system, tabs between metrics."""
    return "\n".join(
        "\t".join(
            format_score(score.score, style.digits + score.more_digits)
            for score in entry.scores.values()
        )
        for entry in order_systems(results, style)
    )


#: The function that writes each format; those for papers are in `writers.paper`.
WRITERS: dict[str, Callable[[Results, Style], Iterator[str]]] = {
    "table": lambda results, style: iter([render_terminal(results, style)]),
    "json": lambda results, _: write_results(results),
    "tsv": lambda results, _: write_tsv(results),
}


def build_tables(results: Results, style: Style) -> list[Table]:
    """Lay out the systems' scores, then their documents' and segments' where asked for."""
    if results.terms is not None:
        from metra.report.writers.comparison import build_comparison_tables

        return [*build_comparison_tables(results), *build_level_tables(results, style)]
    systems = order_systems(results, style)
    columns = []
    for spec in results.specs:
        scores = [entry.scores[spec] for entry in systems]
        cells = [Cell(score.score, score.interval) for score in scores]
        columns.append(mark_best(cells, direction=scores[0].direction))
    rows = [
        (entry.name, [cells[at] for cells in columns])
        for at, entry in enumerate(systems)
    ]
    main = make_table("system", build_metric_columns(results), rows)
    if results.groups is not None:
        return [main, *build_group_tables(results, results.groups, style)]
    return [main, *build_level_tables(results, style)]


class ResultWords(NamedTuple):
    """Sentences around the tables of results."""

    #: Where people, neural and string metrics disagree.
    headlines: Sequence[str]
    #: How the systems compare, if they were compared.
    remarks: Sequence[str]
    #: The signs, the test, and what was scored.
    notes: Sequence[str]


def describe_results(results: Results) -> ResultWords:
    """Say how the systems compare, what signs mean and what was scored."""
    corpus = describe_corpus(results)
    if results.terms is None:
        return ResultWords([], [], [corpus, *_explain_missing_intervals(results)])
    from metra.report.writers import comparison

    bases = {score.basis for score in results.systems[0].scores.values()}
    return ResultWords(
        comparison.describe_disagreement(results) if len(bases) > 1 else [],
        comparison.describe_comparisons(results),
        [*comparison.build_comparison_legend(results), corpus],
    )


def _explain_missing_intervals(results: Results) -> list[str]:
    """Say why there is no interval where one was asked for."""
    specs: dict[str, list[str]] = {}
    for entry in results.systems:
        for spec, score in entry.scores.items():
            _, is_asked, unit = score.signature.partition("|ci_unit:")
            if is_asked and score.interval is None:
                named = specs.setdefault(unit.partition("|")[0], [])
                named.append(spec.partition(":")[0])
    return [
        f"no interval for {', '.join(dict.fromkeys(named))}: fewer than {LEAST_UNITS} "
        f"scored {unit}s"
        for unit, named in specs.items()
    ]


def build_level_tables(
    results: Results, style: Style, titles: Mapping[str, str] | None = None
) -> Iterator[Table]:
    """Lay out the scores of documents, then of segments, a table for each metric."""
    systems = order_systems(results, style)
    names = [entry.name for entry in systems]
    metrics = zip(results.specs, build_metric_columns(results, titles), strict=True)
    for spec, column in metrics:
        scores = [entry.scores[spec] for entry in systems]
        for level, values in (
            ("document", [score.documents for score in scores]),
            ("segment", [_number_segments(score) for score in scores]),
        ):
            present = [each for each in values if each is not None]
            if len(present) == len(systems):
                rows = [
                    (str(item), _build_row([each[item] for each in present], scores[0]))
                    for item in present[0]
                ]
                yield make_table(
                    level, _repeat_column(column, names), rows, caption=column.title
                )


def _number_segments(score: Score) -> Mapping[Any, float] | None:
    if score.segments is None:
        return None
    return dict(enumerate(score.segments.tolist(), 1))


def build_group_tables(
    results: Results,
    groups: Sequence[GroupScores],
    style: Style,
    titles: Mapping[str, str] | None = None,
) -> Iterator[Table]:
    """Lay out the groups in the order of their keys, with how many segments each has.

    One table of all metrics for one system, a table per metric for several.
    """
    corner = " · ".join(groups[0].key)
    columns = build_metric_columns(results, titles)
    systems = [entry.name for entry in order_systems(results, style)]
    # Each group is looked at once: there may be very many, which are scored on the way.
    named = (
        (" · ".join(map(_format_key, group.key.values())), group) for group in groups
    )
    build_size = lru_cache(lambda count: Cell(f"{count:,}"))
    if len(systems) == 1:
        rows = (
            (key, [build_size(group.segments), *(Cell(each.score) for each in scores)])
            for key, group in named
            for scores in [group.systems[0].scores.values()]
        )
        yield make_table(corner, ["segments", *columns], rows)
        return
    rows_by_spec: dict[str, list[tuple[str, list[Cell]]]] = {
        spec: [] for spec in results.specs
    }
    for key, group in named:
        by_name = {entry.name: entry.scores for entry in group.systems}
        for spec, listed in rows_by_spec.items():
            values = [by_name[name][spec].score for name in systems]
            cells = _build_row(values, by_name[systems[0]][spec])
            listed.append((key, [build_size(group.segments), *cells]))
    for column, listed in zip(columns, rows_by_spec.values(), strict=True):
        headings = ["segments", *_repeat_column(column, systems)]
        yield make_table(corner, headings, listed, caption=column.title)


def _repeat_column(column: Column, names: Sequence[str]) -> list[str | Column]:
    """Make a column for each system, with the digits of the metric's."""
    return [Column(name, more_digits=column.more_digits) for name in names]


def _build_row(values: Sequence[float], score: Score) -> list[Cell]:
    cells = [Cell(value) for value in values]
    return mark_best(cells, direction=score.direction)


def _format_key(value: object) -> str:
    return MISSING if value is None else str(value)


def _list_score_rows(results: Results) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `COLUMNS` of each score, and whether higher ones are better."""
    for entry in results.systems:
        for spec, score in entry.scores.items():
            low, high = map(repr, score.interval) if score.interval else ("", "")
            better = score.direction.text
            about = "system", entry.name, "", spec, _format_value(score.score)
            yield (*about, low, high, score.signature, better)
            for level, values, signature in (
                ("document", score.documents, score.signature),
                ("segment", _number_segments(score), score.segment_signature),
            ):
                # Once for all: it would be most of the file.
                signed = signature or score.signature
                for item, value in (values or {}).items():
                    cells = level, entry.name, str(item), spec, _format_value(value)
                    yield (*cells, "", "", signed, better)
                    signed = ""
    for place, group in enumerate(results.groups or ()):
        keys = group.key.items()
        item = ",".join(f"{key}={_format_key(value)}" for key, value in keys)
        for entry in group.systems:
            for spec, score in entry.scores.items():
                cells = "group", entry.name, item, spec, _format_value(score.score)
                signed = "" if place else score.signature
                yield (*cells, "", "", signed, score.direction.text)


def _list_comparison_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for entry in results.comparisons:
        names = "comparison", entry.system, entry.baseline, entry.metric
        numbers = entry.difference, *(entry.interval or (None, None))
        tested = [getattr(entry, name) for name in TEST_COLUMNS]
        cells = *map(_format_value, numbers), entry.test, *map(_format_value, tested)
        yield (*names, *cells, "")


def _format_value(value: float | str | bool | None) -> str:
    """Write a number in full, or a word; nothing if it is missing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return "" if value is None or value != value else repr(value)
