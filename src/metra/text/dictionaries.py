"""Spelling dictionaries by name or path: Hunspell's, or plain lists of words."""

import os
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from metra.errors import FormatError, MissingResourceError

# Where Debian, other systems and users keep them.
USUAL = (
    "/usr/share/hunspell",
    "/usr/local/share/hunspell",
    "/usr/share/myspell/dicts",
    "/usr/share/myspell",
)


class Dictionary:
    """Tells whether it knows a word; each type is looked up once."""

    def __init__(self, knows: Callable[[str], bool], version: str) -> None:
        self.version = version
        self._knows = knows
        self._seen: dict[str, bool] = {}
        self._lock = Lock()  # Hunspell keeps state while it looks

    def knows(self, word: str) -> bool:
        """Tell whether the word, or every part of it between hyphens, is in the list."""
        found = self._seen.get(word)
        if found is None:
            parts = [part for part in word.split("-") if part]
            with self._lock:
                found = self._knows(word) or (
                    len(parts) > 1 and all(map(self._knows, parts))
                )
            self._seen[word] = found
        return found


def dictionaries(names: str) -> Dictionary:
    """Find one or more dictionaries, with + between their names, as one."""
    found = [_dictionary(name) for name in names.split("+")]
    if len(found) == 1:
        return found[0]
    return Dictionary(
        lambda word: any(one.knows(word) for one in found),
        "+".join(one.version for one in found),
    )


def _dictionary(name: str) -> Dictionary:
    # A list is read anew: it may have grown.
    is_list = name.lower().endswith(".txt")
    return _word_list(Path(name)) if is_list else _hunspell(name)


@lru_cache(maxsize=16)
def _hunspell(name: str) -> Dictionary:
    path = _find(name)
    try:
        from hunspell import Hunspell
    except ImportError:
        msg = (
            f"The dictionary {name} needs the package 'chunspell', which is not installed; "
            "install it with: pip install 'metra[spell]'"
        )
        raise MissingResourceError(msg) from None
    made = Hunspell(path.stem, hunspell_data_dir=str(path.parent))

    def knows(word: str) -> bool:
        try:
            return made.spell(word.replace("’", "'"))
        except UnicodeEncodeError:  # letters that the dictionary's encoding has not
            return False

    reader = f"chunspell {version('chunspell')}"
    return Dictionary(knows, f"{name}[sha256:{_digest(path)}, {reader}]")


def _word_list(path: Path) -> Dictionary:
    if not path.is_file():
        msg = (
            f"There is no list of words at {path}; expected a text with a word a line."
        )
        raise MissingResourceError(msg)
    try:
        words = set(path.read_text(encoding="utf-8-sig").split("\n"))
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 at byte {error.start}; convert the file to UTF-8."
        raise FormatError(msg) from None
    lower = {word.strip().lower() for word in words if word.strip()}
    return Dictionary(
        lambda word: word.replace("’", "'").lower() in lower,
        f"{path}[sha256:{_digest(path)}]",
    )


def _find(name: str) -> Path:
    """Find the .dic file, with its .aff file beside it."""
    given = Path(name)
    if given.suffix == ".dic" or given.parent != Path("."):
        places = [given.with_suffix(".dic")]
    else:
        places = [Path(folder) / f"{name}.dic" for folder in _folders()]
    for place in places:
        if place.is_file() and place.with_suffix(".aff").is_file():
            return place
    language = name.partition("_")[0].lower()
    where = f"at {places[0]}" if len(places) == 1 else f"named {name!r}"
    msg = (
        f"There is no Hunspell dictionary {where} (a .dic and an .aff file); install "
        f"Debian's package hunspell-{language} or the like, give a .dic file's path, or "
        "a text (.txt) with a word a line."
    )
    raise MissingResourceError(msg)


def _folders() -> list[str]:
    asked = filter(None, os.environ.get("DICPATH", "").split(os.pathsep))
    return [*asked, *USUAL, *_beside_reader()]


def _beside_reader() -> list[str]:
    """The reader brings an English dictionary along."""
    from importlib.util import find_spec

    found = find_spec("hunspell")
    if found is None or found.origin is None:
        return []
    return [str(Path(found.origin).parent / "dictionaries")]


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]
