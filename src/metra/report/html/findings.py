"""Findings of the analyses: scores by bucket, n-grams that changed, and profiles."""

from collections.abc import Sequence

from metra.analysis.buckets import Buckets
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.profiles import Trait, TraitValue
from metra.errors import format_count
from metra.report import chart
from metra.report.html import tables
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.study import Study
from metra.report.table import format_score
from metra.scoring.table import Cell

ROW = 34
#: Labels such as documents' names may be long.
LONGEST = 18


def build_buckets_section(study: Study) -> Html | None:
    """Draw baseline and best rival in every bucket; the tables have all systems."""
    partitions = [entry for entry in study.findings.buckets if len(entry.buckets) > 1]
    if not partitions:
        return None
    pair = [name for name in (study.baseline, study.rival) if name is not None]
    drawn: list[Child] = [tag("span", "○", class_="sign"), " ", tag("bdi", pair[0])]
    if len(pair) > 1:
        sign = tag("span", "●", class_="sign better")
        drawn += [", ", sign, " ", tag("bdi", pair[1])]
    parts: list[Child] = []
    for entry in partitions:
        figures = [
            _draw_bucket_figure(entry, spec, pair, study.get_digits(spec))
            for spec in entry.directions
        ]
        parts.append(tag("h3", f"By {entry.title}"))
        parts.append(tag("div", figures, class_="figures"))
    return join_markup(
        tag(
            "p",
            "Scores on subsets of the test set, with 95% intervals: ",
            drawn,
            ". Subsets with few segments are pale, because their scores are "
            "unreliable. “Data” below each chart lists all systems.",
        ),
        parts,
    )


def _draw_bucket_figure(
    buckets: Buckets, spec: str, pair: Sequence[str], digits: int
) -> Html:
    labels = [bucket.label for bucket in buckets.buckets]
    scores = [
        [bucket.scores[name][spec] for name in pair] for bucket in buckets.buckets
    ]
    ends = [
        end
        for row in scores
        for entry in row
        for end in entry.interval or (entry.score,)
    ]
    left = max(chart.measure_names(labels, LONGEST), 56)
    scale = chart.AxisScale(*chart.pad_range(ends), left, chart.WIDTH - chart.OVERHANG)
    bottom = ROW * len(labels) + 8.0
    marks = chart.draw_x_axis(scale, bottom, 4)
    told = []
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
        told.append(f"{bucket.label}, {', '.join(shown)}")
    label = f"{spec} by {buckets.title}: {'; '.join(told)}"
    picture = chart.make_svg(chart.WIDTH, bottom + chart.AXIS, label, marks)
    arrow = {True: " ↑", False: " ↓", None: ""}[buckets.directions[spec]]
    return tables.build_figure(
        f"{spec}{arrow}", picture, _build_bucket_data(buckets, spec, digits)
    )


def _build_bucket_data(buckets: Buckets, spec: str, digits: int) -> Html:
    rows = []
    for bucket in buckets.buckets:
        cells = [
            tag("th", tag("bdi", bucket.label), scope="row"),
            tables.make_number_cell(Cell(bucket.count, digits=0)),
        ]
        for name in buckets.systems:
            score, below = bucket.scores[name][spec], None
            if score.difference is not None:
                below = tag("small", tables.format_difference(score.difference, digits))
            shown = tables.format_with_minus(score.score, digits)
            cells.append(
                tables.make_interval_cell(score.score, score.interval, shown, below)
            )
        rows.append(tag("tr", cells, class_="few" if bucket.small else None))
    names: list[Child] = [buckets.unit, *(tag("bdi", name) for name in buckets.systems)]
    caption = f"{spec} by {buckets.title}; differences from {buckets.baseline} below"
    return tables.build_html_table(
        [buckets.title, *(tables.make_column_heading(name, "num") for name in names)],
        rows,
        caption=caption,
        name=f"{buckets.title}-{spec}",
        kind="scores",
        label=f"{caption} ({format_count(len(rows), 'subset')})",
    )


#: Segments to jump to from an n-gram.
LINKS = 3
#: The lists of n-grams: title, whether that is better, and what the counts are of.
NGRAM_LISTS = {
    "gained": ("▲ Matched more often", "better", "matched"),
    "lost": ("▼ Matched less often", "worse", "matched"),
    "mended": ("▲ Wrong less often", "better", "wrong"),
    "broken": ("▼ Wrong more often", "worse", "wrong"),
}


