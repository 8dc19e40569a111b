"""Frequency polygons of salience as a picture: one SVG file, light and dark."""

from collections.abc import Iterator
from html import escape

from metra.stability import WEIGHTS, Polygon, Stability, WordSet

WIDTH, PANEL = 640, 250
LEFT, RIGHT, TOP, GAP = 56, 20, 64, 66
LINE = 20

STYLE = """
.metra-polygons { --paper: #fff; --ink: #1f2328; --faint: #59636e; --rule: #e6e8eb;
  --both: #00796b; --only: #b93815 }
@media (prefers-color-scheme: dark) { .metra-polygons { --paper: #0d1117; --ink: #e6edf3;
  --faint: #9198a1; --rule: #262c36; --both: #4db6ac; --only: #fb923c } }
.metra-polygons text { font: 12px system-ui, "Segoe UI", "Noto Sans", sans-serif;
  fill: var(--ink) }
.metra-polygons .title { font-size: 14px; font-weight: 600 }
.metra-polygons .faint { fill: var(--faint) }
.metra-polygons .paper { fill: var(--paper) }
.metra-polygons .rule { stroke: var(--rule); fill: none }
.metra-polygons .axis { stroke: var(--faint); fill: none }
.metra-polygons .line { fill: none; stroke-width: 2 }
.metra-polygons .both { stroke: var(--both) }
.metra-polygons .only { stroke: var(--only) }
.metra-polygons circle.both { fill: var(--both) }
.metra-polygons circle.only { fill: var(--only) }
.metra-polygons .second { stroke-dasharray: 5 3 }
"""


def render(found: Stability) -> str:
    """Draw how each set's words spread over classes of tf.idf, and below of S."""
    legend = list(_legend(found))
    top = TOP + LINE * len(found.sets)
    height = top + len(WEIGHTS) * (PANEL + GAP)
    first, second = map(escape, found.references)
    title = f"Salience of words that {first} and {second} share, and do not"
    panels = [
        line
        for at, weight in enumerate(WEIGHTS)
        for line in _panel(found, weight, top + at * (PANEL + GAP))
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="metra-polygons" role="img" '
            f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'style="max-width: 100%; height: auto">',
            f"<title>{title}</title>",
            f"<desc>{_described(found)}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
            f'<text class="title" x="16" y="28">{title}</text>',
            *legend,
            *panels,
            "</svg>",
        ]
    )


def _legend(found: Stability) -> Iterator[str]:
    for at, entry in enumerate(found.sets):
        y = 50 + LINE * at
        yield f'<path class="{_kind(entry, at)}" d="M16 {y - 4}H48"/>'
        yield f'<circle class="{_color(entry)}" cx="32" cy="{y - 4}" r="2.5"/>'
        tokens = f"{entry.tokens:,} words"
        yield f'<text x="56" y="{y}">{escape(entry.name)}, {tokens}</text>'


def _panel(found: Stability, weight: str, top: int) -> Iterator[str]:
    polygons = [entry.polygons[weight] for entry in found.sets]
    bounds = polygons[0].bounds
    low, high = bounds[0], bounds[-1]
    most = max(max(polygon.shares) for polygon in polygons)
    step = next(
        s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if most / s <= 6 or s == 0.5
    )
    ceiling = (int(most / step) + 1) * step
    ground = top + PANEL

    def x(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        return ground - share / ceiling * PANEL

    for at in range(round(ceiling / step) + 1):
        share = at * step
        yield f'<path class="rule" d="M{LEFT} {y(share):.1f}H{WIDTH - RIGHT}"/>'
        yield (
            f'<text class="faint" x="{LEFT - 8}" y="{y(share) + 4:.1f}" '
            f'text-anchor="end">{100 * share:.0f} %</text>'
        )
    for value in range(round(low), int(high) + 1):
        if low <= value <= high:
            yield (
                f'<text class="faint" x="{x(value):.1f}" y="{ground + 18}" '
                f'text-anchor="middle">{value}</text>'
            )
            yield f'<path class="axis" d="M{x(value):.1f} {ground}v4"/>'
    yield f'<path class="axis" d="M{LEFT} {ground}H{WIDTH - RIGHT}"/>'
    yield (
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{ground + 36}" '
        f'text-anchor="middle">{_axis(weight, polygons)}</text>'
    )
    for at, (entry, polygon) in enumerate(zip(found.sets, polygons, strict=True)):
        points = [
            (x((bounds[place] + bounds[place + 1]) / 2), y(share))
            for place, share in enumerate(polygon.shares)
        ]
        path = "L".join(f"{left:.1f} {height:.1f}" for left, height in points)
        yield f'<path class="{_kind(entry, at)}" d="M{path}"/>'
        for (left, height), share, place in zip(
            points, polygon.shares, range(len(points)), strict=True
        ):
            yield (
                f'<circle class="{_color(entry)}" cx="{left:.1f}" cy="{height:.1f}" '
                f'r="2.5"><title>{escape(entry.name)}: {weight} {bounds[place]:g} to '
                f"{bounds[place + 1]:g}, {100 * share:.1f} %</title></circle>"
            )


def _axis(weight: str, polygons: list[Polygon]) -> str:
    if not any(polygon.without for polygon in polygons):
        return f"{weight} of the word in its document"
    shares = sorted(100 * polygon.without for polygon in polygons)
    return (
        f"{weight} of the word in its document "
        f"({shares[0]:.0f} to {shares[-1]:.0f} % of the words have none)"
    )


def _kind(entry: WordSet, at: int) -> str:
    return f"line {_color(entry)}{' second' if at % 2 else ''}"


def _color(entry: WordSet) -> str:
    return "both" if entry.common else "only"


def _described(found: Stability) -> str:
    parts = []
    for entry in found.sets:
        means = ", ".join(f"mean {w} {entry.means[w]:.2f}" for w in WEIGHTS)
        parts.append(f"{escape(entry.name)}: {entry.tokens:,} words, {means}.")
    return " ".join(parts)
