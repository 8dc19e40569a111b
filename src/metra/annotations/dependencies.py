"""The four dependencies of the X-score, told from labels of two schemes.

The X-score was made with Xerox's shallow parser XELDA, which cannot be had any more. This
table says how its dependencies are read from Universal Dependencies (UD) and from the
ClearNLP labels of spaCy's English models; what XELDA would have found is not known.

| dependency | UD | ClearNLP |
| --- | --- | --- |
| RELSUBJ(noun, verb) | verb is `acl:relcl` of noun; its `nsubj` is a relative pronoun, or it has no subject | `relcl`, `nsubj` |
| RELSUBJPASS(noun, verb) | the same with `nsubj:pass`, or without subject but with `aux:pass` | `nsubjpass`, `auxpass` |
| PADJ(noun, adjective) | adjective is `amod` of a noun to its left; or follows a noun with one `case` or `mark` between them | `amod`; or `pobj`, `amod`, `acomp`, `pcomp` of the preposition between them |
| ADVADJ(adverb, adjective) | adverb is `advmod` of an adjective or participle to its right | the same |
"""  # noqa: E501, a table

from collections.abc import Iterator
from typing import NamedTuple

from metra.annotations.conllu import Parse, Word

RELATIVE_CLAUSE = {"acl:relcl", "relcl"}
SUBJECT = {"nsubj"}
PASSIVE_SUBJECT = {"nsubj:pass", "nsubjpass"}
OTHER_SUBJECT = {"csubj", "csubj:pass", "csubjpass", "expl", "nsubj:outer", "expl:subj"}
PASSIVE = {"aux:pass", "auxpass"}
CLAUSE = SUBJECT | PASSIVE_SUBJECT | OTHER_SUBJECT | {"cop", "aux"} | PASSIVE
MARKER = {"case", "mark"}
AFTER_MARKER = {"pobj", "amod", "acomp", "pcomp"}
AFTER_NOUN = {"nmod", "obl", "advcl", "acl"}
NOUN = {"NOUN", "PROPN"}
PREPOSITION = {"ADP", "SCONJ"}

# Where a parser gives no features: the relative pronouns that can be subjects.
RELATIVE_PRONOUNS = {"that", "which", "who", "qui", "lequel", "che", "que", "quien"}


class Dependency(NamedTuple):
    """A dependency and the words it holds between, in the order of its name."""

    name: str
    first: str
    second: str


def dependencies(parse: Parse) -> Iterator[Dependency]:
    """Find the four dependencies in a sentence, word by word."""
    for at, word in enumerate(parse.words, 1):
        if word.head == 0:
            continue
        head = parse.words[word.head - 1]
        if word.deprel in RELATIVE_CLAUSE:
            name = _relative_subject(parse, at)
            if name:
                yield Dependency(name, head.form, word.form)
        if word.upos == "ADJ":
            noun = _noun_before(parse, at)
            if noun:
                yield Dependency("PADJ", noun.form, word.form)
        if word.deprel == "advmod" and word.upos == "ADV" and _modifies(parse, at):
            yield Dependency("ADVADJ", word.form, head.form)


def _relative_subject(parse: Parse, verb: int) -> str | None:
    """Tell which subject of the relative clause the noun is, if it is one."""
    passive = False
    for at in parse.children(verb):
        word = parse.words[at - 1]
        if word.deprel in SUBJECT | PASSIVE_SUBJECT:
            if not _is_relative(word):
                return None
            return "RELSUBJPASS" if word.deprel in PASSIVE_SUBJECT else "RELSUBJ"
        if word.deprel in OTHER_SUBJECT:
            return None
        passive = passive or word.deprel in PASSIVE
    return "RELSUBJPASS" if passive else "RELSUBJ"


def _is_relative(word: Word) -> bool:
    if word.features != "_" and "PronType=" in word.features:
        return "PronType=Rel" in word.features
    return word.form.lower() in RELATIVE_PRONOUNS


def _noun_before(parse: Parse, at: int) -> Word | None:
    """Find the noun that the adjective stands after as no English adjective should."""
    words = parse.words
    word = words[at - 1]
    head = words[word.head - 1]
    if word.head > at:
        return None
    if word.deprel == "amod" and head.upos in NOUN:
        return head
    if any(words[child - 1].deprel in CLAUSE for child in parse.children(at)):
        return None
    marker = _marker(parse, at)
    if marker is None or marker < 2 or words[marker - 2].upos not in NOUN:
        return None
    return words[marker - 2]


def _marker(parse: Parse, at: int) -> int | None:
    """Find the one preposition or "as" through which the adjective hangs on the rest."""
    word = parse.words[at - 1]
    head = parse.words[word.head - 1]
    if word.deprel in AFTER_MARKER and head.upos in PREPOSITION:
        return word.head
    if word.deprel not in AFTER_NOUN:
        return None
    markers = [
        child
        for child in parse.children(at)
        if parse.words[child - 1].deprel in MARKER and child < at
    ]
    return markers[0] if len(markers) == 1 else None


def _modifies(parse: Parse, at: int) -> bool:
    """Whether the adverb modifies an adjective, rather than the clause it is the head of."""
    place = parse.words[at - 1].head
    head = parse.words[place - 1]
    if place < at or not (
        head.upos == "ADJ" or (head.upos == "VERB" and head.deprel == "amod")
    ):
        return False
    return not any(
        at < child < place and parse.words[child - 1].deprel == "cop"
        for child in parse.children(place)
    )
