"""Rankings of several language pairs at a glance: the rank of each system in each pair."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from metra.errors import format_count
from metra.meta import findings
from metra.meta.autorank import build_rank
from metra.scoring.table import Cell, Column, Table
from metra.stats import arrays


class RankOverview(NamedTuple):
    """Ranks of systems in language pairs, NaN where a system took no part."""

    pairs: list[str]
    #: By mean rank, the best first.
    systems: list[str]
    #: Systems × pairs.
    ranks: arrays.Array
    clusters: arrays.Array
    #: Means of each system's ranks.
    averages: list[float]

    @property
    def shares(self) -> dict[str, float]:
        """The share of its language pairs in which a system is in the first cluster."""
        counts = np.isfinite(self.ranks).sum(1)
        shares = 100 * (self.clusters == 1).sum(1) / counts
        return dict(zip(self.systems, shares.tolist(), strict=True))


def combine_rankings(rankings: Mapping[str, Any]) -> RankOverview:
    """Put rankings (systems, ranks, clusters) of several language pairs beside each other."""
    systems = sorted({name for each in rankings.values() for name in each.systems})
    ranks, clusters = np.full((2, len(systems), len(rankings)), np.nan)
    for at, ranking in enumerate(rankings.values()):
        rows = [systems.index(name) for name in ranking.systems]
        ranks[rows, at], clusters[rows, at] = ranking.ranks, ranking.clusters or np.nan
    averages = arrays.row_means(ranks)
    order = np.argsort(averages.round(9), kind="stable")
    return RankOverview(
        list(rankings),
        [systems[at] for at in order],
        ranks[order],
        clusters[order],
        averages[order].tolist(),
    )


def report_overview(
    overview: RankOverview,
    own: RankOverview | None,
    reports: Mapping[str, findings.MetaReport],
    correction: str,
    alpha: float,
) -> findings.MetaReport:
    """Lay out all language pairs above the report of each; `own` is by metra's own tests."""
    scorer = next(iter(reports.values())).facts.get("scorer", "all metrics")
    shares, notes, remarks = {}, _compare_groups(overview), []
    if np.isfinite(overview.clusters).any():
        shares["first cluster"] = overview.shares
        remarks.append("* or bold: in the first cluster of its language pair")
        notes.append(_describe_correction(len(reports), correction, alpha))
    if own is not None:
        shares["first cluster (metra)"] = own.shares
    merged = findings.merge_languages(reports)
    tables = [_build_overview_table(overview, shares, scorer), *merged.tables]
    notes += merged.notes
    return replace(merged, tables=tables, notes=notes, remarks=remarks)


def _build_overview_table(
    overview: RankOverview, shares: Mapping[str, Mapping[str, float]], scorer: str
) -> Table:
    """Build a row for each system: mean rank, shares by name, and rank in each pair."""
    heads: list[str | Column] = [
        Column("mean rank", digits=2),
        *(Column(f"{name}, %", digits=1) for name in shares),
        *("pairs", *overview.pairs),
    ]
    rows = []
    for at, system in enumerate(overview.systems):
        ranks, clusters = overview.ranks[at].tolist(), overview.clusters[at].tolist()
        cells = [
            build_rank(rank)._replace(best=cluster == 1) if rank == rank else Cell(None)
            for rank, cluster in zip(ranks, clusters, strict=True)
        ]
        own = [by_system[system] for by_system in shares.values()]
        count = int(np.isfinite(ranks).sum())
        rows.append((system, [overview.averages[at], *own, count, *cells]))
    caption = (
        f"Ranks by {scorer} in {format_count(len(overview.pairs), 'language pair')}"
    )
    return findings.build_table("system", heads, rows, caption, "overview")


def _compare_groups(overview: RankOverview) -> list[str]:
    """Say which mean ranks are comparable."""
    groups: dict[tuple[bool, ...], list[str]] = {}
    for system, took_part in zip(overview.systems, overview.ranks > 0, strict=True):
        groups.setdefault(tuple(took_part.tolist()), []).append(system)
    if len(groups) == 1:
        return ["Every system took part in every language pair."]
    together = [groups[key] for key in sorted(groups, key=sum, reverse=True)]
    listed = "; ".join(findings.name_some(each) for each in together if len(each) > 1)
    sizes = sorted({*np.isfinite(overview.ranks).sum(0).tolist()})
    return [
        "Mean ranks are comparable only among systems that took part in the same "
        f"language pairs: {listed or 'none'}; compare others pair by pair. The language "
        f"pairs have {' to '.join(map(str, sizes[:: max(1, len(sizes) - 1)]))} systems; "
        "– means that a system took no part."
    ]


def _describe_correction(count: int, correction: str, alpha: float) -> str:
    """Say for which claims p-values are corrected."""
    tested = "p-values are corrected within each language pair, not for all pairs"
    if correction == "holm":
        tested = (
            f"p-values are corrected within each language pair, so that each of the {count} "
            f"rankings has a false difference with a probability of at most {100 * alpha:g} %"
        )
    elif correction == "none":
        tested = "Clusters use p-values without correction"
    return f"{tested}; mean ranks and shares of first clusters are not tested."
