"""Test sets of sacreBLEU: its catalogue and its cache.

The package sacrebleu defines the sets, downloads and unpacks them, and writes a plain file
for each field of a language pair: NAME/NAME.PAIR.FIELD in $SACREBLEU or ~/.sacrebleu (a
slash in the name becomes an underscore, and ref:A the field ref-A). metra reads these files.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from metra.errors import MissingResourceError, missing_package
from metra.formats.testsets.record import (
    DOCUMENTS,
    REFERENCE,
    SACREBLEU,
    SOURCE,
    SetLocation,
)

#: The fields that a set has, in their order; others are outputs of systems.
_FIELDS = (SOURCE, REFERENCE, DOCUMENTS, "origlang", "domain", "genre")


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
    """List the plain files of a language pair by their fields, without outputs."""
    prefix = f"{definition.name.replace('/', '_')}.{pair}."
    paths = sorted((root / definition.name).glob(f"{prefix}*"))
    files = {path.name.removeprefix(prefix): str(path) for path in paths}
    return {
        name.replace("ref-", f"{REFERENCE}:", 1): path
        for field in _FIELDS
        for name, path in files.items()
        if name == field or (field == REFERENCE and name.startswith("ref-"))
    }


def get_references(definition: Any, pair: str) -> tuple[str, ...]:
    """Return the names of the references that sacreBLEU scores against; empty: all."""
    names = definition.kwargs.get("refs", ())
    if isinstance(definition.langpairs[pair], dict):
        names = definition.langpairs[pair].get("refs", names)
    return tuple(name or REFERENCE for name in names)
