"""X-score: dependencies that good translations have, less those that bad ones have."""

from collections import Counter
from functools import partial

import numpy as np

from metra.annotations.dependencies import dependencies
from metra.annotations.parses import ParseSource, from_file, from_model
from metra.corpus import Batch, Sentence
from metra.errors import OptionError
from metra.measure import Array, Metric, Parts, measure

SIGNS = {"RELSUBJ": 1, "RELSUBJPASS": 1, "PADJ": -1, "ADVADJ": -1}


@measure
def xscore(*, parses: str = "", model: str = "", match: bool = True) -> Metric:
    """Grammatical dependencies of the output, counted for and against. Higher is better.

    X = #RELSUBJ + #RELSUBJPASS - #PADJ - #ADVADJ, from dependency parses of the output:
    subjects of relative clauses, active ("a hearing that lasted") and passive ("a program
    that was agreed on"), less adjectives after their noun ("effects as possible") and
    adverbs before adjectives ("brightly colored"). It has no fixed range, grows with the
    text, and compares systems on the same documents; `metra rank` ranks them by the
    average of their ranks, which is what it was made for. How the four are told from
    labels of Universal Dependencies and ClearNLP is on the page on parses. Parses are in
    CoNLL-U, by any parser, such as `metra parse`; tabs between the columns, a blank line
    after each sentence, and a comment that says which segment it belongs to:

        # segment = 1
        1   a        a        DET   DT   _             2  det        _  _
        2   hearing  hearing  NOUN  NN   _             0  root       _  _
        3   that     that     PRON  WDT  PronType=Rel  4  nsubj      _  _
        4   lasted   last     VERB  VBD  _             2  acl:relcl  _  _

    Rajman and Hartley 2002, "Automatic ranking of MT systems", LREC; made with a parser
    that is gone, so this is an approximation, for English.

    Options:
        parses: CoNLL-U file with parses of the outputs; {system} stands for the system's
            name, as in parses/{system}.conllu.
        model: spaCy model, by name or folder, that parses the outputs instead (extra
            parse), such as en_core_web_sm.
        match: refuse parses of other words than the output's.
    """
    if bool(parses) == bool(model):
        msg = (
            "xscore: needs parses of the outputs; give either parses=FILE.conllu or "
            "model=NAME of a spaCy model."
        )
        raise OptionError(msg)
    source = from_model(model) if model else from_file("xscore", parses, match=match)
    return Metric(
        name="xscore",
        columns=tuple(SIGNS),
        rows=partial(rows, source=source),
        aggregate=aggregate,
        parts=parts,
        needs_reference=False,
        settled={"parses": parses or "none", "model": model or "none"} | source.settled,
    )


def rows(batch: Batch | Sentence, *, source: ParseSource) -> Array:
    """How often each dependency occurs in each output: (segments, 4)."""
    found = np.zeros((len(batch), len(SIGNS)))
    for at, sentences in enumerate(source.find(batch.hyps, batch.place)):
        counts = Counter(
            entry.name for parse in sentences for entry in dependencies(parse)
        )
        found[at] = [counts[name] for name in SIGNS]
    return found


def aggregate(totals: Array) -> Array:
    """What speaks for less what speaks against each row of totals."""
    return totals @ np.array(list(SIGNS.values()), dtype=np.float64)


def parts(totals: Array) -> Parts:
    """How often each dependency occurs."""
    return dict(zip(SIGNS, totals.tolist(), strict=True))
