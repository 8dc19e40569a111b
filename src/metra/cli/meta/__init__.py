"""`metra meta`: how far a metric, or a judge, can be trusted.

designs: questions about documents, references, choices of systems, and WMT's protocols
judges: questions about judgements: rank, agree and normalise
metrics: questions about metrics: correlate, diff, compare and cross
options: what the questions share: scores to read, panels, notes and pictures
"""

from collections.abc import Mapping
from typing import ClassVar

import click

from metra.cli import LazyGroup


class _MetaGroup(LazyGroup):
    """The questions, one file each."""

    modules: ClassVar[Mapping[str, str]] = {
        "correlate": "metrics",
        "diff": "metrics",
        "compare": "metrics",
        "cross": "metrics",
        "scatter": "designs",
        "robust": "designs",
        "task": "designs",
        "agree": "judges",
        "normalise": "judges",
        "pseudo": "designs",
        "refs": "designs",
        "rank": "judges",
    }
    package = "metra.cli.meta"


@click.group(cls=_MetaGroup)
def meta() -> None:
    """Ask how far metrics and judges can be trusted.

    SCORES are files of scores and judgements, in any mixture: long tables and matrices
    (.tsv), JSON lines, what `metra score` writes, directories of mt-metrics-eval, WMT's direct
    assessments, MQM, ESA, Appraise. LANG=FILE names the language pair of a file.

    \b
    metra score sysA.txt sysB.txt -r ref.txt --level segment --format json -o bleu.json
    metra meta correlate bleu.json judgements.tsv --gold mqm
    """
