"""The first page: who is best by what, how sure that is, and by how much they differ.

How far the systems differ, and whether that may be chance.
How segment scores are spread: a strip of bars for each system, one figure a metric.
"""

from collections.abc import Sequence

from metra.analysis.distributions import Distribution
from metra.report import chart
from metra.report.html.markup import Child, Html, joined, tag
from metra.report.html.tables import (
    Num,
    figure,
    heading,
    num,
    ranged,
    row_heading,
    scrolling,
    signed,
    table,
)
from metra.report.layout import Style, counted, number, ordered
from metra.report.layout import heading as metric_heading
from metra.report.study import Study
from metra.scoring.results import Comparison, Score, SystemScores, Terms

TESTS = {
    "ar": "paired approximate randomisation",
    "bootstrap": "the paired bootstrap",
}


def differences(study: Study) -> Html | None:
    """Lay out every system against the baseline, and all pairs folded away."""
    terms = study.results.terms
    if terms is None:
        return None
    found = study.results.comparisons
    refused = next((entry.reason for entry in found if entry.reason), None)
    return joined(
        tag("h3", "Against the baseline, ", tag("bdi", study.baseline)),
        _against(study),
        tag("p", refused or _explained(terms), class_="note"),
        tag("details", tag("summary", "All pairs"), _pairs(found)),
    )


def _explained(terms: Terms) -> str:
    test = TESTS.get(terms.test, terms.test)
    return (
        f"p by {test} over {counted(terms.units, terms.unit)}, {terms.trials:,} trials, "
        "corrected by Holm for all pairs of systems. ▲ better and ▼ worse than the baseline "
        f"with p ≤ {terms.alpha:g}; where there is no such sign, the difference may be "
        "chance."
    )


def _against(study: Study) -> Html:
    specs = study.results.specs
    found = {
        (entry.system, entry.metric): entry
        for entry in study.results.comparisons
        if entry.baseline == study.baseline
    }
    order = [entry.name for entry in study.results.ranked(specs[0])]
    rows = [
        tag(
            "tr",
            row_heading(name),
            [_cells(found[name, spec]) for spec in specs],
        )
        for name in order
        if name != study.baseline
    ]
    caption = "Differences from the baseline, with 95% intervals"
    heads = [
        [
            tag("th", spec, scope="col", class_="num"),
            tag("th", "p", scope="col", class_="num"),
        ]
        for spec in specs
    ]
    inside = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", tag("th", "system", scope="col"), heads)),
        tag("tbody", rows),
        class_="scores",
        data_csv="differences",
        data_sortable=True,
    )
    return scrolling(inside, caption)


def _cells(entry: Comparison) -> list[Html]:
    sign: Child = None
    if entry.significant:
        kind = "better" if entry.gain > 0 else "worse"
        sign = tag(
            "span",
            "▲ " if kind == "better" else "▼ ",
            tag("span", f"{kind} ", class_="unseen"),
            class_=kind,
        )
    below = tag("small", _range(entry.interval)) if entry.interval else None
    shown = ranged(
        entry.difference, entry.interval, sign, signed(entry.difference, 2), below
    )
    return [shown, probability(entry.p_holm)]


def _range(ends: tuple[float, float]) -> str:
    return f"{signed(ends[0], 2)} to {signed(ends[1], 2)}"


def probability(p: float | None) -> Html:
    """Make a cell of a p-value; small ones say no more than that they are small."""
    if p is None:
        return num(Num(None))
    shown = "< 0.001" if p < 0.001 else number(p, 3)
    return tag("td", shown, class_="num", data_v=f"{p:.6g}")


def _pairs(found: Sequence[Comparison]) -> Html:
    return table(
        [
            "metric",
            "system",
            "minus",
            "difference",
            "low",
            "high",
            "p",
            "p, Holm",
            "differ",
        ],
        [
            [
                entry.metric,
                entry.system,
                entry.baseline,
                Num(entry.difference, 2, signed=True),
                Num(entry.interval[0] if entry.interval else None, 2, signed=True),
                Num(entry.interval[1] if entry.interval else None, 2, signed=True),
                probability(entry.p_value),
                probability(entry.p_holm),
                "yes" if entry.significant else "no",
            ]
            for entry in found
        ],
        caption="Every pair of systems by every metric",
        name="pairs",
    )


#: The picture beside a score.
WHISKER, WHISKER_HEIGHT = 80, 16


def overview_section(study: Study) -> Html:
    """Lay out the summary and the table of scores."""
    systems = ordered(study.results, Style(sort=True))
    return joined(
        tag("p", summary(study, systems), class_="lead"),
        _scores(study, systems),
        differences(study),
    )


