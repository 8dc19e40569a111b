"""All that is known about some systems' outputs of one test set: what a report shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.analysis.distributions import Distribution, distributions, segments
from metra.analysis.findings import (
    Findings,
    Grids,
    Texts,
    Wishes,
    find,
    grids,
    texts_of,
)
from metra.analysis.relations import People, Relation, metric_relations, people
from metra.corpus.evalset import Corpus
from metra.errors import UnknownNameError, no_such
from metra.formats.scores.judgement_table import Judgement
from metra.meta.trust import Trust, trust
from metra.metrics.record import Metric
from metra.scoring.compare import Contest, compared
from metra.scoring.evaluate import Questions, counted, evaluate_corpus
from metra.scoring.results import Results
from metra.scoring.statistics import Sheets
from metra.stats import defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Scores, texts, and what follows from them."""

    results: Results
    texts: Texts
    #: The system that the others are compared with.
    baseline: str
    #: The best of the others by the first metric; None where there are no others.
    rival: str | None
    #: Segments counted from 0, those first whose score differs most between the two.
    changed: Sequence[int]
    distributions: Sequence[Distribution]
    relations: Sequence[Relation]
    grids: Grids
    findings: Findings
    people: People | None = None
    #: How far metrics and people can be trusted; there where judgements are.
    trust: Trust | None = None


#: Segments of a kind and n-grams that are listed where there is no script to list all.
LISTED = 10
NGRAMS = 20
#: Two words that changed are the largest change of all, and the dullest: in test sets of
#: some size, shorter segments are not among the most changed.
MIN_WORDS = 5
SOME_SIZE = 100
#: More documents than this make a table that nobody reads.
MOST_DOCUMENTS = 40


def study(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    baseline: str | None = None,
    judgements: Sequence[Judgement] | None = None,
    labels: Mapping[str, Sequence[str]] = {},
    most_grids: int = 50,
    seed: int = defaults.SEED,
    counting: Callable[[int], None] = lambda _: None,
    testing: Callable[[int], None] = lambda _: None,
    looking: Callable[[str], None] = lambda _: None,
) -> Study:
    """Score a corpus and look at the scores from all sides.

    There are three reports of progress: segments counted, trials done, what comes next.
    """
    baseline = _baseline(corpus.systems, baseline)
    questions = Questions(documents=corpus.has_documents, segments=True, seed=seed)
    metrics, sheets = counted(corpus, metrics, questions, keep=True, progress=counting)
    results = _results(corpus, metrics, sheets, questions, baseline, testing)
    texts = texts_of(corpus)
    rival = _rival(results, baseline)
    changed = _changed(results, baseline, rival)
    wishes = Wishes(
        changes=LISTED,
        ngrams=NGRAMS,
        min_words=MIN_WORDS if results.segments > SOME_SIZE else 0,
        buckets=_partitions(results),
        labels=labels,
        profiles=True,
        seed=seed,
    )
    said = people(judgements, texts, results) if judgements else None
    trusted = None
    if judgements and said is not None:
        trusted = trust(judgements, said, metrics, sheets, corpus.systems, seed=seed)
    return Study(
        results=results,
        texts=texts,
        baseline=baseline,
        rival=rival,
        changed=changed,
        distributions=distributions(results),
        relations=metric_relations(results),
        grids=grids(texts, metrics, changed[:most_grids]),
        findings=find(
            corpus, metrics, sheets, wishes, baseline=baseline, looking=looking
        ),
        people=said,
        trust=trusted,
    )


def _results(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: Sheets,
    questions: Questions,
    baseline: str,
    testing: Callable[[int], None],
) -> Results:
    """Compare all pairs of systems; of a single one, give the intervals."""
    if len(corpus.systems) > 1:
        contest = Contest(baseline=baseline, all_pairs=True, seed=questions.seed)
        return compared(corpus, metrics, sheets, contest, questions, progress=testing)
    return evaluate_corpus(corpus, metrics, questions._replace(ci=True))


def _partitions(results: Results) -> list[str]:
    """Choose the ways to part the test set that its size allows."""
    found = ["length", "frequency"]
    if results.documents is not None and 1 < results.documents <= MOST_DOCUMENTS:
        found.append("document")
    return found


def _baseline(systems: Sequence[str], wanted: str | None) -> str:
    if wanted is None:
        return systems[0]
    if wanted not in systems:
        raise UnknownNameError(no_such("system", wanted, systems))
    return wanted


def _rival(results: Results, baseline: str) -> str | None:
    """Find the best of the other systems by the first metric."""
    spec = results.specs[0]
    others = [entry for entry in results.systems if entry.name != baseline]
    if not others:
        return None
    sign = 1 if others[0].scores[spec].higher_is_better else -1
    return max(others, key=lambda entry: sign * entry.scores[spec].score).name


def _changed(results: Results, baseline: str, rival: str | None) -> list[int]:
    """Order the segments; the worst first where there is nothing to compare with."""
    spec = results.specs[0]
    before = segments(results, baseline, spec)
    if rival is None:
        sign = 1 if results[baseline][spec].higher_is_better else -1
        return np.argsort(sign * before, kind="stable").tolist()
    differences = np.abs(segments(results, rival, spec) - before)
    return np.argsort(-differences, kind="stable").tolist()
