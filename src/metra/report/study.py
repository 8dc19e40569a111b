"""Study of some systems' outputs of one test set: the content of a report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from metra.analysis.buckets import Buckets, score_buckets
from metra.analysis.changes import find_rival, order_segments
from metra.analysis.collection import CollectedCorpus, CorpusTexts
from metra.analysis.findings import (
    AlignmentGrids,
    MarkedErrorFindings,
    align_grids,
    collect_errors,
)
from metra.analysis.headlines import rank_by_trust
from metra.analysis.ngrams import NgramChanges, find_ngram_changes
from metra.analysis.profiles import Profiles, describe_outputs
from metra.analysis.relations import (
    Distribution,
    ScoreRelation,
    count_distributions,
    fit_lines,
    relate_metrics,
    relate_to_results,
)
from metra.analysis.word_diff import get_preparation
from metra.corpus.outputs import Corpus
from metra.errors import UnknownNameError, no_such
from metra.metrics.record import Metric
from metra.report.writers.headings import shorten_specs
from metra.scoring.compare import (
    ComparisonSettings,
    compare_statistics,
    select_baseline_family,
)
from metra.scoring.evaluate import EvaluationOptions, count_guarded, evaluate_statistics
from metra.scoring.results import HUMAN_SCORE, Results, SystemScores
from metra.scoring.statistics import CHUNK, CorpusStatistics
from metra.stats import defaults
from metra.stats.parallel import Progress, ordered_map, thread_count

if TYPE_CHECKING:
    from metra.meta.people import PeopleScores, TrustReport
    from metra.scores.table import Scores
    from metra.stats.curves import LineFit


@dataclass(frozen=True, slots=True)
class PeopleStudy:
    """Judgements of people, and metrics against them."""

    scores: "PeopleScores"
    #: The judgements as results of a metric, if there are enough.
    results: Results | None
    #: Relations of people to each metric, and lines through the systems by metric.
    relations: Sequence[ScoreRelation]
    lines: "Mapping[str, LineFit]"
    trust: "TrustReport"


@dataclass(frozen=True, slots=True)
class Standing:
    """Scores of systems, by metrics and if there are any by people, and comparisons."""

    results: Results
    #: The system that the others are compared with.
    baseline: str
    judged: Results | None = None

    @property
    def against_baseline(self) -> Results:
        """Comparisons of metrics with the baseline; people are ranked in a section."""
        return select_baseline_family(self.results, self.baseline)

    @property
    def all_results(self) -> list[Results]:
        """The results of people, if there are any, and of metrics: most trusted first."""
        return [each for each in (self.judged, self.results) if each is not None]

    def rank_systems(self) -> list[SystemScores]:
        """List the systems, the best by people or the most trusted metric first."""
        *people, results = self.all_results
        return rank_by_trust(results, *people)

    def get_digits(self, spec: str) -> int:
        """Return how many digits after the point scores are shown with, 2 if not known."""
        score = self.results.systems[0].scores.get(spec)
        return 2 + (score.more_digits if score else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Scores and texts with the analyses of them."""

    results: Results
    texts: CorpusTexts
    #: The system that the others are compared with.
    baseline: str
    #: The best of the others by the first metric; None where there are no others.
    rival: str | None
    distributions: Sequence[Distribution]
    relations: Sequence[ScoreRelation]
    #: Of the segments whose score differs most between the two, these first.
    grids: AlignmentGrids
    #: Of the rival against the baseline; None without references.
    ngrams: NgramChanges | None
    buckets: Sequence[Buckets]
    profiles: Profiles
    people: PeopleStudy | None = None
    #: Errors that judges or programs marked, where a metric brings them.
    errors: MarkedErrorFindings | None = None

    @property
    def standing(self) -> Standing:
        """The scores alone."""
        judged = self.people.results if self.people else None
        return Standing(self.results, self.baseline, judged)


NGRAMS = 20
#: More documents than this make a table that nobody reads.
MOST_DOCUMENTS = 40


