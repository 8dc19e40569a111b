"""Pictures as files: SVG as it is drawn, PDF and PNG through vl-convert.

vl-convert brings resvg, svg2pdf and the Liberation fonts along: letters are embedded in a PDF
and stay text, and a picture looks the same on every machine.
"""

import re
from pathlib import Path
from typing import Any

from metra.errors import FormatError, import_package
from metra.report.chart import PALETTE, POINTS_PER_MM, PRINT_FONT, SCREEN_FONT

FORMATS = (".svg", ".pdf", ".png")
#: Dots per inch of a PNG: what journals ask for.
RESOLUTION = 300
#: A point of a picture that has no size in print: CSS has 96 pixels to an inch.
_SCREEN_SCALE = 72 / 96


def check_picture_path(path: str) -> str:
    """Return the format that a file's name asks for, and check that it can be written."""
    suffix = Path(path).suffix.lower()
    if path == "-" or not suffix:
        return ".svg"
    if suffix not in FORMATS:
        msg = (
            f"{path} is not a picture format; name a file that ends in .svg, .pdf "
            "or .png."
        )
        raise FormatError(msg)
    if suffix != ".svg":
        _import_converter(suffix)
    return suffix


def convert_picture(svg: str, suffix: str, width: float | None = None) -> str | bytes:
    """Turn a picture of the chart kit into a file's content: .svg, .pdf or .png.

    A picture with a width in print, in millimetres, has exactly that width in all three.
    """
    if suffix == ".svg":
        if width is None:
            return svg
        return _resize(svg, width, "mm").replace(SCREEN_FONT, PRINT_FONT)
    converter = _import_converter(suffix)
    # A unit of these programs is a point.
    points = _read_size(svg)[0] * _SCREEN_SCALE
    if width is not None:
        points = width * POINTS_PER_MM
    static = _resize(_make_static(svg), points).replace(SCREEN_FONT, PRINT_FONT)
    if suffix == ".pdf":
        return bytes(converter.svg_to_pdf(static))
    return bytes(converter.svg_to_png(static, ppi=RESOLUTION))


def _import_converter(suffix: str) -> Any:
    what = f"A picture as {suffix[1:].upper()}"
    return import_package("vl_convert", what, "vl-convert-python", "pictures")


def _read_size(svg: str) -> tuple[float, float]:
    width, height = re.findall(r' (?:width|height)="([\d.]+)"', svg.split(">", 1)[0])
    return float(width), float(height)


def _resize(svg: str, width: float, unit: str = "") -> str:
    """Give a picture another size; its view stays."""
    head, rest = svg.split(">", 1)
    given_width, given_height = _read_size(svg)
    height = width * given_height / given_width
    for name, size in (("width", width), ("height", height)):
        head = re.sub(rf' {name}="[^"]+"', f' {name}="{size:.6g}{unit}"', head)
    head = re.sub(r' style="[^"]*"', "", head)
    return f"{head}>{rest}"


def _make_static(svg: str) -> str:
    """Give a picture the colours of paper, for programs that know no variables and themes."""
    svg = re.sub(r"@media[^{]*\{ [^{]*\{[^}]*\} \}\n", "", svg)
    return re.sub(r"var\(--(\w+)\)", lambda name: PALETTE[name[1]][0], svg)
