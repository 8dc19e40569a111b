"""`metra meta`: how far a metric, or a judge, can be trusted.

designs: questions about documents, references, systems, plans of studies, WMT's protocols
judges: questions about judgements: rank, agree, judges, pace, normalise and more
metrics: questions about metrics: correlate, diff, compare, cross and tune
options: what the questions share: scores to read, panels, notes and pictures
uses: questions about uses of metrics: spans, challenge, select, deltas, sentinel, card
"""

import click

from metra.cli import LazyGroup
from metra.meta import QUESTION_NAMES

#: The module of each question, in the order in which one meets them.
_MODULES = {
    **dict.fromkeys(("correlate", "diff", "compare", "cross", "tune"), "metrics"),
    **dict.fromkeys(("scatter", "robust", "task"), "designs"),
    **dict.fromkeys(("agree", "judges", "normalise", "variance"), "judges"),
    **dict.fromkeys(("power", "pseudo", "refs"), "designs"),
    **dict.fromkeys(("rank", *QUESTION_NAMES), "judges"),
    **dict.fromkeys(
        ("spans", "challenge", "select", "deltas", "sentinel", "card"), "uses"
    ),
}


@click.group(cls=LazyGroup, package="metra.cli.meta", modules=_MODULES)
def meta() -> None:
    """Evaluate metrics and judges: correlation, agreement, rankings, sample size.

    SCORES are files of scores and judgements in any combination: long tables and matrices
    (.tsv), JSON lines, output of `metra score`, mt-metrics-eval folders, WMT direct
    assessments, MQM, ESA, Appraise. LANG=FILE gives the language pair of a file.

    \b
    metra score sysA.txt sysB.txt -r ref.txt --level segment --format json -o bleu.json
    metra meta correlate bleu.json judgements.tsv --gold mqm
    """
