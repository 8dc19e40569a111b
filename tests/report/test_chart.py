"""The chart kit: ticks, scales, colours of both themes, and text that stays text."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.report import chart

FLOATS = st.floats(-1e6, 1e6)


@given(FLOATS, FLOATS, st.integers(2, 9))
def test_ticks_lie_within_the_range_and_are_few(one_end, other_end, most):
    low, high = sorted((one_end, other_end))
    ticks = chart.choose_ticks(low, high, most)
    assert len(ticks) <= most + 1
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert all(low - slack <= tick <= high + slack for tick in ticks)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        pytest.param(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1], id="shares"),
        pytest.param(-0.3, 0.9, [-0.25, 0, 0.25, 0.5, 0.75], id="quarters"),
        pytest.param(3, 3, [3], id="a single value"),
    ],
)
def test_ticks_are_round(low, high, ticks):
    assert chart.choose_ticks(low, high) == ticks


def test_scales():
    scale = chart.AxisScale(0, 10, 100, 200)
    assert [scale(value) for value in (-5, 0, 5, 10, 50)] == [100, 100, 150, 200, 200]
    assert chart.AxisScale(3, 3, 0, 10)(3) == 5
    assert chart.pad_range([5.0, 5.0]) == (4.7, 5.3), "room around a single value"
    assert chart.pad_range([0.0]) == (-1.0, 1.0)
    axis = chart.draw_x_axis(chart.AxisScale(-1, 1, 0, 100), 50, 0)
    assert ">−1<" in "".join(axis), "a real minus"


def test_every_colour_that_a_style_uses_is_in_both_themes():
    drawn = chart.render_chart("t", "c", "d", (100, 50), [])
    style = drawn.split("<style>")[1].split("</style>")[0]
    used = set(re.findall(r"var\(--(\w+)\)", style))
    light, dark = (
        set(re.findall(r"--(\w+):", line))
        for line in style.split("\n")
        if re.search(r"--\w+:", line)
    )
    assert used <= light == dark == set(chart.PALETTE)


def test_text_is_escaped_once():
    title = 'a < b & "c" \x00'
    drawn = chart.render_chart(title, "x > y", title, (300, 50), [])
    root = ET.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == 'a < b & "c" \ufffd'
    texts = [element.text for element in root.iter(f"{space}text")]
    assert texts == ['a < b & "c" \ufffd', "x > y"]


def test_long_headings_are_broken_and_the_picture_grows_upwards():
    drawn = chart.render_chart("a title " * 9, "caption " * 20, "d", (300, 200), [])
    root = ET.fromstring(drawn)
    _, top, width, height = map(float, root.get("viewBox").split())
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert len(texts) > 3
    places = [float(text.get("y")) for text in texts]
    assert places == sorted(places)
    assert top < min(places) < max(places) == 44
    assert (width, height) == (300, 200 - top)


def test_a_picture_for_print_has_no_title_and_letters_of_eight_points():
    drawn = chart.render_chart("t", "c", "d", (300, 200), [], has_title=False)
    assert ET.fromstring(drawn).get("viewBox") == "0 40 300 160"
    assert "<text" not in drawn
    assert chart.convert_width(127) == pytest.approx(360 * 12 / 8)
    assert chart.convert_width(None) is None


def test_series_of_one_colour_differ_in_dashes_and_points():
    looks = {
        (chart.name_series(at), chart.name_line(at), chart.choose_shape(at))
        for at in range(36)
    }
    assert len(looks) == 36
    for colour in range(6):
        same = range(colour, 36, 6)
        assert len({chart.name_line(at) for at in same}) == 6
        assert len({chart.choose_shape(at) for at in same}) == 6
    # Without colour, the first six differ both ways.
    assert len({chart.name_line(at) for at in range(6)}) == 6
    assert len({chart.choose_shape(at) for at in range(6)}) == 6
