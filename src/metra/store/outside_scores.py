"""Scores that other programs made of a campaign's outputs."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from metra.campaign.campaign import Campaign
from metra.campaign.metric_scores import OutsideScores, build_outside_scores
from metra.errors import UnknownNameError, no_such
from metra.stats.direction import find_direction
from metra.store import audit, database
from metra.store.database import decode_json, encode_json


def add_scores(
    db: Connection,
    campaign: str,
    scores: Sequence[OutsideScores],
    *,
    now: float,
    who: str,
) -> None:
    """Store scores; new scores of a metric replace the old ones."""
    table = database.outside_scores
    for each in scores:
        _delete_metric(db, campaign, each.metric)
        row = {"campaign": campaign, "metric": each.metric, "added_at": now}
        db.execute(insert(table), row | {"content_json": encode_json(_export(each))})
    data = {"metrics": [each.metric for each in scores], "file": scores[0].file}
    audit.add_entry(db, who, "add scores", data, now=now, campaign=campaign)


def _export(scores: OutsideScores) -> dict[str, object]:
    """Return the scores as the store keeps them: a list of numbers for each system."""
    table = scores.scores
    values = table.matrix(scores.metric).tolist()
    return {
        "metric": scores.metric,
        "file": scores.file,
        "higher_is_better": table.scorers[0].higher_is_better,
        "values": dict(zip(table.systems, values, strict=True)),
    }


def list_scores(db: Connection, key: str, campaign: Campaign) -> list[OutsideScores]:
    """Return a campaign's scores, in the order in which they were added."""
    listed = []
    for entry in _list_entries(db, key):
        direction = find_direction(entry["higher_is_better"])
        table = build_outside_scores(
            campaign, entry["metric"], direction, entry["values"]
        )
        listed.append(OutsideScores(entry["metric"], entry["file"], table))
    return listed


def _list_entries(db: Connection, key: str) -> list[dict[str, Any]]:
    table = database.outside_scores.c
    query = select(table.content_json).where(table.campaign == key)
    rows = db.execute(query.order_by(table.added_at, table.metric))
    return [decode_json(row.content_json) for row in rows]


def remove_scores(
    db: Connection, campaign: str, metric: str, *, now: float, who: str
) -> None:
    """Remove the scores of a metric."""
    if not _delete_metric(db, campaign, metric):
        metrics = [entry["metric"] for entry in _list_entries(db, campaign)]
        raise UnknownNameError(no_such("metric", metric, metrics))
    data = {"metric": metric}
    audit.add_entry(db, who, "remove scores", data, now=now, campaign=campaign)


def _delete_metric(db: Connection, campaign: str, metric: str) -> bool:
    """Delete the scores of a metric; return whether there were any."""
    table = database.outside_scores
    same = (table.c.campaign == campaign) & (table.c.metric == metric)
    return bool(db.execute(delete(table).where(same)).rowcount)
