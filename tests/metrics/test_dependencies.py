"""Each of the X-score's dependencies, in sentences that have it and that do not."""

import pytest

from metra.formats.annotations.conllu import Parse, ParsedWord
from metra.metrics.xscore import SIGNS, find_dependencies


def parse(text: str) -> Parse:
    """A sentence from `form/POS:tag/head/label`, with `/features` where they matter."""
    words = []
    for entry in text.split():
        form, pos, head, deprel, *features = entry.split("/")
        upos, _, tag = pos.partition(":")
        features = "".join(features) or "_"
        words.append(
            ParsedWord(form, form, upos, tag or "_", features, int(head), deprel)
        )
    return Parse(tuple(words), "".join(word.form for word in words))


HAVE = [
    pytest.param(
        "a/DET/2/det hearing/NOUN/0/root that/PRON/4/nsubj/PronType=Rel "
        "lasted/VERB/2/acl:relcl long/ADV/4/advmod",
        [("RELSUBJ", "hearing", "lasted")],
        id="RELSUBJ, UD",
    ),
    pytest.param(
        "a/DET/2/det hearing/NOUN/0/ROOT that/PRON/4/nsubj lasted/VERB/2/relcl",
        [("RELSUBJ", "hearing", "lasted")],
        id="RELSUBJ, ClearNLP",
    ),
    pytest.param(
        "l'/DET/2/det eau/NOUN/0/root qui/PRON/4/nsubj/PronType=Rel "
        "monte/VERB/2/acl:relcl",
        [("RELSUBJ", "eau", "monte")],
        id="RELSUBJ, French",
    ),
    pytest.param(
        "people/NOUN/0/root who/PRON/4/nsubj are/AUX/4/cop kind/ADJ/1/acl:relcl",
        [("RELSUBJ", "people", "kind")],
        id="RELSUBJ, the clause's head is no verb",
    ),
    pytest.param(
        "a/DET/2/det man/NOUN/0/root came/VERB/2/acl:relcl",
        [("RELSUBJ", "man", "came")],
        id="RELSUBJ, a gap for a subject",
    ),
    pytest.param(
        "a/DET/2/det program/NOUN/0/root that/PRON/6/nsubj:pass/PronType=Rel "
        "has/AUX/6/aux been/AUX/6/aux:pass agreed/VERB/2/acl:relcl",
        [("RELSUBJPASS", "program", "agreed")],
        id="RELSUBJPASS, UD",
    ),
    pytest.param(
        "a/DET/2/det program/NOUN/0/ROOT that/PRON/6/nsubjpass has/AUX/6/aux "
        "been/AUX/6/auxpass agreed/VERB/2/relcl",
        [("RELSUBJPASS", "program", "agreed")],
        id="RELSUBJPASS, ClearNLP",
    ),
    pytest.param(
        "the/DET/2/det plan/NOUN/0/root was/AUX/4/aux:pass made/VERB/2/acl:relcl",
        [("RELSUBJPASS", "plan", "made")],
        id="RELSUBJPASS, a gap for a subject",
    ),
    pytest.param(
        "the/DET/2/det doors/NOUN/0/root red/ADJ/2/amod",
        [("PADJ", "doors", "red")],
        id="PADJ, after its noun",
    ),
    pytest.param(
        "examine/VERB/0/root the/DET/3/det effects/NOUN/1/obj as/SCONJ/5/mark "
        "possible/ADJ/1/advcl",
        [("PADJ", "effects", "possible")],
        id="PADJ, the workbook's, UD",
    ),
    pytest.param(
        "examine/VERB/0/ROOT the/DET/3/det effects/NOUN/1/dobj as/ADP/1/prep "
        "possible/ADJ/4/amod",
        [("PADJ", "effects", "possible")],
        id="PADJ, the workbook's, ClearNLP",
    ),
    pytest.param(
        "effects/NOUN/0/root of/ADP/3/case possible/ADJ/1/nmod",
        [("PADJ", "effects", "possible")],
        id="PADJ, after a preposition",
    ),
    pytest.param(
        "brightly/ADV/2/advmod colored/ADJ/3/amod doors/NOUN/0/root",
        [("ADVADJ", "brightly", "colored")],
        id="ADVADJ",
    ),
    pytest.param(
        "brightly/ADV/2/advmod colored/VERB/3/amod doors/NOUN/0/root",
        [("ADVADJ", "brightly", "colored")],
        id="ADVADJ, a participle",
    ),
    pytest.param(
        "he/PRON/4/nsubj is/AUX/4/cop very/ADV/4/advmod kind/ADJ/0/root",
        [("ADVADJ", "very", "kind")],
        id="ADVADJ, in a predicate",
    ),
    pytest.param(
        "very/ADV/2/advmod big/ADJ/3/amod doors/NOUN/0/root red/ADJ/3/amod "
        "which/PRON/6/nsubj open/VERB/3/acl:relcl",
        [
            ("ADVADJ", "very", "big"),
            ("PADJ", "doors", "red"),
            ("RELSUBJ", "doors", "open"),
        ],
        id="several in a sentence",
    ),
]

