"""Details: what metrics noted in the segments of a corpus, equal ones together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from metra.corpus.outputs import Corpus
from metra.errors import OptionError
from metra.metrics.record import Finding, Metric
from metra.scoring.results import Results
from metra.scoring.statistics import fit_metrics, split_corpus

_Key: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...]]
_Tally: TypeAlias = dict[_Key, list[int]]


def select_detailed(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Choose the metrics that give details; refuse if none does."""
    detailed = {spec: metric for spec, metric in metrics.items() if metric.details}
    if not detailed:
        msg = (
            f"Details were asked for, but {', '.join(metrics)} gives none; add a measure "
            "that does, for example entities."
        )
        raise OptionError(msg)
    return detailed


def add_details(
    results: Results, corpus: Corpus, metrics: Mapping[str, Metric]
) -> Results:
    """Add what the metrics noted, the most frequent first."""
    metrics = fit_metrics(corpus, metrics)
    tallies: dict[tuple[str, str], _Tally] = {
        (system, spec): {} for system in corpus.systems for spec in metrics
    }
    for part in split_corpus(corpus, metrics):
        batches = {name: part.batch(name) for name in corpus.systems}
        for (system, spec), tally in tallies.items():
            noted = metrics[spec].details
            for detail in noted(batches[system]) if noted else ():
                key = (detail.note, detail.text, tuple(detail.about.items()))
                tally.setdefault(key, []).append(part.first + detail.at + 1)
    systems = [
        replace(
            entry,
            scores={
                spec: replace(
                    score, details=_build_findings(tallies.get((entry.name, spec)))
                )
                for spec, score in entry.scores.items()
            },
        )
        for entry in results.systems
    ]
    return replace(results, systems=systems)


def _build_findings(tally: _Tally | None) -> Sequence[Finding] | None:
    if tally is None:
        return None
    findings = [
        Finding(note, text, dict(about), tuple(segments))
        for (note, text, about), segments in tally.items()
    ]
    return sorted(findings, key=lambda finding: -finding.count)
