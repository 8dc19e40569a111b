"""Lists of commands in text files, with names and alternatives.

A line `NAME = text` gives a name to a text. In commands, <NAME> stands for it, and <a|b> for
each of the alternatives in turn. Lines that begin with # are comments.
"""

import re
from collections.abc import Mapping
from pathlib import Path


def read_list(path: Path) -> tuple[str, dict[str, str]]:
    """Return the lines of a list without its comments, and the names."""
    content = re.sub("^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return content, dict(re.findall(r"^([A-Z]+) = (.+)$", content, re.MULTILINE))


def expand(line: str, names: Mapping[str, str]) -> list[str]:
    """Replace names, and repeat a line with each of its alternatives."""
    place = re.search("<([^<>]*)>", line)
    if place is None:
        return [line]
    before, after = line[: place.start()], line[place.end() :]
    parts = place[1].split("|") if "|" in place[1] else [names[place[1]]]
    return [each for part in parts for each in expand(f"{before}{part}{after}", names)]
