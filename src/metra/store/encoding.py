"""JSON as it is stored, and text that every database can hold."""

import json
from typing import Any

from metra.errors import OptionError


def encoded(value: object) -> str:
    """Write a value as JSON in ASCII, so that any character may be in it."""
    try:
        return json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        msg = "The value cannot be written as JSON; expected finite numbers and plain lists."
        raise OptionError(msg) from None


def decoded(text: str) -> Any:
    """Read a stored value."""
    return json.loads(text)


def storable(text: str) -> str:
    """Leave out what PostgreSQL cannot hold as text: NUL and halves of surrogate pairs."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()
