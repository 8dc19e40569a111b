"""Keys pressed one after the other."""

from typing import Any


def press(page: Any, *keys: str) -> None:
    """Press keys, each when the page has taken the one before."""
    for key in keys:
        page.keyboard.press(key)
