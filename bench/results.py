"""RESULTS.md: the tables of a run; and sections of pages that several scripts write."""

import time
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent / "RESULTS.md"

INTRODUCTION = """\
# How fast metra is

Written by `python bench/run.py --full --write-results`; do not edit.

Each task first checks that metra and its peer give the same results on the same text:
statistics of each segment if the peer shows them, otherwise scores to nine digits. Then
it times both alternately in one process, on one thread (also bleuscore and numpy's linear
algebra), without garbage collection and with empty sacreBLEU caches. Times are CPU time
per segment, or wall time per run of a command. A ratio is the median over the rounds. A
goal is met if three quarters of the rounds reach it.
"""


def heading(machine: dict[str, Any], origin: str) -> str:
    """Name machine, versions and texts in a few lines."""
    versions = ", ".join(
        f"{name} {found}" for name, found in machine["versions"].items()
    )
    load = machine["load"][0]
    return (
        f"{machine['cores']} cores of {machine['cpu']}, {machine['system']}, Python "
        f"{machine['python']}, load {load:.1f}; {versions}; text: {origin}."
    )


def write(machine: dict[str, Any], origin: str, report: str) -> None:
    """Rewrite the page."""
    date = time.strftime("%d %B %Y")
    page = f"{INTRODUCTION}\n{date}. {heading(machine, origin)}\n\n{report}\n"
    HOME.write_text(page, encoding="utf-8")


def replace_section(page: Path, heading: str, text: str) -> None:
    """Put a text below `## heading` of a page, in place of what is there or at the end.

    Everything else on the page stays, so that several scripts can share it.
    """
    before, after = page.read_text(encoding="utf-8"), ""
    # A line break on both sides, so that the first and the last line are lines too.
    start = f"\n{before}\n".find(f"\n## {heading}\n")
    if start >= 0:
        before, rest = before[:start], before[start + 3 :]
        _, mark, after = rest.partition("\n## ")
        after = f"\n{mark[1:]}{after}" if mark else ""
    section = f"## {heading}\n\n{text.strip()}\n"
    whole = f"{before.rstrip()}\n\n{section}{after}".lstrip("\n")
    page.write_text(whole, encoding="utf-8")
