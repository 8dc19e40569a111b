"""What the analyses found: scores by bucket, n-grams that changed, and profiles."""

from collections.abc import Sequence

from metra.analysis.buckets import Bucket, Buckets, BucketScore
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.profiles import Trait, TraitValue
from metra.report import chart
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.html.tables import (
    UNKNOWN,
    CellContent,
    build_figure,
    build_html_table,
    format_difference,
    format_with_minus,
    make_column_heading,
    make_interval_cell,
    make_number_cell,
    make_row_heading,
    make_scrollable,
)
from metra.report.study import Study
from metra.report.table import Style, format_count, format_score
from metra.report.writers.headings import order_systems
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
    return join_markup(
        _explain_buckets(pair),
        [
            [
                tag("h3", f"By {entry.title}"),
                tag(
                    "div",
                    [
                        _draw_bucket_figure(entry, spec, pair)
                        for spec in entry.directions
                    ],
                    class_="figures",
                ),
            ]
            for entry in partitions
        ],
    )


def _explain_buckets(pair: Sequence[str]) -> Html:
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


def _draw_bucket_figure(buckets: Buckets, spec: str, pair: Sequence[str]) -> Html:
    scores = [
        bucket.scores[name][spec]
        for bucket in buckets.buckets
        for name in pair
        if name in bucket.scores
    ]
    labels = [bucket.label for bucket in buckets.buckets]
    left = max(chart.measure_names(labels, LONGEST), 56)
    ends = [end for score in scores for end in (score.interval or (score.score,))]
    scale = chart.AxisScale(*chart.pad_range(ends), left, chart.WIDTH - chart.OVERHANG)
    bottom = ROW * len(labels) + 8.0
    marks = chart.draw_x_axis(scale, bottom, 4)
    for row, bucket in enumerate(buckets.buckets):
        marks.append(
            _draw_bucket(bucket, spec, pair, scale, 4 + ROW * (row + 0.5), buckets.unit)
        )
    up = buckets.directions[spec]
    title = f"{spec} {'↑' if up else '↓'}"
    label = f"{spec} by {buckets.title}: " + "; ".join(
        f"{bucket.label}, "
        + ", ".join(
            f"{name} {format_score(bucket.scores[name][spec].score, 2)}"
            for name in pair
        )
        for bucket in buckets.buckets
    )
    picture = chart.make_svg(chart.WIDTH, bottom + chart.AXIS, label, marks)
    return build_figure(title, picture, _build_bucket_data(buckets, spec))


def _draw_bucket(
    bucket: Bucket,
    spec: str,
    pair: Sequence[str],
    scale: chart.AxisScale,
    y: float,
    unit: str,
) -> Html:
    marks = [
        chart.draw_row_name(scale.start - 8, y, bucket.label, LONGEST),
        chart.draw_text(
            scale.start - 8, y + 13, f"n = {bucket.count:,}", "tick", "end"
        ),
    ]
    for place, (name, kind) in enumerate(zip(pair, ("ring", "best"), strict=False)):
        score = bucket.scores[name][spec]
        at = y - 4 + 9 * place
        low, high = score.interval or (score.score, score.score)
        hint = f"{name}, {bucket.label}: {format_score(score.score, 2)}"
        marks.append(
            chart.draw_line(scale(low), at, scale(high), at, f"whisker {kind}")
        )
        marks.append(chart.draw_dot(scale(score.score), at, 4.5, kind, hint))
    few = f"few {unit}" if bucket.small else None
    return tag("g", marks, class_="small" if few else None)


def _build_bucket_data(buckets: Buckets, spec: str) -> Html:
    caption = f"{spec} by {buckets.title}; differences from {buckets.baseline} below"
    rows = []
    for bucket in buckets.buckets:
        cells = [
            _build_bucket_cell(bucket.scores[name][spec]) for name in buckets.systems
        ]
        rows.append(
            tag(
                "tr",
                tag("th", tag("bdi", bucket.label), scope="row"),
                make_number_cell(Cell(bucket.count, digits=0)),
                cells,
                class_="few" if bucket.small else None,
            )
        )
    heads = [
        tag("th", tag("bdi", name), scope="col", class_="num")
        for name in buckets.systems
    ]
    inside = tag(
        "table",
        tag("caption", caption),
        tag(
            "thead",
            tag(
                "tr",
                tag("th", buckets.title, scope="col"),
                tag("th", buckets.unit, scope="col", class_="num"),
                heads,
            ),
        ),
        tag("tbody", rows),
        class_="scores",
        data_csv=f"{buckets.title}-{spec}",
    )
    return make_scrollable(inside, f"{caption} ({format_count(len(rows), 'part')})")


def _build_bucket_cell(score: BucketScore) -> Html:
    below = None
    if score.difference is not None:
        below = tag("small", format_difference(score.difference, 2))
    return make_interval_cell(
        score.score, score.interval, format_with_minus(score.score, 2), below
    )


#: Segments to jump to from an n-gram.
LINKS = 3


