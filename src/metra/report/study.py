"""All that is known about some systems' outputs of one test set: what a report shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.analysis.distributions import (
    Distribution,
    count_distributions,
    get_segment_scores,
)
from metra.analysis.findings import (
    AlignmentGrids,
    AnalysisOptions,
    AnalysisResults,
    CorpusTexts,
    align_grids,
    read_texts,
    run_analyses,
)
from metra.analysis.relations import (
    HumanScores,
    ScoreRelation,
    relate_judgements,
    relate_metrics,
)
from metra.corpus.outputs import Corpus
from metra.errors import UnknownNameError, no_such
from metra.formats.scores.record import Scores
from metra.meta.trust import TrustReport, assess_trust
from metra.metrics.record import Metric
from metra.scoring.compare import ComparisonSettings, compare_statistics
from metra.scoring.evaluate import EvaluationOptions, count_statistics, evaluate_corpus
from metra.scoring.results import Results
from metra.scoring.statistics import CorpusStatistics
from metra.stats import defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Scores, texts, and what follows from them."""

    results: Results
    texts: CorpusTexts
    #: The system that the others are compared with.
    baseline: str
    #: The best of the others by the first metric; None where there are no others.
    rival: str | None
    #: Segments counted from 0, those first whose score differs most between the two.
    changed: Sequence[int]
    distributions: Sequence[Distribution]
    relations: Sequence[ScoreRelation]
    grids: AlignmentGrids
    findings: AnalysisResults
    people: HumanScores | None = None
    #: How far metrics and people can be trusted; there where judgements are.
    trust: TrustReport | None = None


#: Segments of a kind and n-grams that are listed where there is no script to list all.
LISTED = 10
NGRAMS = 20
#: Two words that changed are the largest change of all, and the dullest: in test sets of
#: some size, shorter segments are not among the most changed.
MIN_WORDS = 5
SOME_SIZE = 100
#: More documents than this make a table that nobody reads.
MOST_DOCUMENTS = 40


def build_study(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    baseline: str | None = None,
    judgements: Scores | None = None,
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
    baseline = _choose_baseline(corpus.systems, baseline)
    questions = EvaluationOptions(
        documents=corpus.has_documents, segments=True, seed=seed
    )
    metrics, sheets = count_statistics(
        corpus, metrics, questions, keep=True, progress=counting
    )
    results = _compute_results(corpus, metrics, sheets, questions, baseline, testing)
    texts = read_texts(corpus)
    rival = _find_rival(results, baseline)
    changed = _order_segments(results, baseline, rival)
    wishes = AnalysisOptions(
        changes=LISTED,
        ngrams=NGRAMS,
        min_words=MIN_WORDS if results.segments > SOME_SIZE else 0,
        buckets=_choose_partitions(results),
        labels=labels,
        profiles=True,
        seed=seed,
    )
    said = relate_judgements(judgements, texts, results) if judgements else None
    trusted = None
    if judgements and said is not None:
        trusted = assess_trust(
            judgements, said, metrics, sheets, corpus.systems, seed=seed
        )
    return Study(
        results=results,
        texts=texts,
        baseline=baseline,
        rival=rival,
        changed=changed,
        distributions=count_distributions(results),
        relations=relate_metrics(results),
        grids=align_grids(texts, metrics, changed[:most_grids]),
        findings=run_analyses(
            corpus, metrics, sheets, wishes, baseline=baseline, looking=looking
        ),
        people=said,
        trust=trusted,
    )


def _compute_results(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    sheets: CorpusStatistics,
    questions: EvaluationOptions,
    baseline: str,
    testing: Callable[[int], None],
) -> Results:
    """Compare all pairs of systems; of a single one, give the intervals."""
    if len(corpus.systems) > 1:
        contest = ComparisonSettings(
            baseline=baseline, all_pairs=True, seed=questions.seed
        )
        return compare_statistics(
            corpus, metrics, sheets, contest, questions, progress=testing
        )
    return evaluate_corpus(corpus, metrics, questions._replace(ci=True))


def _choose_partitions(results: Results) -> list[str]:
    """Choose the ways to part the test set that its size allows."""
    found = ["length", "frequency"]
    if results.documents is not None and 1 < results.documents <= MOST_DOCUMENTS:
        found.append("document")
    return found


def _choose_baseline(systems: Sequence[str], wanted: str | None) -> str:
    if wanted is None:
        return systems[0]
    if wanted not in systems:
        raise UnknownNameError(no_such("system", wanted, systems))
    return wanted


def _find_rival(results: Results, baseline: str) -> str | None:
    """Find the best of the other systems by the first metric."""
    spec = results.specs[0]
    others = [entry for entry in results.systems if entry.name != baseline]
    if not others:
        return None
    sign = 1 if others[0].scores[spec].higher_is_better else -1
    return max(others, key=lambda entry: sign * entry.scores[spec].score).name


def _order_segments(results: Results, baseline: str, rival: str | None) -> list[int]:
    """Order the segments; the worst first where there is nothing to compare with."""
    spec = results.specs[0]
    before = get_segment_scores(results, baseline, spec)
    if rival is None:
        sign = 1 if results[baseline][spec].higher_is_better else -1
        return np.argsort(sign * before, kind="stable").tolist()
    differences = np.abs(get_segment_scores(results, rival, spec) - before)
    return np.argsort(-differences, kind="stable").tolist()
