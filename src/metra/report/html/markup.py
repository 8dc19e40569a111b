"""HTML from plain functions, which escape all text."""

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import TypeAlias


class Html(str):
    """Markup as text; only the functions of this file make it."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"

VOID = frozenset({"meta", "link", "br", "wbr", "input", "hr"})

# What HTML has no place for, or what a browser would obey without showing it.
_UNSEEN_CHARACTERS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff"
_UNSEEN = re.compile(f"[{_UNSEEN_CHARACTERS}]")
# Most texts have nothing to escape, and a page has tens of thousands.
_SPECIAL = re.compile(f"[&<>\"'{_UNSEEN_CHARACTERS}]")


def tag(
    name: str, /, *children: Child, **attributes: str | int | float | bool | None
) -> Html:
    """Make an element; text in it and in its attributes is escaped.

    A trailing underscore in an attribute's name is dropped and others become hyphens; True
    gives an attribute without a value, None and False give none.

    >>> tag("td", "a < b", class_="num", data_x=3)
    '<td class="num" data-x="3">a &lt; b</td>'
    """
    start = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        start += _name_attribute(key)
        if isinstance(value, float):
            start += f'="{value:g}"'
        elif isinstance(value, str):
            is_plain = _SPECIAL.search(value) is None
            start += f'="{value if is_plain else escape(replace_invisible(value))}"'
        elif value is not True:
            start += f'="{value}"'
    if name in VOID:
        return Html(f"<{start}>")
    return Html(f"<{start}>{''.join(map(_render_child, children))}</{name}>")


def join_markup(*children: Child) -> Html:
    """Put markup and text side by side.

    >>> join_markup("1 < 2", tag("br"), ["a", None])
    '1 &lt; 2<br>a'
    """
    return Html("".join(map(_render_child, children)))


def replace_invisible(text: str) -> str:
    """Replace characters that a browser would drop or obey by a sign that can be seen.

    >>> replace_invisible("a\\x00b")
    'a\ufffdb'
    """
    return _UNSEEN.sub("\ufffd", text)


def mark_safe(text: str) -> Html:
    """Take text for markup: for what we wrote ourselves, never for what we were given."""
    return Html(text)


def _render_child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        if _SPECIAL.search(child) is None:
            return child
        return escape(replace_invisible(child), quote=False)
    if isinstance(child, int):
        return str(child)
    return "".join(map(_render_child, child))


@cache
def _name_attribute(key: str) -> str:
    return f" {key.rstrip('_').replace('_', '-')}"
