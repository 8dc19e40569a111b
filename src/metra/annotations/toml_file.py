"""Small files in TOML, with errors that name the file."""

import tomllib
from typing import Any

from metra.errors import FormatError


def read_toml(path: str, what: str) -> dict[str, Any]:
    """Read a file whole; `what` it should be is for the error message."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; expected {what} in TOML."
        raise FormatError(msg) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is no TOML: {error}."
        raise FormatError(msg) from None
