"""Each of the X-score's dependencies, in sentences that have it and that do not.

The words of a sentence are FORM/UPOS/HEAD/RELATION[/FEATURES[/XPOS]].
"""

from pathlib import Path

import pytest

from metra.formats.annotations.conllu import Parse, ParsedWord
from metra.metrics.xscore import find_dependencies

TABLE = Path(__file__).with_name("dependencies.tsv").read_text(encoding="utf-8")
CASES = [
    pytest.param(*cells, id=reason)
    for reason, *cells in (line.split("\t") for line in TABLE.split("\n")[1:-1])
]
#: The dependencies that the ISLE workbook prints for its sentence.
MINISTRY = [
    "SUBJ Ministry echoed",
    "NNPREP Ministry of Affairs",
    "NN Foreign Affairs",
    "DOBJ echoed view",
]


def find(sentence):
    words = []
    for entry in sentence.split():
        form, upos, head, deprel, *more = entry.split("/")
        features, xpos = (*more, "_", "_")[:2]
        words.append(ParsedWord(form, form, upos, xpos, features, int(head), deprel))
    return [
        " ".join([e.name, *e.words]) for e in find_dependencies(Parse((*words,), ""))
    ]


@pytest.mark.seed("5.35", prints="ADVADJ(brightly, colored)")
@pytest.mark.parametrize(("sentence", "expected"), CASES)
def test_sentences_that_have_it(sentence, expected):
    assert "; ".join(find(sentence)) == expected


@pytest.mark.seed("5.34", prints="NNPREP (Ministry, of, Affairs)")
def test_the_profile_of_the_workbook_s_sentence():
    parses = [
        case.values for case in CASES if case.id.startswith("the workbook's sentence")
    ]
    assert len(parses) == 3
    for sentence, _ in parses:
        assert sorted(find(sentence)) == sorted(MINISTRY)
