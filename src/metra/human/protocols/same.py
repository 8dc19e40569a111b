"""When two short texts count as the same: letter case, composition and blanks aside."""

from unicodedata import category, normalize


def folded(text: str) -> str:
    """Fold letter case and the ways to write an accent, and close up blanks.

    >>> folded("Cafe\\u0301") == folded("CAFÉ")
    True
    """
    once = normalize("NFC", normalize("NFC", text).casefold())
    return " ".join(once.split())


def bare(text: str) -> str:
    """Fold, and leave punctuation at the ends out as well, as in an answer to a question.

    >>> bare(" In 1987. ")
    'in 1987'
    """
    found = folded(text)
    start, end = 0, len(found)
    while start < end and category(found[start])[0] in "PZ":
        start += 1
    while start < end and category(found[end - 1])[0] in "PZ":
        end -= 1
    return found[start:end]
