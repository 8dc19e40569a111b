"""Pictures as SVG, PDF and PNG: their size, their letters, and what cannot be written."""

import re
import struct
import sys

import pytest

from metra.errors import FormatError, MissingResourceError
from metra.report import chart
from metra.report.picture_file import check_picture_path, convert_picture

WIDTH = 77


@pytest.fixture
def svg():
    mark = chart.draw_text(20, 80, "Größe ≤ 2", "name")
    line = chart.draw_line(20, 90, 200, 120, "curve series-1 line-2")
    return chart.render_chart("title", "caption", "d", (300, 200), [mark, line])


def test_svg_without_a_size_is_left_as_it_is(svg):
    assert convert_picture(svg, ".svg") == svg


def test_svg_has_its_size_in_print_and_both_themes(svg):
    sized = convert_picture(svg, ".svg", WIDTH)
    assert re.search(r'width="77mm" height="51.3333mm"', sized)
    assert 'viewBox="0 0 300 200"' in sized
    assert "prefers-color-scheme" in sized
    assert "Liberation Sans" in sized
    assert "system-ui" not in sized


def test_pdf_has_its_size_and_embedded_letters(svg):
    pytest.importorskip("vl_convert")
    pdf = convert_picture(svg, ".pdf", WIDTH)
    assert pdf.startswith(b"%PDF-")
    box = [float(x) for x in re.search(rb"/MediaBox \[([^\]]+)\]", pdf)[1].split()]
    assert box[2] == pytest.approx(77 / 25.4 * 72, abs=0.01)
    assert box[3] == pytest.approx(box[2] * 2 / 3, abs=0.01)
    assert b"LiberationSans" in pdf
    assert b"/FontFile" in pdf
    # Letters can be searched for: there is a map from glyphs to characters.
    assert b"/ToUnicode" in pdf
    assert b"<2264>" in pdf  # ≤


def test_png_has_three_hundred_dots_an_inch(svg):
    pytest.importorskip("vl_convert")
    png = convert_picture(svg, ".png", WIDTH)
    width, height = struct.unpack(">II", png[16:24])
    assert width == pytest.approx(77 / 25.4 * 300, abs=1)
    assert height == pytest.approx(width * 2 / 3, abs=1)


def test_print_has_no_variables_and_no_dark_theme(svg):
    pytest.importorskip("vl_convert")
    from metra.report.picture_file import _make_static

    static = _make_static(svg)
    assert "var(" not in static
    assert "@media" not in static
    assert chart.PALETTE["c1"][0] in static


@pytest.mark.parametrize("path", ["-", "plot", "dir.d/plot", "plot.svg", "PLOT.SVG"])
def test_svg_is_for_the_screen_and_for_files_without_a_suffix(path):
    assert check_picture_path(path) == ".svg"


def test_another_suffix_is_refused():
    with pytest.raises(FormatError, match=r"x\.jpg is not a picture format; name a"):
        check_picture_path("x.jpg")


@pytest.mark.parametrize("suffix", ["pdf", "png"])
def test_a_missing_package_is_named(suffix, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingResourceError, match=r"pip install '\.\[pictures\]'"):
        check_picture_path(f"x.{suffix}")
