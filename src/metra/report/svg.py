"""What our pictures share: safe text, the colours of both themes, frames and scales."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE = """
.metra-chart { --paper: #fff; --ink: #1f2328; --faint: #59636e; --rule: #e6e8eb;
  --edge: #8c959f; --c0: #00796b; --c1: #b93815; --c2: #3b5bdb; --c3: #8a6100; --c4: #9c36b5;
  --c5: #2b8a3e; --low: #ffffff; --high: #00796b; --neg: #b93815 }
@media (prefers-color-scheme: dark) { .metra-chart { --paper: #0d1117; --ink: #e6edf3;
  --faint: #9198a1; --rule: #262c36; --edge: #6e7681; --c0: #4db6ac; --c1: #fb923c;
  --c2: #91a7ff; --c3: #e3b341; --c4: #d0a2f7; --c5: #69db7c; --low: #0d1117;
  --high: #4db6ac; --neg: #fb923c } }
.metra-chart text { font: 12px system-ui, "Segoe UI", "Noto Sans", sans-serif;
  fill: var(--ink); white-space: pre }
.metra-chart .title { font-size: 14px; font-weight: 600 }
.metra-chart .faint { fill: var(--faint) }
.metra-chart .small { font-size: 10.5px }
.metra-chart .paper { fill: var(--paper) }
.metra-chart .rule { stroke: var(--rule); fill: none }
.metra-chart .edge { stroke: var(--edge); fill: none }
.metra-chart .line { stroke-width: 2; fill: none }
.metra-chart .band { stroke: none; fill-opacity: .13 }
.metra-chart .hollow { fill: var(--paper); stroke-width: 1.8 }
"""

#: How many colours there are before they repeat.
COLOURS = 6
#: The width of a letter.
LETTER = 6.6


def text(raw: str) -> str:
    """Keep text from being read as markup; what XML has no place for becomes a sign."""
    return escape(_NOT_IN_XML.sub("\ufffd", raw))


def page(
    title: str, described: str, size: tuple[float, float], body: Sequence[str]
) -> str:
    """Put a picture together: it needs nothing else, and can be read to those who listen."""
    width, height = size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="metra-chart" role="img" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" style="max-width: 100%; height: auto">',
            f"<title>{text(title)}</title>",
            f"<desc>{text(described)}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
            *body,
            "</svg>",
        ]
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a plot stands on the page, and which values its sides stand for."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        """Where a value stands across."""
        low, high = self.x_range
        return round(self.left + self.width * (value - low) / (high - low), 2)

    def y(self, value: float) -> float:
        """Where a value stands down; large values are above."""
        low, high = self.y_range
        return round(self.top + self.height * (high - value) / (high - low), 2)

    def axes(self, across: str, down: str) -> Iterator[str]:
        """Draw the frame with its scales and what they are of."""
        yield from self.rows()
        bottom = self.top + self.height
        for value in ticks(*self.x_range):
            x = self.x(value)
            yield f'<path class="rule" d="M{x:g} {self.top:g}v{self.height:g}"/>'
            yield (
                f'<text class="faint" x="{x:g}" y="{bottom + 17:g}" '
                f'text-anchor="middle">{shown(value)}</text>'
            )
        yield from self.border(across, down)

    def rows(self) -> Iterator[str]:
        """Draw the scale at the left, with a rule for each of its numbers."""
        for value in ticks(*self.y_range):
            y = self.y(value)
            yield f'<path class="rule" d="M{self.left:g} {y:g}h{self.width:g}"/>'
            yield (
                f'<text class="faint" x="{self.left - 7:g}" y="{y + 4:g}" '
                f'text-anchor="end">{shown(value)}</text>'
            )

    def border(self, across: str, down: str) -> Iterator[str]:
        """Draw the border, and say what the scales are of."""
        yield (
            f'<rect class="edge" x="{self.left:g}" y="{self.top:g}" '
            f'width="{self.width:g}" height="{self.height:g}"/>'
        )
        middle, below = self.left + self.width / 2, self.top + self.height + 37
        yield (
            f'<text x="{middle:g}" y="{below:g}" text-anchor="middle">'
            f"{text(across)}</text>"
        )
        x, y = self.left - 48, self.top + self.height / 2
        yield (
            f'<text x="{x:g}" y="{y:g}" text-anchor="middle" '
            f'transform="rotate(-90 {x:g} {y:g})">{text(down)}</text>'
        )


def padded(values: Sequence[float], share: float = 0.06) -> tuple[float, float]:
    """Give the range of values with some room at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Choose round numbers within a range.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / most
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(at * step, 12) for at in range(first, last + 1)]


def shown(value: float) -> str:
    """Write a number of a scale."""
    return f"{value:g}".replace("-", "−")
