"""Files that evaluators hand in: scores and judgements in any format, with their evaluators."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from metra.errors import CorpusError, FormatError
from metra.formats.stream import format_path, name_system, split_named_path
from metra.scores.registry import read_scores
from metra.scores.table import Scores


def read_evaluator_files(paths: Iterable[str]) -> dict[str, Scores]:
    """Read what evaluators handed in, by file; `EVALUATOR=FILE` names its evaluator.

    Without a name the judges of the file are the evaluators or, if it names none, an
    evaluator called after the file.
    """
    tables: dict[str, Scores] = {}
    for path in paths:
        evaluator, file = split_named_path(path)
        place = format_path(file)
        # One file may be handed in by two evaluators.
        tables[path if place in tables else place] = read_evaluator_file(
            file, evaluator or ""
        )
    return tables


def read_evaluator_file(path: str, evaluator: str = "") -> Scores:
    """Read one file; `evaluator` is the judge of its scores if it names none."""
    scores, place = read_scores(path), format_path(path)
    if not len(scores):
        msg = f"{place} has no scores; expected those of at least one system."
        raise FormatError(msg)
    if evaluator and scores.judges:
        names = ", ".join(sorted(scores.judges))
        msg = f"{place} already names its evaluators ({names}); remove {evaluator!r}."
        raise CorpusError(msg)
    if len(scores.languages) > 1:
        names = ", ".join(filter(None, scores.languages))
        msg = f"{place} has several language pairs ({names}); give a file with one of them."
        raise CorpusError(msg)
    judges = *scores.judges, evaluator or name_system(path)
    judge = np.where(scores.judge < 0, len(scores.judges), scores.judge)
    return replace(scores, judges=judges, judge=judge).compact()
