"""Word alignments of segments, and details that metrics noted in them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from metra.corpus.batch import Batch, CorpusChunk
from metra.corpus.outputs import Corpus
from metra.errors import OptionError, UnknownNameError, no_such
from metra.metrics.alignment import AlignedSegment, Alignment
from metra.metrics.record import Metric
from metra.metrics.registry import metric as make_metric
from metra.scoring.evaluate import EvaluationOptions
from metra.scoring.results import Results
from metra.scoring.statistics import CHUNK, fit_metrics

#: What was noted: the kind of note, the text, and what else is known about it.
_Note: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...]]


def align(
    hyp: str, refs: Sequence[str], metric: str | Metric = "wer"
) -> list[Alignment]:
    """Align an output with each of its references, as the metric does.

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
    if metric.notes.align is None:
        msg = (
            f"{spec} does not align words; choose a metric that does, such as gtm "
            "or wer."
        )
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
        alignments=metric.notes.align(batch, 0),
    )


def read_aligned_segment(
    corpus: Corpus, system: str | None, number: int, metric: Metric, spec: str
) -> AlignedSegment:
    """Read a corpus up to one of its segments, counted from 1, and align that.

    The system need not be named if there is only one.
    """
    systems = corpus.systems
    if system is None and len(systems) > 1:
        msg = (
            f"The input has {len(systems)} systems; choose one of {', '.join(systems)}."
        )
        raise OptionError(msg)
    if system is not None and system not in systems:
        raise UnknownNameError(no_such("system", system, systems))
    system = system or systems[0]
    metric = fit_metrics(corpus, {spec: metric})[spec]
    last = 0
    for chunk in corpus.chunks(CHUNK):
        last = chunk.first + len(chunk)
        if number <= last:
            index = number - chunk.first - 1
            hyp = chunk.systems[system].text[index] or ""
            refs = [column.text[index] for column in chunk.refs]
            return align_segment(
                hyp, refs, metric, system=system, number=number, spec=spec
            )
    msg = f"Segment {number} does not exist; expected a number from 1 to {last}."
    raise OptionError(msg)


class SegmentNotes:
    """Alignments and details of segments, taken from the pass that counts the metrics."""

    def __init__(
        self, metrics: Mapping[str, Metric], options: EvaluationOptions
    ) -> None:
        """Find the metrics that align or note something; refuse if none does."""
        self._aligners: dict[str, Any] = {}
        self._noters: dict[str, Any] = {}
        if options.alignments:
            need = "Alignments need a metric that aligns words", "wer"
            self._aligners = _select_notes(metrics, "align", *need)
        if options.details:
            need = "Details need a metric that reports them", "entities"
            self._noters = _select_notes(metrics, "details", *need)
        #: By system and spec: the alignments of each segment, counted from 1.
        self._alignments: dict[tuple[str, str], dict[int, Sequence[Alignment]]] = {}
        #: By system and spec: the segments in which something was noted.
        self._details: dict[tuple[str, str], dict[_Note, list[int]]] = {}

    def visit(self, chunk: CorpusChunk) -> None:
        """Align the next segments, and note what metrics note."""
        for system in chunk.systems:
            batch = chunk.batch(system)
            for spec, align_words in self._aligners.items():
                alignments = self._alignments.setdefault((system, spec), {})
                for index in range(len(chunk)):
                    alignments[chunk.first + index + 1] = align_words(batch, index)
            for spec, list_details in self._noters.items():
                noted = self._details.setdefault((system, spec), {})
                for detail in list_details(batch):
                    note = (detail.note, detail.text, tuple(detail.about.items()))
                    noted.setdefault(note, []).append(chunk.first + detail.at + 1)

    def add_to(self, results: Results) -> Results:
        """Add the alignments, and the details with the most frequent first."""
        from metra.metrics.units import Finding

        findings = {
            key: sorted(
                (
                    Finding(note, text, dict(about), tuple(segments))
                    for (note, text, about), segments in noted.items()
                ),
                key=lambda finding: -finding.count,
            )
            for key, noted in self._details.items()
        }
        systems = []
        for system in results.systems:
            scores = {
                spec: score._replace(
                    alignments=self._alignments.get((system.name, spec)),
                    details=findings.get((system.name, spec)),
                )
                for spec, score in system.scores.items()
            }
            systems.append(system._replace(scores=scores))
        return replace(results, systems=systems)


def _select_notes(
    metrics: Mapping[str, Metric], kind: str, need: str, example: str
) -> dict[str, Any]:
    """Return a function of the metrics' notes, by spec; refuse if none has it."""
    notes = {spec: getattr(metric.notes, kind) for spec, metric in metrics.items()}
    notes = {spec: function for spec, function in notes.items() if function}
    if not notes:
        msg = f"{need}, unlike {', '.join(metrics)}; add one, for example {example}."
        raise OptionError(msg)
    return notes
