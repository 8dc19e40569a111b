"""Labels of segments, and other lists of lines that belong to no corpus."""

from collections.abc import Sequence

from metra.errors import OptionError
from metra.io.plain import Lines
from metra.io.stream import stem


def read_lines(path: str, *, most: int = 65_536) -> list[str]:
    """Read a whole file of lines, packed or not."""
    lines = Lines(path)
    found: list[str] = []
    while True:
        text = lines.read(most)
        found.extend(text[at] or "" for at in range(len(text)))
        if len(text) < most:
            return found


def read_labels(specs: Sequence[str]) -> dict[str, list[str]]:
    """Read the files named by NAME=FILE, or by FILE, whose name then names the labels."""
    found: dict[str, list[str]] = {}
    for spec in specs:
        name, equals, path = spec.partition("=")
        if not equals:
            name, path = stem(spec), spec
        if name in found:
            msg = f"Two lists of labels are named {name!r}; give one another NAME=FILE."
            raise OptionError(msg)
        found[name] = read_lines(path)
    return found
