"""Test sets that sacreBLEU defines, fetched into its cache; only when asked for."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from metra.errors import FormatError, MissingResourceError, UnknownNameError, no_such
from metra.formats.atomic import write_file
from metra.formats.testsets import sacrebleu_cache
from metra.formats.testsets.sacrebleu_cache import list_archives, load_definitions

_BLOCK = 1 << 20


def fetch_set(
    name: str, pair: str = "", *, report: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Download a set into sacreBLEU's cache, unpack it and write its plain files.

    An archive that is there already is not downloaded again. `report` is told each address
    before it is opened. Returns the archives.
    """
    definitions = load_definitions()
    if not definitions:
        msg = (
            f"Fetching {name} needs sacreBLEU's test set definitions, and the package "
            "'sacrebleu' is not installed; install it with: pip install sacrebleu"
        )
        raise MissingResourceError(msg)
    if name not in definitions:
        raise UnknownNameError(no_such("test set of sacreBLEU", name, definitions))
    definition = definitions[name]
    if pair and pair not in definition.langpairs:
        known = definition.langpairs
        raise UnknownNameError(no_such("language pair", pair, known, owner=name))
    cache = sacrebleu_cache.find_cache()
    archives = []
    for path, address, checksum in list_archives(cache, definition):
        if not path.is_file() or not path.stat().st_size:
            report(address)
            _download(address, path, checksum)
            _unpack(path)
        archives.append(path)
    _write_texts(definition, pair or None)
    return archives


def _download(address: str, path: Path, checksum: str) -> None:
    """Download a file that is whole and has this MD5, or is not there."""
    from hashlib import md5
    from http.client import HTTPException
    from urllib.request import urlopen

    digest = md5(usedforsecurity=False)
    aside = path.with_suffix(".part")
    try:
        with urlopen(address) as remote:
            path.parent.mkdir(parents=True, exist_ok=True)
            with write_file(str(aside)) as file:
                for block in _read_blocks(remote, address):
                    digest.update(block)
                    file.write(block)
    except (HTTPException, OSError) as error:
        raise MissingResourceError(_describe_failure(address, error)) from None
    if checksum and digest.hexdigest() != checksum:
        aside.unlink()
        msg = (
            f"{address} has the MD5 {digest.hexdigest()}, but sacreBLEU expects "
            f"{checksum}; nothing was written."
        )
        raise FormatError(msg)
    os.replace(aside, path)


def _read_blocks(remote: Any, address: str) -> Iterator[bytes]:
    from http.client import HTTPException

    try:
        while block := remote.read(_BLOCK):
            yield block
    except (HTTPException, OSError) as error:
        raise MissingResourceError(_describe_failure(address, error)) from None


def _describe_failure(address: str, error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return f"{address} cannot be fetched: {reason}; nothing was written."


def _unpack(path: Path) -> None:
    """Unpack an archive into its folder; one that cannot be is taken away again."""
    import tarfile
    import zipfile

    try:
        if path.name.endswith((".tar.gz", ".tgz")):
            with tarfile.open(path) as archive:
                archive.extractall(path.parent, filter="data")
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                packed.extractall(path.parent)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as error:
        path.unlink(missing_ok=True)
        # tarfile lists a reason for every packing that it knows.
        reason = str(error).partition(":\n")[0]
        msg = f"{path} cannot be unpacked: {reason}; the download was deleted."
        raise FormatError(msg) from None


def _write_texts(definition: Any, pair: str | None) -> None:
    """Let sacreBLEU write its plain files, so that it and metra read the same."""
    try:
        definition.process_to_text(pair)
    except (OSError, ValueError, SystemExit) as error:
        msg = f"sacreBLEU could not write the texts of {definition.name}: {error}."
        raise FormatError(msg) from None
