"""Files of judgements and scores in any format, with what protocols and metrics know."""

from collections.abc import Mapping
from functools import partial

from metra.campaign.imports import parse_judgement_lines
from metra.campaign.judgement import score_judgements
from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.stream import STDIN, format_path
from metra.metrics.registry import metric
from metra.scores import judgement_table
from metra.scores.columns import read_score_head
from metra.scores.judgement import ScoredJudgement
from metra.scores.long_table import convert_judgements, format_judgement_table
from metra.scores.metra import read_metra_tsv
from metra.scores.registry import (
    SCORE_FORMATS,
    ScoreFormat,
    read_scores,
    recognise_score_format,
)
from metra.scores.spreadsheet import count_undefined
from metra.scores.table import Scores


def read_question(path: str, question: str | None = None) -> Scores:
    """Read judgements; of several questions the last, unless `question` names one.

    Where less is better, as with the costs of MQM, scores are turned round by their sign.
    """
    if path == STDIN or judgement_table.is_judgement_table(read_score_head(path)):
        return judgement_table.read_judgement_table(path, question)
    if recognise_score_format(path) == "metra-judgements":
        lines = format_judgement_table(_read_judgements(path)).split("\n")[:-1]
        return judgement_table.parse_judgement_table(lines, path, question)
    return judgement_table.select_question(
        read_scores(path, formats=ALL_SCORE_FORMATS), path, question
    )


def read_judgement_scores(path: str) -> Scores:
    """Read the scores of judgements in JSON lines, checks as scorers of their own."""
    judgements = _read_judgements(path)
    outputs = (scores for scored in judgements for scores in scored.scores)
    if not any(score.is_defined for scores in outputs for score in scores):
        reasons = set[str]().union(*count_undefined(judgements).values())
        because = f": {'; '.join(sorted(reasons))}" if reasons else ""
        msg = f"{format_path(path)} has judgements without scores{because}."
        raise FormatError(msg)
    return convert_judgements(judgements)


def _read_judgements(path: str) -> list[ScoredJudgement]:
    lines = read_lines(path)
    return score_judgements(parse_judgement_lines(lines, format_path(path)))


#: The formats of `read_scores`, with the two that need protocols and metrics.
ALL_SCORE_FORMATS: Mapping[str, ScoreFormat] = {
    **SCORE_FORMATS,
    "metra-judgements": SCORE_FORMATS["metra-judgements"]._replace(
        read=read_judgement_scores
    ),
    "metra-tsv": SCORE_FORMATS["metra-tsv"]._replace(
        read=partial(read_metra_tsv, direction_of=lambda spec: metric(spec).direction)
    ),
}
