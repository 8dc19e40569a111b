"""Files in and out: one file a format. `open_corpus` is the way in."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metra.io.files import FileCorpus, open_corpus

__all__ = ["FileCorpus", "open_corpus"]


def __getattr__(name: str) -> object:
    # Loaded when first used: the command line's help needs no more than names of formats.
    if name not in __all__:
        msg = f"module 'metra.io' has no attribute {name!r}"
        raise AttributeError(msg)
    from metra.io import files

    return getattr(files, name)
