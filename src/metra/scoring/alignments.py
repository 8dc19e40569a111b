"""Word alignments of segments, and details that metrics noted in them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from metra.corpus.batch import Batch
from metra.corpus.outputs import Corpus
from metra.errors import OptionError, UnknownNameError, no_such
from metra.metrics.alignment import AlignedSegment, Alignment
from metra.metrics.record import Aligner, Metric
from metra.metrics.registry import metric as make_metric
from metra.metrics.units import Finding
from metra.scoring.results import Results
from metra.scoring.statistics import CHUNK, fit_metrics, split_corpus


def align(
    hyp: str, refs: Sequence[str], metric: str | Metric = "wer"
) -> list[Alignment]:
    """Align an output with each of its references, as the measure aligns them.

    >>> for alignment in align("a cat sat down", ["the cat sat"]):
    ...     print([(link.kind, *alignment.words(link)) for link in alignment.links[:2]])
    [('substitution', ('a',), ('the',)), ('hit', ('cat',), ('cat',))]
    """
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    return chosen.alignments(hyp, refs)


def align_segment(
    hyp: str,
    refs: Sequence[str | None],
    metric: Metric,
    *,
    system: str,
    number: int,
    spec: str,
) -> AlignedSegment:
    """Align and score one segment by itself; a missing reference is None."""
    if metric.align is None:
        msg = f"{spec} aligns no words; choose a measure that does, such as gtm or wer."
        raise OptionError(msg)
    batch = Batch([hyp], [[ref] for ref in refs])
    single = metric.for_segments or metric
    row = single.rows(batch)[0]
    parts = single.parts(row)
    return AlignedSegment(
        system=system,
        number=number,
        spec=spec,
        score=float(single.aggregate(row)),
        parts={name: part for name, part in parts.items() if isinstance(part, float)},
        alignments=metric.align(batch, 0),
    )


def read_aligned_segment(
    corpus: Corpus, system: str | None, number: int, metric: Metric, spec: str
) -> AlignedSegment:
    """Read a corpus up to one of its segments, counted from 1, and align that.

    The system need not be named if there is only one.
    """
    system = _choose_system(corpus.systems, system)
    metric = fit_metrics(corpus, {spec: metric})[spec]
    start = 1
    for chunk in corpus.chunks(CHUNK):
        if number < start + len(chunk):
            index = number - start
            hyp = chunk.systems[system].text[index] or ""
            refs = [column.text[index] for column in chunk.refs]
            return align_segment(
                hyp, refs, metric, system=system, number=number, spec=spec
            )
        start += len(chunk)
    msg = (
        f"Segment {number} was asked for, but the last one is {start - 1}; "
        f"ask for one from 1 to {start - 1}."
    )
    raise OptionError(msg)


def _choose_system(systems: Sequence[str], name: str | None) -> str:
    if name is None and len(systems) == 1:
        return systems[0]
    if name is None:
        msg = f"There are {len(systems)} systems; choose one of {', '.join(systems)}."
        raise OptionError(msg)
    if name not in systems:
        raise UnknownNameError(no_such("system", name, systems))
    return name


def find_aligners(metrics: Mapping[str, Metric]) -> dict[str, Aligner]:
    """Find how each measure aligns, of those that do; refuse if none does."""
    aligners = {spec: metric.align for spec, metric in metrics.items() if metric.align}
    if not aligners:
        msg = (
            f"Alignments were asked for, but {', '.join(metrics)} aligns no words; "
            "add a measure that does, for example wer."
        )
        raise OptionError(msg)
    return aligners


def add_alignments(
    results: Results,
    corpus: Corpus,
    aligners: Mapping[str, Aligner],
    segments: Sequence[range] | None,
) -> Results:
    """Add the alignments of these segments, counted from 1; of all of them if None."""
    last = max((numbers[-1] for numbers in segments or ()), default=0)
    if last > results.segments:
        msg = (
            f"The alignment of segment {last} was asked for, but there are "
            f"{results.segments} segments; ask for segments from 1 to {results.segments}."
        )
        raise OptionError(msg)
    alignments = _collect_alignments(corpus, aligners, segments)
    systems = [
        replace(
            system,
            scores={
                spec: replace(score, alignments=alignments.get((system.name, spec)))
                for spec, score in system.scores.items()
            },
        )
        for system in results.systems
    ]
    return replace(results, systems=systems)


def _collect_alignments(
    corpus: Corpus, aligners: Mapping[str, Aligner], segments: Sequence[range] | None
) -> dict[tuple[str, str], dict[int, Sequence[Alignment]]]:
    alignments: dict[tuple[str, str], dict[int, Sequence[Alignment]]] = {
        (name, spec): {} for name in corpus.systems for spec in aligners
    }
    start = 1
    for chunk in corpus.chunks(CHUNK):
        numbers = [
            number
            for number in range(start, start + len(chunk))
            if segments is None or any(number in part for part in segments)
        ]
        for name in corpus.systems if numbers else ():
            batch = chunk.batch(name)
            for spec, align_segment in aligners.items():
                alignments[name, spec] |= {
                    number: align_segment(batch, number - start) for number in numbers
                }
        start += len(chunk)
        if segments is not None and all(start >= part.stop for part in segments):
            break
    return alignments


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
