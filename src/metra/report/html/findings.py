"""Findings: marked errors, scores by bucket, n-grams that changed, and profiles."""

import re
from collections.abc import Sequence

from metra.analysis.buckets import Buckets
from metra.analysis.findings import MarkedErrorFindings
from metra.analysis.ngrams import NgramChanges
from metra.errors import format_count
from metra.report import chart
from metra.report.html import tables
from metra.report.html.markup import Child, Html, join_markup, mark_safe, tag
from metra.report.study import Study
from metra.report.table import format_score
from metra.report.writers.analysis import (
    NGRAMS_NOTE,
    build_bucket_table,
    build_ngram_tables,
    build_profile_table,
    map_metric_columns,
)
from metra.report.writers.headings import join_names
from metra.scoring.table import Cell, make_table

ROW = 34
#: Labels such as documents' names may be long.
LONGEST = 18
#: More categories make a table that nobody reads.
MOST_CATEGORIES = 12
MOST_NAMES = 5


def build_errors_section(study: Study) -> Html | None:
    """Lay out errors by severity and by category; None where none are known."""
    errors = study.errors
    if errors is None:
        return None
    names = list(errors.sources)
    listed = join_names(names) if len(names) <= MOST_NAMES else f"{len(names)} judges"
    who = f" by {listed}" if names else ""
    ratings = format_count(sum(errors.ratings.values()), "output")
    lines = {"critical": "double", "major": "solid", "minor": "dotted"}
    signs = [
        tag("mark", f"{severity}, a {line} line", class_=f"error {severity}")
        for severity, line in lines.items()
    ]
    lead = f"Errors marked{who} in {ratings}. Segment pages underline them: "
    return join_markup(
        tag("p", lead, mark_safe(", ".join(signs)), "."),
        _build_severity_table(errors),
        _build_categories(errors),
    )


def _build_severity_table(errors: MarkedErrorFindings) -> Html:
    rows = []
    for system, counts in errors.by_severity.items():
        rated, total = errors.ratings[system], sum(counts.values())
        numbers = [rated, *(counts.get(severity, 0) for severity in errors.severities)]
        mean = Cell(total / rated if rated else None)
        rows.append((system, [*(Cell(number, digits=0) for number in numbers), mean]))
    headings = ["outputs", *errors.severities, "per output"]
    about = {"caption": "Errors by severity", "name": "errors"}
    return tables.convert_table(make_table("system", headings, rows, **about))


def _build_categories(errors: MarkedErrorFindings) -> Html | None:
    if not errors.categories:
        return None
    counts = errors.by_category
    rows = [
        (name, [Cell(each.get(name, 0), digits=0) for each in counts.values()])
        for name in errors.categories[:MOST_CATEGORIES]
    ]
    caption = "Errors by category"
    left_out = len(errors.categories) - len(rows)
    if left_out:
        caption += f", most frequent first; {left_out} more not shown"
    table = make_table("category", [*counts], rows, caption=caption, name="categories")
    return tables.convert_table(table)


def build_buckets_section(study: Study) -> Html | None:
    """Draw baseline and best rival in every bucket; the tables have all systems."""
    partitions = [entry for entry in study.buckets if len(entry.buckets) > 1]
    if not partitions:
        return None
    pair = [name for name in (study.baseline, study.rival) if name is not None]
    drawn: list[Child] = [tag("span", "○", class_="sign"), " ", tag("bdi", pair[0])]
    if len(pair) > 1:
        sign = tag("span", "●", class_="sign better")
        drawn += [", ", sign, " ", tag("bdi", pair[1])]
    headings, parts = map_metric_columns(study.results), []
    for entry in partitions:
        figures = []
        for spec in entry.directions:
            table = build_bucket_table(entry, spec, headings)
            picture = _draw_bucket_picture(
                entry, spec, pair, study.standing.get_digits(spec)
            )
            data = tables.convert_table(table)
            figures.append(tables.build_figure(table.caption, picture, data))
        parts.append(tag("h3", f"By {entry.title}"))
        parts.append(tag("div", figures, class_="figures"))
    rest = (
        ". Subsets with few segments are pale, and marked “?” in the data, because "
        "their scores are unreliable. “Data” below each chart lists all systems."
    )
    lead = "Scores on subsets of the test set, with 95% intervals: "
    return join_markup(tag("p", lead, drawn, rest), parts)


