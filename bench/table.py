"""The outcomes as Markdown tables, which read as well in a terminal."""

from collections.abc import Sequence
from statistics import median

from outcome import LimitOutcome, RaceOutcome

MARKS = {True: "yes", False: "**no**", None: ""}


def races(outcomes: Sequence[RaceOutcome]) -> str:
    """Peer against metra: times, ratios of the rounds, goals."""
    header = ["task", "segments", "peer", "peer's time", "metra's time", "ratio"]
    header += ["min–max", "goal", "met"]
    rows = [
        [
            entry.race.task,
            f"{entry.race.text[1]:,}",
            entry.race.peer.name,
            _time(median(entry.theirs)),
            _time(median(entry.ours)),
            f"{_ratio(median(entry.ratios))}×",
            f"{_ratio(min(entry.ratios))}–{_ratio(max(entry.ratios))}",
            "" if entry.race.goal is None else f"{entry.race.goal:g}×",
            MARKS[entry.passed],
        ]
        for entry in outcomes
    ]
    return markdown(header, rows, left=(0, 2))


def limits(outcomes: Sequence[LimitOutcome]) -> str:
    """Numbers that must stay within bounds."""
    rows = [
        [
            entry.limit.task,
            f"{median(entry.samples):.3g}" if entry.samples else "not measured",
            entry.limit.unit,
            _bounds(entry.limit.least, entry.limit.most),
            MARKS[entry.passed],
        ]
        for entry in outcomes
    ]
    return markdown(["limit", "found", "unit", "bounds", "met"], rows, left=(0, 2))


def rates(outcomes: Sequence[RaceOutcome]) -> str:
    """How fast metra goes through text."""
    rows = []
    for entry in outcomes:
        data = entry.as_data()
        rows.append(
            [
                entry.race.task,
                f"{entry.race.text[1]:,}",
                f"{data['ns_per_word']:.1f}",
                f"{data['mb_per_second']:.0f}",
            ]
        )
    return markdown(["task", "segments", "ns a word", "MB/s"], rows, left=(0,))


def _time(seconds: float) -> str:
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _bounds(least: float | None, most: float | None) -> str:
    if least is None:
        return f"≤ {most:g}"
    return f"≥ {least:g}" if most is None else f"{least:g}–{most:g}"


def markdown(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: tuple[int, ...]
) -> str:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        shown = [
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(shown)} |"

    rule = [
        "-" * width if at in left else "-" * (width - 1) + ":"
        for at, width in enumerate(widths)
    ]
    return "\n".join(map(line, [header, rule, *rows]))
