"""How the words were counted that times, keys, gaps and changes are set against."""

from collections.abc import Iterable, Mapping

from metra.human.judgement import Judgement
from metra.human.protocols.entries import KEY
from metra.human.words import Counted

_SENTENCES: dict[Counted, str] = {
    "blanks": "Words are what stands between blanks, without the punctuation around it.",
    "letters": (
        "The texts are written without blanks between words: each letter counts as a word, "
        "with the marks on it. Compare such figures only within this language."
    ),
    "both": (
        "Words are what stands between blanks; in scripts that have none, each letter counts "
        "as a word, with the marks on it. Compare such figures only within this language."
    ),
}


def how_words_were_counted(judgements: Iterable[Judgement]) -> str:
    """Say it in a sentence; nothing where no words were counted."""
    found: set[Counted] = {
        step[KEY]["counted"]
        for one in judgements
        for step in one.value.values()
        if isinstance(step, Mapping) and "counted" in step.get(KEY, {})
    }
    if not found:
        return ""
    return _SENTENCES[found.pop() if len(found) == 1 else "both"]
