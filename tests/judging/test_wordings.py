"""What judges read: every language says everything, and nothing that it says is measured."""

import string

import pytest

from metra.human.protocols import PROTOCOLS
from metra.human.wording import LANGUAGES, own_words, point
from metra.judging.guides import guide
from metra.judging.wordings import catalogue

TRANSLATIONS = [code for code in LANGUAGES if code != "en"]


def places(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def english(name: str) -> dict[tuple[object, ...], str]:
    """Every text of a protocol that judges read, by where it stands."""
    ours = guide(name)
    found: dict[tuple[object, ...], str] = {("lead",): ours.lead}
    found |= {("points", at): text for at, text in enumerate(ours.points)}
    found |= {("why", at): one.why for at, one in enumerate(ours.examples)}
    for step in PROTOCOLS[name].steps:
        words = own_words(step)
        here = ("steps", step.name)
        found |= {(*here, "name"): words.name, (*here, "question"): words.question}
        for anchor in words.anchors:
            found[(*here, "labels", point(anchor.at))] = anchor.label
            found[(*here, "texts", point(anchor.at))] = anchor.text
        found |= {(*here, "names", key): text for key, text in words.names.items()}
        if words.brief:
            found[(*here, "brief")] = words.brief
    return found


def flat(content: object, *here: object) -> dict[tuple[object, ...], str]:
    if isinstance(content, str):
        return {here: content}
    entries = content.items() if isinstance(content, dict) else enumerate(content)  # type: ignore[arg-type]
    return {
        key: text
        for name, entry in entries
        for key, text in flat(entry, *here, name).items()
    }


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_catalogue_has_every_text_and_place_and_no_other(language):
    found = catalogue(language)
    assert set(found) == set(PROTOCOLS)
    for name in PROTOCOLS:
        ours, theirs = english(name), flat(found[name])
        assert set(theirs) == set(ours), name
        for key, text in theirs.items():
            assert text == text.strip() != "", (name, key)
            if key[-2:-1] != ("labels",) or not text.isdecimal():
                assert places(text) == places(ours[key]), (name, key)
