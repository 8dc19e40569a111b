"""Outputs that lack names, as cases for somebody who looks whether they are there after all."""

from collections.abc import Mapping, Sequence
from typing import Any

from metra.text.normalised import normaliser, occurs

Names = Mapping[str, Sequence[Sequence[str]]]


def cases(
    outputs: Sequence[Sequence[str]], names: Names, language: str
) -> list[dict[str, Any]]:
    """For each text of a segment that lacks names: the segment, the text and the names.

    `outputs` holds the texts of each segment, `names` type and text by segment from 1. Equal
    texts are one case: what is there is there, whoever wrote it.

    >>> cases([["Mr Aufray", "Mr Aufrey"]], {"1": [["PERSON", "Aufray"]]}, "en")
    [{'segment': 1, 'text': 'Mr Aufrey', 'missed': [['PERSON', 'Aufray']]}]
    """
    normalise = normaliser(language)
    found = []
    for at, texts in enumerate(outputs, 1):
        listed = {
            (kind, words): [kind, text]
            for kind, text in names.get(str(at), ())
            if (words := normalise(text))
        }
        for text in dict.fromkeys(texts):
            there = normalise(text)
            missed = [
                name for (_, words), name in listed.items() if not occurs(words, there)
            ]
            if missed:
                found.append({"segment": at, "text": text, "missed": missed})
    return found
