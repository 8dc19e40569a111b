"""A matrix as a heat map: p-values with clusters framed, or coefficients between scorers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from metra.report.svg import LETTER, page, text

CELL = 38.0
MARGIN = 16.0


@dataclass(frozen=True, slots=True)
class Heat:
    """What is drawn: names down and across, a value or nothing in each cell."""

    title: str
    caption: str
    names: Sequence[str]
    values: Sequence[Sequence[float | None]]
    #: p: small is dark, and shown as p-values are; r: from -1 to 1.
    kind: Literal["p", "r"]
    #: The cluster of each row, in order; framed.
    clusters: Sequence[int] = ()


def render(heat: Heat) -> str:
    """Draw the cells with their values, and a frame round each cluster."""
    size = len(heat.names)
    names = [name if len(name) <= 24 else f"{name[:23]}…" for name in heat.names]
    # Capitals are wider than a letter is on average.
    longest = max(len(name) for name in names) * LETTER * 1.12
    left = MARGIN + longest + 8
    above = 70 + longest * 0.71
    slanted = len(names[-1]) * LETTER * 0.8
    said = max(len(heat.title) * 1.15, len(heat.caption)) * LETTER
    width = max(left + size * CELL + slanted, said + 2 * MARGIN, 420)
    height = above + size * CELL + 34
    body = [
        f'<text class="title" x="{MARGIN:g}" y="24">{text(heat.title)}</text>',
        f'<text class="faint" x="{MARGIN:g}" y="44">{text(heat.caption)}</text>',
        *_labels(names, left, above),
        *_cells(heat, left, above),
        *_frames(heat.clusters, left, above),
    ]
    return page(heat.title, _described(heat), (width, height), body)


def _labels(names: Sequence[str], left: float, above: float) -> Iterator[str]:
    for at, name in enumerate(names):
        y = above + at * CELL + CELL / 2 + 4
        yield f'<text x="{left - 8:g}" y="{y:g}" text-anchor="end">{text(name)}</text>'
        x = left + at * CELL + CELL / 2 + 2
        yield (
            f'<text x="{x:g}" y="{above - 7:g}" transform="rotate(-45 {x:g} {above - 7:g})">'
            f"{text(name)}</text>"
        )


def _cells(heat: Heat, left: float, above: float) -> Iterator[str]:
    for i, row in enumerate(heat.values):
        for j, value in enumerate(row):
            x, y = left + j * CELL, above + i * CELL
            if value is None:
                continue
            shade, colour = _shade(value, heat.kind)
            about = f"{heat.names[i]}, {heat.names[j]}: {value:.4g}"
            yield (
                f'<rect x="{x + 0.5:g}" y="{y + 0.5:g}" width="{CELL - 1:g}" '
                f'height="{CELL - 1:g}" rx="2" style="fill: var(--{colour}); '
                f'fill-opacity: {shade:.2f}; stroke: var(--rule)">'
                f"<title>{text(about)}</title></rect>"
            )
            ink = "var(--paper)" if shade > 0.62 else "var(--ink)"
            number = text(_number(value, heat.kind))
            yield (
                f'<text class="small" x="{x + CELL / 2:g}" y="{y + CELL / 2 + 4:g}" '
                f'text-anchor="middle" style="fill: {ink}">{number}</text>'
            )


def _shade(value: float, kind: str) -> tuple[float, str]:
    if kind == "r":
        return min(abs(value), 1.0) ** 1.5, "high" if value >= 0 else "neg"
    steps = ((0.001, 1.0), (0.01, 0.8), (0.05, 0.6), (0.1, 0.2))
    return next((shade for limit, shade in steps if value <= limit), 0.05), "high"


def _number(value: float, kind: str) -> str:
    if kind == "p" and value < 0.001:
        return "<.001"
    shown = f"{value:.3f}" if kind == "p" and value < 0.1 else f"{value:.2f}"
    return shown.replace("-0.", "−.").replace("0.", ".", 1)


def _frames(clusters: Sequence[int], left: float, above: float) -> Iterator[str]:
    for cluster in dict.fromkeys(clusters):
        at = [place for place, found in enumerate(clusters) if found == cluster]
        side = len(at) * CELL
        x, y = left + at[0] * CELL, above + at[0] * CELL
        yield (
            f'<rect class="edge" x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" '
            'style="stroke: var(--c1); stroke-width: 2"/>'
        )
        yield (
            f'<text class="small" x="{x + 5:g}" y="{y + side - 5:g}" '
            f'style="fill: var(--c1)">{cluster}</text>'
        )


def _described(heat: Heat) -> str:
    rows = [
        f"{name}: "
        + ", ".join(
            f"{other} {value:.3g}"
            for other, value in zip(heat.names, row, strict=True)
            if value is not None
        )
        for name, row in zip(heat.names, heat.values, strict=True)
    ]
    clusters = ", ".join(
        f"{name} {at}" for name, at in zip(heat.names, heat.clusters, strict=False)
    )
    return f"{heat.caption}. {'; '.join(rows)}. " + (
        f"Clusters: {clusters}." if clusters else ""
    )
