"""Scores of groups of segments in any corpus whose segments have labels."""

from collections.abc import Callable, Mapping, Sequence

from metra.corpus.batch import CorpusChunk
from metra.errors import OptionError
from metra.metrics.record import Metric
from metra.scoring.files import FileCorpus
from metra.scoring.results import Results
from metra.scoring.statistics import CHUNK, check_inputs, fit_metrics
from metra.scoring.table_totals import (
    Totals,
    TotalsShape,
    add_entries,
    build_table_results,
    count_batches,
    group_segments,
    sum_groups,
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
    metrics = fit_metrics(corpus, metrics)
    totals: Totals = {}
    shape = TotalsShape(corpus.systems, 0, group_by)

    def count_part(
        part: tuple[CorpusChunk, Sequence[Sequence[object]]],
    ) -> tuple[CorpusChunk, Totals]:
        chunk, labels = part
        batches = ((name, chunk.batch(name)) for name in chunk.systems)
        rows = count_batches(batches, metrics)
        return chunk, dict(sum_groups(chunk, rows, group_segments(labels)))

    done = 0
    parts = corpus.labelled_chunks(CHUNK, group_by)
    for chunk, found in ordered_map(count_part, parts, thread_count()):
        add_entries(totals, found.items())
        shape = shape._replace(references=len(chunk.refs))
        done += len(chunk)
        progress(done)
    return build_table_results(totals, shape, metrics)
