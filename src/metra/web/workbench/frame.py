"""The workspace behind a request, the role in it of whoever asks, and tables as markup."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from metra.store import test_sets, workspaces
from metra.store.database import Store
from metra.store.test_sets import StoredSet
from metra.store.workspaces import Role, Workspace
from metra.web.admin.frame import render_admin_page
from metra.web.replies import Refusal, get_state, redirect_to
from metra.web.visitors import Administering


@dataclass(frozen=True, slots=True)
class WorkspaceVisit:
    """A member's request about a workspace."""

    request: Request
    store: Store
    who: str
    workspace: Workspace

    @property
    def now(self) -> float:
        """The time of the request."""
        return get_state(self.request).clock()

    @property
    def by(self) -> dict[str, Any]:
        """The time and the member, as the functions of the store record them."""
        return {"now": self.now, "who": self.who}

    def require(self, role: Role) -> None:
        """Refuse a member whose role does not include this one."""
        if not self.workspace.allows(role):
            error = (
                f"You are a {self.workspace.role} of {self.workspace.name}; this needs "
                f"the role {role}. Ask an owner."
            )
            raise Refusal(403, error)

    def find_set(self, key: str) -> StoredSet:
        """Return a test set of the workspace; refuse those of others."""
        with self.store.reading() as db:
            stored = test_sets.find_test_set(db, self.workspace.id, key)
        if stored is None:
            raise Refusal.not_found()
        return stored

    def render(self, template: str, **more: Any) -> Response:
        """Render a page of the workspace."""
        more |= {"workspace": self.workspace, "home": f"/w/{self.workspace.id}"}
        return render_admin_page(self.request, f"workbench/{template}", **more)

    def redirect(self, page: str = "") -> Response:
        """Redirect the browser to a page of the workspace."""
        return redirect_to(f"/w/{self.workspace.id}{page}")


def _open_workspace(
    request: Request, workspace: str, session: Administering
) -> WorkspaceVisit:
    store = get_state(request).store
    with store.reading() as db:
        opened = workspaces.find_workspace(db, workspace, session.name)
    if opened is None:
        raise Refusal.not_found()
    return WorkspaceVisit(request, store, session.name, opened)


#: What routes depend on that serve a member of the workspace of their path.
OfWorkspace = Annotated[WorkspaceVisit, Depends(_open_workspace)]
