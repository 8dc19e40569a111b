"""Stemmers, and words compared by their stems: a change of form is told from another word."""

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any

from metra._core import TypeMap
from metra.errors import UnknownNameError, no_such


@lru_cache(maxsize=64)
def find_stemmer(name: str) -> tuple[TypeMap, str]:
    """Find a stemmer: `porter` (the original algorithm) or a Snowball language.

    Beside it stands its library, for signatures: its versions differ in some words.
    """
    import Stemmer

    known = Stemmer.algorithms()
    if name not in known:
        raise UnknownNameError(no_such("stemmer", name, ["no", *known]))
    stemmer = TypeMap(Stemmer.Stemmer(name, 0).stemWords)
    return stemmer, f"[PyStemmer {Stemmer.version()}]"


def find_stemmer_code(language: str) -> str:
    """Return the language's own code if there is a stemmer for it, else "".

    >>> find_stemmer_code("en-GB"), find_stemmer_code("ja")
    ('en', '')
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    return code if _load_stemmer(code) is not None else ""


def stem_words(words: Sequence[str], code: str) -> list[Hashable]:
    """Give equal values to forms of one word; letter case still tells words apart.

    >>> one, other, third = stem_words(["opens", "opened", "Opened"], "en")
    >>> one == other, other == third
    (True, False)
    """
    stemmer = _load_stemmer(code)
    if stemmer is None:
        return list(words)
    stems = stemmer.stemWords([word.lower() for word in words])
    return [(stem, word[:1].isupper()) for stem, word in zip(stems, words, strict=True)]


def count_form_changes(before: Sequence[str], after: Sequence[str], code: str) -> int:
    """Count words that are kept but for their form.

    >>> count_form_changes("he open it".split(), "he opens it".split(), "en")
    1
    """
    by_stem = Counter(stem_words(before, code)) & Counter(stem_words(after, code))
    by_form = Counter(before) & Counter(after)
    return by_stem.total() - by_form.total()


@lru_cache(maxsize=64)
def _load_stemmer(code: str) -> Any | None:
    import Stemmer

    try:
        return Stemmer.Stemmer(code, 0)
    except KeyError:
        return None
