"""Running text with marked words, in lines that fit the screen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from unicodedata import bidirectional

from metra.report.glyphs import pieces, shown
from metra.report.layout import Style
from metra.report.table import styled, width

#: Sentences are not set in longer lines than this, however wide the screen is.
WIDEST = 96

_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words that are marked alike: what stands before and after them, and their colour."""

    text: str
    #: Whether white space follows.
    space: bool
    opening: str = ""
    closing: str = ""
    color: str = ""


def lines(
    stretches: Sequence[Stretch], label: str, room: int, most: int, style: Style
) -> list[str]:
    """Set a text beside its label, broken at blanks, cut after so many lines."""
    size = max(room - len(label), 20)
    found: list[str] = []
    line, used = "", 0
    atoms = list(_atoms(stretches, size))
    for at, (text, color, glued) in enumerate(atoms):
        gap = 0 if glued or not used else 1
        if used and used + gap + width(text) > size:
            found.append(line)
            if len(found) == most:
                found[-1] += f" … {len(atoms) - at:,} more words"
                break
            line, used, gap = "", 0, 0
        line += " " * gap + styled(text, color, style) if color else " " * gap + text
        used += gap + width(text)
    else:
        found.append(line)
    indent = " " * len(label)
    return [
        f"{indent if at else label}{_isolated(line)}".rstrip()
        for at, line in enumerate(found)
    ]


def merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Put neighbours that have the same marks under one pair of them, each in its colour."""
    signs = ["", *(stretch.opening for stretch in stretches), ""]
    return [
        replace(
            stretch,
            opening="" if before == stretch.opening else stretch.opening,
            closing="" if after == stretch.opening else stretch.closing,
        )
        for before, stretch, after in zip(signs, stretches, signs[2:], strict=False)
    ]


def fitted(text: str, style: Style) -> str:
    """Break a sentence of ours into lines."""
    return "\n".join(wrap(text, min(style.width or WIDEST, WIDEST)))


def _atoms(stretches: Sequence[Stretch], size: int) -> Iterator[tuple[str, str, bool]]:
    """Cut into what must stay on one line: text, colour, whether it follows without blank."""
    glued = True
    for stretch in stretches:
        words = stretch.text.split()
        for at, word in enumerate(words):
            text = shown(word)
            if at == 0:
                text = stretch.opening + text
            if at == len(words) - 1:
                text += stretch.closing
            for part in pieces(text, size):
                yield part, stretch.color, glued
                glued = True
            glued = False
        glued = glued if not words else not stretch.space


def _isolated(line: str) -> str:
    """Keep right-to-left text from changing places with what stands beside it."""
    if any(bidirectional(c) in _RIGHT_TO_LEFT for c in line):
        return f"{_ISOLATE}{line}{_END_OF_ISOLATE}"
    return line
