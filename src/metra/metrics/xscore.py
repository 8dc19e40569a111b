# ruff: noqa: E501, the table below
"""X-score: dependencies that good translations have, less those that bad ones have.

The X-score was made with Xerox's shallow parser XELDA, which cannot be had any more and told
22 dependencies apart. This table says how those that the workbook names, the first four of
which make the score, are read from Universal Dependencies (UD) and from the ClearNLP labels
of spaCy's English models; what XELDA would have found is not known.

| dependency | UD | ClearNLP |
| --- | --- | --- |
| RELSUBJ(noun, verb) | verb is `acl:relcl` of noun; its `nsubj` is a relative pronoun, or it has no subject | `relcl`, `nsubj` |
| RELSUBJPASS(noun, verb) | the same with `nsubj:pass`, or without subject but with `aux:pass` | `nsubjpass`, `auxpass` |
| PADJ(noun, adjective) | adjective is `amod` of a noun to its left; or follows a noun with one `case` or `mark` between them | `amod`; or `pobj`, `amod`, `acomp`, `pcomp` of the preposition between them |
| ADVADJ(adverb, adjective) | adverb is `advmod` of an adjective or participle to its right | the same |
| SUBJ(noun, verb) | noun is `nsubj` of verb, and no relative pronoun | the same |
| DOBJ(verb, noun) | noun is `obj` of verb | `dobj` |
| NN(noun, noun) | noun is `compound` of a noun to its right; so is an `amod` name (PROPN or tag NNP) | the same |
| NNPREP(noun, preposition, noun) | second noun is `nmod` of the first, with a preposition as its `case` | second noun is `pobj` of a preposition, itself `prep` of the first |
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from metra.errors import OptionError
from metra.formats.annotations.conllu import Parse, ParsedWord
from metra.metrics import record
from metra.metrics.parses import ParseSource, build_file_source
from metra.metrics.record import AnyBatch, Array, Metric, Notes, metric_factory
from metra.metrics.units import Detail

#: What the score adds up.
SIGNS = {"RELSUBJ": 1, "RELSUBJPASS": 1, "PADJ": -1, "ADVADJ": -1}
#: The dependencies that a profile counts.
PROFILE = (*SIGNS, "SUBJ", "DOBJ", "NN", "NNPREP")


@metric_factory(title="X-score", papers="rajman2002")
def xscore(*, parses: str = "") -> Metric:
    """Balance of favourable and unfavourable dependencies, without limits. Higher is better.

    X = #RELSUBJ + #RELSUBJPASS - #PADJ - #ADVADJ, from dependency parses of the output:
    subjects of relative clauses, active ("a hearing that lasted") and passive ("a
    program that was agreed on"), minus adjectives after their noun ("effects as
    possible") and adverbs before adjectives ("brightly colored"). X has no fixed range
    and grows with the length of the text. It compares systems on the same documents;
    `metra meta rank --by arr` ranks them by average rank, the original use of the score. The parts
    are the dependency profile: the counts of these four dependencies, and of subjects
    (SUBJ), objects (DOBJ), compounds (NN) and nouns joined by a preposition (NNPREP),
    which the workbook also names. `--details` lists every dependency with its words.
    The page on parses defines them by labels of Universal Dependencies and ClearNLP.
    Parses are in CoNLL-U, from any parser, such as `metra parse`: columns separated by
    tabs, a blank line after each sentence, and a comment with the number of the
    segment:

        # segment = 1
        1   a        a        DET   DT   _             2  det        _  _
        2   hearing  hearing  NOUN  NN   _             0  root       _  _
        3   that     that     PRON  WDT  PronType=Rel  4  nsubj      _  _
        4   lasted   last     VERB  VBD  _             2  acl:relcl  _  _

    Rajman and Hartley 2002, "Automatic ranking of MT systems", LREC; their parser is no
    longer available, so this is an approximation, for English.

    Options:
        parses: CoNLL-U file with parses of the outputs; {system} stands for the name of
            the system, as in parses/{system}.conllu.
    """
    if not parses:
        msg = (
            "xscore needs parses of the outputs; give parses=FILE.conllu, such as "
            "`metra parse` writes."
        )
        raise OptionError(msg)
    source = build_file_source("xscore", parses)
    return Metric(
        name="xscore",
        columns=PROFILE,
        rows=partial(rows, source=source),
        aggregate=aggregate,
        parts=partial(record.name_columns, columns=PROFILE),
        needs=frozenset(),
        settled={"parses": source.version},
        notes=Notes(details=partial(details, source=source)),
    )


def rows(batch: AnyBatch, *, source: ParseSource) -> Array:
    """Count each dependency of the profile in each output: (segments, 8)."""
    table = np.zeros((len(batch), len(PROFILE)))
    for entry in details(batch, source=source):
        table[entry.at, PROFILE.index(entry.note)] += 1
    return table


def aggregate(totals: Array) -> Array:
    """Return the positive counts minus the negative ones, for each row of totals."""
    return totals[..., : len(SIGNS)] @ np.array([*SIGNS.values()], dtype=np.float64)


def details(batch: AnyBatch, *, source: ParseSource) -> Iterator[Detail]:
    """Every dependency of the profile, with its words."""
    for segment, sentences in enumerate(source.find(batch.hyps, batch.place)):
        for parse in sentences:
            for entry in find_dependencies(parse):
                yield Detail(segment, entry.name, ", ".join(entry.words))


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

OBJECT = {"obj", "dobj"}
COMPOUND = {"compound"}
PROPER = {"NNP", "NNPS"}

# Where a parser gives no features: the relative pronouns that can be subjects.
RELATIVE_PRONOUNS = {"that", "which", "who", "qui", "lequel", "che", "que", "quien"}


class Dependency(NamedTuple):
    """A dependency and the words it holds between, in the order of its name."""

    name: str
    words: tuple[str, ...]


def find_dependencies(parse: Parse) -> Iterator[Dependency]:
    """Find the dependencies of the profile in a sentence, word by word."""
    for position, word in enumerate(parse.words, 1):
        if word.head == 0:
            continue
        head = parse.words[word.head - 1]
        yield from _find_parts(parse, position)
        if word.deprel in RELATIVE_CLAUSE:
            name = _find_relative_subject(parse, position)
            if name:
                yield Dependency(name, (head.form, word.form))
        if word.upos == "ADJ":
            noun = _find_noun(parse, position)
            if noun:
                yield Dependency("PADJ", (noun.form, word.form))
        is_adverb = word.deprel == "advmod" and word.upos == "ADV"
        if is_adverb and _modifies(parse, position):
            yield Dependency("ADVADJ", (word.form, head.form))


def _find_parts(parse: Parse, position: int) -> Iterator[Dependency]:
    """Find what the word is to its head: a subject, an object, a part of a noun phrase."""
    word = parse.words[position - 1]
    head = parse.words[word.head - 1]
    if word.deprel in SUBJECT:
        if not (head.deprel in RELATIVE_CLAUSE and _is_relative(word)):
            yield Dependency("SUBJ", (word.form, head.form))
    elif word.deprel in OBJECT:
        yield Dependency("DOBJ", (head.form, word.form))
    elif _is_compound(word, head) and word.head > position:
        yield Dependency("NN", (word.form, head.form))
    elif word.upos in NOUN:
        yield from _find_noun_after_noun(parse, position)


def _is_compound(word: ParsedWord, head: ParsedWord) -> bool:
    is_name = word.upos == "PROPN" or word.xpos in PROPER
    is_noun = word.deprel in COMPOUND and (is_name or word.upos == "NOUN")
    return head.upos in NOUN and (is_noun or (word.deprel == "amod" and is_name))


def _find_noun_after_noun(parse: Parse, position: int) -> Iterator[Dependency]:
    """Find the noun before the word and the preposition between them, if there are."""
    word = parse.words[position - 1]
    head = parse.words[word.head - 1]
    if word.deprel == "pobj" and head.deprel == "prep" and head.head:
        noun = parse.words[head.head - 1]
        if noun.upos in NOUN:
            yield Dependency("NNPREP", (noun.form, head.form, word.form))
    elif word.deprel == "nmod" and head.upos in NOUN:
        for at, child in _list_children(parse, position):
            if child.deprel == "case" and at < position:
                yield Dependency("NNPREP", (head.form, child.form, word.form))
                return


def _list_children(parse: Parse, position: int) -> list[tuple[int, ParsedWord]]:
    return [(child, parse.words[child - 1]) for child in parse.children(position)]


def _find_relative_subject(parse: Parse, verb: int) -> str | None:
    """Tell which subject of the relative clause the noun is, if it is one."""
    passive = False
    for _, word in _list_children(parse, verb):
        if word.deprel in SUBJECT | PASSIVE_SUBJECT:
            if not _is_relative(word):
                return None
            return "RELSUBJPASS" if word.deprel in PASSIVE_SUBJECT else "RELSUBJ"
        if word.deprel in OTHER_SUBJECT:
            return None
        passive = passive or word.deprel in PASSIVE
    return "RELSUBJPASS" if passive else "RELSUBJ"


def _is_relative(word: ParsedWord) -> bool:
    if word.features != "_" and "PronType=" in word.features:
        return "PronType=Rel" in word.features
    return word.form.lower() in RELATIVE_PRONOUNS


def _find_noun(parse: Parse, position: int) -> ParsedWord | None:
    """Find the noun that the adjective stands after as no English adjective should."""
    word = parse.words[position - 1]
    head = parse.words[word.head - 1]
    if word.head > position:
        return None
    if word.deprel == "amod" and head.upos in NOUN:
        return head
    children = _list_children(parse, position)
    if any(child.deprel in CLAUSE for _, child in children):
        return None
    # The one preposition or "as" through which the adjective hangs on the rest.
    markers = []
    if word.deprel in AFTER_MARKER and head.upos in PREPOSITION:
        markers = [word.head]
    elif word.deprel in AFTER_NOUN:
        markers = [
            at for at, child in children if child.deprel in MARKER and at < position
        ]
    if len(markers) != 1 or markers[0] < 2:
        return None
    noun = parse.words[markers[0] - 2]
    return noun if noun.upos in NOUN else None


def _modifies(parse: Parse, position: int) -> bool:
    """Return True if the adverb modifies an adjective instead of the clause it heads."""
    place = parse.words[position - 1].head
    head = parse.words[place - 1]
    is_adjective = head.upos == "ADJ" or (head.upos == "VERB" and head.deprel == "amod")
    return (place >= position and is_adjective) and not any(
        position < at < place and child.deprel == "cop"
        for at, child in _list_children(parse, place)
    )
