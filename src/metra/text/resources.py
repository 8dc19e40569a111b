"""Language resources that are installed or given as files, and their versions.

Spelling dictionaries (Hunspell's, or plain lists of words), WordNet, spaCy models and
METEOR's paraphrase tables.
"""

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from metra.errors import FormatError, MissingResourceError, missing_package

T = TypeVar("T")

# Where Debian, other systems and users keep Hunspell's dictionaries.
HUNSPELL_FOLDERS = (
    "/usr/share/hunspell",
    "/usr/local/share/hunspell",
    "/usr/share/myspell/dicts",
    "/usr/share/myspell",
)


def compute_digest(content: bytes) -> str:
    """Return a short digest, for signatures.

    >>> compute_digest(b"")
    'sha256:e3b0c44298fc'
    """
    return f"sha256:{sha256(content).hexdigest()[:12]}"


class Dictionary:
    """Tells whether it knows a word; each type is looked up once."""

    def __init__(self, knows: Callable[[str], bool], version: str) -> None:
        self.version = version
        self._knows = knows
        self._seen: dict[str, bool] = {}
        self._lock = Lock()  # Hunspell keeps state while it looks

    def knows(self, word: str) -> bool:
        """Whether the word, or every part of it between hyphens, is in the list."""
        known = self._seen.get(word)
        if known is None:
            parts = [part for part in word.split("-") if part]
            with self._lock:
                known = self._knows(word) or (
                    len(parts) > 1 and all(map(self._knows, parts))
                )
            self._seen[word] = known
        return known


def load_dictionaries(names: str) -> Dictionary:
    """Load one or more dictionaries, with + between their names, as one."""
    # A list is read anew: it may have grown.
    loaded = [
        _load_word_list(Path(name))
        if name.lower().endswith(".txt")
        else _load_hunspell(name)
        for name in names.split("+")
    ]
    if len(loaded) == 1:
        return loaded[0]
    return Dictionary(
        lambda word: any(dictionary.knows(word) for dictionary in loaded),
        "+".join(dictionary.version for dictionary in loaded),
    )


@lru_cache(maxsize=16)
def _load_hunspell(name: str) -> Dictionary:
    path = _find_dictionary(name)
    try:
        from hunspell import Hunspell
    except ImportError:
        msg = missing_package(f"The dictionary {name}", "chunspell", "spell")
        raise MissingResourceError(msg) from None
    speller = Hunspell(path.stem, hunspell_data_dir=str(path.parent))

    def knows(word: str) -> bool:
        try:
            return speller.spell(word.replace("’", "'"))
        except UnicodeEncodeError:  # letters that the dictionary's encoding has not
            return False

    reader = f"chunspell {version('chunspell')}"
    return Dictionary(knows, f"{name}[{compute_digest(path.read_bytes())}, {reader}]")


def _load_word_list(path: Path) -> Dictionary:
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
        f"{path}[{compute_digest(path.read_bytes())}]",
    )


def _find_dictionary(name: str) -> Path:
    """Find the .dic file, with its .aff file beside it."""
    path = Path(name)
    if path.suffix == ".dic" or path.parent != Path("."):
        candidates = [path.with_suffix(".dic")]
    else:
        candidates = [Path(folder) / f"{name}.dic" for folder in _list_folders()]
    for candidate in candidates:
        if candidate.is_file() and candidate.with_suffix(".aff").is_file():
            return candidate
    language = name.partition("_")[0].lower()
    where = f"at {candidates[0]}" if len(candidates) == 1 else f"named {name!r}"
    msg = (
        f"There is no Hunspell dictionary {where} (a .dic and an .aff file); install "
        f"Debian's package hunspell-{language} or the like, give a .dic file's path, or "
        "a text (.txt) with a word a line."
    )
    raise MissingResourceError(msg)


