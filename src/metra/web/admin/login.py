"""Signing in and out as an admin."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from metra.store import access, audit
from metra.web.admin.frame import render_admin_page
from metra.web.pages import redirect_to
from metra.web.security import visitors
from metra.web.security.limits import get_client_address
from metra.web.security.visitors import Administering
from metra.web.state import get_state

router = APIRouter()
_MOST_FAILURES = 10


@router.get("/admin/login")
def show_login(request: Request) -> Response:
    """Show the form for name and password."""
    if visitors.get_session(request, "admin") is not None:
        return redirect_to("/admin")
    return render_admin_page(request, "login.html", name="")


@router.post("/admin/login")
def login(
    request: Request,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Start a session; failures are counted by address and limited."""
    state = get_state(request)
    now = state.clock()
    key = f"admin {get_client_address(request)}"
    with state.store.transaction() as db:
        failures = access.count_failures(db, key, now=now)
        kept = access.find_password_hash(db, name)
        if failures < _MOST_FAILURES:
            # Counted before the slow check, so that parallel guesses are counted too.
            access.add_failure(db, key, now=now)
    problem = ""
    if failures >= _MOST_FAILURES:
        status, problem = 429, "Too many wrong passwords; wait five minutes."
    elif not access.check_password(password, kept):
        status, problem = 401, "This name and this password do not belong together."
    if problem:
        return render_admin_page(
            request, "login.html", status=status, name=name, problem=problem
        )
    old = visitors.get_session(request, "admin")
    with state.store.transaction() as db:
        if old is not None:
            access.end_session(db, old)
        token, _ = access.begin_session(db, "admin", now=now, name=name)
        access.forget_failures(db, key)
        audit.add_entry(db, name, "sign in", now=now)
    reply = redirect_to("/admin")
    visitors.put_session(request, reply, "admin", token)
    return reply


@router.post("/admin/logout")
def logout(request: Request, session: Administering) -> Response:
    """End the session."""
    state = get_state(request)
    with state.store.transaction() as db:
        access.end_session(db, session)
        audit.add_entry(db, session.name, "sign out", now=state.clock())
    reply = redirect_to("/admin/login")
    visitors.drop_session(request, reply, "admin")
    return reply
