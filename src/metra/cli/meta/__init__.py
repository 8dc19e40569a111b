"""`metra meta`: how far a metric, or a judge, can be trusted.

command: the commands, made from the entries of questions in `metra.meta.questions`
"""

import click

from metra.cli import LazyGroup
from metra.meta import COMMAND_NAMES


@click.group(
    cls=LazyGroup,
    package="metra.cli.meta",
    modules=dict.fromkeys(COMMAND_NAMES, "command"),
)
def meta() -> None:
    """Evaluate metrics and judges: correlation, agreement, rankings, sample size.

    SCORES are files of scores and judgements in any combination: long tables and matrices
    (.tsv), JSON lines, output of `metra score`, mt-metrics-eval folders, WMT direct
    assessments, MQM, ESA, Appraise. LANG=FILE gives the language pair of a file.

    \b
    metra score sysA.txt sysB.txt -r ref.txt --level segment --format json -o bleu.json
    metra meta correlate bleu.json judgements.tsv --gold mqm
    """