def _list_folders() -> list[str]:
    """List the folders that the user names, the usual ones, and that of the reader."""
    from importlib.util import find_spec

    asked = filter(None, os.environ.get("DICPATH", "").split(os.pathsep))
    package = find_spec("hunspell")
    origin = package.origin if package else None
    # The reader brings an English dictionary along.
    bundled = [str(Path(origin).parent / "dictionaries")] if origin else []
    return [*asked, *HUNSPELL_FOLDERS, *bundled]


# Where Debian's wordnet-base and WordNet's own installer put the files.
WORDNET_FOLDERS = (
    "/usr/share/wordnet",
    "/usr/local/WordNet-3.0/dict",
    "/usr/share/wordnet/dict",
)

_PARTS = ("noun", "verb", "adj", "adv")
WORDNET_FILES = [f"index.{part}" for part in _PARTS] + [
    f"{part}.exc" for part in _PARTS
]


def find_wordnet_folder(given: str) -> Path:
    """Find the folder: the one that is given, WNSEARCHDIR, or a usual place."""
    asked = given or os.environ.get("WNSEARCHDIR", "")
    for place in [asked] if asked else WORDNET_FOLDERS:
        folder = Path(place)
        if all((folder / name).is_file() for name in WORDNET_FILES):
            return folder
    where = f"not in {asked}" if asked else "in none of the usual places"
    msg = (
        f"Synonyms need WordNet's files, which are {where}; install Debian's package "
        "wordnet-base, or give the folder that holds index.noun and noun.exc with "
        "wordnet=FOLDER, or leave synonyms out with modules=exact+stem."
    )
    raise MissingResourceError(msg)


@cache
def read_wordnet_version(folder: Path) -> str:
    """Read the version off the licence at the head of the index."""
    with (folder / "index.noun").open(encoding="utf-8") as file:
        head = "".join(line for line, _ in zip(file, range(30), strict=False))
    match = re.search(r"WordNet (\d[\d.]*\d)", head)
    return match[1] if match else "unknown"


class SpacyModel:
    """A loaded spaCy model and, for signatures, its version and spaCy's."""

    def __init__(self, pipeline: Any) -> None:
        about = pipeline.meta
        name = f"{about['lang']}_{about['name']} {about['version']}"
        self.version = f"{name}, spaCy {version('spacy')}"
        self.pipeline = pipeline
        self._lock = Lock()  # a pipeline keeps state while it works

    def read(self, texts: Iterable[str], convert: Callable[[Any], T]) -> list[T]:
        """Read every text, and convert what the model makes of it."""
        with self._lock:
            return [convert(doc) for doc in self.pipeline.pipe(texts)]


@lru_cache(maxsize=8)
def load_spacy_model(model: str, *, owner: str, extra: str) -> SpacyModel:
    """Load a model by its package's name or its folder, or say how to install it."""
    try:
        import spacy
    except ImportError:
        msg = missing_package(f"{owner}: model={model}", "spacy", extra)
        raise MissingResourceError(msg) from None
    try:
        return SpacyModel(spacy.load(model))
    except (OSError, ImportError):
        known = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
        msg = (
            f"spaCy has no model {model!r} (installed: {known}); install one, for example "
            "with: python -m spacy download en_core_web_sm, or give a model's folder."
        )
        raise MissingResourceError(msg) from None


def read_paraphrase_table(path: str) -> str:
    """Read a table, packed with gzip or plain."""
    try:
        table = Path(path).read_bytes()
        if table.startswith(b"\x1f\x8b"):
            table = gzip.decompress(table)
        return table.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        msg = (
            f"{path} cannot be read as a paraphrase table: {error}; expected METEOR's "
            "three lines an entry (probability, phrase, paraphrase) in UTF-8, plain or "
            "packed with gzip."
        )
        raise MissingResourceError(msg) from None


def compute_table_digest(path: str) -> str:
    """Name a table by its digest, for signatures."""
    try:
        return compute_digest(Path(path).read_bytes())
    except OSError as error:
        msg = f"The paraphrase table {path} cannot be read: {error.strerror}."
        raise MissingResourceError(msg) from None