def summary(study: Study, systems: Sequence[SystemScores]) -> Child:
    """Say in plain words who is best."""
    specs = study.results.specs
    if len(systems) == 1:
        scores = [
            f"{number(s.score, 2)} by {spec}" for spec, s in systems[0].scores.items()
        ]
        return [_strong(systems[0].name), f" has {_listed(scores)}."]
    winners = {spec: _best(systems, spec).name for spec in specs}
    first = winners[specs[0]]
    agreeing = [spec for spec in specs if winners[spec] == first]
    score = _best(systems, specs[0]).scores[specs[0]]
    count = f"Of {len(systems)} systems, "
    if len(agreeing) == len(specs):
        metrics = specs[0] if len(specs) == 1 else f"all {len(specs)} metrics"
        found: list[Child] = [count, _strong(first), f" is best by {metrics}"]
    else:
        found = [count, _strong(first), f" is best by {_listed(agreeing)}"]
        for name in dict.fromkeys(winners.values()):
            if name != first:
                by = [spec for spec in specs if winners[spec] == name]
                found += ["; ", _strong(name), f" by {_listed(by)}"]
    found += [
        f". The {specs[0]} of ",
        tag("bdi", first),
        f" is {number(score.score, 2)}",
    ]
    if score.interval is not None:
        low, high = score.interval
        found.append(f", 95% interval {number(low, 2)} to {number(high, 2)}")
    return [*found, ". ", _group(study, specs[0], first)]


def _group(study: Study, spec: str, best: str) -> Child:
    """Say whether the best can be told apart from the others."""
    if any(entry.reason for entry in study.results.comparisons):
        return "There is not enough data to tell whether the differences are chance."
    groups = (study.results.clusters or {}).get(spec)
    if not groups:
        return None
    others = [name for name in groups[0] if name != best]
    if not others:
        return f"By {spec} it differs from all others more than chance would explain."
    if len(others) > 3:
        listed: Child = f"{len(others)} other systems"
    else:
        listed = _names(others)
    return [
        f"By {spec} it is in one group with ",
        listed,
        ": chance may explain the order.",
    ]


def _names(names: Sequence[str]) -> Child:
    """Join systems' names as in a sentence."""
    found: list[Child] = []
    for at, name in enumerate(names):
        if at:
            found.append(" and " if at == len(names) - 1 else ", ")
        found.append(tag("bdi", name))
    return found


def _strong(name: str) -> Html:
    return tag("strong", tag("bdi", name))


def _listed(words: Sequence[str]) -> str:
    """Join words as in a sentence.

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _best(systems: Sequence[SystemScores], spec: str) -> SystemScores:
    sign = 1 if systems[0].scores[spec].higher_is_better else -1
    return max(systems, key=lambda entry: sign * entry.scores[spec].score)


def _scores(study: Study, systems: Sequence[SystemScores]) -> Html:
    results = study.results
    best = {spec: _best(systems, spec).scores[spec].score for spec in results.specs}
    scales = {spec: _scale(systems, spec) for spec in results.specs}
    headings = [
        [
            tag(
                "th",
                metric_heading(spec, systems[0].scores[spec]),
                scope="col",
                class_="num",
            ),
            tag("td", class_="picture"),
        ]
        for spec in results.specs
    ]
    groups = {
        spec: {name: at for at, names in enumerate(parts, 1) for name in names}
        for spec, parts in (results.clusters or {}).items()
        if len(parts) > 1
    }
    rows = []
    for entry in systems:
        mark = (
            tag("span", "baseline", class_="badge")
            if entry.name == study.baseline and len(systems) > 1
            else None
        )
        cells: list[Child] = [
            _cell(
                score,
                len(systems) > 1 and score.score == best[spec],
                scales[spec],
                groups.get(spec, {}).get(entry.name),
            )
            for spec, score in entry.scores.items()
        ]
        if study.people is not None:
            cells.append(num(Num(study.people.means[entry.name])))
        rows.append(tag("tr", row_heading(entry.name, mark), cells))
    if study.people is not None:
        headings.append([tag("th", "people", scope="col", class_="num")])
    caption = "Scores with 95% intervals; the best of a column in bold."
    if groups:
        caption += (
            " Small numbers are groups: all systems of one group differ from all of "
            "another by more than chance would explain."
        )
    inside = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", heading("system"), headings)),
        tag("tbody", rows),
        class_="scores",
        data_csv="scores",
        data_sortable=True,
    )
    return scrolling(inside, caption)


def _cell(
    score: Score, best: bool, scale: chart.Scale, group: int | None
) -> list[Html]:
    """Make two cells: the score with its interval, and a picture of both."""
    shown: Child = number(score.score, 2).replace("-", "−")
    if best:
        shown = tag("b", shown, tag("span", " best", class_="unseen"))
    interval = None
    low, high = score.interval or (score.score, score.score)
    if score.interval is not None:
        interval = tag("small", f"{number(low, 2)}–{number(high, 2)}")
    mark = None
    if group is not None:
        word = tag("span", "group ", class_="unseen")
        mark = tag("span", word, group, class_="group", title=f"group {group}")
    text = ranged(score.score, score.interval, mark, shown, interval)
    return [
        text,
        tag("td", _whisker(score.score, low, high, best, scale), class_="picture"),
    ]


def _whisker(
    value: float, low: float, high: float, best: bool, scale: chart.Scale
) -> Html:
    kind = "best" if best else "dot"
    middle = WHISKER_HEIGHT / 2
    return tag(
        "svg",
        chart.line(scale.start, middle, scale.stop, middle, "rule"),
        chart.line(scale(low), middle, scale(high), middle, f"span {kind}"),
        chart.line(scale(value), middle - 6, scale(value), middle + 6, f"tick {kind}"),
        class_="chart",
        aria_hidden="true",
        viewBox=f"0 0 {WHISKER} {WHISKER_HEIGHT}",
        width=WHISKER,
        height=WHISKER_HEIGHT,
    )


def _scale(systems: Sequence[SystemScores], spec: str) -> chart.Scale:
    """Give all systems' whiskers of a metric the same scale."""
    scores = [entry.scores[spec] for entry in systems]
    ends = [end for score in scores for end in (score.interval or (score.score,))]
    return chart.Scale(*chart.around(ends, 0.02), 5, WHISKER - 5)


