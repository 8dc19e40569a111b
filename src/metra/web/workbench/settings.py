"""Members of a workspace with their roles, and tokens of programs."""

from typing import Annotated

from fastapi import APIRouter, Form, Response

from metra.errors import MetraError
from metra.store import access, workspaces
from metra.store.workspaces import ROLES
from metra.web.visitors import CheckedRoute
from metra.web.workbench.frame import OfWorkspace, WorkspaceVisit

router = APIRouter(route_class=CheckedRoute)
_Field = Annotated[str, Form(max_length=1000)]


@router.get("/w/{workspace}/settings")
def show_settings(visit: OfWorkspace) -> Response:
    """Show members and tokens."""
    return _render_settings(visit)


def _render_settings(visit: WorkspaceVisit, **more: object) -> Response:
    visit.require("owner")
    with visit.store.reading() as db:
        members = workspaces.list_members(db, visit.workspace.id)
        tokens = workspaces.list_tokens(db, visit.workspace.id)
        accounts = access.list_admins(db)
    others = sorted({*accounts} - {name for name, _ in members})
    return visit.render(
        "settings.html",
        members=members,
        others=others,
        tokens=tokens,
        roles=ROLES,
        server=str(visit.request.base_url).rstrip("/"),
        **more,
    )


@router.post("/w/{workspace}/settings/members")
def change_member(
    visit: OfWorkspace, member: _Field = "", role: _Field = ""
) -> Response:
    """Add a member, change their role, or remove them."""
    visit.require("owner")
    try:
        with visit.store.transaction() as db:
            chosen = next((each for each in ROLES if each == role), None)
            key = visit.workspace.id
            workspaces.set_member(db, key, member, chosen, **visit.by)
    except MetraError as error:
        return _render_settings(visit, problem=str(error))
    return visit.redirect("/settings" if member != visit.who or role == "owner" else "")


@router.post("/w/{workspace}/settings/tokens")
def create_token(visit: OfWorkspace, name: _Field = "", role: _Field = "") -> Response:
    """Create a token and show it, this once."""
    visit.require("owner")
    name = name.strip() or "token"
    role = "organiser" if role == "organiser" else "viewer"
    with visit.store.transaction() as db:
        key = visit.workspace.id
        secret = workspaces.create_token(db, key, name, role, **visit.by)  # type: ignore[arg-type]
    return _render_settings(visit, secret=secret)


@router.post("/w/{workspace}/settings/tokens/{token}/revoke")
def revoke_token(visit: OfWorkspace, token: str) -> Response:
    """Revoke a token; programs that have it are refused from now on."""
    visit.require("owner")
    with visit.store.transaction() as db:
        workspaces.revoke_token(db, visit.workspace.id, token, **visit.by)
    return visit.redirect("/settings")
