"""How often values fall where: bars with their shares written above them."""

from metra.meta.judge_pictures import Histogram
from metra.report.svg import Frame, page, shown, text, ticks

WIDTH, HEIGHT = 620.0, 380.0
LEFT, TOP, RIGHT, BOTTOM = 60.0, 58.0, 20.0, 58.0


def render(plot: Histogram) -> str:
    """Draw the bars; all of them together are 100 %."""
    total = max(sum(count for _, count in plot.bars), 1)
    shares = [100 * count / total for _, count in plot.bars]
    top = max(shares, default=1.0) * 1.12 or 1.0
    frame = Frame(
        LEFT,
        TOP,
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM,
        (-0.6, len(shares) - 0.4),
        (0.0, top),
    )
    bottom = frame.top + frame.height
    body = [
        f'<text class="title" x="16" y="24">{text(plot.title)}</text>',
        f'<text class="faint" x="16" y="44">{text(plot.caption)}</text>',
    ]
    for value in ticks(0, top):
        y = frame.y(value)
        body.append(f'<path class="rule" d="M{frame.left:g} {y:g}h{frame.width:g}"/>')
        body.append(
            f'<text class="faint" x="{frame.left - 7:g}" y="{y + 4:g}" '
            f'text-anchor="end">{shown(value)} %</text>'
        )
    wide = frame.width / (len(shares) + 0.2) * 0.78
    for at, ((label, count), share) in enumerate(zip(plot.bars, shares, strict=True)):
        x, y = frame.x(at), frame.y(share)
        about = f"{label}: {count:,} of {total:,} ({share:.1f} %)"
        body.append(
            f'<rect style="fill: var(--c0)" x="{x - wide / 2:g}" y="{y:g}" '
            f'width="{wide:g}" height="{bottom - y:g}"><title>{text(about)}</title></rect>'
        )
        body.append(
            f'<text class="small" x="{x:g}" y="{y - 5:g}" text-anchor="middle">'
            f"{share:.0f}</text>"
        )
        body.append(
            f'<text class="faint small" x="{x:g}" y="{bottom + 16:g}" '
            f'text-anchor="middle">{text(label)}</text>'
        )
    body.append(
        f'<text x="{frame.left + frame.width / 2:g}" y="{bottom + 40:g}" '
        f'text-anchor="middle">{text(plot.across)}</text>'
    )
    described = "; ".join(
        f"{label} {share:.1f} %"
        for (label, _), share in zip(plot.bars, shares, strict=True)
    )
    return page(plot.title, f"{plot.across}: {described}.", (WIDTH, HEIGHT), body)
