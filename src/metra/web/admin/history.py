"""The audit log: who did what, when."""

from typing import Any

from fastapi import APIRouter, Request, Response

from metra.store import audit, campaigns
from metra.web.admin.showing import admin_page, found
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()
_MOST = 500


@router.get("/admin/log")
def show_all(request: Request, session: Administering) -> Response:
    """What was done anywhere."""
    with state_of(request).store.reading() as db:
        entries = audit.entries(db)
        names = {row[0]: row[1] for row in campaigns.listed(db)}
    return _page(request, session.name, entries, names, None)


@router.get("/admin/campaigns/{key}/log")
def show(request: Request, key: str, session: Administering) -> Response:
    """What was done in one campaign."""
    stored = found(request, key)
    with state_of(request).store.reading() as db:
        entries = audit.entries(db, stored.id)
    return _page(request, session.name, entries, {stored.id: stored.name}, stored)


def _page(
    request: Request,
    who: str,
    entries: list[audit.Entry],
    names: dict[str, str],
    stored: campaigns.Stored | None,
) -> Response:
    rows = [
        (
            entry,
            names.get(entry.campaign or "", ""),
            _told(entry.data),
        )
        for entry in entries[:_MOST]
    ]
    return admin_page(
        request,
        "log.html",
        who=who,
        rows=rows,
        stored=stored,
        hidden=max(0, len(entries) - _MOST),
    )


def _told(data: Any) -> str:
    """What is noted beside a deed, for people.

    >>> _told({"judge": "Ann", "files": ["a", "b"], "blind": True}), _told(None)
    ('judge: Ann; files: a, b; blind: yes', '')
    """
    if not isinstance(data, dict):
        return "" if data is None else str(data)
    return "; ".join(f"{name}: {_plain(value)}" for name, value in data.items())


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