def _draw_bucket_picture(
    buckets: Buckets, spec: str, pair: Sequence[str], digits: int
) -> Html:
    labels = [bucket.label for bucket in buckets.buckets]
    scores = [
        [bucket.scores[name][spec] for name in pair] for bucket in buckets.buckets
    ]
    entries = [entry for row in scores for entry in row]
    ends = [end for entry in entries for end in entry.interval or (entry.score,)]
    left = max(chart.measure_names(labels, LONGEST), 56)
    scale = chart.AxisScale(*chart.pad_range(ends), left, chart.WIDTH - chart.OVERHANG)
    bottom = ROW * len(labels) + 8.0
    marks = chart.draw_x_axis(scale, bottom, 4)
    parts = []
    for row, bucket in enumerate(buckets.buckets):
        y = 4 + ROW * (row + 0.5)
        count = f"n = {bucket.count:,}"
        drawn = [
            chart.draw_row_name(left - 8, y, bucket.label, LONGEST),
            chart.draw_text(left - 8, y + 13, count, "tick", "end"),
        ]
        shown = []
        for at, kind, name, score in zip(
            (y - 4, y + 5), ("ring", "best"), pair, scores[row], strict=False
        ):
            low, high = score.interval or (score.score, score.score)
            number = format_score(score.score, digits)
            shown.append(f"{name} {number}")
            hint = f"{name}, {bucket.label}: {number}"
            whisker = scale(low), at, scale(high), at, f"whisker {kind}"
            drawn.append(chart.draw_line(*whisker))
            drawn.append(chart.draw_dot(scale(score.score), at, 4.5, kind, hint))
        marks.append(tag("g", drawn, class_="small" if bucket.small else None))
        parts.append(f"{bucket.label}, {', '.join(shown)}")
    label = f"{spec} by {buckets.title}: {'; '.join(parts)}"
    return chart.make_svg(chart.WIDTH, bottom + chart.AXIS, label, marks)


def build_ngrams_section(study: Study) -> Html | None:
    """List the n-grams of the best rival against the baseline."""
    changes = study.ngrams
    lists = _convert_ngrams(changes) if changes else []
    if changes is None or not lists:
        return None
    lead = (
        f"N-grams of up to {changes.order} words whose counts changed most in one "
        f"direction. {NGRAMS_NOTE}"
    )
    names = tag("bdi", changes.system), " against ", tag("bdi", changes.baseline)
    return join_markup(tag("p", lead), tag("h3", *names), lists)


def _convert_ngrams(entry: NgramChanges) -> list[Html]:
    """Lay out the lists, with links to segments."""
    lists = []
    for table in build_ngram_tables(entry):
        rows = []
        for *cells, segments in table.rows:
            parts = re.split(r"(\d+)", str(segments.value))
            linked = join_markup(
                tag("a", part, href=f"#seg-{part}") if part.isdecimal() else part
                for part in parts
            )
            rows.append([*cells, Cell(linked)])
        listed = tables.convert_table(table._replace(rows=rows), sortable=False)
        lists.append(tag("div", listed))
    return lists


def build_profiles_section(study: Study) -> Html:
    """Lay out every trait of every system, with a reading in words."""
    profiles = study.profiles
    lead = (
        "Systems with the same score can fail in different ways: one adds text, another "
        "omits half of it but translates the rest correctly."
    )
    caption = f"Profiles of the outputs, tokenised by {profiles.preparation}"
    table = build_profile_table(profiles)._replace(caption=caption)
    readings = [(tag("bdi", one.system), one.reading) for one in profiles.profiles]
    meanings = [(trait.title, trait.meaning) for trait in profiles.traits]
    folded = tables.build_definitions(meanings, "meanings")
    return join_markup(
        tag("p", lead),
        tables.convert_table(table, kind="scores profiles"),
        tables.build_definitions(readings, "meanings"),
        tag("details", tag("summary", "Column definitions"), folded),
    )
