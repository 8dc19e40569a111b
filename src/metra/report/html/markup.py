"""HTML from plain functions: what is not markup already is escaped, always."""

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias


class Html(str):
    """Text that is markup already; only the functions of this file make it."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"

VOID = frozenset({"meta", "link", "br", "input", "hr"})

# What HTML has no place for, or what a browser would obey without showing it.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")


def tag(
    name: str, /, *children: Child, **attributes: str | int | float | bool | None
) -> Html:
    """Make an element; text in it and in its attributes is escaped.

    A trailing underscore in an attribute's name is dropped and others become hyphens; True
    gives an attribute without a value, None and False give none.

    >>> tag("td", "a < b", class_="num", data_x=3)
    '<td class="num" data-x="3">a &lt; b</td>'
    """
    start = "".join(_render_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{start}>")
    return Html(f"<{name}{start}>{join_markup(*children)}</{name}>")


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
    if isinstance(child, (str, int)):
        return escape(replace_invisible(str(child)), quote=False)
    return "".join(map(_render_child, child))


def _render_attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{escape(replace_invisible(text))}"'
