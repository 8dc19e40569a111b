"""Retrieval runs, as a report of a table and notes."""

from metra.analysis.retrieval import RetrievalResult
from metra.meta.findings import MetaReport
from metra.scoring.table import Cell, make_table


def build_retrieval_report(result: RetrievalResult) -> MetaReport:
    """Lay out the runs, first that of the reference, with which the others are compared."""
    reference = result.runs[0]
    rows = []
    for run in result.runs:
        share = 100 * run.map / reference.map if reference.map else None
        figures = (
            Cell(run.map, run.map_interval),
            Cell(run.mean_ndcg, run.ndcg_interval),
        )
        rows.append((run.name, [*figures, Cell(share, digits=1)]))
    heads = ["MAP", "nDCG", "% of reference"]
    table = make_table("run", heads, rows, name="runs")
    queries = len(reference.average_precision)
    notes = [f"{queries} queries, {result.documents} documents; 95 % intervals"]
    if result.left_out:
        listed = ", ".join(result.left_out)
        notes.append(f"excluded, because no document is relevant: {listed}")
    by_query = {
        run.name: {
            query: {
                "average_precision": run.average_precision[query],
                "ndcg": run.ndcg[query],
                "ranked": list(run.ranked[query]),
            }
            for query in run.average_precision
        }
        for run in result.runs
    }
    return MetaReport([table], result.signature, notes, {"queries": by_query})
