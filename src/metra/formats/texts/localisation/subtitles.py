"""Subtitles: one unit for each time, whose lines are joined.

A time is the id, so that files whose times differ are not compared line by line.
"""

import html
import re
from collections.abc import Iterator

from metra.errors import FormatError
from metra.formats.stream import format_path, read_bytes
from metra.formats.texts.localisation.catalogues import decode
from metra.formats.texts.localisation.units import Unit

_CLOCK = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
#: The line above the text: 00:00:01,000 --> 00:00:02,000 and, in SubViewer, with a comma.
_TIMES = re.compile(rf"\s*({_CLOCK})(?:\s*-->\s*|,)({_CLOCK})(?:\s.*)?")
#: Tags of formatting, and their like in SubStation's braces.
_TAGS = re.compile(r"</?[a-zA-Z\d][^<>]*>|\{\\[^{}]*\}")


def list_units(path: str, _: str, codes: str, encoding: str) -> Iterator[Unit]:
    """List the subtitles of a file."""
    text = decode(read_bytes(path), path, encoding)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    is_substation = "[Events]" in lines
    for time, shown in (
        _list_events(lines) if is_substation else _list_cues(lines, path)
    ):
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
        times = [
            (at, match)
            for at, each in enumerate(block)
            if (match := _TIMES.fullmatch(each))
        ]
        first = block[0] if block else "WEBVTT"
        if len(times) == 1 and times[0][0] < 2:
            [(at, time)] = times
            yield time[1], "\n".join(block[at + 1 :])
        elif not first.startswith(("WEBVTT", "NOTE", "STYLE", "REGION")):
            place = f"{format_path(path)}, line {number - len(block)}"
            problem = f"{place} begins a subtitle without one line of times"
            msg = f"{problem}: {first[:40]!r}; expected 00:00:01,000 --> 00:00:02,000."
            raise FormatError(msg)
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
