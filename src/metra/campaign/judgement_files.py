"""Files of judgements and scores in any format, with what protocols and metrics know."""

from collections.abc import Mapping
from functools import partial

from metra.formats.stream import STDIN
from metra.metrics.registry import metric
from metra.scores import judgement_table
from metra.scores.columns import read_score_head
from metra.scores.metra import read_metra_tsv
from metra.scores.registry import (
    SCORE_FORMATS,
    ScoreFormat,
    read_scores,
)
from metra.scores.table import Scores


def read_question(path: str, question: str | None = None) -> Scores:
    """Read judgements; of several questions the last, unless `question` names one.

    Where less is better, as with the costs of MQM, scores are turned round by their sign.
    """
    if path == STDIN or judgement_table.is_judgement_table(read_score_head(path)):
        return judgement_table.read_judgement_table(path, question)
    return judgement_table.select_question(
        read_scores(path, formats=ALL_SCORE_FORMATS), path, question
    )


#: The formats of `read_scores`, with the two that need protocols and metrics.
ALL_SCORE_FORMATS: Mapping[str, ScoreFormat] = {
    **SCORE_FORMATS,
    "metra-tsv": SCORE_FORMATS["metra-tsv"]._replace(
        read=partial(read_metra_tsv, direction_of=lambda spec: metric(spec).direction)
    ),
}
