"""All that is known about some systems' outputs of one test set: what a report shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metra.corpus import Corpus
from metra.errors import UnknownNameError, no_such
from metra.evaluation import Questions, evaluate_corpus
from metra.insight.distributions import Distribution, distributions, segments
from metra.insight.findings import Findings
from metra.insight.grids import Grids, grids
from metra.insight.people import People, people
from metra.insight.relations import Relation, metric_relations
from metra.insight.texts import Texts, texts_of
from metra.io.judgements import Judgement
from metra.measure import Metric
from metra.results import Results


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
    people: People | None = None
    findings: Findings | None = None


def study(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    *,
    baseline: str | None = None,
    judgements: Sequence[Judgement] | None = None,
    most_grids: int = 50,
    progress: Callable[[int], None] = lambda _: None,
) -> Study:
    """Score a corpus and look at the scores from all sides."""
    baseline = _baseline(corpus.systems, baseline)
    questions = Questions(documents=corpus.has_documents, segments=True, ci=True)
    results = evaluate_corpus(corpus, metrics, questions, progress=progress)
    texts = texts_of(corpus)
    rival = _rival(results, baseline)
    changed = _changed(results, baseline, rival)
    return Study(
        results=results,
        texts=texts,
        baseline=baseline,
        rival=rival,
        changed=changed,
        distributions=distributions(results),
        relations=metric_relations(results),
        grids=grids(texts, metrics, changed[:most_grids]),
        people=people(judgements, texts, results) if judgements else None,
    )


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
