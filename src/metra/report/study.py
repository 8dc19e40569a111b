"""All that is known about some systems' outputs of one test set: what a report shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metra.analysis.changes import find_rival, order_segments
from metra.analysis.collection import CorpusTexts
from metra.analysis.distributions import Distribution, count_distributions
from metra.analysis.findings import (
    AlignmentGrids,
    AnalysisOptions,
    AnalysisResults,
    align_grids,
    prepare_analyses,
    run_analyses,
)
from metra.analysis.relations import (
    HUMAN_SCORE,
    HumanScores,
    ScoreRelation,
    relate_judgements,
    relate_metrics,
)
from metra.corpus.outputs import Corpus
from metra.errors import UnknownNameError, no_such
from metra.metrics.record import Metric
from metra.scoring.compare import ComparisonSettings, compare_statistics
from metra.scoring.evaluate import EvaluationOptions, evaluate_statistics
from metra.scoring.results import Results
from metra.scoring.statistics import CHUNK, CorpusStatistics, count_corpus
from metra.stats import defaults

if TYPE_CHECKING:
    from metra.formats.scores.record import Scores
    from metra.meta.trust import TrustReport


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
    trust: "TrustReport | None" = None


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
    judgements: "Scores | None" = None,
    labels: Mapping[str, Sequence[str]] = {},
    most_grids: int = 50,
    seed: int = defaults.SEED,
    counting: Callable[[int], None] = lambda _: None,
    testing: Callable[[int], None] = lambda _: None,
    looking: Callable[[str], None] = lambda _: None,
) -> Study:
    """Score a corpus and look at the scores from all sides, reading it once.

    There are three reports of progress: segments counted, trials done, what comes next.
    """
    baseline = _choose_baseline(corpus.systems, baseline)
    questions = EvaluationOptions(
        documents=corpus.has_documents, segments=True, seed=seed
    )
    analyses = AnalysisOptions(
        changes=LISTED,
        ngrams=NGRAMS,
        buckets=["length", "frequency"],
        labels=labels,
        profiles=True,
        seed=seed,
    )
    collected = prepare_analyses(corpus, metrics, analyses)
    sheets = count_corpus(
        corpus,
        metrics,
        keep=True,
        visitors=[collected.visit],
        # Enough chunks of several systems for all cores.
        chunk=-(-CHUNK // len(corpus.systems)),
        progress=counting,
    )
    metrics = sheets.metrics
    results = _compute_results(sheets, questions, baseline, testing)
    texts = collected.texts
    rival = find_rival(results, baseline)
    changed = order_segments(results, baseline, rival)
    people = trust = None
    if judgements:
        from metra.meta.trust import assess_trust

        people = relate_judgements(judgements, results, texts.documents)
        trust = assess_trust(judgements, sheets, scorer=HUMAN_SCORE, seed=seed)
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
            collected,
            sheets,
            _fit_to_size(analyses, results),
            baseline=baseline,
            looking=looking,
        ),
        people=people,
        trust=trust,
    )


def _compute_results(
    sheets: CorpusStatistics,
    questions: EvaluationOptions,
    baseline: str,
    testing: Callable[[int], None],
) -> Results:
    """Compare all pairs of systems; of a single one, give the intervals."""
    if len(sheets.systems) > 1:
        contest = ComparisonSettings(
            baseline=baseline, all_pairs=True, seed=questions.seed
        )
        return compare_statistics(sheets, contest, questions, progress=testing)
    return evaluate_statistics(sheets, questions._replace(ci=True))


def _fit_to_size(analyses: AnalysisOptions, results: Results) -> AnalysisOptions:
    """Ask for what the size of the test set, which is known now, allows."""
    buckets = list(analyses.buckets)
    if results.documents is not None and 1 < results.documents <= MOST_DOCUMENTS:
        buckets.append("document")
    min_words = MIN_WORDS if results.segments > SOME_SIZE else 0
    return replace(analyses, buckets=buckets, min_words=min_words)


def _choose_baseline(systems: Sequence[str], wanted: str | None) -> str:
    if wanted is None:
        return systems[0]
    if wanted not in systems:
        raise UnknownNameError(no_such("system", wanted, systems))
    return wanted
