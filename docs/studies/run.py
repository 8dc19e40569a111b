"""Recompute the figures and tables of a paper on public data.

    python docs/studies/run.py NAME [DATA-FOLDER [SECTION …]]

NAME is a page of this folder: turian-2003, lavie-2004, federico-2008, babych-2004 or
dabbadie-2002. DATA-FOLDER holds the sets that `data_sets.py` reads, a folder each; without
one it is `../shared/data` beside the checkout (dabbadie-2002 reads none). The numbers go to
NAME.json, the pictures to NAME-*.svg, and both into the generated blocks of NAME.md. With
SECTION only these blocks are recomputed. Texts of the sets are never copied.
"""

import sys
from importlib import import_module
from pathlib import Path

from study_page import HERE, pack_section, read_numbers, write_study

NAMES = ("turian-2003", "lavie-2004", "federico-2008", "babych-2004", "dabbadie-2002")
DATA = HERE.parent.parent.parent / "shared" / "data"


def main(arguments: list[str]) -> int:
    """Run a study, or report what is wrong with the arguments."""
    if not arguments or arguments[0] not in NAMES:
        given = arguments[0] if arguments else "nothing"
        print(
            f"{given!r} is not a study; expected one of {', '.join(NAMES)}.",
            file=sys.stderr,
        )
        return 2
    name, *rest = arguments
    data = Path(rest[0]) if rest else DATA
    study = import_module(name.replace("-", "_"))
    sections = study.SECTIONS
    chosen = rest[1:] or [*sections]
    unknown = [section for section in chosen if section not in sections]
    if unknown:
        known = ", ".join(sections)
        print(f"{name} has no section {unknown[0]!r}; it has {known}.", file=sys.stderr)
        return 2
    own = getattr(study, "OWN", ())
    if not data.is_dir() and any(section not in own for section in chosen):
        print(
            f"{data} is not a folder; name the one that holds the data sets.",
            file=sys.stderr,
        )
        return 2
    numbers = read_numbers(name)
    for section in chosen:
        numbers[section] = pack_section(sections[section](data))
        print(f"{name}: {section}", flush=True)
    write_study(name, {each: numbers[each] for each in sections if each in numbers})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
