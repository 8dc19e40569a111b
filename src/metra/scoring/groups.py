"""Scores of groups of segments in any corpus whose segments have labels."""

from collections.abc import Callable, Mapping, Sequence

from metra.corpus.evalset import Chunk
from metra.errors import OptionError
from metra.metrics.record import Metric
from metra.scoring.files import FileCorpus
from metra.scoring.results import Results
from metra.scoring.statistics import CHUNK, check_inputs, fitted
from metra.scoring.table_totals import (
    Shape,
    Totals,
    add,
    count,
    grouped,
    outcome,
    statistics,
)
from metra.stats.parallel import ordered_map, thread_count


def score_groups(
    corpus: FileCorpus,
    metrics: Mapping[str, Metric],
    group_by: Sequence[str],
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> Results:
    """Score all segments together, and those that agree in these labels apart."""
    check_inputs(corpus, metrics)
    for spec, metric in metrics.items():
        if metric.whole_documents:
            msg = (
                f"{spec} looks at whole documents, which groups may cut; leave one out."
            )
            raise OptionError(msg)
    metrics = fitted(corpus, metrics)
    totals: Totals = {}
    shape = Shape(corpus.systems, 0, group_by)

    def counted(part: tuple[Chunk, Sequence[Sequence[object]]]) -> tuple[Chunk, Totals]:
        chunk, labels = part
        batches = ((name, chunk.batch(name)) for name in chunk.systems)
        rows = statistics(batches, metrics)
        return chunk, dict(count(chunk, rows, grouped(labels)))

    done = 0
    parts = corpus.labelled_chunks(CHUNK, group_by)
    for chunk, found in ordered_map(counted, parts, thread_count()):
        add(totals, found.items())
        shape = shape._replace(references=len(chunk.refs))
        done += len(chunk)
        progress(done)
    return outcome(totals, shape, metrics)
