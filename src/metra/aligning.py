"""Alignments on demand: of one output, or of chosen segments of a whole evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from metra.alignment import Alignment
from metra.corpus import Corpus
from metra.errors import OptionError
from metra.evaluation import CHUNK
from metra.measure import Aligner, Metric
from metra.metrics import metric as make_metric
from metra.results import Results


def align(
    hyp: str, refs: Sequence[str], metric: str | Metric = "wer"
) -> list[Alignment]:
    """Align an output with each of its references, as the measure aligns them.

    >>> for found in align("a cat sat down", ["the cat sat"]):
    ...     print([(link.kind, *found.words(link)) for link in found.links[:2]])
    [('substitution', ('a',), ('the',)), ('hit', ('cat',), ('cat',))]
    """
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    return chosen.alignments(hyp, refs)


def aligners(metrics: Mapping[str, Metric]) -> dict[str, Aligner]:
    """Find how each measure aligns, of those that do; refuse if none does."""
    found = {spec: metric.align for spec, metric in metrics.items() if metric.align}
    if not found:
        msg = (
            f"Alignments were asked for, but {', '.join(metrics)} aligns no words; "
            "add a measure that does, for example wer."
        )
        raise OptionError(msg)
    return found


def with_alignments(
    results: Results,
    corpus: Corpus,
    aligners: Mapping[str, Aligner],
    wanted: Sequence[range] | None,
) -> Results:
    """Add the alignments of the segments wanted, counted from 1; None wants all of them."""
    last = max((numbers[-1] for numbers in wanted or ()), default=0)
    if last > results.segments:
        msg = (
            f"The alignment of segment {last} was asked for, but there are "
            f"{results.segments} segments; ask for segments from 1 to {results.segments}."
        )
        raise OptionError(msg)
    found = _found(corpus, aligners, wanted)
    systems = [
        replace(
            system,
            scores={
                spec: replace(score, alignments=found.get((system.name, spec)))
                for spec, score in system.scores.items()
            },
        )
        for system in results.systems
    ]
    return replace(results, systems=systems)


def _found(
    corpus: Corpus, aligners: Mapping[str, Aligner], wanted: Sequence[range] | None
) -> dict[tuple[str, str], dict[int, Sequence[Alignment]]]:
    found: dict[tuple[str, str], dict[int, Sequence[Alignment]]] = {
        (name, spec): {} for name in corpus.systems for spec in aligners
    }
    start = 1
    for chunk in corpus.chunks(CHUNK):
        numbers = [
            number
            for number in range(start, start + len(chunk))
            if wanted is None or any(number in part for part in wanted)
        ]
        for name in corpus.systems if numbers else ():
            batch = chunk.batch(name)
            for spec, align_segment in aligners.items():
                found[name, spec] |= {
                    number: align_segment(batch, number - start) for number in numbers
                }
        start += len(chunk)
        if wanted is not None and all(start >= part.stop for part in wanted):
            break
    return found
