"""The audit log: who did what, when."""

import json

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
            json.dumps(entry.data, ensure_ascii=False) if entry.data else "",
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
