"""A file that says one thing of each name: the name, a tab, and what is said."""

from metra.errors import FormatError
from metra.io.stream import shown
from metra.meta.read.cells import lines_of


def named_pairs(path: str) -> dict[str, str]:
    """Read names with what is said of them; each name once."""
    found: dict[str, str] = {}
    for at, line in enumerate(lines_of(path), 1):
        name, tab, said = line.partition("\t")
        if not tab or name in found:
            what = "names a system twice" if tab else "has no tab"
            msg = f"{shown(path)}, line {at} {what}; expected NAME, a tab, CLASS."
            raise FormatError(msg)
        found[name] = said.strip()
    return found
