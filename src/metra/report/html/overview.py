"""First section of the report: the best systems, their scores and their differences."""

from collections.abc import Sequence
from typing import Literal

from metra.analysis.headlines import choose_trusted_metric
from metra.errors import format_count
from metra.report import chart
from metra.report.html import tables
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.study import Standing
from metra.report.table import format_score
from metra.report.writers.comparison import describe_disagreement
from metra.report.writers.headings import (
    TESTS,
    describe_family,
    find_correction,
    format_metric_heading,
    join_names,
)
from metra.scoring.compare import SystemComparison
from metra.scoring.results import HUMAN_SCORE, Results, SystemScores
from metra.scoring.table import Cell, Column, make_table

#: The size of the picture beside a score.
WIDTH, HEIGHT = 80, 16
#: The sign and the tone of each verdict.
_SIGNS: dict[str, tuple[str, Literal["", "good", "bad"]]] = {
    "better": ("▲ ", "good"),
    "worse": ("▼ ", "bad"),
    "": ("", ""),
}


def build_overview_section(standing: Standing) -> Html:
    """Lay out the summary and the table of scores."""
    systems, headline = standing.rank_systems(), []
    if len(systems) > 1:
        headline = describe_disagreement(*standing.all_results)
    return join_markup(
        tag("p", headline, class_="lead headline") if headline else None,
        tag("p", _build_summary(standing, systems), class_="lead"),
        _build_scores_table(standing, systems),
        _build_differences(standing),
    )


def _build_summary(standing: Standing, systems: Sequence[SystemScores]) -> Child:
    """Say in plain words who is best, by the most trusted first."""
    if len(systems) == 1:
        scores = [
            f"{format_score(s.score, standing.get_digits(spec))} by {spec}"
            for spec, s in systems[0].scores.items()
        ]
        return [_emphasize_name(systems[0].name), f" has {join_names(scores)}."]
    leading = standing.all_results[0]
    spec, metrics = choose_trusted_metric(leading), standing.results.specs
    by_people = [HUMAN_SCORE] if leading is not standing.results else []
    first = leading.rank_systems(spec)[0]
    best = _list_best(leading, spec)
    specs_by_winner = {best: [spec]}
    for each in metrics:
        if each != spec:
            specs_by_winner.setdefault(_list_best(standing.results, each), []).append(
                each
            )
    # Only a system that differs from all others is the best one.
    alone = (leading.clusters or {}).get(spec, [[]])[0] == [best]
    words: list[Child] = [f"Of {len(systems)} systems, "]
    for name, won in specs_by_winner.items():
        listed = join_names(won)
        if len(won) == len(by_people) + len(metrics) > 1:
            listed = join_names([*by_people, f"all {len(metrics)} metrics"])
        has = "has" if name == first.name else "have"
        says = "" if name != best else " is best" if alone else f" {has} the best score"
        between = "" if says else "; "
        words += [between, _emphasize_name(name), f"{says} by {listed}"]
    score = first.scores[spec]
    digits = standing.get_digits(spec)
    shown = f" is {tables.format_with_minus(score.score, digits)}"
    if score.interval is not None:
        low, high = (tables.format_with_minus(end, digits) for end in score.interval)
        shown += f", 95% interval {low} to {high}"
    whose = "The mean human score of " if by_people else f"The {spec} of "
    words += [". ", whose, tag("bdi", first.name), f"{shown}. "]
    return [*words, _describe_best_cluster(leading, spec, first.name)]


def _list_best(results: Results, spec: str) -> str:
    """List the system with the best score, and those with the same one."""
    first, *others = results.rank_systems(spec)
    best = first.scores[spec].score
    equal = [each.name for each in others if each.scores[spec].score == best]
    return join_names([first.name, *equal])


def _describe_best_cluster(results: Results, spec: str, best: str) -> Child:
    """Say whether the best can be told apart from the others."""
    if any(entry.reason for entry in results.comparisons):
        return "There is not enough data for a significance test."
    groups = (results.clusters or {}).get(spec)
    if not groups:
        return None
    others = [name for name in groups[0] if name != best]
    if not others:
        return f"By {spec}, it differs significantly from all other systems."
    listed: list[Child] = ["", f"{len(others)} other systems"]
    if len(others) <= 3:
        listed = [part for name in others for part in (" and ", tag("bdi", name))]
    return [f"By {spec}, it does not differ significantly from ", listed[1:], "."]


def _emphasize_name(name: str) -> Html:
    return tag("strong", tag("bdi", name))


def _build_scores_table(standing: Standing, systems: Sequence[SystemScores]) -> Html:
    several = len(systems) > 1
    # People come first: they are trusted most.
    all_results = standing.all_results
    columns = [(each, spec) for each in all_results for spec in each.specs]
    headings = [tables.make_column_heading("system")]
    for results, spec in columns:
        title = format_metric_heading(spec, results.systems[0].scores[spec])
        headings.append(tables.make_column_heading(title, "num"))
        headings.append(tag("td", class_="picture"))
    rows = []
    for entry in systems:
        badge = tag("span", "baseline", class_="badge")
        mark = badge if several and entry.name == standing.baseline else None
        cells = [tables.make_row_heading(entry.name, mark)]
        for results, spec in columns:
            cells += _build_score_cells(results, spec, entry.name)
        rows.append(cells)
    sorted_by = choose_trusted_metric(all_results[0])
    order = f" Systems are sorted by {sorted_by}." if several else ""
    caption = f"Scores with 95% intervals; best score of each column in bold.{order}"
    if any(_has_clusters(standing.results, spec) for spec in standing.results.specs):
        caption += (
            " Small numbers are significance clusters: every system of a cluster "
            "differs significantly from every system of another"
            f"{_describe_family(all_results)}."
        )
    return tables.build_html_table(
        headings, rows, caption, "scores", kind="scores", sortable=True
    )


