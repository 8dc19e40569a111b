"""Stemmers by name, called once for each word type."""

from functools import lru_cache

from metra._core import TypeMap
from metra.errors import UnknownNameError, no_such


@lru_cache(maxsize=64)
def stemmer(name: str) -> TypeMap | None:
    """Find a stemmer: `no`, `porter` (the original algorithm) or a Snowball language."""
    if name == "no":
        return None
    import Stemmer

    known = Stemmer.algorithms()
    if name not in known:
        raise UnknownNameError(no_such("stemmer", name, ["no", *known]))
    return TypeMap(Stemmer.Stemmer(name, 0).stemWords)


def stemmer_version(name: str) -> str:
    """Say which library stems, for signatures: its versions differ in some words."""
    if name == "no":
        return ""
    import Stemmer

    return f"[PyStemmer {Stemmer.version()}]"