ROW = 30
BAR = 22


def distributions_section(study: Study) -> Html:
    """Draw every metric's distribution."""
    scores = study.results.systems[0].scores
    names = [entry.name for entry in ordered(study.results, Style(sort=True))]
    return joined(
        tag(
            "p",
            "How many segments of each system score how much. All strips of a figure have "
            "the same bins and the same height for the same number of segments; the small "
            "line marks the median.",
        ),
        tag(
            "div",
            [
                figure(
                    metric_heading(found.spec, scores[found.spec]),
                    _picture(found, names),
                    _data(found, names),
                )
                for found in study.distributions
            ],
            class_="figures",
        ),
    )


def _picture(found: Distribution, names: Sequence[str]) -> Html:
    left = chart.names_width(names)
    edges = _equal(found)
    scale = chart.Scale(edges[0], edges[-1], left, chart.WIDTH - chart.OVERHANG)
    highest = max(max(counts) for counts in found.counts.values()) or 1
    bottom = ROW * len(names) + 4.0
    marks = chart.across(scale, bottom, 4)
    for row, name in enumerate(names):
        base = 4.0 + ROW * (row + 1)
        marks.append(chart.row_name(left - 8, base - 6, name))
        for low, high, count in zip(edges, edges[1:], found.counts[name], strict=False):
            if count:
                tall = max(1.0, BAR * count / highest)
                x, wide = scale(low) + 0.5, max(1.0, scale(high) - scale(low) - 1)
                hint = f"{name}: {count:,} from {low:g} to {high:g}"
                marks.append(chart.rect(x, base - tall, wide, tall, "bar", hint))
        median = scale(found.medians[name])
        marks.append(chart.line(median, base - BAR - 3, median, base, "median"))
        marks.append(chart.line(left, base, scale.stop, base, "axis"))
    label = f"Distribution of segment scores by {found.spec}; medians: " + ", ".join(
        f"{name} {found.medians[name]:.2f}" for name in names
    )
    return chart.svg(chart.WIDTH, bottom + chart.AXIS, label, marks)


def _equal(found: Distribution) -> list[float]:
    """Draw a last bin that reaches far out as wide as the others."""
    edges = list(found.edges)
    if len(edges) > 2:
        edges[-1] = edges[-2] + (edges[1] - edges[0])
    return edges


def _data(found: Distribution, names: Sequence[str]) -> Html:
    return table(
        ["from", "to", *names],
        [
            [Num(low), Num(high), *(found.counts[name][at] for name in names)]
            for at, (low, high) in enumerate(
                zip(found.edges, found.edges[1:], strict=False)
            )
        ],
        caption=f"Segments by {found.spec}",
        name=f"distribution-{found.spec}",
    )