def build_study(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    baseline: str | None = None,
    judgements: "Scores | None" = None,
    question: str | None = None,
    labels: Mapping[str, Sequence[str]] = {},
    most_grids: int = 50,
    seed: int = defaults.SEED,
    counting: Progress = lambda *_: None,
    testing: Progress = lambda *_: None,
    looking: Callable[[str], None] = lambda _: None,
) -> Study:
    """Score a corpus and look at the scores from all sides, reading it once.

    There are three reports of progress: segments counted, trials done, what comes next.
    """
    names = shorten_specs(list(metrics))
    metrics = {names[spec]: metric for spec, metric in metrics.items()}
    if baseline is None:
        baseline = corpus.systems[0]
    elif baseline not in corpus.systems:
        raise UnknownNameError(no_such("system", baseline, corpus.systems))
    collected = CollectedCorpus(corpus, get_preparation(next(iter(metrics.values()))))
    sheets = count_guarded(
        corpus,
        metrics,
        keep=True,
        visitors=[collected.visit],
        # Enough chunks of several systems for all cores.
        chunk=-(-CHUNK // len(corpus.systems)),
        progress=counting,
    )
    documents = corpus.has_documents
    asked = EvaluationOptions(documents=documents, segments=True, seed=seed)
    if len(sheets.systems) > 1:
        contest = ComparisonSettings(baseline=baseline, all_pairs=True, seed=seed)
        results = compare_statistics(sheets, contest, asked, progress=testing)
    else:
        results = evaluate_statistics(sheets, asked._replace(ci=True))
    rival = find_rival(results, baseline)
    changed, texts = order_segments(results, baseline, rival), collected.texts
    ngrams, buckets, profiles = _run_analyses(
        collected, sheets, baseline, rival, labels, seed, looking
    )
    people = None
    if judgements is not None:
        people = _study_people(judgements, question, results, sheets, texts, seed)
    return Study(
        results=results,
        texts=texts,
        baseline=baseline,
        rival=rival,
        distributions=count_distributions(results),
        relations=relate_metrics(results),
        grids=align_grids(texts, sheets.metrics, changed[:most_grids]),
        ngrams=ngrams,
        buckets=buckets,
        profiles=profiles,
        people=people,
        errors=collect_errors(texts.outputs, sheets.metrics),
    )


def _run_analyses(
    collected: CollectedCorpus,
    sheets: CorpusStatistics,
    baseline: str,
    rival: str | None,
    labels: Mapping[str, Sequence[str]],
    seed: int,
    looking: Callable[[str], None],
) -> tuple[NgramChanges | None, Sequence[Buckets], Profiles]:
    """Return the n-grams, buckets and profiles; `looking` is told what comes next."""
    has_references = collected.has_references
    documents = set(collected.texts.documents or ())
    wanted: dict[str, bool] = {
        "length": True,
        "frequency": has_references,
        "document": 1 < len(documents) <= MOST_DOCUMENTS,
    }

    def list_buckets() -> Sequence[Buckets]:
        score = partial(score_buckets, collected, sheets, baseline=baseline, seed=seed)
        plain = [score(kind) for kind in wanted if wanted[kind]]
        return [*plain, *(score(name, labels=each) for name, each in labels.items())]

    tasks: dict[str, Callable[[], Any]] = {
        "n-grams": lambda: None,
        "buckets": list_buckets,
        "profiles": partial(describe_outputs, collected),
    }
    if has_references and rival is not None:
        pair = baseline, rival
        tasks["n-grams"] = partial(find_ngram_changes, collected, *pair, most=NGRAMS)

    def start_tasks() -> Iterator[Callable[[], Any]]:
        for stage, run in tasks.items():
            looking(stage)
            yield run

    answers = ordered_map(lambda run: run(), start_tasks(), thread_count(), alone=0)
    ngrams, buckets, profiles = answers
    return ngrams, buckets, profiles


def _study_people(
    judgements: "Scores",
    question: str | None,
    results: Results,
    sheets: CorpusStatistics,
    texts: CorpusTexts,
    seed: int,
) -> PeopleStudy:
    """Hold the metrics against the judgements of a question."""
    from metra.meta.people import assess_trust, build_people_results, collect_people
    from metra.scores.alignment import follow_outputs
    from metra.scores.selection import DEFAULT

    people = collect_people(
        follow_outputs(judgements, texts.outputs),
        DEFAULT,
        question,
        sheets.systems,
        segments=results.segments,
        documents=texts.documents,
        seed=seed,
    )
    relations = relate_to_results(
        HUMAN_SCORE, people.means, people.segments, people.direction, results
    )
    return PeopleStudy(
        people,
        build_people_results(people, results.segments),
        relations,
        fit_lines(relations),
        assess_trust(
            people.scores, sheets, seed=seed, pooled=people.level != "document"
        ),
    )
