"""The first section: who is best by what, how sure that is, and by how much they differ."""

from collections.abc import Sequence

from metra.report import chart
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.html.tables import (
    build_html_table,
    format_difference,
    make_column_heading,
    make_interval_cell,
    make_number_cell,
    make_row_heading,
    make_scrollable,
)
from metra.report.study import Study
from metra.report.table import Style, format_count, format_score
from metra.report.writers.headings import format_metric_heading as metric_heading
from metra.report.writers.headings import order_systems
from metra.scoring.results import (
    Score,
    SignificanceSettings,
    SystemComparison,
    SystemScores,
)
from metra.scoring.table import Cell

#: The picture beside a score.
WHISKER, WHISKER_HEIGHT = 80, 16


def build_overview_section(study: Study) -> Html:
    """Lay out the summary and the table of scores."""
    systems = order_systems(study.results, Style(sort=True))
    return join_markup(
        tag("p", build_summary(study, systems), class_="lead"),
        _build_scores_table(study, systems),
        build_differences_section(study),
    )


def build_summary(study: Study, systems: Sequence[SystemScores]) -> Child:
    """Say in plain words who is best."""
    specs = study.results.specs
    if len(systems) == 1:
        scores = [
            f"{format_score(s.score, 2)} by {spec}"
            for spec, s in systems[0].scores.items()
        ]
        return [_emphasize_name(systems[0].name), f" has {_join_words(scores)}."]
    winners = {spec: _find_best_system(systems, spec).name for spec in specs}
    first = winners[specs[0]]
    agreeing = [spec for spec in specs if winners[spec] == first]
    score = _find_best_system(systems, specs[0]).scores[specs[0]]
    count = f"Of {len(systems)} systems, "
    if len(agreeing) == len(specs):
        metrics = specs[0] if len(specs) == 1 else f"all {len(specs)} metrics"
        words: list[Child] = [count, _emphasize_name(first), f" is best by {metrics}"]
    else:
        words = [count, _emphasize_name(first), f" is best by {_join_words(agreeing)}"]
        for name in dict.fromkeys(winners.values()):
            if name != first:
                by = [spec for spec in specs if winners[spec] == name]
                words += ["; ", _emphasize_name(name), f" by {_join_words(by)}"]
    words += [
        f". The {specs[0]} of ",
        tag("bdi", first),
        f" is {format_score(score.score, 2)}",
    ]
    if score.interval is not None:
        low, high = score.interval
        words.append(
            f", 95% interval {format_score(low, 2)} to {format_score(high, 2)}"
        )
    return [*words, ". ", _describe_best_cluster(study, specs[0], first)]


def _describe_best_cluster(study: Study, spec: str, best: str) -> Child:
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
        listed = _join_names(others)
    return [
        f"By {spec} it is in one group with ",
        listed,
        ": chance may explain the order.",
    ]


def _join_names(names: Sequence[str]) -> Child:
    """Join systems' names as in a sentence."""
    joined: list[Child] = []
    for index, name in enumerate(names):
        if index:
            joined.append(" and " if index == len(names) - 1 else ", ")
        joined.append(tag("bdi", name))
    return joined


def _emphasize_name(name: str) -> Html:
    return tag("strong", tag("bdi", name))


def _join_words(words: Sequence[str]) -> str:
    """Join words as in a sentence.

    >>> _join_words(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _find_best_system(systems: Sequence[SystemScores], spec: str) -> SystemScores:
    sign = 1 if systems[0].scores[spec].higher_is_better else -1
    return max(systems, key=lambda entry: sign * entry.scores[spec].score)


def _build_scores_table(study: Study, systems: Sequence[SystemScores]) -> Html:
    results = study.results
    best = {
        spec: _find_best_system(systems, spec).scores[spec].score
        for spec in results.specs
    }
    scales = {spec: _build_scale(systems, spec) for spec in results.specs}
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
            _build_score_cells(
                score,
                len(systems) > 1 and score.score == best[spec],
                scales[spec],
                groups.get(spec, {}).get(entry.name),
            )
            for spec, score in entry.scores.items()
        ]
        if study.people is not None:
            cells.append(make_number_cell(Cell(study.people.means[entry.name])))
        rows.append(tag("tr", make_row_heading(entry.name, mark), cells))
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
        tag("thead", tag("tr", make_column_heading("system"), headings)),
        tag("tbody", rows),
        class_="scores",
        data_csv="scores",
        data_sortable=True,
    )
    return make_scrollable(inside, caption)


def _build_score_cells(
    score: Score, best: bool, scale: chart.AxisScale, group: int | None
) -> list[Html]:
    """Make two cells: the score with its interval, and a picture of both."""
    shown: Child = format_score(score.score, 2).replace("-", "−")
    if best:
        shown = tag("b", shown, tag("span", " best", class_="unseen"))
    interval = None
    low, high = score.interval or (score.score, score.score)
    if score.interval is not None:
        interval = tag("small", f"{format_score(low, 2)}–{format_score(high, 2)}")
    mark = None
    if group is not None:
        word = tag("span", "group ", class_="unseen")
        mark = tag("span", word, group, class_="group", title=f"group {group}")
    text = make_interval_cell(score.score, score.interval, mark, shown, interval)
    return [
        text,
        tag("td", _draw_whisker(score.score, low, high, best, scale), class_="picture"),
    ]


def _draw_whisker(
    value: float, low: float, high: float, best: bool, scale: chart.AxisScale
) -> Html:
    kind = "best" if best else "dot"
    middle = WHISKER_HEIGHT / 2
    return tag(
        "svg",
        chart.draw_line(scale.start, middle, scale.stop, middle, "rule"),
        chart.draw_line(scale(low), middle, scale(high), middle, f"span {kind}"),
        chart.draw_line(
            scale(value), middle - 6, scale(value), middle + 6, f"tick {kind}"
        ),
        class_="chart",
        aria_hidden="true",
        viewBox=f"0 0 {WHISKER} {WHISKER_HEIGHT}",
        width=WHISKER,
        height=WHISKER_HEIGHT,
    )


def _build_scale(systems: Sequence[SystemScores], spec: str) -> chart.AxisScale:
    """Give all systems' whiskers of a metric the same scale."""
    scores = [entry.scores[spec] for entry in systems]
    ends = [end for score in scores for end in (score.interval or (score.score,))]
    return chart.AxisScale(*chart.pad_range(ends, 0.02), 5, WHISKER - 5)


