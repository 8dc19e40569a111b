"""What griffe is told of docstrings, so that mkdocstrings shows them as Markdown."""

import re
import sys
from pathlib import Path

import griffe

sys.path.append(str(Path(__file__).parent))

from page_blocks import EXAMPLE

#: The list of modules at the end of a package's docstring, which is for contributors.
INDEX = re.compile(r"(?:\n\n|\n)[a-z_]+: [^\n]+(?:\n(?:[a-z_]+: | +)[^\n]+)*\s*\Z")


class Docstrings(griffe.Extension):
    """Fence the examples of docstrings, and leave lists of modules out."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change a docstring before it is parsed."""
        if obj.docstring is None:
            return
        value = obj.docstring.value
        if obj.is_module:
            value = INDEX.sub("", value)
        obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", value)
