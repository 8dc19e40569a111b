"""n-grams that changed, as tables: better first, then worse."""

from collections.abc import Sequence

from metra.insight.ngrams import NgramChange, NgramChanges
from metra.report.comparison import signed
from metra.report.layout import Cell, Sheet

TITLES = {
    "gained": "n-grams of the references that {system} has more often: better",
    "mended": "n-grams beyond those of the references that {system} has less often: better",
    "lost": "n-grams of the references that {system} has less often: worse",
    "broken": "n-grams beyond those of the references that {system} has more often: worse",
}
NOTE = (
    "Counts of both systems and of the references; in how many segments they rose and fell; "
    "weight = (rose − fell) / √(rose + fell + 1), which sorts. (+3): three n-grams inside, "
    "around or beside it tell of the same change."
)


def sheets(changes: NgramChanges) -> list[Sheet]:
    """Lay out each list that has something in it."""
    found = []
    for name, title in TITLES.items():
        entries: Sequence[NgramChange] = getattr(changes, name)
        if entries:
            what = "matched" if name in ("gained", "lost") else "wrong"
            rows = [(_words(entry), _cells(entry, what)) for entry in entries]
            headings = [changes.baseline, changes.system, "references"]
            headings += ["rose", "fell", "weight", "segments"]
            found.append(
                Sheet(name, headings, rows, title.format(system=changes.system))
            )
    return found


def _words(entry: NgramChange) -> str:
    more = f"  (+{entry.stands_for})" if entry.stands_for else ""
    return " ".join(entry.words) + more


def _cells(entry: NgramChange, what: str) -> list[Cell]:
    changed = entry.rose + entry.fell
    places = ", ".join(map(str, entry.segments[:3]))
    return [
        Cell(str(getattr(entry, f"{what}_before"))),
        Cell(str(getattr(entry, f"{what}_after"))),
        Cell(str(entry.reference)),
        Cell(str(entry.rose)),
        Cell(str(entry.fell)),
        Cell(signed(entry.weight, 2)),
        Cell(places + (", …" if changed > 3 else "")),
    ]
