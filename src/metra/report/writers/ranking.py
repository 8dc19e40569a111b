"""Rankings by average ranks and retrieval runs, as tables for the terminal or as JSON."""

from collections.abc import Sequence
from typing import Any

from metra.analysis.retrieval import RetrievalResult, RetrievalRun
from metra.errors import format_count
from metra.meta.document_rank import MetricRanking
from metra.report.table import Style
from metra.report.terminal import render_plain_table
from metra.report.writers.headings import (
    build_metric_column,
    describe_corpus,
    shorten_specs,
)
from metra.scoring.json import render_json
from metra.scoring.results import Results
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats.ranking import RankAgreement


def render_ranking_table(rankings: Sequence[MetricRanking], results: Results) -> str:
    """Lay out one block for each metric, or for all together."""
    documents = format_count(results.documents or 0, "document")
    short_names = shorten_specs([ranking.spec for ranking in rankings])
    blocks = []
    for ranking in rankings:
        title = f"{short_names[ranking.spec]}: ranked by the average of ranks over {documents}"
        table = _build_ranking_table(ranking)
        style = Style()
        if ranking.combined:
            metrics = format_count(len(ranking.combined), "metric")
            title = f"AutoRank of {metrics}: {describe_corpus(results)}"
            style = Style(digits=1)
        lines = [title, *render_plain_table(table, style)]
        for start, agreement in (
            ("against the expected ranking", ranking.agreement),
            (
                _PARTIAL,
                None if ranking.partial == ranking.agreement else ranking.partial,
            ),
        ):
            if agreement:
                lines.append(f"{start}: {_describe_agreement(agreement)}")
        if ranking.unranked:
            listed = ", ".join(ranking.unranked)
            lines.append(f"not compared, because not in the expected ranking: {listed}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


_PARTIAL = "most complete partial ranking without a pair in the opposite order"


def _build_ranking_table(ranking: MetricRanking) -> Table:
    """Lay out a ranking; of several metrics together, with the scores of each."""
    average = "AutoRank" if ranking.combined else "average rank"
    columns = [Column("rank", width=5), Column("system", "left"), Column(average)]
    short_names = shorten_specs(list(ranking.combined))
    for spec, scores in ranking.combined.items():
        columns.append(build_metric_column(short_names[spec], scores[0]))
    numbers = [
        ranking.averages,
        *([score.score for score in scores] for scores in ranking.combined.values()),
    ]
    columns_of_cells = zip(*([*map(Cell, each)] for each in numbers), strict=True)
    rows = [
        [Cell(f"{rank:g}"), Cell(system), *cells]
        for rank, system, cells in zip(
            ranking.ranks, ranking.systems, columns_of_cells, strict=True
        )
    ]
    return Table(columns, rows)


def render_ranking_json(rankings: Sequence[MetricRanking], results: Results) -> str:
    """Write the rankings for other programs."""
    listed = [_export_ranking(ranking) for ranking in rankings]
    return render_json({"documents": results.documents or 0, "rankings": listed})


def _export_ranking(ranking: MetricRanking) -> dict[str, Any]:
    key = "autorank" if ranking.combined else "average_rank"
    systems: list[dict[str, Any]] = []
    names = zip(ranking.systems, ranking.ranks, ranking.averages, strict=True)
    for at, (name, rank, average) in enumerate(names):
        systems.append({"name": name, "rank": rank, key: average})
        if ranking.combined:
            scores = {spec: each[at].score for spec, each in ranking.combined.items()}
            systems[-1]["scores"] = scores
    about: dict[str, Any] = {"metric": ranking.spec, "signature": ranking.signature}
    about["systems"] = systems
    if ranking.agreement and ranking.partial:
        about |= {
            "agreement": ranking.agreement._asdict(),
            "partial": ranking.partial._asdict(),
            "unranked": list(ranking.unranked),
        }
    return about


def _describe_agreement(agreement: RankAgreement) -> str:
    return (
        f"distance {agreement.distance:g}, similarity {agreement.similarity:.1f} %, "
        f"precision {agreement.precision:.1f} %, recall {agreement.recall:.1f} %"
    )


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
RANKING_WRITERS = {"table": render_ranking_table, "json": render_ranking_json}
RETRIEVAL_WRITERS = {"table": render_retrieval_table, "json": render_retrieval_json}


def _build_run_cells(run: RetrievalRun, reference: RetrievalRun) -> list[Cell]:
    share = 100 * run.map / reference.map if reference.map else None
    return [
        Cell(run.map),
        Cell("", run.map_interval),
        Cell(run.mean_ndcg),
        Cell(share, digits=1, suffix=" %"),
    ]
