"""The file of registered test sets: their names and files.

It is testsets.json in the user's folder of settings, or the file that $METRA_TESTSETS
names. It is replaced as a whole, under a lock, so that programs may add sets at once.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from metra.errors import FormatError, OptionError
from metra.formats.atomic import write_file
from metra.formats.stream import parse_json
from metra.formats.testsets.record import SetLocation

ORIGIN = "registered"
SCHEMA = 1

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(?:/[A-Za-z0-9._+-]+)*")


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


def list_registered(name: str = "", _: str = "") -> Iterator[SetLocation]:
    """Yield the registered sets, or those of one name."""
    yield from (each for each in read_registry() if name in ("", each.name))


def read_registry() -> list[SetLocation]:
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


def _parse_entry(entry: dict[str, Any]) -> SetLocation:
    return SetLocation(
        str(entry["name"]),
        str(entry["pair"]),
        ORIGIN,
        {str(key): str(path) for key, path in entry["files"].items()},
        tuple(map(str, entry.get("references", ()))),
    )


def _format_entry(location: SetLocation) -> dict[str, Any]:
    return {
        "name": location.name,
        "pair": location.pair,
        "files": dict(location.files),
        "references": list(location.references),
    }


def add_sets(locations: Sequence[SetLocation], *, replace: bool = False) -> None:
    """Register sets with absolute paths; refuse names in use."""
    added = []
    for location in locations:
        _check_name(location)
        paths = {key: os.path.abspath(path) for key, path in location.files.items()}
        added.append(location._replace(files=paths))
    titles = {location.title for location in added}
    with _change_registry() as registered:
        taken = [each for each in registered if each.title in titles]
        if taken and not replace:
            msg = (
                f"{taken[0].title} is already registered; remove it first, or give "
                "another `name`, or `replace`."
            )
            raise OptionError(msg)
        registered[:] = [each for each in registered if each not in taken] + added


def _check_name(location: SetLocation) -> None:
    if not _NAME.fullmatch(location.name):
        msg = (
            f"{location.name!r} cannot be the name of a test set; expected letters, "
            "digits and . _ + - /, beginning with a letter or a digit."
        )
        raise OptionError(msg)


def remove_sets(name: str, pair: str = "") -> list[SetLocation]:
    """Take a set off the registry, in one language pair or all; the files stay."""
    with _change_registry() as registered:
        removed = [e for e in registered if e.name == name and pair in ("", e.pair)]
        if not removed:
            titles = ", ".join(sorted({each.title for each in registered}))
            msg = (
                f"{f'{name}:{pair}' if pair else name} is not registered; "
                f"{find_registry()} has: {titles or 'nothing'}."
            )
            raise OptionError(msg)
        registered[:] = [each for each in registered if each not in removed]
    return removed


@contextmanager
def _change_registry() -> Iterator[list[SetLocation]]:
    """Yield the registered sets to change, under a lock, then replace the registry."""
    path = find_registry()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = open(path.with_name(f"{path.name}.lock"), "a+b")  # noqa: SIM115 (below)
    except OSError as error:
        msg = (
            f"{error.filename} cannot be created: {error.strerror}; nothing was "
            "registered."
        )
        raise FormatError(msg) from None
    with lock:
        with suppress(ImportError):  # Windows lacks it: the last writer wins there
            import fcntl

            # The system releases the lock if the program dies.
            fcntl.flock(lock, fcntl.LOCK_EX)
        registered = read_registry()
        yield registered
        registered.sort(key=lambda each: (each.name, each.pair))
        data = {"schema": SCHEMA, "testsets": [*map(_format_entry, registered)]}
        text = json.dumps(data, ensure_ascii=False, indent=1)
        with write_file(str(path)) as file:
            file.write(f"{text}\n".encode())
