"""Scores by bucket, as tables: one for each metric."""

from metra.insight.buckets import Bucket, Buckets, BucketScore
from metra.report.comparison import signed
from metra.report.layout import Cell, Sheet, Style, interval, number

NOTE = (
    "▲ better, ▼ worse than {baseline} by a bootstrap of the bucket's segments; hollow △ ▽: it "
    "may be chance; ?: {small}, which say little. No correction for the number of buckets."
)


CORNERS = {"length": "words", "source-length": "words", "frequency": "frequency"}
CORNERS |= {"score": "score"}


def sheets(buckets: Buckets, style: Style) -> list[Sheet]:
    """Lay out the buckets of every metric."""
    return [_sheet(buckets, spec, style) for spec in buckets.directions]


def note(buckets: Buckets) -> str:
    """Explain the signs."""
    from metra.insight.buckets import SMALL

    small = f"fewer than {SMALL} {buckets.unit}"
    if buckets.baseline is None:
        return f"?: {small}, which say little."
    return NOTE.format(baseline=buckets.baseline, small=small)


def _sheet(buckets: Buckets, spec: str, style: Style) -> Sheet:
    arrow = "↑" if buckets.directions[spec] else "↓"
    others = [name for name in buckets.systems if name != buckets.baseline]
    # Two systems leave room for the interval of their difference.
    pair = buckets.baseline is not None and len(others) == 1
    headings = [buckets.unit, *buckets.systems]
    if pair:
        headings += ["difference", "95% interval"]
    rows = []
    for bucket in buckets.buckets:
        scores = [bucket.scores[name][spec] for name in buckets.systems]
        cells = [Cell(f"{bucket.count}{_doubt(bucket)}")]
        if pair:
            cells += [Cell(number(entry.score, style.digits)) for entry in scores]
            cells += _difference(bucket.scores[others[0]][spec], buckets, spec, style)
        else:
            cells += [_score(entry, buckets, spec, style) for entry in scores]
        rows.append((bucket.label, cells))
    corner = CORNERS.get(buckets.kind, buckets.title)
    return Sheet(corner, headings, rows, f"{spec} {arrow} by {buckets.title}")


def _doubt(bucket: Bucket) -> str:
    return "?" if bucket.small else " "


def _score(found: BucketScore, buckets: Buckets, spec: str, style: Style) -> Cell:
    text = number(found.score, style.digits)
    if buckets.baseline is None:
        return Cell(text, interval(found.interval, style.digits))
    if found.difference is None:
        return Cell(f"{text}  ")
    mark, tone = _mark(found, buckets.directions[spec])
    return Cell(f"{text} {mark}", "", False, tone)


def _difference(
    found: BucketScore, buckets: Buckets, spec: str, style: Style
) -> list[Cell]:
    mark, tone = _mark(found, buckets.directions[spec])
    difference = signed(found.difference or 0.0, style.digits)
    return [
        Cell(f"{mark} {difference}", "", False, tone),
        Cell("", interval(found.difference_interval, style.digits, signed)),
    ]


def _mark(found: BucketScore, higher_is_better: bool) -> tuple[str, str]:
    """Give the sign of a difference, and the tone of one that is beyond doubt."""
    difference = found.difference or 0.0
    if difference == 0:
        return "=", ""
    ends = found.difference_interval
    sure = ends is not None and (ends[0] > 0 or ends[1] < 0)
    if (difference > 0) == higher_is_better:
        return ("▲", "good") if sure else ("△", "")
    return ("▼", "bad") if sure else ("▽", "")