TESTS = {
    "ar": "paired approximate randomisation",
    "bootstrap": "the paired bootstrap",
}


def build_differences_section(study: Study) -> Html | None:
    """Lay out every system against the baseline, and all pairs folded away."""
    terms = study.results.terms
    if terms is None:
        return None
    comparisons = study.results.comparisons
    refused = next((entry.reason for entry in comparisons if entry.reason), None)
    return join_markup(
        tag("h3", "Against the baseline, ", tag("bdi", study.baseline)),
        _build_baseline_table(study),
        tag("p", refused or _explain_test(terms), class_="note"),
        tag("details", tag("summary", "All pairs"), _build_pairs_table(comparisons)),
    )


def _explain_test(terms: SignificanceSettings) -> str:
    test = TESTS.get(terms.test, terms.test)
    return (
        f"p by {test} over {format_count(terms.units, terms.unit)}, {terms.trials:,} trials, "
        "corrected by Holm for all pairs of systems. ▲ better and ▼ worse than the baseline "
        f"with p ≤ {terms.alpha:g}; where there is no such sign, the difference may be "
        "chance."
    )


def _build_baseline_table(study: Study) -> Html:
    specs = study.results.specs
    by_system = {
        (entry.system, entry.metric): entry
        for entry in study.results.comparisons
        if entry.baseline == study.baseline
    }
    order = [entry.name for entry in study.results.ranked(specs[0])]
    rows = [
        tag(
            "tr",
            make_row_heading(name),
            [_build_comparison_cells(by_system[name, spec]) for spec in specs],
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
    return make_scrollable(inside, caption)


def _build_comparison_cells(entry: SystemComparison) -> list[Html]:
    sign: Child = None
    if entry.significant:
        kind = "better" if entry.gain > 0 else "worse"
        sign = tag(
            "span",
            "▲ " if kind == "better" else "▼ ",
            tag("span", f"{kind} ", class_="unseen"),
            class_=kind,
        )
    below = tag("small", _format_interval(entry.interval)) if entry.interval else None
    shown = make_interval_cell(
        entry.difference,
        entry.interval,
        sign,
        format_difference(entry.difference, 2),
        below,
    )
    return [shown, make_p_cell(entry.p_holm)]


def _format_interval(ends: tuple[float, float]) -> str:
    return f"{format_difference(ends[0], 2)} to {format_difference(ends[1], 2)}"


def make_p_cell(p: float | None) -> Html:
    """Make a cell of a p-value; small ones say no more than that they are small."""
    if p is None:
        return make_number_cell(Cell(None))
    shown = "< 0.001" if p < 0.001 else format_score(p, 3)
    return tag("td", shown, class_="num", data_v=f"{p:.6g}")


def _build_pairs_table(comparisons: Sequence[SystemComparison]) -> Html:
    return build_html_table(
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
                Cell(entry.difference, signed=True),
                Cell(entry.interval[0] if entry.interval else None, signed=True),
                Cell(entry.interval[1] if entry.interval else None, signed=True),
                make_p_cell(entry.p_value),
                make_p_cell(entry.p_holm),
                "yes" if entry.significant else "no",
            ]
            for entry in comparisons
        ],
        caption="Every pair of systems by every metric",
        name="pairs",
    )
