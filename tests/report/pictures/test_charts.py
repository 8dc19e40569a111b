"""Every chart is one whole SVG file: well-formed, self-contained, inside its borders."""

import re
import xml.etree.ElementTree as ET

import pytest

from metra.meta.judge_plots import Histogram, JudgePlot
from metra.meta.scatter import ScatterPoints
from metra.report.chart import PAGE_FRAME
from metra.report.pictures.curves import CurvePlot, draw_curves, plot_curves
from metra.report.pictures.heatmap import Heatmap, draw_heatmap
from metra.report.pictures.judges import draw_histogram, draw_judge_plot, plot_histogram
from metra.report.pictures.scatter import draw_scatter, plot_points
from metra.stats.line_fit import LineFit

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = "<b>&\"'\x1b"
CURVES = CurvePlot(
    "title",
    "caption",
    "across",
    "down",
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
    classes=["", "rules", "rules"],
    outliers=[False, False, True],
    fit=LineFit(3.0, -4.67, [(1.0, -3.0, 0.0), (3.0, 3.0, 6.0)]),
    caption="caption",
)
SHARED_COLOURS = CurvePlot(
    "title",
    "caption",
    "across",
    "down",
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
DRAWN = [
    pytest.param(draw_curves(CURVES), id="curves"),
    pytest.param(draw_curves(SHARED_COLOURS), id="curves of four colours"),
    pytest.param(draw_scatter(CLOUD), id="scatter"),
    pytest.param(draw_heatmap(HEAT), id="heatmap"),
    pytest.param(draw_histogram(BARS), id="histogram"),
    pytest.param(draw_judge_plot(JUDGES), id="judges"),
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
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        for name in ("x", "cx", "x1", "x2"):
            assert 0 <= float(element.get(name, 0)) <= width
        for name in ("y", "cy", "y1", "y2"):
            assert 0 <= float(element.get(name, 0)) <= height


@pytest.mark.parametrize("drawn", DRAWN)
def test_every_class_of_a_mark_has_a_rule(drawn):
    style, marks = drawn.split("</style>")
    used = {
        kind
        for names in re.findall(r'class="([^"]+)"', marks)
        for kind in names.split()
    }
    plain = {"name", "label"}
    assert {
        kind for kind in used - plain if not re.search(rf"\.{kind}\b", style)
    } == set()


def test_a_gap_in_a_curve_is_not_bridged():
    curve = next(mark for mark in plot_curves(CURVES, PAGE_FRAME) if "curve" in mark)
    assert re.search(r'd="(\w)', curve)[1] == "M"
    assert "L" not in re.search(r'd="([^"]+)"', curve)[1]


def test_outliers_are_hollow_and_named_in_words():
    marks = "".join(plot_points(CLOUD, PAGE_FRAME))
    assert marks.count('class="hollow') == 1
    assert "bleu 5, outlier" in marks


def test_shares_of_a_histogram_add_up():
    marks = "".join(plot_histogram(BARS, PAGE_FRAME))
    assert "3 of 4 (75.0 %)" in marks
    assert "1 of 4 (25.0 %)" in marks


def test_small_p_values_are_written_short():
    drawn = draw_heatmap(HEAT)
    assert "&lt;.001" in drawn
    assert 'class="heat negative"' in drawn


def test_series_may_share_a_colour():
    paths = re.findall(
        r'class="curve (series-\d)( dashed)?"', draw_curves(SHARED_COLOURS)
    )
    solid = [(f"series-{at}", "") for at in range(4)]
    dashed = [(f"series-{at}", " dashed") for at in range(4)]
    assert sorted(paths) == sorted(solid + dashed)