def _has_clusters(results: Results, spec: str) -> bool:
    return len((results.clusters or {}).get(spec, ())) > 1


def _build_score_cells(results: Results, spec: str, name: str) -> list[Html]:
    """Make two cells: the score with its interval, and a picture of both."""
    # People may not have judged all systems.
    if name not in results:
        return [tables.UNKNOWN, tag("td", class_="picture")]
    score = results[name][spec]
    is_best = (
        len(results) > 1
        and score.score == results.rank_systems(spec)[0].scores[spec].score
    )
    # All systems' whiskers of a metric have the same scale.
    others = [entry.scores[spec] for entry in results.systems]
    reach = [end for other in others for end in other.interval or (other.score,)]
    scale = chart.AxisScale(*chart.pad_range(reach, 0.02), 5, WIDTH - 5)
    digits = 2 + score.more_digits
    shown: Child = tables.format_with_minus(score.score, digits)
    if is_best:
        shown = tables.mark_best_number(shown)
    mark = interval = None
    low, high = score.interval or (score.score, score.score)
    if score.interval is not None:
        ends = [tables.format_with_minus(end, digits) for end in (low, high)]
        interval = tag("small", ("–" if low >= 0 else " to ").join(ends))
    if _has_clusters(results, spec):
        group = results.find_cluster(spec, name)
        word = tag("span", "group ", class_="unseen")
        mark = tag("span", word, group, class_="group", title=f"group {group}")
    kind, middle, place = "best" if is_best else "dot", HEIGHT / 2, scale(score.score)
    picture = tag(
        "svg",
        chart.draw_line(scale.start, middle, scale.stop, middle, "rule"),
        chart.draw_line(scale(low), middle, scale(high), middle, f"span {kind}"),
        chart.draw_line(place, middle - 6, place, middle + 6, f"tick {kind}"),
        class_="chart",
        aria_hidden="true",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
    )
    return [
        tables.make_interval_cell(score.score, score.interval, mark, shown, interval),
        tag("td", picture, class_="picture"),
    ]


def _build_differences(standing: Standing) -> Html | None:
    """Lay out every system against the baseline, and all pairs folded away."""
    terms, comparisons = standing.results.terms, standing.results.comparisons
    if terms is None:
        return None
    refused = next((entry.reason for entry in comparisons if entry.reason), None)
    test = f"the {TESTS['bootstrap']}" if terms.test == "bootstrap" else TESTS["ar"]
    explained = (
        f"p-values by {test} over {format_count(terms.units, terms.unit)}, "
        f"{terms.trials:,} trials{_describe_family([standing.against_baseline])}. "
        "▲ significantly better and ▼ significantly worse than the baseline (p ≤ "
        f"{terms.alpha:g})."
    )
    return join_markup(
        tag("h3", "Against the baseline, ", tag("bdi", standing.baseline)),
        _build_baseline_table(standing),
        tag("p", refused or explained, class_="note"),
        tag("details", tag("summary", "All pairs"), _build_pairs_table(standing)),
    )


def _describe_family(all_results: Sequence[Results]) -> str:
    """Name the correction and the family; people may have judged fewer systems."""
    families = dict.fromkeys(
        describe_family(each.terms)
        for each in all_results
        if each.terms is not None and find_correction(each) != "none"
    )
    return f", with Holm's correction for {' and '.join(families)}" if families else ""


def _build_baseline_table(standing: Standing) -> Html:
    results = standing.against_baseline
    entries = {(entry.system, entry.metric): entry for entry in results.comparisons}
    columns = []
    for spec in results.specs:
        columns.append(Column(spec, digits=standing.get_digits(spec)))
        columns.append(Column("p", p_values=True))
    rows = []
    for system in standing.rank_systems():
        if system.name != standing.baseline:
            tested = [entries[system.name, spec] for spec in results.specs]
            pairs = [(_build_difference(each), Cell(each.p_holm)) for each in tested]
            rows.append((system.name, [cell for pair in pairs for cell in pair]))
    caption = "Differences from the baseline, with 95% intervals"
    table = make_table("system", columns, rows, caption=caption, name="differences")
    return tables.convert_table(table, kind="scores")


def _build_difference(entry: SystemComparison, digits: int | None = None) -> Cell:
    """Build the cell of a difference, with a triangle if it is significant."""
    prefix, tone = _SIGNS[entry.verdict]
    numbers = entry.difference, entry.interval
    return Cell(*numbers, digits=digits, signed=True, prefix=prefix, tone=tone)


def _build_pairs_table(standing: Standing) -> Html:
    all_results = standing.all_results
    rows = [
        (
            entry.metric,
            [
                *(Cell(entry.system), Cell(entry.baseline)),
                _build_difference(entry, standing.get_digits(entry.metric)),
                *(Cell(entry.p_value), Cell(entry.p_holm)),
            ],
        )
        for each in all_results
        for entry in each.comparisons
    ]
    columns = [
        *(Column("system", "left"), Column("minus", "left"), Column("difference")),
        *(Column("p", p_values=True), Column("p, Holm", p_values=True)),
    ]
    caption = f"All pairs of systems{_describe_family(all_results)}"
    table = make_table("metric", columns, rows, caption=caption, name="pairs")
    return tables.convert_table(table)
