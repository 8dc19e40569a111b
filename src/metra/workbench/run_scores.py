"""Scoring of runs as a job, and the statistics that it stores."""

import math
from collections.abc import Callable, Mapping

from sqlalchemy import Connection

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.scoring.evaluate import (
    EvaluationOptions,
    evaluate_statistics,
    make_metrics,
)
from metra.scoring.statistics import count_corpus
from metra.stats.parallel import Progress
from metra.store import score_arrays, test_sets
from metra.store.database import Store
from metra.store.jobs import Job
from metra.store.score_arrays import RunScore
from metra.store.test_sets import Run, StoredSet

#: The kind of the jobs that score runs.
KIND = "score"
#: Stores the results of a job.
Write = Callable[[Connection], None]


def score_runs(store: Store, job: Job, progress: Progress) -> Write:
    """Score the runs of a job; return the function that stores their scores.

    Runs that were deleted since are left out.
    """
    with store.reading() as db:
        stored = test_sets.find_test_set(db, job.workspace, job.subject)
        if stored is None:
            return lambda _: None
        wanted = {*job.payload["runs"]}
        runs = [run for run in test_sets.list_runs(db, stored) if run.id in wanted]
        if not runs:
            return lambda _: None
        corpus = read_corpus(db, stored, {run.id: run for run in runs})
    metrics = make_metrics(job.payload["specs"])
    statistics = count_corpus(corpus, metrics, keep=True, progress=progress)
    results = evaluate_statistics(statistics, EvaluationOptions())

    def write(db: Connection) -> None:
        left = {run.id for run in test_sets.list_runs(db, stored)}
        for entry in results.systems:
            for spec, score in entry.scores.items():
                if entry.name in left:
                    value = score.score if math.isfinite(score.score) else None
                    about = RunScore(entry.name, spec, score.signature, value)
                    rows = statistics.tallies[entry.name, spec].rows
                    score_arrays.put_scores(db, about, rows)

    return write


def read_corpus(db: Connection, stored: StoredSet, runs: Mapping[str, Run]) -> Outputs:
    """Read a test set with the outputs of runs, by their names in the corpus."""
    parts = stored.parts
    references = [test_sets.read_texts(db, digest) for digest in parts.references]
    source, documents = (
        None if digest is None else [t or "" for t in test_sets.read_texts(db, digest)]
        for digest in (parts.source, parts.documents)
    )
    rows = [*zip(*references, strict=True)] or None
    evalset = EvalSet(source=source, documents=documents, refs_per_segment=rows)
    outputs = {
        name: test_sets.read_texts(db, run.content) for name, run in runs.items()
    }
    return Outputs(evalset, outputs)
