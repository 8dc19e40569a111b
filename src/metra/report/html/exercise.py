"""The page of a collective exercise: means, evaluators, people and metrics, and scales."""

from collections.abc import Sequence

from metra.errors import format_count
from metra.meta.evaluators import SystemEvaluation
from metra.meta.exercise import ExerciseStudy, HumanCorrelation
from metra.meta.scatter import ScatterPoints
from metra.report import chart
from metra.report.html import tables
from metra.report.html.markup import Child, Html, join_markup, tag
from metra.report.html.page import PageSection, Provenance, render_page
from metra.report.pictures.heatmap import CELL, Heatmap, plot_matrix
from metra.report.pictures.scatter import plot_points
from metra.report.writers import exercise as writer
from metra.report.writers.headings import join_names, shorten_specs
from metra.scoring.table import Cell

#: More scatter plots than this are more than anybody looks at; the table has all pairs.
MOST = 9
#: Systems that are called the best of some measures.
MOST_BEST = 3
#: Measures whose matrix fits a small figure.
FEW = 6
#: Letters of a name beside a row or a dot.
LONGEST = 16
#: And of a measure with its number.
LONG_LABEL = 24
#: The height of a system's row in a picture of one measure.
ROW = 26

READING = (
    (
        "Scores",
        "All scores are mapped to 0–100, higher is better; the section Scales shows "
        "how. Do not compare scores of different metrics: a scale defines which "
        "values map to 0 and 100, not that two metrics are equally strict.",
    ),
    (
        "Standard deviation",
        "Standard deviation between the evaluators of a translation (n − 1), pooled "
        "over translations by averaging variances. An automated metric has none "
        "unless its evaluators used different references or options.",
    ),
    (
        "Alpha",
        "Krippendorff's alpha on the interval scale: 1 for perfect agreement, 0 for "
        "chance agreement. r and rho are the Pearson and Spearman correlations "
        "between pairs of evaluators, averaged with the number of shared items as "
        "weight.",
    ),
    (
        "Correlations",
        "Correlations between metrics, over the means of their evaluators. With few "
        "translations a coefficient is unreliable: check its interval. Two "
        "translations always lie on a line, so no coefficient is given.",
    ),
)


def render_exercise(
    study: ExerciseStudy, provenance: Provenance, title: str, notes: Sequence[str] = ()
) -> str:
    """Write the page as one HTML file, without a final newline.

    `notes` replace those of the study, where they name flags.
    """
    bodies = (
        ("overview", "Overview", _build_overview(study)),
        ("evaluators", "Evaluators", _build_evaluators(study)),
        ("people", "People and metrics", _build_people(study)),
        ("metrics", "Metrics", _build_measures(study)),
        ("model", "Quality model", _build_model(study)),
        ("scales", "Scales", _build_scales(study)),
        (
            "notes",
            "How to read this report",
            _build_reading(study, notes or study.notes),
        ),
    )
    sections = [PageSection(key, name, body) for key, name, body in bodies if body]
    return render_page(title, writer.describe_exercise(study), sections, provenance)


def _build_overview(study: ExerciseStudy) -> Html:
    """Lay out who is best by what, the table of means, and a picture of each measure."""
    short = shorten_specs(study.metrics)
    by_metric = {
        metric: [one for one in study.evaluations if one.metric == metric]
        for metric in study.metrics
    }
    figures = [
        _draw_measure(short[metric], systems)
        for metric, systems in by_metric.items()
        if any(one.mean is not None for one in systems)
    ]
    return join_markup(
        tag("p", _build_lead(study), class_="lead"),
        _build_means(study),
        tag(
            "p",
            "Each chart shows the mean over evaluators (●), one standard deviation "
            "to both sides (line) and the scores of single evaluators (○).",
        ),
        tag("div", figures, class_="figures"),
    )