def build_ngrams_section(study: Study) -> Html | None:
    """List the n-grams of every system against the baseline, the best rival's unfolded."""
    blocks = [(entry, _build_ngram_lists(entry)) for entry in study.findings.ngrams]
    blocks = [(entry, lists) for entry, lists in blocks if lists]
    if not blocks:
        return None
    blocks.sort(key=lambda block: block[0].system != study.rival)
    folded = []
    for entry, lists in blocks:
        names = tag("bdi", entry.system), " against ", tag("bdi", entry.baseline)
        inside = tag("summary", names), tag("div", lists, class_="pair")
        opened = entry.system == study.rival
        folded.append(tag("details", inside, open=opened, class_="block"))
    return join_markup(
        tag(
            "p",
            f"N-grams of up to {blocks[0][0].order} words whose counts changed most "
            "in one direction. “Matched” means that a reference of the segment "
            "contains the n-gram. Shorter n-grams that changed in the same places "
            "as a longer one are not listed.",
        ),
        folded,
    )


def _build_ngram_lists(entry: NgramChanges) -> list[Html]:
    names = tag("bdi", entry.baseline), tag("bdi", entry.system), "references"
    counted = [tables.make_column_heading(name, "num") for name in names]
    lists = []
    for key, (title, kind, what) in NGRAM_LISTS.items():
        changes: Sequence[NgramChange] = getattr(entry, key)
        if not changes:
            continue
        rows: list[list[tables.CellContent]] = [
            [
                tag("td", tag("bdi", " ".join(change.words)), class_="words"),
                getattr(change, f"{what}_before"),
                getattr(change, f"{what}_after"),
                change.reference,
                tag("td", _link_segments(change), class_="links"),
            ]
            for change in changes
        ]
        name = "-".join(title.lower().split()[1:])
        table = tables.build_html_table(
            ["words", *counted, "segments"],
            rows,
            caption=f"{title[2:]} in {entry.system} than in {entry.baseline}",
            name=f"{name}-{entry.system}",
        )
        lists.append(tag("div", tag("h3", title, class_=kind), table))
    return lists


def _link_segments(change: NgramChange) -> Html:
    links = [
        [tag("a", number, href=f"#seg-{number}"), " "]
        for number in change.segments[:LINKS]
    ]
    return join_markup(links, " …" if len(change.segments) > LINKS else None)


def build_profiles_section(study: Study) -> Html | None:
    """Lay out every trait of every system, with a reading in words."""
    profiles = study.findings.profiles
    if profiles is None:
        return None
    by_name = {profile.system: profile for profile in profiles.profiles}
    traits = [
        trait
        for trait in profiles.traits
        if any(p.traits[trait.name].value is not None for p in profiles.profiles)
    ]
    rows = []
    for system in study.rank_systems():
        profile = by_name[system.name]
        reading = tag("td", profile.reading, class_="reading")
        values = [_build_trait_cell(profile.traits[t.name], t) for t in traits]
        rows.append([tables.make_row_heading(system.name), reading, *values])
    if profiles.references:
        reading = tag("td", "for comparison", class_="reading note")
        known = profiles.references
        values = [
            _build_trait_cell(TraitValue(value=known.get(t.name)), t) for t in traits
        ]
        rows.append([tag("th", "references", scope="row"), reading, *values])
    ratios = [trait.title for trait in traits if trait.unit != "percent"]
    return join_markup(
        tag(
            "p",
            "Systems with the same score can fail in different ways: one adds text, "
            "another omits half of it but translates the rest correctly.",
        ),
        tables.build_html_table(
            [
                "system",
                "reading",
                *(
                    tables.make_column_heading(t.title, "num", t.meaning)
                    for t in traits
                ),
            ],
            rows,
            caption="Profiles of the outputs, in percent except "
            f"{' and '.join(ratios)}; tokenised by {profiles.preparation}",
            name="profiles",
            kind="scores profiles",
            sortable=True,
        ),
        tag(
            "details",
            tag("summary", "Column definitions"),
            tag(
                "dl",
                [[tag("dt", t.title), tag("dd", t.meaning)] for t in traits],
                class_="meanings",
            ),
        ),
    )


def _build_trait_cell(value: TraitValue, trait: Trait) -> Html:
    if value.value is None:
        return tables.UNKNOWN
    shown = format_score(value.value, 1 if trait.unit == "percent" else 2)
    return tables.make_interval_cell(value.value, value.interval, shown)
