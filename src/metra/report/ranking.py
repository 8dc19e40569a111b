"""Rankings by average ranks, as a table for the terminal or as JSON."""

import json
from collections.abc import Sequence

from metra import __version__
from metra.meta.document_ranking import Ranked
from metra.report.headings import short_names
from metra.report.table import width


def as_table(rankings: Sequence[Ranked], documents: int) -> str:
    """Lay out one block for each measure."""
    noun = "document" if documents == 1 else "documents"
    named = short_names([ranked.spec for ranked in rankings])
    return "\n\n".join(
        _block(ranked, named[ranked.spec], f"{documents} {noun}") for ranked in rankings
    )


def as_json(rankings: Sequence[Ranked], documents: int) -> str:
    """Give the rankings to other programs."""
    data = {
        "metra": __version__,
        "schema": 1,
        "documents": documents,
        "rankings": [
            {
                "metric": ranked.spec,
                "signature": ranked.signature,
                "systems": [
                    {"name": name, "rank": rank, "average_rank": average}
                    for name, rank, average in zip(
                        ranked.systems, ranked.ranks, ranked.averages, strict=True
                    )
                ],
            }
            | ({"agreement": ranked.agreement._asdict()} if ranked.agreement else {})
            for ranked in rankings
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _block(ranked: Ranked, name: str, documents: str) -> str:
    left = max(width(system) for system in [*ranked.systems, "system"])
    lines = [
        f"{name}: ranked by the average of ranks over {documents}",
        f"{'rank':>5}  {_padded('system', left)}  average rank",
    ]
    for system, rank, average in zip(
        ranked.systems, ranked.ranks, ranked.averages, strict=True
    ):
        lines.append(f"{rank:5g}  {_padded(system, left)}  {average:12.2f}")
    if ranked.agreement:
        found = ranked.agreement
        lines.append(
            f"against the expected ranking: distance {found.distance:g}, similarity "
            f"{found.similarity:.1f} %, precision {found.precision:.1f} %, recall "
            f"{found.recall:.1f} %"
        )
    return "\n".join(lines)


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))
