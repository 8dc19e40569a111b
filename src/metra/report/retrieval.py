"""What retrieval found, as a table for the terminal or as JSON."""

import json

from metra import __version__
from metra.report.table import width
from metra.tasks.retrieval import Retrieval, Run


def as_table(found: Retrieval) -> str:
    """Lay out the runs, the references' first, which the systems are held against."""
    left = max(width(run.name) for run in found.runs)
    queries = len(found.runs[0].average_precision)
    lines = [
        f"{'run':{left}}  {'MAP':>6}  {'95% interval':>16}  {'nDCG':>6}  {'of reference':>12}"
    ]
    lines += [_line(run, found.runs[0], left) for run in found.runs]
    lines += ["", f"{queries} queries, {found.documents} documents"]
    if found.left_out:
        listed = ", ".join(found.left_out)
        lines.append(f"left out, because no document is relevant: {listed}")
    lines.append(found.signature)
    return "\n".join(lines)


def _line(run: Run, reference: Run, left: int) -> str:
    name = run.name + " " * (left - width(run.name))
    interval = "[{:.2f}, {:.2f}]".format(*run.map_interval) if run.map_interval else ""
    share = f"{100 * run.map / reference.map:.1f} %" if reference.map else "–"
    return f"{name}  {run.map:6.2f}  {interval:>16}  {run.mean_ndcg:6.2f}  {share:>12}"


def as_json(found: Retrieval) -> str:
    """Give the runs to other programs, with the ranking of every query."""
    data = {
        "metra": __version__,
        "schema": 1,
        "documents": found.documents,
        "left_out": list(found.left_out),
        "signature": found.signature,
        "runs": [
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
            for run in found.runs
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)
