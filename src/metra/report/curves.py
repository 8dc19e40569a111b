"""Curves over choices in a row: one line a series, named at its end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metra.report.svg import COLOURS, LETTER, Frame, padded, page, text

HEIGHT = 440.0
TOP, BOTTOM = 58.0, 62.0


@dataclass(frozen=True, slots=True)
class Curves:
    """What is drawn: a value (or None) of each series at each label, perhaps with bands."""

    title: str
    caption: str
    across: str
    down: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    bands: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    #: Series that stand apart, such as people against people: drawn dashed.
    dashed: Sequence[str] = ()


def render(curves: Curves) -> str:
    """Draw the lines; the names stand at the right, moved apart where they would meet."""
    count = len(curves.labels)
    left = 72.0
    right = 24 + max(len(name) for name in curves.series) * LETTER
    width = max(640.0, left + right + count * 34)
    found = [v for line in curves.series.values() for v in line if v is not None]
    found += [end for band in curves.bands.values() for pair in band for end in pair]
    frame = Frame(
        left,
        TOP,
        width - left - right,
        HEIGHT - TOP - BOTTOM,
        (-0.3, count - 0.7),
        padded(found or [0.0, 1.0]),
    )
    body = [
        f'<text class="title" x="16" y="24">{text(curves.title)}</text>',
        f'<text class="faint" x="16" y="44">{text(curves.caption)}</text>',
        *_axes(curves, frame),
        *_lines(curves, frame),
        *_names(curves, frame),
    ]
    return page(curves.title, _described(curves), (width, HEIGHT), body)


def _axes(curves: Curves, frame: Frame) -> Iterator[str]:
    yield from frame.rows()
    bottom = frame.top + frame.height
    longest = max(len(label) for label in curves.labels)
    room = frame.width / max(len(curves.labels), 1)
    step = max(1, round(min(longest, 12) * LETTER / room + 0.4))
    for at, label in enumerate(curves.labels):
        if at % step:
            continue
        cut = label if len(label) <= 14 else f"{label[:13]}…"
        yield (
            f'<text class="faint small" x="{frame.x(at):g}" y="{bottom + 16:g}" '
            f'text-anchor="middle">{text(cut)}</text>'
        )
    yield from frame.border(curves.across, curves.down)


def _lines(curves: Curves, frame: Frame) -> Iterator[str]:
    for at, (name, line) in enumerate(curves.series.items()):
        colour = f"var(--c{at % COLOURS})"
        if name in curves.bands:
            band = list(enumerate(curves.bands[name]))
            upper = [f"{frame.x(x):g},{frame.y(high):g}" for x, (_, high) in band]
            lower = [f"{frame.x(x):g},{frame.y(low):g}" for x, (low, _) in band]
            points = " ".join([*upper, *reversed(lower)])
            yield f'<polygon class="band" style="fill: {colour}" points="{points}"/>'
        dash = "; stroke-dasharray: 2 4" if at >= COLOURS else ""
        dash = "; stroke-dasharray: 7 4" if name in curves.dashed else dash
        path, pen = "", "M"
        for x, value in enumerate(line):
            if value is None:
                pen = "M"
                continue
            path += f"{pen}{frame.x(x):g} {frame.y(value):g}"
            pen = "L"
        yield f'<path class="line" style="stroke: {colour}{dash}" d="{path}"/>'
        for x, value in enumerate(line):
            if value is not None:
                about = f"{name}, {curves.labels[x]}: {value:.4g}"
                yield (
                    f'<circle style="fill: {colour}" cx="{frame.x(x):g}" '
                    f'cy="{frame.y(value):g}" r="2.8"><title>{text(about)}</title></circle>'
                )


def _names(curves: Curves, frame: Frame) -> Iterator[str]:
    ends = []
    for at, (name, line) in enumerate(curves.series.items()):
        last = next((value for value in reversed(line) if value is not None), None)
        if last is not None:
            ends.append((frame.y(last), at, name))
    ends.sort()
    places = [y for y, _, _ in ends]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + 13)
    over = (places[-1] - frame.top - frame.height) if places else 0
    if over > 0:
        places[-1] -= over
        for at in range(len(places) - 2, -1, -1):
            places[at] = min(places[at], places[at + 1] - 13)
    for y, (_, at, name) in zip(places, ends, strict=True):
        yield (
            f'<text x="{frame.left + frame.width + 7:g}" y="{y + 4:g}" '
            f'style="fill: var(--c{at % COLOURS})">{text(name)}</text>'
        )


def _described(curves: Curves) -> str:
    lines = [
        f"{name}: "
        + ", ".join(
            f"{label} {value:.3g}"
            for label, value in zip(curves.labels, line, strict=True)
            if value is not None
        )
        for name, line in curves.series.items()
    ]
    return f"{curves.down} by {curves.across}. {'; '.join(lines)}."
