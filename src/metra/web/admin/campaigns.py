"""All campaigns, with how far each is."""

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from sqlalchemy import Connection

from metra.store import campaigns, tasks
from metra.web.admin.showing import admin_page
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign in the list."""

    id: str
    name: str
    state: str
    created_at: float
    done: int
    of: int


@router.get("/admin")
def show(request: Request, session: Administering) -> Response:
    """List the campaigns, the newest first."""
    with state_of(request).store.reading() as db:
        rows = [Listed(*row, *_progress(db, row[0])) for row in campaigns.listed(db)]
    return admin_page(request, "campaigns.html", campaigns=rows, who=session.name)


def _progress(db: Connection, key: str) -> tuple[int, int]:
    """Tasks done, and all that are anybody's."""
    states = [task.state for task in tasks.of_campaign(db, key)]
    return states.count("done"), len(states) - states.count("passed")