def build_ngrams_section(study: Study) -> Html | None:
    """List the n-grams of every system against the baseline, the best rival's unfolded."""
    changes = [entry for entry in study.findings.ngrams if _has_ngrams(entry)]
    if not changes:
        return None
    changes.sort(key=lambda entry: entry.system != study.rival)
    return join_markup(
        tag(
            "p",
            "Sequences of up to "
            f"{changes[0].order} words whose counts changed most one-sidedly. Matched means "
            "that a reference of the segment has them too. Shorter sequences that changed "
            "in just the same places are not listed beside the longer one.",
        ),
        [
            tag(
                "details",
                tag(
                    "summary",
                    tag("bdi", entry.system),
                    " against ",
                    tag("bdi", entry.baseline),
                ),
                tag("div", _build_ngram_lists(entry), class_="pair"),
                open=entry.system == study.rival,
                class_="block",
            )
            for entry in changes
        ],
    )


def _has_ngrams(entry: NgramChanges) -> bool:
    return bool(entry.gained or entry.lost or entry.mended or entry.broken)


def _build_ngram_lists(entry: NgramChanges) -> list[Html]:
    better, worse = "better", "worse"
    return [
        made
        for title, kind, matched, changes in (
            ("▲ Matched more often", better, True, entry.gained),
            ("▼ Matched less often", worse, True, entry.lost),
            ("▲ Wrong less often", better, False, entry.mended),
            ("▼ Wrong more often", worse, False, entry.broken),
        )
        if (made := _build_ngram_list(entry, title, kind, matched, changes)) is not None
    ]


def _build_ngram_list(
    entry: NgramChanges,
    title: str,
    kind: str,
    matched: bool,
    changes: Sequence[NgramChange],
) -> Html | None:
    if not changes:
        return None
    name = "-".join(title.lower().split()[1:])
    rows: list[list[CellContent]] = [
        [
            tag("td", tag("bdi", " ".join(change.words)), class_="words"),
            change.matched_before if matched else change.wrong_before,
            change.matched_after if matched else change.wrong_after,
            change.reference,
            tag("td", _link_segments(change), class_="links"),
        ]
        for change in changes
    ]
    return tag(
        "div",
        tag("h3", title, class_=kind),
        build_html_table(
            [
                "words",
                tag("th", tag("bdi", entry.baseline), scope="col", class_="num"),
                tag("th", tag("bdi", entry.system), scope="col", class_="num"),
                tag("th", "references", scope="col", class_="num"),
                "segments",
            ],
            rows,
            caption=f"{title[2:]} in {entry.system} than in {entry.baseline}",
            name=f"{name}-{entry.system}",
        ),
    )


def _link_segments(change: NgramChange) -> Html:
    links = [
        tag("a", number, href=f"#seg-{number}") for number in change.segments[:LINKS]
    ]
    more = " …" if len(change.segments) > LINKS else None
    return join_markup([[link, " "] for link in links], more)


def build_profiles_section(study: Study) -> Html | None:
    """Lay out every trait of every system, with a reading in words."""
    profiles = study.findings.profiles
    if profiles is None:
        return None
    traits = [
        trait
        for trait in profiles.traits
        if any(
            profile.traits[trait.name].value is not None
            for profile in profiles.profiles
        )
    ]
    by_name = {profile.system: profile for profile in profiles.profiles}
    names = [entry.name for entry in order_systems(study.results, Style(sort=True))]
    rows = [
        tag(
            "tr",
            make_row_heading(name),
            tag("td", by_name[name].reading, class_="reading"),
            [
                _build_trait_cell(by_name[name].traits[trait.name], trait)
                for trait in traits
            ],
        )
        for name in names
    ]
    if profiles.references:
        rows.append(
            tag(
                "tr",
                tag("th", "references", scope="row"),
                tag("td", "for comparison", class_="reading note"),
                [
                    _build_trait_cell(
                        TraitValue(value=profiles.references.get(trait.name)), trait
                    )
                    for trait in traits
                ],
            )
        )
    heads = [
        tag("th", trait.title, scope="col", class_="num", title=trait.meaning)
        for trait in traits
    ]
    ratios = [trait.title for trait in traits if trait.unit != "percent"]
    caption = (
        f"Profiles of the outputs, in percent except {' and '.join(ratios)}; text cut by "
        f"{profiles.preparation}"
    )
    inside = tag(
        "table",
        tag("caption", caption),
        tag(
            "thead",
            tag(
                "tr",
                make_column_heading("system"),
                make_column_heading("reading"),
                heads,
            ),
        ),
        tag("tbody", rows),
        class_="scores profiles",
        data_csv="profiles",
        data_sortable=True,
    )
    return join_markup(
        tag(
            "p",
            "Two systems with the same score may differ in kind: one says too much, another "
            "leaves out half but gets the rest right.",
        ),
        make_scrollable(inside, caption),
        tag(
            "details",
            tag("summary", "What the columns mean"),
            tag(
                "dl",
                [[tag("dt", t.title), tag("dd", t.meaning)] for t in traits],
                class_="meanings",
            ),
        ),
    )


def _build_trait_cell(value: TraitValue, trait: Trait) -> Html:
    if value.value is None:
        return UNKNOWN
    digits = 1 if trait.unit == "percent" else 2
    return make_interval_cell(
        value.value, value.interval, format_score(value.value, digits)
    )
