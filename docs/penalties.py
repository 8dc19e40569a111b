"""Draw the brevity penalties of BLEU and NIST: python docs/penalties.py writes the SVG."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from metra.metrics.bleu import compute_bleu_penalty, compute_nist_penalty

PICTURE = Path(__file__).parent / "penalties.svg"

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 20, 50
LONGEST = 1.2  # times the reference

CURVES = (  # name, penalty, where its name stands
    ("BLEU", compute_bleu_penalty, (0.31, 0.3)),
    ("NIST", compute_nist_penalty, (0.66, 0.37)),
)

STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #333 }
  .axis { stroke: #333; fill: none }
  .grid { stroke: #ccc }
  .curve { fill: none; stroke-width: 2.5 }
  .BLEU { stroke: #00796b } text.BLEU { fill: #00796b; stroke: none }
  .NIST { stroke: #c2410c } text.NIST { fill: #c2410c; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .axis { stroke: #ddd } .grid { stroke: #444 }
    .BLEU { stroke: #4db6ac } text.BLEU { fill: #4db6ac }
    .NIST { stroke: #fb923c } text.NIST { fill: #fb923c }
  }
"""


def drawing() -> str:
    """Give the picture: the penalty against the length of the output, both curves."""
    title = "Brevity penalties of BLEU and NIST by the relative length of the output"
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        *_scales(),
        *(piece for curve in CURVES for piece in _curve(*curve)),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


def _scales() -> list[str]:
    pieces = []
    for step in range(6):
        y = _y(step / 5)
        pieces.append(
            f'<line class="grid" x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}"/>'
        )
        pieces.append(
            f'<text x="{LEFT - 8}" y="{y + 5}" text-anchor="end">{step / 5:.1f}</text>'
        )
    for step in range(7):
        x, ground = _x(step / 5), HEIGHT - BOTTOM
        pieces.append(
            f'<line class="axis" x1="{x}" y1="{ground}" x2="{x}" y2="{ground + 5}"/>'
        )
        pieces.append(
            f'<text x="{x}" y="{ground + 20}" text-anchor="middle">{step / 5:.1f}</text>'
        )
    pieces.append(
        f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
    )
    pieces.append(
        f'<text x="{_x(LONGEST / 2)}" y="{HEIGHT - 8}" text-anchor="middle">'
        "words of the output / words of the reference</text>"
    )
    return pieces


def _curve(
    name: str, penalty: Callable[..., Any], place: tuple[float, float]
) -> list[str]:
    ratios = np.linspace(0, LONGEST, 121)
    points = zip(ratios, penalty(ratios, 1), strict=True)
    line = " ".join(f"{_x(ratio)},{_y(value)}" for ratio, value in points)
    return [
        f'<polyline class="curve {name}" points="{line}"/>',
        f'<text class="{name}" x="{_x(place[0])}" y="{_y(place[1])}">{name}</text>',
    ]


def _x(ratio: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * ratio / LONGEST, 1)


def _y(value: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value), 1)


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8", newline="\n")
