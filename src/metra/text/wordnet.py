"""Where WordNet is: a folder with its index and exception files."""

import os
import re
from functools import cache
from pathlib import Path

from metra.errors import MissingResourceError

# Where Debian's wordnet-base and WordNet's own installer put the files.
USUAL = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/usr/share/wordnet/dict")

NEEDED = [
    name
    for part in ("noun", "verb", "adj", "adv")
    for name in (f"index.{part}", f"{part}.exc")
]


def wordnet_folder(given: str) -> Path:
    """Find the folder: the one that is given, WNSEARCHDIR, or a usual place."""
    asked = given or os.environ.get("WNSEARCHDIR", "")
    for place in [asked] if asked else USUAL:
        folder = Path(place)
        if all((folder / name).is_file() for name in NEEDED):
            return folder
    where = f"not in {asked}" if asked else "in none of the usual places"
    msg = (
        f"Synonyms need WordNet's files, which are {where}; install Debian's package "
        "wordnet-base, or give the folder that holds index.noun and noun.exc with "
        "wordnet=FOLDER, or leave synonyms out with modules=exact+stem."
    )
    raise MissingResourceError(msg)


@cache
def wordnet_version(folder: Path) -> str:
    """Read the version off the licence at the head of the index."""
    with (folder / "index.noun").open(encoding="utf-8") as file:
        head = "".join(line for line, _ in zip(file, range(30), strict=False))
    found = re.search(r"WordNet (\d[\d.]*\d)", head)
    return found[1] if found else "unknown"
