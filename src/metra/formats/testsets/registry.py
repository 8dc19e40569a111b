"""The file of registered test sets: names, files and their checksums.

It is testsets.json in the user's folder of settings, or the file that $METRA_TESTSETS
names. It is replaced as a whole, under a lock, so that programs may add sets at once.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from metra.errors import FormatError, OptionError
from metra.formats.atomic import write_file
from metra.formats.stream import parse_json
from metra.formats.testsets.folders import DOMAINS_AND_DOCUMENTS, read_metrics_eval_set
from metra.formats.testsets.record import SetLocation

ORIGIN = "registered"
SCHEMA = 1

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(?:/[A-Za-z0-9._+-]+)*")


class RegisteredSet(NamedTuple):
    """A registered set, with the SHA-256 of each of its files as it was added."""

    location: SetLocation
    checksums: dict[str, str]


def find_registry() -> Path:
    """Return the path of the registry, whether it is there or not."""
    given = os.environ.get("METRA_TESTSETS")
    return Path(given) if given else find_config_folder() / "testsets.json"


def find_config_folder() -> Path:
    """Return the folder of metra's settings, where the platform keeps such things."""
    if sys.platform == "win32":
        root = os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(root) / "metra"


def read_registry() -> list[RegisteredSet]:
    """Read the registered sets, none where there is no registry."""
    path = find_registry()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read: {error}; it is the registry of test sets."
        raise FormatError(msg) from None
    data = parse_json(text, str(path))
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        msg = (
            f"{path} is not a test set registry of this version: its schema is "
            f"{schema!r}, expected {SCHEMA}."
        )
        raise FormatError(msg)
    try:
        return [_parse_entry(entry) for entry in data["testsets"]]
    except (KeyError, TypeError, AttributeError) as error:
        msg = (
            f"{path} is damaged ({type(error).__name__}: {error}); expected what "
            "`metra testsets add` writes."
        )
        raise FormatError(msg) from None


def _parse_entry(entry: dict[str, Any]) -> RegisteredSet:
    files = {str(key): str(path) for key, path in entry["files"].items()}
    reader = read_metrics_eval_set if DOMAINS_AND_DOCUMENTS in files else None
    location = SetLocation(
        str(entry["name"]),
        str(entry["pair"]),
        ORIGIN,
        files,
        tuple(map(str, entry.get("references", ()))),
        reader,
    )
    return RegisteredSet(location, dict(entry["sha256"]))


def _format_entry(entry: RegisteredSet) -> dict[str, Any]:
    location = entry.location
    return {
        "name": location.name,
        "pair": location.pair,
        "files": dict(location.files),
        "references": list(location.references),
        "sha256": entry.checksums,
    }


def add_sets(locations: Sequence[SetLocation], *, replace: bool = False) -> None:
    """Register sets with the checksums of their files; refuse names that are taken."""
    for location in locations:
        _check_name(location)
    added = [_take_checksums(location) for location in locations]
    keys = {(entry.location.name, entry.location.pair) for entry in added}

    def add(known: list[RegisteredSet]) -> list[RegisteredSet]:
        taken = [
            e.location for e in known if (e.location.name, e.location.pair) in keys
        ]
        if taken and not replace:
            msg = (
                f"{taken[0].title} is already registered; remove it first, or give "
                "another `name`, or `replace`."
            )
            raise OptionError(msg)
        return [e for e in known if e.location not in taken] + added

    change_registry(add)


def _check_name(location: SetLocation) -> None:
    if not _NAME.fullmatch(location.name):
        msg = (
            f"{location.name!r} cannot be the name of a test set; expected letters, "
            "digits and . _ + - /, beginning with a letter or a digit."
        )
        raise OptionError(msg)


def _take_checksums(location: SetLocation) -> RegisteredSet:
    files = {key: os.path.abspath(path) for key, path in location.files.items()}
    sums = {key: compute_checksum(path) for key, path in files.items()}
    return RegisteredSet(location._replace(files=files), sums)


def compute_checksum(path: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        msg = (
            f"{path} cannot be read: {error.strerror}; check the name and its "
            "permissions."
        )
        raise FormatError(msg) from None


def remove_sets(name: str, pair: str = "") -> list[SetLocation]:
    """Take a set off the registry, in one language pair or all; the files stay."""
    removed: list[SetLocation] = []

    def remove(known: list[RegisteredSet]) -> list[RegisteredSet]:
        removed[:] = [
            entry.location
            for entry in known
            if entry.location.name == name and pair in ("", entry.location.pair)
        ]
        if not removed:
            names = sorted({entry.location.title for entry in known})
            title = f"{name}:{pair}" if pair else name
            msg = (
                f"{title} is not registered; {find_registry()} has: "
                f"{', '.join(names) or 'nothing'}."
            )
            raise OptionError(msg)
        return [entry for entry in known if entry.location not in removed]

    change_registry(remove)
    return removed


def change_registry(
    change: Callable[[list[RegisteredSet]], list[RegisteredSet]],
) -> None:
    """Replace the registry by what a function makes of it, while no one else does."""
    path = find_registry()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = (
            f"{path.parent} cannot be created: {error.strerror}; nothing was "
            "registered."
        )
        raise FormatError(msg) from None
    with _lock(path):
        entries = [_format_entry(entry) for entry in change(read_registry())]
        entries.sort(key=lambda entry: (entry["name"], entry["pair"]))
        data = {"schema": SCHEMA, "testsets": entries}
        text = json.dumps(data, ensure_ascii=False, indent=1)
        with write_file(str(path)) as file:
            file.write(f"{text}\n".encode())


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock of the registry, which the system releases if the program dies."""
    aside = path.with_name(f"{path.name}.lock")
    try:
        file = open(aside, "a+b")  # noqa: SIM115 (closed below)
    except OSError as error:
        msg = f"{aside} cannot be written: {error.strerror}; nothing was registered."
        raise FormatError(msg) from None
    with file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            except OSError:
                msg = f"{aside} is locked by another program; try again."
                raise FormatError(msg) from None
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            # Closing the file releases it.
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
