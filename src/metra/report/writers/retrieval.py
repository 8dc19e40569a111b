"""Retrieval runs, as tables for the terminal or as JSON."""

from metra.analysis.retrieval import RetrievalResult, RetrievalRun
from metra.report.table import Style
from metra.report.terminal import render_plain_table
from metra.scoring.json import render_json
from metra.scoring.table import Cell, Column, make_table


def render_retrieval_table(result: RetrievalResult) -> str:
    """Lay out the runs, first that of the reference, with which the others are compared."""
    queries = len(result.runs[0].average_precision)
    columns = [
        Column("MAP", width=6),
        Column("95% interval", width=16),
        Column("nDCG", width=6),
        Column("of reference"),
    ]
    rows = [(run.name, _build_run_cells(run, result.runs[0])) for run in result.runs]
    lines = render_plain_table(make_table("run", columns, rows), Style())
    lines += ["", f"{queries} queries, {result.documents} documents"]
    if result.left_out:
        listed = ", ".join(result.left_out)
        lines.append(f"excluded, because no document is relevant: {listed}")
    lines.append(result.signature)
    return "\n".join(lines)


def render_retrieval_json(result: RetrievalResult) -> str:
    """Write the runs for other programs, with the ranking of every query."""
    runs = [
        {
            "name": run.name,
            "map": run.map,
            "map_interval": run.map_interval,
            "ndcg": run.mean_ndcg,
            "ndcg_interval": run.ndcg_interval,
            "queries": {
                query: {
                    "average_precision": run.average_precision[query],
                    "ndcg": run.ndcg[query],
                    "ranked": list(run.ranked[query]),
                }
                for query in run.average_precision
            },
        }
        for run in result.runs
    ]
    about = {"documents": result.documents, "left_out": list(result.left_out)}
    return render_json({**about, "signature": result.signature, "runs": runs})


#: The functions that write each format.
RETRIEVAL_WRITERS = {"table": render_retrieval_table, "json": render_retrieval_json}


def _build_run_cells(run: RetrievalRun, reference: RetrievalRun) -> list[Cell]:
    share = 100 * run.map / reference.map if reference.map else None
    return [
        Cell(run.map),
        Cell("", run.map_interval),
        Cell(run.mean_ndcg),
        Cell(share, digits=1, suffix=" %"),
    ]
