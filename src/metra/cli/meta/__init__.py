"""`metra meta`: how far a metric, or a judge, can be trusted."""

import click

from metra.cli import LazyGroup


class _MetaGroup(LazyGroup):
    """The questions, one file each."""

    names = (
        "correlate",
        "diff",
        "compare",
        "cross",
        "scatter",
        "robust",
        "task",
        "agree",
        "normalise",
        "pseudo",
        "refs",
        "rank",
    )
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
