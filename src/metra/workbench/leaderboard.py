"""The runs of a test set by all metrics, compared with a baseline by stored statistics."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from metra.scoring.compare import ComparisonSettings, compare_statistics
from metra.scoring.evaluate import EvaluationOptions, evaluate_statistics, make_metrics
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics, Tally, fit_metrics
from metra.scoring.totals import Total
from metra.stats import totals
from metra.store import score_arrays, test_sets
from metra.store.score_arrays import RunScore
from metra.store.test_sets import Run, StoredSet
from metra.workbench.latest import LatestValues
from metra.workbench.run_scores import read_corpus

#: All pairs of so many runs are compared, and so many runs with the baseline; tests of more
#: would take longer than anybody waits for a page.
MOST_PAIRED, MOST_COMPARED = 6, 20


_CACHE: LatestValues[Results] = LatestValues(32)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Runs with their scores."""

    #: By the titles of runs, of those that have scores by all metrics; None if none has.
    results: Results | None
    #: The runs by their titles, the oldest first.
    runs: dict[str, Run]
    #: The title of the run that others are compared with.
    baseline: str
    #: Titles of runs that lack scores by some metric.
    unscored: tuple[str, ...]
    #: Metrics whose scores have several signatures, which cannot be compared.
    incomparable: tuple[str, ...]


def build_leaderboard(
    db: Connection, stored: StoredSet, chosen: Sequence[str] = ()
) -> Leaderboard:
    """Compare the runs of a test set, or the chosen ones by their ids, with the baseline."""
    runs = test_sets.list_runs(db, stored)
    if chosen:
        runs = [run for run in runs if run.id in chosen]
    titles = name_runs(runs)
    scores = score_arrays.list_scores(db, [run.id for run in runs])
    specs, incomparable = _choose_specs(scores)
    scored = {(each.run, each.spec) for each in scores}
    complete = [run for run in runs if all((run.id, s) in scored for s in specs)]
    unscored = [titles[run.id] for run in runs if run not in complete or not specs]
    named = [titles[run.id] for run in complete if run.system == stored.baseline]
    baseline = [*named, *(titles[run.id] for run in complete), ""][0]
    results = None
    if specs and complete:
        # Scores of a run by a signature never change, so the same ones give the same results.
        titled = tuple((run.id, titles[run.id]) for run in complete)
        signed = tuple((each.run, each.spec, each.signature) for each in scores)
        key = stored.id, titled, tuple(specs), signed, baseline
        results = _CACHE.get(key)
        if results is None:
            statistics = load_statistics(db, stored, complete, specs, titles)
            results = _CACHE.put(key, compare_runs(statistics, baseline))
    by_title = {titles[run.id]: run for run in runs}
    return Leaderboard(results, by_title, baseline, (*unscored,), (*incomparable,))


def compare_runs(statistics: CorpusStatistics, baseline: str) -> Results:
    """Return scores with intervals, and comparisons unless there are too many runs."""
    count = len(statistics.systems)
    if not 1 < count <= MOST_COMPARED:
        return evaluate_statistics(statistics, EvaluationOptions(ci=True))
    is_small = count <= MOST_PAIRED
    return compare_statistics(
        statistics, ComparisonSettings(baseline=baseline, all_pairs=is_small)
    )


def _choose_specs(scores: Sequence[RunScore]) -> tuple[list[str], list[str]]:
    """Return the metrics with one signature, and those with several."""
    signatures: dict[str, set[str]] = {}
    for each in scores:
        signatures.setdefault(each.spec, set()).add(each.signature)
    several = [spec for spec, signed in signatures.items() if len(signed) > 1]
    return [spec for spec in signatures if spec not in several], several


def name_runs(runs: Sequence[Run]) -> dict[str, str]:
    """Return a title for each run: its system, with a number from the second run on.

    >>> runs = [Run(str(at), "", "base", "", "", (), "", 0.0) for at in range(2)]
    >>> name_runs(runs)
    {'0': 'base', '1': 'base (2)'}
    """
    counts: Counter[str] = Counter()
    titles = {}
    taken = {run.system for run in runs}
    for run in runs:
        counts[run.system] += 1
        title = run.system
        while counts[run.system] > 1 and title in taken:
            title = f"{run.system} ({counts[run.system]})"
            counts[run.system] += title in taken
        taken.add(title)
        titles[run.id] = title
    return titles


def load_statistics(
    db: Connection,
    stored: StoredSet,
    runs: Sequence[Run],
    specs: Sequence[str],
    titles: dict[str, str],
) -> CorpusStatistics:
    """Rebuild the statistics that scoring stored, by the titles of runs."""
    metrics = make_metrics(specs)
    if any(metric.fit for metric in metrics.values()):
        named = {titles[run.id]: run for run in runs}
        metrics = fit_metrics(read_corpus(db, stored, named), metrics)
    statistics = CorpusStatistics(metrics, [titles[run.id] for run in runs])
    statistics.segments = stored.segments
    statistics.references = len(stored.parts.references)
    if stored.parts.documents:
        documents = test_sets.read_texts(db, stored.parts.documents)
        statistics.documents = [name or "" for name in documents]
    lacking = sum(
        test_sets.read_texts(db, digest).count(None)
        for digest in stored.parts.references
    )
    arrays = score_arrays.read_rows(db, [run.id for run in runs], specs)
    for run in runs:
        for spec in specs:
            key, rows = (titles[run.id], spec), arrays[run.id, spec]
            sums = totals.sum_parts(rows)
            statistics.totals.whole[key] = Total(stored.segments, lacking, sums)
            tally = Tally(rows, np.array(totals.join_parts(sums)))
            statistics.tallies[key] = tally
    return statistics
