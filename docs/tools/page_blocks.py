"""Generated blocks of pages that are otherwise written by hand, and examples of docstrings."""

import re

#: Examples of docstrings, which Markdown would take for quotations.
EXAMPLE = re.compile(r"^>>> (?:.+\n)*.+(?:\n\n>>> (?:.+\n)*.+)*", re.MULTILINE)


def fill_block(page: str, name: str, text: str) -> str:
    """Replace what stands between the lines `generated: NAME` and `end of NAME`."""
    block = rf"(^[^\n]*generated: {name}(?![\w-])[^\n]*\n).*?(^[^\n]*end of {name}(?![\w-]))"
    filled, count = re.subn(
        block,
        lambda match: f"{match[1]}{text}\n{match[2]}",
        page,
        flags=re.DOTALL | re.MULTILINE,
    )
    if count != 1:
        msg = f"A page has {count} generated blocks named {name!r}; expected one."
        raise SystemExit(msg)
    return filled
