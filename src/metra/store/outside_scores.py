"""Scores that other programs made of a campaign's outputs."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Connection, delete, insert, select

from metra.campaign.outside_scores import OutsideScores
from metra.errors import UnknownNameError, no_such
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
    """Store scores; those of a metric that is there already are replaced."""
    table = database.outside_scores
    for each in scores:
        _delete_metric(db, campaign, each.metric)
        row = {"campaign": campaign, "metric": each.metric, "added_at": now}
        db.execute(insert(table), row | {"content_json": encode_json(asdict(each))})
    data = {"metrics": [each.metric for each in scores], "file": scores[0].file}
    audit.add_entry(db, who, "add scores", data, now=now, campaign=campaign)


def list_scores(db: Connection, campaign: str) -> list[OutsideScores]:
    """Return a campaign's scores, in the order in which they were added."""
    table = database.outside_scores.c
    query = select(table.content_json).where(table.campaign == campaign)
    rows = db.execute(query.order_by(table.added_at, table.metric))
    return [OutsideScores(**decode_json(row.content_json)) for row in rows]


def remove_scores(
    db: Connection, campaign: str, metric: str, *, now: float, who: str
) -> None:
    """Remove the scores of a metric."""
    if not _delete_metric(db, campaign, metric):
        known = [each.metric for each in list_scores(db, campaign)]
        raise UnknownNameError(no_such("metric", metric, known))
    data = {"metric": metric}
    audit.add_entry(db, who, "remove scores", data, now=now, campaign=campaign)


def _delete_metric(db: Connection, campaign: str, metric: str) -> bool:
    """Delete the scores of a metric; return whether there were any."""
    table = database.outside_scores
    same = (table.c.campaign == campaign) & (table.c.metric == metric)
    return bool(db.execute(delete(table).where(same)).rowcount)