HAVE_NOT = [
    pytest.param(
        "a/DET/2/det book/NOUN/0/root that/PRON/5/obj/PronType=Rel I/PRON/5/nsubj "
        "read/VERB/2/acl:relcl",
        id="RELSUBJ: the pronoun is the object",
    ),
    pytest.param(
        "a/DET/2/det book/NOUN/0/root I/PRON/4/nsubj/PronType=Prs read/VERB/2/acl:relcl",
        id="RELSUBJ: the gap is an object",
    ),
    pytest.param(
        "a/DET/2/det place/NOUN/0/root where/ADV/5/advmod he/PRON/5/nsubj "
        "lives/VERB/2/acl:relcl",
        id="RELSUBJ: a relative adverb",
    ),
    pytest.param(
        "he/PRON/2/nsubj lasted/VERB/0/root", id="RELSUBJ: a subject of a main clause"
    ),
    pytest.param(
        "a/DET/2/det man/NOUN/0/root seen/VERB/2/acl", id="RELSUBJPASS: a participle"
    ),
    pytest.param(
        "a/DET/2/det plan/NOUN/0/root they/PRON/5/nsubj:pass/PronType=Prs "
        "were/AUX/5/aux:pass given/VERB/2/acl:relcl",
        id="RELSUBJPASS: the subject is another",
    ),
    pytest.param("red/ADJ/2/amod doors/NOUN/0/root", id="PADJ: before its noun"),
    pytest.param("something/PRON/0/root good/ADJ/1/amod", id="PADJ: after a pronoun"),
    pytest.param(
        "as/ADV/2/advmod soon/ADV/0/root as/ADP/4/mark possible/ADJ/2/advcl",
        id="PADJ: as possible after an adverb",
    ),
    pytest.param(
        "effects/NOUN/0/root as/SCONJ/5/mark they/PRON/5/nsubj are/AUX/5/cop "
        "possible/ADJ/1/advcl",
        id="PADJ: a clause",
    ),
    pytest.param(
        "doors/NOUN/0/root in/ADP/4/case red/ADJ/4/amod frames/NOUN/1/nmod",
        id="PADJ: the preposition has a noun of its own",
    ),
    pytest.param(
        "he/PRON/2/nsubj ran/VERB/0/root very/ADV/4/advmod quickly/ADV/2/advmod",
        id="ADVADJ: of an adverb",
    ),
    pytest.param(
        "not/PART/2/advmod red/ADJ/0/root", id="ADVADJ: a particle is no adverb"
    ),
    pytest.param(
        "big/ADJ/0/root enough/ADV/1/advmod", id="ADVADJ: after the adjective"
    ),
    pytest.param(
        "often/ADV/4/advmod he/PRON/4/nsubj is/AUX/4/cop ill/ADJ/0/root",
        id="ADVADJ: of the whole clause",
    ),
]


def find(sentence, *, scored):
    """The dependencies that make the score, or the others of the profile."""
    return [
        (entry.name, *entry.words)
        for entry in find_dependencies(parse(sentence))
        if (entry.name in SIGNS) == scored
    ]


@pytest.mark.parametrize(("sentence", "expected"), HAVE)
def test_sentences_that_have_it(sentence, expected):
    assert find(sentence, scored=True) == expected


@pytest.mark.parametrize("sentence", HAVE_NOT)
def test_sentences_that_have_it_not(sentence):
    assert not find(sentence, scored=True)


MINISTRY = [  # the dependencies that the ISLE workbook prints for this sentence
    ("SUBJ", "Ministry", "echoed"),
    ("DOBJ", "echoed", "view"),
    ("NN", "Foreign", "Affairs"),
    ("NNPREP", "Ministry", "of", "Affairs"),
]
MINISTRY_PARSES = [
    pytest.param(
        "The/DET/2/det Ministry/PROPN/6/nsubj of/ADP/5/case Foreign/PROPN/5/compound "
        "Affairs/PROPN/2/nmod echoed/VERB/0/root this/DET/8/det view/NOUN/6/obj",
        id="UD",
    ),
    pytest.param(
        "The/DET/2/det Ministry/PROPN/6/nsubj of/ADP/5/case Foreign/ADJ:NNP/5/amod "
        "Affairs/PROPN/2/nmod echoed/VERB/0/root this/DET/8/det view/NOUN/6/obj",
        id="UD, where parts of names keep their part of speech",
    ),
    pytest.param(
        "The/DET/2/det Ministry/PROPN/6/nsubj of/ADP/2/prep Foreign/PROPN/5/compound "
        "Affairs/PROPN/3/pobj echoed/VERB/0/ROOT this/DET/8/det view/NOUN/6/dobj",
        id="ClearNLP",
    ),
]


@pytest.mark.parametrize("sentence", MINISTRY_PARSES)
def test_the_profile_of_the_workbook_s_sentence(sentence):
    assert sorted(find(sentence, scored=False)) == sorted(MINISTRY)
    assert not find(sentence, scored=True)


OTHERS = [
    pytest.param(
        "people/NOUN/0/root who/PRON/3/nsubj came/VERB/1/acl:relcl",
        [],
        id="a relative pronoun is no SUBJ",
    ),
    pytest.param(
        "he/PRON/3/nsubj:pass was/AUX/3/aux:pass seen/VERB/0/root",
        [],
        id="the subject of a passive is no SUBJ",
    ),
    pytest.param("red/ADJ/2/amod doors/NOUN/0/root", [], id="an adjective is no NN"),
    pytest.param(
        "Bob/PROPN/0/root Stone/PROPN/1/flat", [], id="parts of a name are no NN"
    ),
    pytest.param(
        "go/VERB/0/root to/ADP/3/case town/NOUN/1/obl", [], id="a verb before it"
    ),
    pytest.param(
        "Bob/PROPN/3/nmod 's/PART/1/case house/NOUN/0/root",
        [],
        id="what marks the noun stands after it",
    ),
    pytest.param(
        "le/DET/2/det marché/NOUN/5/nsubj de/ADP/4/case gros/NOUN/2/nmod ferme/VERB/0/root",
        [("SUBJ", "marché", "ferme"), ("NNPREP", "marché", "de", "gros")],
        id="French",
    ),
]


@pytest.mark.parametrize(("sentence", "expected"), OTHERS)
def test_the_other_dependencies_of_a_profile(sentence, expected):
    assert find(sentence, scored=False) == expected
