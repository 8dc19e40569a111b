"""JSON that somebody else wrote: what it holds, or a sentence that says where it breaks."""

import json
from typing import Any

from metra.errors import FormatError


def parsed(text: str, place: str) -> Any:
    """Read JSON; `place` names the file, and the line if there are several.

    >>> parsed("[1]", "a.json")
    [1]
    """
    try:
        return json.loads(text)
    except ValueError as error:
        msg = f"{place} is no JSON: {error}."
        raise FormatError(msg) from None