def _build_lead(study: ExerciseStudy) -> Child:
    """Say in plain words which system is best by which measures."""
    short = shorten_specs(study.metrics)
    kinds = {scale.metric: scale.kind for scale in study.scales}
    words: list[Child] = []
    for kind, adjective in (("human", "human"), ("automated", "automated")):
        winners: dict[str, list[str]] = {}
        for metric in (name for name in study.metrics if kinds[name] == kind):
            scored = [
                one
                for one in study.evaluations
                if one.metric == metric and one.mean is not None
            ]
            if len(scored) > 1:
                best = max(scored, key=lambda one: one.mean or 0.0)
                winners.setdefault(best.system, []).append(short[metric])
        if not winners:
            continue
        words.append(f"By {adjective} metrics, ")
        ranked = sorted(winners.items(), key=lambda entry: -len(entry[1]))
        for at, (system, won) in enumerate(ranked[:MOST_BEST]):
            words += ["; " if at else "", tag("strong", tag("bdi", system))]
            words.append(f" is best by {join_names(won)}")
        rest = sum(len(won) for _, won in ranked[MOST_BEST:])
        others = f"; others are best by {format_count(rest, 'metric')}" if rest else ""
        words.append(f"{others}. ")
    return words or f"{writer.describe_exercise(study)}."


def _build_means(study: ExerciseStudy) -> Html:
    """Lay out the means with the deviations below them, the best of a column in bold."""
    means, deviations = (
        writer.build_means_table(study),
        writer.build_deviation_table(study),
    )
    rows = []
    for row, spread in zip(means.rows, deviations.rows, strict=True):
        cells = [tables.make_row_heading(str(row[0].value))]
        for mean, deviation in zip(row[1:], spread[1:], strict=True):
            cells.append(_make_mean_cell(mean, deviation))
        rows.append(cells)
    heads = [tables.make_column_heading(c.heading, "num") for c in means.columns[1:]]
    return tables.build_html_table(
        ["system", *heads],
        rows,
        caption=f"{means.caption}; below it, "
        f"{deviations.caption[0].lower()}{deviations.caption[1:]}. Best "
        "score of each column in bold.",
        name="means",
        kind="scores",
        sortable=True,
    )


def _make_mean_cell(mean: Cell, deviation: Cell) -> Html:
    if not isinstance(mean.value, float | int):
        return tables.UNKNOWN
    shown: Child = tables.format_with_minus(mean.value, 2)
    if mean.best:
        shown = tag("b", shown, tag("span", " best", class_="unseen"))
    below = None
    if isinstance(deviation.value, float | int):
        below = tag("small", f"± {tables.format_with_minus(deviation.value, 2)}")
    return tables.make_interval_cell(mean.value, None, shown, below)


def _draw_measure(name: str, systems: Sequence[SystemEvaluation]) -> Html:
    """Draw each system's mean, deviation and evaluators on a scale from 0 to 100."""
    scored = [one for one in systems if one.mean is not None]
    scored.sort(key=lambda one: -(one.mean or 0.0))
    names = [one.system for one in scored]
    left = max(chart.measure_names(names, LONGEST), 56.0)
    scale = chart.AxisScale(0, 100, left, chart.WIDTH - chart.OVERHANG)
    bottom = ROW * len(scored) + 6.0
    marks = chart.draw_x_axis(scale, bottom, 4)
    labels = []
    for row, one in enumerate(scored):
        y = 4 + ROW * (row + 0.5)
        marks.append(chart.draw_row_name(left - 8, y + 4, one.system, LONGEST))
        mean, spread = one.mean or 0.0, one.deviation
        words = f"{one.system} {tables.format_with_minus(mean, 2)}"
        if spread is not None:
            low, high = scale(mean - spread), scale(mean + spread)
            marks.append(chart.draw_line(low, y, high, y, "whisker best"))
            words += f" ± {tables.format_with_minus(spread, 2)}"
        for evaluator, score in one.by_evaluator if one.evaluators > 1 else ():
            hint = f"{one.system}, {evaluator}: {tables.format_with_minus(score, 2)}"
            marks.append(chart.draw_dot(scale(score), y, 3.2, "ring", hint))
        marks.append(chart.draw_dot(scale(mean), y, 4.5, "best", words))
        labels.append(words)
    label = f"{name}: {'; '.join(labels)}"
    picture = chart.make_svg(chart.WIDTH, bottom + chart.AXIS, label, marks)
    return tables.build_figure(name, picture, _build_measure_data(name, scored))


