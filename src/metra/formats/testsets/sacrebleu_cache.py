"""Test sets of sacreBLEU: its catalogue, its cache and its downloads.

The package sacrebleu defines the sets, downloads and unpacks them, and writes a plain file
for each field of a language pair: NAME/NAME.PAIR.FIELD in $SACREBLEU or ~/.sacrebleu (a
slash in the name becomes an underscore, and ref:A the field ref-A). metra reads these files.
"""

import os
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any

from metra.errors import (
    FormatError,
    MissingResourceError,
    UnknownNameError,
    missing_package,
    no_such,
)
from metra.formats.testsets.record import (
    DOCUMENTS,
    OUTPUT,
    REFERENCE,
    SACREBLEU,
    SOURCE,
    SetLocation,
)

#: The kinds of fields in the order in which they are listed.
_KINDS = (SOURCE, REFERENCE, DOCUMENTS, "origlang", "domain", "genre", OUTPUT)


MISSING_PACKAGE = missing_package(
    "Reading test sets of sacreBLEU", "sacrebleu", "testsets"
)


def find_cache() -> Path:
    """Return the folder of the cache; it may not exist."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")


def load_definitions() -> Mapping[str, Any]:
    """Return the sets that sacreBLEU defines; refuse if it is not installed."""
    try:
        from sacrebleu.dataset import DATASETS
    except ImportError:
        raise MissingResourceError(MISSING_PACKAGE) from None
    return DATASETS


def is_installed() -> bool:
    """Tell whether the package sacrebleu is installed, without loading it."""
    from importlib.util import find_spec

    return find_spec("sacrebleu") is not None


def list_cached_sets(name: str = "", pair: str = "") -> Iterator[SetLocation]:
    """Yield the sets of the cache in every language pair that has plain files.

    Without the package sacrebleu, only a named set is an error.
    """
    root = find_cache()
    if not (root / name).is_dir() or not (name or is_installed()):
        return
    for own_name, definition in sorted(load_definitions().items()):
        if name not in ("", own_name) or not (root / own_name).is_dir():
            continue
        for each in sorted(definition.langpairs):
            files = _list_files(root, definition, each) if pair in ("", each) else {}
            if SOURCE in files and any(key.startswith(REFERENCE) for key in files):
                references = get_references(definition, each)
                yield SetLocation(own_name, each, SACREBLEU, files, references)


def _list_files(root: Path, definition: Any, pair: str) -> dict[str, str]:
    """List the plain files of a language pair by their fields."""
    prefix = f"{definition.name.replace('/', '_')}.{pair}."
    paths = sorted((root / definition.name).glob(f"{prefix}*"))
    files = {_name_field(path.name.removeprefix(prefix)): str(path) for path in paths}
    keys = sorted(files, key=lambda key: _KINDS.index(key.partition(":")[0]))
    return {key: files[key] for key in keys}


def _name_field(field: str) -> str:
    """Return the field of a file of the cache, by the end of its name.

    >>> _name_field("ref-A"), _name_field("docid"), _name_field("online-B")
    ('ref:A', 'docid', 'hyp:online-B')
    """
    kind, dash, name = field.partition("-")
    if kind == REFERENCE:
        return f"{kind}:{name}" if dash else kind
    return field if field in _KINDS[:-1] else f"{OUTPUT}:{field}"


def _process_set(root: Path, definition: Any, pair: str) -> None:
    """Let sacreBLEU download missing archives of a set and write its plain files."""
    placed = copy(definition)
    placed._outdir = str(root / definition.name)
    placed._rawdir = str(root / definition.name / "raw")
    try:
        placed.process_to_text(pair or None)
    except (Exception, SystemExit) as error:  # sacreBLEU lets any error through
        is_exit = isinstance(error, SystemExit)
        reason = "wrong checksum or certificate" if is_exit else _shorten(error)
        msg = f"sacreBLEU cannot prepare {definition.name}: {reason}"
        raise FormatError(msg) from None


def _shorten(error: BaseException) -> str:
    """Return the message; tarfile lists a reason for every packing, in lines."""
    return str(error).partition("\n")[0].rstrip(": ")


def list_archives(root: Path, definition: Any) -> list[tuple[Path, str, str]]:
    """List the archives of a set: path in the cache, address and MD5."""
    raw = root / definition.name / "raw"
    prefix = definition.name.replace("/", "_")
    sums = definition.md5 or [""] * len(definition.data)
    return [
        (raw / f"{prefix}.{address.rpartition('/')[2]}", address, checksum)
        for address, checksum in zip(definition.data, sums, strict=True)
    ]


def get_references(definition: Any, pair: str) -> tuple[str, ...]:
    """Return the names of the references that sacreBLEU scores against; empty: all."""
    names = definition.kwargs.get("refs", ())
    if isinstance(definition.langpairs[pair], dict):
        names = definition.langpairs[pair].get("refs", names)
    return tuple(name or REFERENCE for name in names)


def fetch_set(name: str, pair: str = "") -> list[Path]:
    """Download a set into sacreBLEU's cache, write its plain files and return the archives.

    Archives in the cache are not downloaded again; one that fails is deleted.
    """
    definitions = load_definitions()
    if name not in definitions:
        raise UnknownNameError(no_such("test set of sacreBLEU", name, definitions))
    definition = definitions[name]
    if pair and pair not in definition.langpairs:
        pairs = definition.langpairs
        raise UnknownNameError(no_such("language pair", pair, pairs, owner=name))
    root = find_cache()
    archives = list_archives(root, definition)
    missing = [each for each in archives if not each[0].is_file()]
    try:
        _process_set(root, definition, pair)
    except FormatError as error:
        for path, _, _ in missing:
            path.unlink(missing_ok=True)
        addresses = ", ".join(address for _, address, _ in missing)
        source = f"; nothing was kept of {addresses}" if missing else ""
        msg = f"{error}{source}."
        raise FormatError(msg) from None
    return [path for path, _, _ in archives]
