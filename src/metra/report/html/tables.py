"""Scores by kind of segment or word: where one system is better than the other.

Tables and figures of the report: numbers that align, and data that can be taken along.
Word sequences that one system gets right, or wrong, more often than the other.
What each system's output is like, apart from how good it is.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

from metra.analysis.buckets import Bucket, Buckets, BucketScore
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.profiles import Trait, TraitValue
from metra.report import chart
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.study import Study
from metra.report.table import Style, format_count, format_score
from metra.report.writers.headings import order_systems
from metra.scoring.table import Cell

#: Longer names do not push the numbers out of sight.
LONG = 28
#: Digits after the point where a cell does not say.
DIGITS = 2

CellContent: TypeAlias = "Html | str | int | Cell"


def build_html_table(
    headings: Sequence[Child],
    rows: Sequence[Sequence[CellContent]],
    *,
    caption: str,
    name: str,
) -> Html:
    """Lay out a table that scrolls by itself where it is too wide; `name` names its CSV."""
    inside = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", [make_column_heading(entry) for entry in headings])),
        tag("tbody", [tag("tr", _build_row_cells(row)) for row in rows]),
        data_csv=name,
    )
    return make_scrollable(inside, caption)


def make_scrollable(inside: Html, label: str) -> Html:
    """Let something wide scroll by itself, by keyboard too."""
    return tag(
        "div", inside, class_="scroll", tabindex=0, role="region", aria_label=label
    )


def make_column_heading(child: Child) -> Html:
    """Make a column's heading, unless it is one already."""
    if isinstance(child, Html) and child.startswith("<th"):
        return child
    return tag("th", child, scope="col")


def make_row_heading(name: str, *more: Child) -> Html:
    """Make a row's heading of a name; a long one may be broken anywhere."""
    long = "long" if len(name) > LONG else None
    return tag("th", tag("bdi", name), *more, scope="row", class_=long)


def build_figure(
    title: Child, picture: Html, data: Html | None, *, note: Child = None
) -> Html:
    """Show a picture with its title, a note, and its data folded away."""
    folded = tag("details", tag("summary", "Data"), data) if data is not None else None
    return tag(
        "figure",
        tag("figcaption", title, tag("span", note, class_="note") if note else None),
        picture,
        folded,
    )


def make_number_cell(cell: Cell) -> Html:
    """Make a table's cell of a number and its interval; what is not known is a dash."""
    if not isinstance(cell.value, float | int) or not math.isfinite(cell.value):
        return tag("td", "–", class_="num", data_v="")
    digits = DIGITS if cell.digits is None else cell.digits
    write = format_difference if cell.signed else format_with_minus
    shown = write(cell.value, digits)
    if cell.interval is not None:
        low, high = (write(end, digits) for end in cell.interval)
        shown += f" [{low}, {high}]"
    return make_interval_cell(cell.value, cell.interval, shown)


def make_interval_cell(
    value: float, interval: tuple[float, float] | None, *shown: Child
) -> Html:
    """Make a cell of a number and its interval, which programs get with all digits."""
    low, high = interval or (None, None)
    return tag(
        "td",
        *shown,
        class_="num",
        data_v=f"{value:.10g}",
        data_low=None if low is None else f"{low:.10g}",
        data_high=None if high is None else f"{high:.10g}",
    )


def format_difference(value: float, digits: int) -> str:
    """Write a difference with its sign, a real minus included.

    >>> format_difference(1.25, 1), format_difference(-0.04, 1), format_difference(-2, 1)
    ('+1.2', '0.0', '−2.0')
    """
    text = format_score(value, digits)
    if float(text) == 0:
        return text.removeprefix("-")
    return text.replace("-", "−") if value < 0 else f"+{text}"


def format_with_minus(value: float, digits: int) -> str:
    """Write a number with a real minus."""
    return format_score(value, digits).replace("-", "−")


def _build_row_cells(row: Sequence[CellContent]) -> list[Html]:
    cells = []
    for at, cell in enumerate(row):
        if isinstance(cell, Cell):
            cells.append(make_number_cell(cell))
        elif isinstance(cell, Html) and cell.startswith(("<td", "<th")):
            cells.append(cell)
        elif isinstance(cell, int):
            cells.append(tag("td", f"{cell:,}", class_="num", data_v=cell))
        elif at == 0:
            cells.append(make_row_heading(cell))
        else:
            cells.append(tag("td", tag("bdi", cell)))
    return cells


ROW = 34
#: Labels such as documents' names may be long.
LONGEST = 18


def build_buckets_section(study: Study) -> Html | None:
    """Draw baseline and best rival in every bucket; the tables have all systems."""
    found = [entry for entry in study.findings.buckets if len(entry.buckets) > 1]
    if not found:
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
            for entry in found
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


def _draw_bucket_figure(found: Buckets, spec: str, pair: Sequence[str]) -> Html:
    scores = [
        bucket.scores[name][spec]
        for bucket in found.buckets
        for name in pair
        if name in bucket.scores
    ]
    labels = [bucket.label for bucket in found.buckets]
    left = max(chart.measure_names(labels, LONGEST), 56)
    ends = [end for score in scores for end in (score.interval or (score.score,))]
    scale = chart.AxisScale(*chart.pad_range(ends), left, chart.WIDTH - chart.OVERHANG)
    bottom = ROW * len(labels) + 8.0
    marks = chart.draw_x_axis(scale, bottom, 4)
    for row, bucket in enumerate(found.buckets):
        marks.append(
            _draw_bucket(bucket, spec, pair, scale, 4 + ROW * (row + 0.5), found.unit)
        )
    up = found.directions[spec]
    title = f"{spec} {'↑' if up else '↓'}"
    label = f"{spec} by {found.title}: " + "; ".join(
        f"{bucket.label}, "
        + ", ".join(
            f"{name} {format_score(bucket.scores[name][spec].score, 2)}"
            for name in pair
        )
        for bucket in found.buckets
    )
    picture = chart.make_svg(chart.WIDTH, bottom + chart.AXIS, label, marks)
    return build_figure(title, picture, _build_bucket_data(found, spec))


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


def _build_bucket_data(found: Buckets, spec: str) -> Html:
    caption = f"{spec} by {found.title}; differences from {found.baseline} below"
    rows = []
    for bucket in found.buckets:
        cells = [
            _build_bucket_cell(bucket.scores[name][spec]) for name in found.systems
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
    found = [entry for entry in study.findings.ngrams if _has_ngrams(entry)]
    if not found:
        return None
    found.sort(key=lambda entry: entry.system != study.rival)
    return join_markup(
        tag(
            "p",
            "Sequences of up to "
            f"{found[0].order} words whose counts changed most one-sidedly. Matched means "
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
            for entry in found
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
    found = study.findings.profiles
    if found is None:
        return None
    traits = [
        trait
        for trait in found.traits
        if any(
            profile.traits[trait.name].value is not None for profile in found.profiles
        )
    ]
    by_name = {profile.system: profile for profile in found.profiles}
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
    if found.references:
        rows.append(
            tag(
                "tr",
                tag("th", "references", scope="row"),
                tag("td", "for comparison", class_="reading note"),
                [
                    _build_trait_cell(
                        TraitValue(value=found.references.get(trait.name)), trait
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
        f"{found.preparation}"
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


def _build_trait_cell(found: TraitValue, trait: Trait) -> Html:
    if found.value is None:
        return tag("td", "–", class_="num", data_v="")
    digits = 1 if trait.unit == "percent" else 2
    return make_interval_cell(
        found.value, found.interval, format_score(found.value, digits)
    )
