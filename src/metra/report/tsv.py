"""One long table: a line for each score of each level."""

from collections.abc import Iterator

from metra.report.groups import group_name
from metra.report.layout import Style
from metra.results import Results

COLUMNS = ("level", "system", "item", "metric", "score", "low", "high", "signature")

#: Further columns where systems are compared. There a score is a difference, and the item
#: the baseline.
TEST_COLUMNS = ("standard_error", "effect", "p_value", "p_holm", "significant")


def render(results: Results, _: Style) -> str:
    """Write a header and a line for every score, numbers in full."""
    lines = [COLUMNS, *_lines(results), *_groups(results)]
    if results.terms is not None:
        blank = ("",) * len(TEST_COLUMNS)
        lines = [COLUMNS + TEST_COLUMNS, *(line + blank for line in lines[1:])]
        lines.extend(_comparisons(results))
    return "\n".join("\t".join(map(_clean, line)) for line in lines)


def _lines(results: Results) -> Iterator[tuple[str, ...]]:
    for entry in results.systems:
        for spec, score in entry.scores.items():
            low, high = map(repr, score.interval) if score.interval else ("", "")
            signature = score.signature
            number = _number(score.score)
            yield "system", entry.name, "", spec, number, low, high, signature
            for name, value in (score.documents or {}).items():
                yield (
                    "document",
                    entry.name,
                    name,
                    spec,
                    _number(value),
                    "",
                    "",
                    signature,
                )
            if score.segments is None:
                continue
            signature = score.segment_signature or signature
            for at, value in enumerate(score.segments.tolist(), 1):
                yield (
                    "segment",
                    entry.name,
                    str(at),
                    spec,
                    _number(value),
                    "",
                    "",
                    signature,
                )


def _groups(results: Results) -> Iterator[tuple[str, ...]]:
    for group in results.groups or ():
        item = group_name(group)
        for entry in group.systems:
            for spec, score in entry.scores.items():
                cells = ("group", entry.name, item, spec, _number(score.score))
                yield (*cells, "", "", score.signature)


def _comparisons(results: Results) -> Iterator[tuple[str, ...]]:
    for found in results.comparisons:
        low, high = found.interval or (None, None)
        numbers = (found.standard_error, found.effect, found.p_value, found.p_holm)
        yield (
            "comparison",
            found.system,
            found.baseline,
            found.metric,
            *map(_optional, (found.difference, low, high)),
            found.test,
            *map(_optional, numbers),
            "yes" if found.significant else "no",
        )


def _optional(value: float | None) -> str:
    return "" if value is None else _number(value)


def _number(value: float) -> str:
    """Write a number in full; nothing where there was nothing to score."""
    return "" if value != value else repr(value)


def _clean(cell: str) -> str:
    """Keep the table whole: a name must not add a column or a line."""
    return cell.replace("\t", " ").replace("\n", " ").replace("\r", " ")
