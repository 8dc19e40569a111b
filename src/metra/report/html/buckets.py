"""Scores by kind of segment or word: where one system is better than the other."""

from collections.abc import Sequence

from metra.insight.buckets import Bucket, Buckets, BucketScore
from metra.insight.study import Study
from metra.report.html import chart
from metra.report.html.markup import Child, Html, joined, tag
from metra.report.html.tables import Num, figure, minus, num, ranged, scrolling, signed
from metra.report.layout import counted, number

ROW = 34
#: Labels such as documents' names may be long.
LONGEST = 18


def section(study: Study) -> Html | None:
    """Draw baseline and best rival in every bucket; the tables have all systems."""
    found = [entry for entry in study.findings.buckets if len(entry.buckets) > 1]
    if not found:
        return None
    pair = [name for name in (study.baseline, study.rival) if name is not None]
    return joined(
        _explained(pair),
        [
            [
                tag("h3", f"By {entry.title}"),
                tag(
                    "div",
                    [_figure(entry, spec, pair) for spec in entry.directions],
                    class_="figures",
                ),
            ]
            for entry in found
        ],
    )


def _explained(pair: Sequence[str]) -> Html:
    drawn: list[Child] = [tag("span", "○", class_="sign"), " ", tag("bdi", pair[0])]
    if len(pair) > 1:
        drawn += [
            ", ",
            tag("span", "●", class_="sign better"),
            " ",
            tag("bdi", pair[1]),
        ]
    return tag(
        "p",
        "The same scores for parts of the test set, with 95% intervals: ",
        drawn,
        ". Parts with few segments are pale: their scores say little. The data of each "
        "figure have all systems.",
    )


def _figure(found: Buckets, spec: str, pair: Sequence[str]) -> Html:
    scores = [
        bucket.scores[name][spec]
        for bucket in found.buckets
        for name in pair
        if name in bucket.scores
    ]
    labels = [bucket.label for bucket in found.buckets]
    left = max(chart.names_width(labels, LONGEST), 56)
    ends = [end for score in scores for end in (score.interval or (score.score,))]
    scale = chart.Scale(*chart.around(ends), left, chart.WIDTH - chart.OVERHANG)
    bottom = ROW * len(labels) + 8.0
    marks = chart.across(scale, bottom, 4)
    for row, bucket in enumerate(found.buckets):
        marks.append(
            _bucket(bucket, spec, pair, scale, 4 + ROW * (row + 0.5), found.unit)
        )
    up = found.directions[spec]
    title = f"{spec} {'↑' if up else '↓'}"
    label = f"{spec} by {found.title}: " + "; ".join(
        f"{bucket.label}, "
        + ", ".join(
            f"{name} {number(bucket.scores[name][spec].score, 2)}" for name in pair
        )
        for bucket in found.buckets
    )
    picture = chart.svg(chart.WIDTH, bottom + chart.AXIS, label, marks)
    return figure(title, picture, _data(found, spec))


def _bucket(
    bucket: Bucket,
    spec: str,
    pair: Sequence[str],
    scale: chart.Scale,
    y: float,
    unit: str,
) -> Html:
    marks = [
        chart.row_name(scale.start - 8, y, bucket.label, LONGEST),
        chart.text(scale.start - 8, y + 13, f"n = {bucket.count:,}", "tick", "end"),
    ]
    for place, (name, kind) in enumerate(zip(pair, ("ring", "best"), strict=False)):
        score = bucket.scores[name][spec]
        at = y - 4 + 9 * place
        low, high = score.interval or (score.score, score.score)
        hint = f"{name}, {bucket.label}: {number(score.score, 2)}"
        marks.append(chart.line(scale(low), at, scale(high), at, f"whisker {kind}"))
        marks.append(chart.dot(scale(score.score), at, 4.5, kind, hint))
    few = f"few {unit}" if bucket.small else None
    return tag("g", marks, class_="small" if few else None)


def _data(found: Buckets, spec: str) -> Html:
    caption = f"{spec} by {found.title}; differences from {found.baseline} below"
    rows = []
    for bucket in found.buckets:
        cells = [_cell(bucket.scores[name][spec]) for name in found.systems]
        rows.append(
            tag(
                "tr",
                tag("th", tag("bdi", bucket.label), scope="row"),
                num(Num(bucket.count, 0)),
                cells,
                class_="few" if bucket.small else None,
            )
        )
    heads = [
        tag("th", tag("bdi", name), scope="col", class_="num") for name in found.systems
    ]
    inside = tag(
        "table",
        tag("caption", caption),
        tag(
            "thead",
            tag(
                "tr",
                tag("th", found.title, scope="col"),
                tag("th", found.unit, scope="col", class_="num"),
                heads,
            ),
        ),
        tag("tbody", rows),
        class_="scores",
        data_csv=f"{found.title}-{spec}",
    )
    return scrolling(inside, f"{caption} ({counted(len(rows), 'part')})")


def _cell(score: BucketScore) -> Html:
    below = None
    if score.difference is not None:
        below = tag("small", signed(score.difference, 2))
    return ranged(score.score, score.interval, minus(score.score, 2), below)
