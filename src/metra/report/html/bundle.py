"""Modules of the browser kit, joined into one script that needs no server.

A module becomes a function that returns its exports. Imports name what they import, as in
`import { el, freshId } from "./elements.js";`, and exports are declarations.
"""

import posixpath
import re
from importlib import resources

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?=(?:const|(?:async )?function\*?|class) (\w+))", re.MULTILINE
)


# Comments on lines of their own, which readers of a report do not need.
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:.|\n)*?\*/)\n", re.MULTILINE)


def join_modules(entry: str) -> str:
    """Return a script that runs a module, by its path in the package, and its imports."""
    order = dict.fromkeys(_list_modules(entry))
    parts = "".join(_wrap_module(path) for path in order)
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{parts}}})();\n'


def read_file(path: str) -> str:
    """Read a style or script by its path in the package."""
    return (resources.files("metra") / path).read_text(encoding="utf-8")


def _list_modules(path: str) -> list[str]:
    """List a module after all that it imports; some occur more than once."""
    listed = []
    for _, name in _IMPORT.findall(read_file(path)):
        listed += _list_modules(_resolve_import(path, name))
    return [*listed, path]


def _resolve_import(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _wrap_module(path: str) -> str:
    text = read_file(path)
    exports = ", ".join(_EXPORT.findall(text))

    def write_import(match: re.Match[str]) -> str:
        names = match[1].replace(" as ", ": ")
        return f'const {{{names}}} = modules["{_resolve_import(path, match[2])}"];\n'

    body = _EXPORT.sub("", _IMPORT.sub(write_import, text))
    body = _COMMENT.sub("", body)
    return f'modules["{path}"] = (() => {{\n{body}return {{ {exports} }};\n}})();\n'