def _build_measure_data(name: str, systems: Sequence[SystemEvaluation]) -> Html:
    evaluators = list(
        dict.fromkeys(who for one in systems for who, _ in one.by_evaluator)
    )
    rows: list[list[tables.CellContent]] = []
    for one in systems:
        scores = dict(one.by_evaluator)
        each = [Cell(scores.get(who)) for who in evaluators]
        rows.append([one.system, Cell(one.mean), Cell(one.deviation), *each])
    return tables.build_html_table(
        ["system", "mean", "SD", *evaluators],
        rows,
        caption=f"{name} by evaluator",
        name=f"metric-{name}",
    )


def _build_evaluators(study: ExerciseStudy) -> Html:
    """Lay out how far evaluators of each measure agree, and every two of them."""
    short = shorten_specs(study.metrics)
    rows: list[list[tables.CellContent]] = [
        [
            *(short[one.metric], pair.first, pair.second, pair.translations),
            Cell(pair.difference, signed=True),
            *(Cell(pair.pearson), Cell(pair.spearman)),
        ]
        for one in study.agreement
        for pair in one.pairs
    ]
    heads = ["metric", "first", "second", f"{writer.UNITS[study.level]}s", "difference"]
    pairs = tables.build_html_table(
        [*heads, "Pearson", "Spearman"],
        rows,
        caption="Pairs of evaluators; the difference is the mean of the first minus the second",
        name="evaluator-pairs",
    )
    return join_markup(
        tables.convert_table(writer.build_reliability_table(study)),
        tag("details", tag("summary", "Pairs of evaluators"), pairs) if rows else None,
    )


def _build_people(study: ExerciseStudy) -> Html | None:
    """Hold automated measures against human ones; nothing unless there are both."""
    if not study.human:
        return None
    drawn = [one for one in study.human if len(one.names) > 1][:MOST]
    rest = ""
    if len(study.human) > len(drawn):
        rest = f" The charts show the first {len(drawn)} pairs; the table has all."
    unit = writer.UNITS[study.level]
    return join_markup(
        tag(
            "p",
            f"Each dot is a {unit}: mean over evaluators of a human metric "
            f"(horizontal) and of an automated metric (vertical).{rest}",
        ),
        tables.convert_table(writer.build_human_table(study)),
        tag("div", [_draw_pair(study, one) for one in drawn], class_="figures"),
    )


def _draw_pair(study: ExerciseStudy, one: HumanCorrelation) -> Html:
    short = shorten_specs(study.metrics)
    across, down = short[one.human], short[one.automated]
    cloud = ScatterPoints(
        title="",
        across=across,
        down=down,
        names=list(one.names),
        x=list(one.x),
        y=list(one.y),
        classes=[""] * len(one.names),
        outliers=[False] * len(one.names),
        fit=one.fit,
        caption="",
    )
    note = "no correlation: too few translations, or one of the two is constant"
    if one.pearson is not None:
        note = f"Pearson {tables.format_with_minus(one.pearson, 2)}"
        if one.interval is not None:
            low, high = (tables.format_with_minus(end, 2) for end in one.interval)
            note += f", 95 % interval {low} to {high}"
    title = f"{down} against {across}"
    unit = writer.UNITS[study.level]
    label = f"{title} over {format_count(len(one.names), unit)}; {note}"
    marks = plot_points(cloud, chart.PAGE_FRAME, longest=LONGEST)
    picture = chart.make_svg(chart.WIDTH, chart.PAGE_HEIGHT, label, marks)
    data = tables.build_html_table(
        [unit, across, down],
        [
            [name, Cell(x), Cell(y)]
            for name, x, y in zip(one.names, one.x, one.y, strict=True)
        ],
        caption=title,
        name=f"people-{down}-{across}",
    )
    return tables.build_figure(title, picture, data, note=note)


