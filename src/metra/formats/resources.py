"""Language resources, installed or given as files, and their versions.

Spelling dictionaries (Hunspell's, or plain lists of words), WordNet, spaCy models and
METEOR's paraphrase tables.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from metra.errors import FormatError, MissingResourceError, require_package
from metra.formats.stream import (
    compute_file_digest,
    compute_file_version,
    get_file_state,
    read_blocks,
    read_text,
)
from metra.limits import LimitError, check_limit

T = TypeVar("T")


class Dictionary:
    """Tells whether it knows a word; each type is looked up once."""

    def __init__(self, knows: Callable[[str], bool], version: str) -> None:
        self.version = version
        self._knows = knows
        self._seen: dict[str, bool] = {}
        self._lock = Lock()  # Hunspell keeps state while it looks

    def knows(self, word: str) -> bool:
        """Return True if the word, or every part of it between hyphens, is in the list."""
        is_known = self._seen.get(word)
        if is_known is None:
            parts = [part for part in word.split("-") if part]
            with self._lock:
                is_known = self._knows(word) or (
                    len(parts) > 1 and all(map(self._knows, parts))
                )
            self._seen[word] = is_known
        return is_known


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


def _load_hunspell(name: str) -> Dictionary:
    path = _find_dictionary(name)
    files = [str(path.with_suffix(suffix)) for suffix in (".dic", ".aff")]
    return _open_hunspell(name, path, tuple(map(get_file_state, files)))


@lru_cache(maxsize=16)
def _open_hunspell(name: str, path: Path, state: object) -> Dictionary:
    """Open a dictionary; its state tells whether the files are still the same."""
    del state
    _check_hunspell(path)
    with require_package(f"The dictionary {name}", "chunspell", "spell"):
        from hunspell import Hunspell
    speller = Hunspell(path.stem, hunspell_data_dir=str(path.parent))

    def knows(word: str) -> bool:
        try:
            return speller.spell(word.replace("’", "'"))
        except UnicodeEncodeError:  # letters that the dictionary's encoding has not
            return False

    reader = f"chunspell {version('chunspell')}"
    return Dictionary(knows, f"{name}[{compute_file_digest(str(path))}, {reader}]")


def _check_hunspell(path: Path) -> None:
    """Refuse files above the limits, and counts of entries above them.

    Hunspell sets memory aside for as many as the first line of a .dic file says.
    """
    for suffix in (".dic", ".aff"):
        file = str(path.with_suffix(suffix))
        check_limit("whole", os.path.getsize(file), file)
    with path.open("rb") as dictionary:
        count = re.search(rb"\d+", dictionary.readline(64))
    if count:
        check_limit("rows", int(count[0]), str(path))


def _load_word_list(path: Path) -> Dictionary:
    if not path.is_file():
        msg = f"No word list at {path}; expected a text with one word per line."
        raise MissingResourceError(msg)
    words = set(read_text(str(path)).split("\n"))
    lower = {word.strip().lower() for word in words if word.strip()}
    return Dictionary(
        lambda word: word.replace("’", "'").lower() in lower,
        compute_file_version(str(path)),
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
    where = f"at {candidates[0]}"
    if len(candidates) > 1:
        places = ", ".join(str(each.parent) for each in candidates)
        where = f"named {name!r} in {places}"
    msg = (
        f"No Hunspell dictionary {where} (a .dic and an .aff file); install Debian's "
        f"package hunspell-{language} or the like, name its folder with the "
        "environment variable DICPATH, give a .dic file's path, or a text (.txt) "
        "with one word per line."
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
    kinds = ("hunspell", "myspell/dicts")
    data = [f"{folder}/{kind}" for kind in kinds for folder in _list_data()]
    return [*asked, *data, *bundled]


_PARTS = ("noun", "verb", "adj", "adv")
WORDNET_FILES = [*map("index.{}".format, _PARTS), *map("{}.exc".format, _PARTS)]
_NLTK_WORDNET = "nltk_data/corpora/wordnet"


def _list_data() -> list[str]:
    """List the folders in which data are kept: the user's, then everybody's."""
    own = os.environ.get("XDG_DATA_HOME") or f"{Path.home()}/.local/share"
    return [own, "/usr/local/share", "/usr/share"]


def find_wordnet_folder(given: str) -> Path:
    """Find the folder: the given one, WNSEARCHDIR, or a usual place."""
    asked = given or os.environ.get("WNSEARCHDIR", "")
    usual = [Path(folder) / "wordnet" for folder in _list_data()]
    folders = [Path(asked)] if asked else [*usual, Path.home() / _NLTK_WORDNET]
    for folder in folders:
        if all((folder / name).is_file() for name in WORDNET_FILES):
            return folder
    listed = ", ".join(map(str, folders))
    where = f"not in {listed}" if asked else f"in none of {listed}"
    msg = (
        f"Synonyms need WordNet's files, which are {where}; install them as Debian's "
        "package wordnet-base, Fedora's wordnet or the like, or give the folder that "
        "holds index.noun and noun.exc with wordnet=FOLDER or the environment variable "
        "WNSEARCHDIR, or leave synonyms out with modules=exact+stem."
    )
    raise MissingResourceError(msg)


def read_wordnet_version(folder: Path) -> str:
    """Read the version off the licence at the head of the index."""
    with (folder / "index.noun").open("rb") as file:
        head = file.read(4096)
    match = re.search(rb"WordNet (\d[\d.]{0,9}\d)", head)
    return match[1].decode() if match else "unknown"


def check_wordnet(folder: Path) -> tuple[object, ...]:
    """Return the state of WordNet's files; refuse files above the limit."""
    paths = [str(folder / name) for name in WORDNET_FILES]
    for path in paths:
        check_limit("whole", os.path.getsize(path), path)
    return tuple(map(get_file_state, paths))


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
    with require_package(f"{owner}: model={model}", "spacy", extra):
        import spacy
    try:
        return SpacyModel(spacy.load(model))
    except (OSError, ImportError):
        installed = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
        msg = (
            f"spaCy has no model {model!r} (installed: {installed}); install one, for example "
            "with: python -m spacy download en_core_web_sm, or give a model's folder."
        )
        raise MissingResourceError(msg) from None


def read_paraphrase_table(path: str) -> Iterator[bytes]:
    """Yield the bytes of a table, packed or plain, block by block."""
    try:
        yield from read_blocks(path)
    except LimitError:
        raise
    except FormatError as error:
        problem = str(error).partition(";")[0]
        msg = (
            f"{problem}; expected METEOR's paraphrase table, three lines per entry "
            "(probability, phrase, paraphrase) in UTF-8, plain or compressed with "
            "gzip."
        )
        raise MissingResourceError(msg) from None
