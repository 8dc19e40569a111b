"""The example that comes with metra: two French texts, references, a dozen outputs."""

import shutil
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parent

REMARK = (
    "See scrambled, which has the right words in the wrong order: BLEU puts it last, "
    "precision near the top, because it does not look at order; and see terse, which is "
    "precise and drops half, and verbose, which keeps all and adds as much again, change "
    "places between precision and recall. Intervals that overlap widely, as those of "
    "polished and solid do, say that 28 segments cannot tell two systems apart."
)


@dataclass(frozen=True, slots=True)
class Example:
    """Where the example's files are, and what to see in their scores."""

    outputs: list[str]
    references: list[str]
    source: str
    docs: str
    remark: str = REMARK


def copy_to(folder: str) -> Example:
    """Copy the files to a folder; those that are there already are left alone."""
    target = Path(folder)
    for path in sorted(HOME.rglob("*")):
        place = target / path.relative_to(HOME)
        if path.suffix in (".txt", ".md", ".tsv") and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    return find(target)


def find(home: Path = HOME) -> Example:
    """Name the example's files where they lie."""
    return Example(
        outputs=[str(path) for path in sorted((home / "outputs").glob("*.txt"))],
        references=[str(path) for path in sorted(home.glob("reference.*.txt"))],
        source=str(home / "source.fr.txt"),
        docs=str(home / "docs.txt"),
    )
