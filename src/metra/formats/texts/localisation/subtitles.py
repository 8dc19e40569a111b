"""Subtitles: one unit for each time, whose lines are joined.

A time is the id, so that files whose times differ are not compared line by line.
"""

import html
import re
from collections.abc import Iterator

from metra.formats.markers import CLOCK
from metra.formats.stream import read_bytes
from metra.formats.texts.localisation.catalogues import decode
from metra.formats.texts.localisation.units import Unit, refuse

#: The line above the text: 00:00:01,000 --> 00:00:02,000 and, in SubViewer, with a comma.
_TIMES = re.compile(rf"\s*{CLOCK}(?:\s*-->\s*|,){CLOCK}(?:\s.*)?")
#: Tags of formatting, and their like in SubStation's braces.
_TAGS = re.compile(r"</?[a-zA-Z\d][^<>]*>|\{\\[^{}]*\}")


def list_units(path: str, _: str, codes: str, encoding: str) -> Iterator[Unit]:
    """List the subtitles of a file."""
    text = decode(read_bytes(path), path, encoding)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    is_substation = "[Events]" in lines
    cues = _list_events(lines) if is_substation else _list_cues(lines, path)
    for time, shown in cues:
        if codes == "drop":
            shown = _TAGS.sub("", shown)
        if lines[0].startswith("WEBVTT"):
            shown = html.unescape(shown)
        yield Unit(_format_time(time), None, shown.strip())


def _format_time(time: str) -> str:
    """Write a time as all formats have it.

    >>> _format_time("1:02,5"), _format_time("0:01:02.50")
    ('00:01:02.500', '00:01:02.500')
    """
    clock, _, rest = time.replace(",", ".").partition(".")
    parts = ["0", *clock.split(":")][-3:]
    return f"{':'.join(part.zfill(2) for part in parts)}.{rest:0<3}"


def _list_cues(lines: list[str], path: str) -> Iterator[tuple[str, str]]:
    """List blocks of a number or name, a line of times and lines of text."""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            block.append(line)
            continue
        starts = [at for at, each in enumerate(block) if _TIMES.fullmatch(each)]
        first = block[0] if block else "WEBVTT"
        if starts in ([0], [1]):
            text = "\n".join(block[starts[0] + 1 :])
            yield re.findall(CLOCK, block[starts[0]])[0], text
        elif not first.startswith(("WEBVTT", "NOTE", "STYLE", "REGION")):
            problem = f"begins a subtitle without one line of times: {first[:40]!r}"
            expected = "expected 00:00:01,000 --> 00:00:02,000."
            refuse(path, f"{problem}; {expected}", f"line {number - len(block)}")
        block = []


def _list_events(lines: list[str]) -> Iterator[tuple[str, str]]:
    """List the dialogue of SubStation's events; comments and drawings are not shown."""
    columns: list[str] = []
    for line in lines[lines.index("[Events]") :]:
        kind, _, rest = line.partition(":")
        if kind == "Format":
            columns = [name.strip().lower() for name in rest.split(",")]
        elif kind == "Dialogue" and columns:
            cells = rest.split(",", len(columns) - 1)
            row = dict(zip(columns, map(str.strip, cells), strict=False))
            text = row.get("text", "")
            if not re.search(r"\{[^}]*\\p[1-9]", text):
                yield row["start"], re.sub(r"\\[Nn]", "\n", text).replace(r"\h", " ")
