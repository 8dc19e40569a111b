"""Every chart is one whole SVG file: well-formed, self-contained, inside its borders."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from metra.analysis.word_stability import compute_stability
from metra.meta.charts import Histogram, JudgePlot, ScatterPoints
from metra.report.chart import PAGE_FRAME
from metra.report.pictures.forest import ForestPanel, ForestPlot, draw_forest
from metra.report.pictures.heatmap import Heatmap, draw_heatmap
from metra.report.pictures.plots import (
    CurvePlot,
    draw_curves,
    draw_histogram,
    draw_judge_plot,
    draw_polygons,
    draw_scatter,
    plot_curves,
    plot_histogram,
    plot_points,
)
from metra.stats.curves import LineFit
from metra.text.salience import Tokens

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = "<b>&\"'\x1b"
NAMES = ("title", "caption", "across", "down")
CURVES = CurvePlot(
    *NAMES,
    ["1", "2", "all"],
    {AWKWARD: [0.1, float("nan"), 0.3], "people": [0.5, 0.4, 0.3]},
    bands={"people": [(0.4, 0.6), (0.3, 0.5), (0.2, 0.4)]},
    dashed=["people"],
)
CLOUD = ScatterPoints(
    title="title",
    across="mqm",
    down="bleu",
    names=[AWKWARD, "b", "c"],
    x=[1.0, 2.0, 3.0],
    y=[-1.0, 0.0, 5.0],
    outliers=[False, False, True],
    fit=LineFit(3.0, -4.67, [(1.0, -3.0, 0.0), (3.0, 3.0, 6.0)]),
    caption="caption",
)
SHARED_COLOURS = CurvePlot(
    *NAMES,
    ["1", "2"],
    {f"{name}, {count}": [0.1, 0.2] for name in "abcd" for count in (3, 1)},
    dashed=[f"{name}, 1" for name in "abcd"],
    colours={
        f"{name}, {count}": at for at, name in enumerate("abcd") for count in (1, 3)
    },
)
HEAT = Heatmap(
    "t", "c", [AWKWARD, "b"], [[float("nan"), 0.0004], [-0.5, 0.2]], "p", [1, 2]
)
BARS = Histogram("t", "c", "difference", [("0", 3), (AWKWARD, 1)])
JUDGES = JudgePlot("t", "c", "judge a", "judge b", [(1.0, 2.0)], [(1.1, 1.9)])
FOREST = ForestPlot(
    "t",
    "c",
    [AWKWARD, "b"],
    [
        ForestPanel("pearson", [0.5, float("nan")], [(0.2, 0.7), None]),
        ForestPanel("spa", [0.9, 0.8], [None, (0.7, 0.9)]),
    ],
    [1, 2],
)
MANY = Heatmap(
    "t", "c", [f"metric-{at}" for at in range(30)], [[-0.001, 0.93] * 15] * 30, "r"
)


def words(*documents: str) -> list[tuple[Tokens, list[str]]]:
    names = [f"d{at}" for at in range(len(documents))]
    return [(Tokens([text.split() for text in documents]), names)]


TRANSLATIONS = words("a b c c", "a d d e", "f g a"), words("a b c h", "a d e e", "f a")
STABILITY = compute_stability(*TRANSLATIONS, names=("A & B", AWKWARD), width=1)
PICTURES = {
    "curves": (draw_curves, CURVES),
    "curves of four colours": (draw_curves, SHARED_COLOURS),
    "scatter": (draw_scatter, CLOUD),
    "heatmap": (draw_heatmap, HEAT),
    "thirty metrics": (draw_heatmap, MANY),
    "forest": (draw_forest, FOREST),
    "histogram": (draw_histogram, BARS),
    "judges": (draw_judge_plot, JUDGES),
    "polygons": (draw_polygons, STABILITY),
}
WIDTHS = {"screen": None, "column": 77, "page": 160}
DRAWN = [
    pytest.param(draw(plot, width), id=f"{name}, {kind}")
    for name, (draw, plot) in PICTURES.items()
    for kind, width in WIDTHS.items()
]


@pytest.mark.parametrize("drawn", DRAWN)
def test_a_picture_is_whole(drawn):
    root = ET.fromstring(drawn)
    assert root.tag == f"{SVG}svg"
    assert root.get("aria-label") == root.find(f"{SVG}title").text
    assert root.find(f"{SVG}desc").text
    assert re.findall(r"https?://[^\"]+", drawn) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(script|image|b)\b|\x1b|href|url\(|@import", drawn)


@pytest.mark.parametrize("drawn", DRAWN)
def test_marks_stay_inside(drawn):
    root = ET.fromstring(drawn)
    _, top, width, height = map(float, root.get("viewBox").split())
    for element in root.iter():
        for name in ("x", "cx", "x1", "x2"):
            assert 0 <= float(element.get(name, 0)) <= width
        for name in ("y", "cy", "y1", "y2"):
            assert top <= float(element.get(name, top)) <= top + height


@pytest.mark.parametrize("drawn", DRAWN)
def test_every_class_of_a_mark_has_a_rule(drawn):
    style, marks = drawn.split("</style>")
    used = set(" ".join(re.findall(r'class="([^"]+)"', marks)).split())
    styled = {kind for kind in used if re.search(rf"\.{kind}\b", style)}
    assert used - styled <= {"name", "label"}


def test_a_gap_in_a_curve_is_not_bridged():
    curve = next(mark for mark in plot_curves(CURVES, PAGE_FRAME) if "curve" in mark)
    assert re.search(r'd="(\w)', curve)[1] == "M"
    assert "L" not in re.search(r'd="([^"]+)"', curve)[1]


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda: plot_points(CLOUD, PAGE_FRAME), "bleu 5, outlier"),
        (lambda: plot_histogram(BARS, PAGE_FRAME), "3 of 4 (75.0 %)"),
        (lambda: plot_histogram(BARS, PAGE_FRAME), "1 of 4 (25.0 %)"),
        (lambda: draw_heatmap(HEAT), "&lt;.001"),
        (lambda: draw_heatmap(HEAT), 'class="heat negative"'),
        (lambda: draw_forest(FOREST), "pearson 0.5 [0.2, 0.7]"),
    ],
)
def test_figures_are_written_beside_their_marks(draw, expected):
    assert expected in "".join(draw())


def test_outliers_are_hollow():
    assert "".join(plot_points(CLOUD, PAGE_FRAME)).count('class="hollow') == 1


def test_series_may_share_a_colour():
    drawn = draw_curves(SHARED_COLOURS)
    paths = re.findall(r'class="curve (series-\d)( dashed)?"', drawn)
    lines = [(f"series-{at}", dash) for at in range(4) for dash in ("", " dashed")]
    assert sorted(paths) == lines


def test_what_is_rounded_to_nothing_has_no_sign():
    drawn = draw_heatmap(Heatmap("t", "c", ["a", "b"], [[1, -0.004], [-0.3, 1]], "r"))
    cells = re.findall(r'class="cell"[^>]*>([^<]*)<', drawn)
    assert cells == ["1.00", ".00", "−.30", "1.00"]


@pytest.mark.parametrize("kind", ["r", "p"])
def test_cells_of_thirty_metrics_have_shades_and_no_numbers(kind):
    drawn = draw_heatmap(replace(MANY, kind=kind), 160)
    assert 'class="cell"' not in drawn
    assert len(re.findall(r'class="heat[^>]*fill-opacity', drawn)) == 900


def test_panels_of_a_forest_plot_stand_below_each_other_in_a_column():
    wide = draw_forest(FOREST, 160)
    narrow = draw_forest(FOREST, 45)
    assert (wide.count(">b<title"), narrow.count(">b<title")) == (1, 2)


def test_a_value_is_marked_in_every_panel_of_a_forest_plot():
    plain, marked = draw_forest(FOREST), draw_forest(replace(FOREST, line=0.5))
    lines = [drawn.count('class="axis"') for drawn in (plain, marked)]
    assert lines[1] - lines[0] == len(FOREST.panels)


def test_an_interval_is_drawn_from_end_to_end():
    # A line and two ends for each of two intervals.
    assert draw_forest(FOREST).count('class="error') == 6


def test_error_bars_stand_side_by_side():
    lines = {"a": [0.1, 0.2], "b": [0.1, 0.2]}
    errors = {"a": [(0.0, 0.3), None], "b": [(0.05, 0.4), None]}
    plot = CurvePlot("t", "c", "x", "y", ["1", "2"], lines, errors=errors)
    drawn = draw_curves(plot)
    bars = re.findall(
        r'<line x1="([\d.]+)" y1="[\d.]+" x2="\1" [^>]*class="error', drawn
    )
    assert len(set(bars)) == len(bars) == 2
    # The axis reaches as far as the bars do.
    assert ">0.4<" in drawn


def test_a_forest_of_many_metrics_fits_on_a_page():
    """Three coefficients of 32 metrics in a column: rows and panels stand closer."""
    panel = ForestPanel("pearson", [0.5] * 32, [(0.2, 0.7)] * 32)
    names = [f"metric-long-{at}" for at in range(32)]
    plot = ForestPlot("t", "c", names, [panel] * 3)
    drawn = ET.fromstring(draw_forest(plot, 77))
    # Millimetres of a picture that is 77 wide.
    height = float(drawn.get("height")) / float(drawn.get("width")) * 77
    assert height < 230
    assert set(names) <= {text.text for text in drawn.iter(f"{SVG}text")}


def test_polygons_have_a_curve_for_each_set_and_a_point_for_each_class():
    drawn = draw_polygons(STABILITY)
    assert ">Salience of words that A &amp; B and " in drawn
    assert drawn.count('class="curve ') == 8  # two panels of four
    sets = [polygon for each in STABILITY.sets for polygon in each.polygons.values()]
    points = re.findall(r'<(?:circle|polygon) [^>]*class="point[^>]*><title>', drawn)
    assert len(points) == sum(len(polygon.shares) for polygon in sets)