def _build_measures(study: ExerciseStudy) -> Html | None:
    """Draw the correlations of all measures; nothing for a single measure."""
    if len(study.metrics) < 2:
        return None
    short = shorten_specs(study.metrics)
    names = [short[metric] for metric in study.metrics]
    values = [
        [float("nan") if value is None else value for value in row]
        for row in writer.build_matrix(study)
    ]
    numbered = [f"{at} {name}" for at, name in enumerate(names, 1)]
    left, top = chart.measure_names(numbered, LONG_LABEL), 24.0
    marks = []
    for at, label in enumerate(numbered, 1):
        middle = (at - 0.5) * CELL
        marks.append(chart.draw_row_name(left - 8, top + middle + 4, label, LONG_LABEL))
        marks.append(chart.draw_text(left + middle, top - 8, str(at), "name", "middle"))
    marks += plot_matrix(Heatmap("", "", names, values, "r"), left, top)
    size = len(names) * CELL
    wide = max(left + size + 8, float(chart.WIDTH))
    rows: list[list[tables.CellContent]] = [
        [
            *(short[one.one], short[one.other], one.translations),
            *(Cell(one.pearson), Cell(one.spearman)),
        ]
        for one in study.correlations
    ]
    unit = writer.UNITS[study.level]
    pairs = "; ".join(
        f"{short[one.one]}, {short[one.other]} "
        f"{'–' if one.pearson is None else f'{one.pearson:.2f}'}"
        for one in study.correlations
    )
    picture = chart.make_svg(
        wide, top + size + 8, f"Pearson's r between metrics: {pairs}", marks
    )
    figure = tables.build_figure(
        "Pearson's r between metrics",
        picture,
        tables.build_html_table(
            ["metric", "other metric", f"{unit}s", "Pearson", "Spearman"],
            rows,
            caption=f"Correlation between metrics over {unit}s",
            name="metrics",
        ),
        note="means over evaluators; a cell is empty if there are too few "
        "translations or a metric is constant",
    )
    # A large matrix is as wide as the page, so that its numbers can be read.
    return tag("div", figure, class_="figures" if len(names) <= FEW else "matrix")


def _build_model(study: ExerciseStudy) -> Html | None:
    """Show the figure of the quality model beside its measures."""
    if not study.model:
        return None
    short = shorten_specs(study.metrics)
    shares = [
        f"{short.get(spec, spec)} {share:.1f} %"
        for spec, _, share in study.model[0].parts
    ]
    return join_markup(
        tag("p", f"Weights: {', '.join(shares)}."),
        tables.convert_table(writer.build_model_table(study)),
    )


def _build_scales(study: ExerciseStudy) -> Html:
    return join_markup(
        tag(
            "p",
            "Scores are mapped linearly from the values in the two columns to 0 and "
            "100. Values outside the scale are clipped and counted in the last "
            "column.",
        ),
        tables.convert_table(writer.build_scales_table(study)),
    )


def _build_reading(study: ExerciseStudy, notes: Sequence[str]) -> Html:
    signature = tag("li", tag("code", writer.sign_exercise(study)))
    lines = [f"Counted: {study.selection}.", *notes]
    return join_markup(
        tag("dl", [[tag("dt", word), tag("dd", text)] for word, text in READING]),
        [tag("h3", "Notes"), tag("ul", [tag("li", line) for line in lines])],
        tag("h3", "Signature"),
        tag("ul", signature, class_="signatures"),
    )
