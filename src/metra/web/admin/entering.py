"""Coming in as an admin, and leaving."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from metra.store import access, audit
from metra.web.admin.showing import admin_page
from metra.web.pages import redirect
from metra.web.security.limits import address_of
from metra.web.security.visitors import (
    Administering,
    drop_session,
    put_session,
    session_of,
)
from metra.web.state import state_of

router = APIRouter()
_MOST_FAILURES = 10


@router.get("/admin/login")
def show_login(request: Request) -> Response:
    """Ask for name and password."""
    if session_of(request, "admin") is not None:
        return redirect("/admin")
    return admin_page(request, "login.html", name="", problem="")


@router.post("/admin/login")
def login(
    request: Request,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Begin a session; wrong passwords are counted by address, and refused when many."""
    state = state_of(request)
    now = state.clock()
    key = f"admin {address_of(request)}"
    with state.store.transaction() as db:
        failures = access.count(db, key, now=now)
        kept = access.password_hash(db, name)
        if failures < _MOST_FAILURES:
            # Counted before the check, which takes its time: guesses at once are counted.
            access.add(db, key, now=now)
    if failures >= _MOST_FAILURES:
        problem = "Too many wrong passwords; wait five minutes."
        return admin_page(request, "login.html", status=429, name=name, problem=problem)
    if not access.fits(password, kept):
        problem = "This name and this password do not belong together."
        return admin_page(request, "login.html", status=401, name=name, problem=problem)
    old = session_of(request, "admin")
    with state.store.transaction() as db:
        if old is not None:
            access.end(db, old)
        token, _ = access.begin(db, "admin", now=now, name=name)
        access.forget(db, key)
        audit.note(db, name, "sign in", now=now)
    reply = redirect("/admin")
    put_session(request, reply, "admin", token)
    return reply


@router.post("/admin/logout")
def logout(request: Request, session: Administering) -> Response:
    """End the session."""
    state = state_of(request)
    with state.store.transaction() as db:
        access.end(db, session)
        audit.note(db, session.name, "sign out", now=state.clock())
    reply = redirect("/admin/login")
    drop_session(request, reply, "admin")
    return reply
