"""An admin's account: signing in and out, sessions, password and second factor."""

import base64
from typing import Annotated
from urllib.parse import urlsplit

import segno
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Form, Request, Response
from markupsafe import Markup
from sqlalchemy import Connection

from metra.errors import OptionError
from metra.store import access, audit
from metra.store.access import Session
from metra.store.database import new_token, strip_unstorable
from metra.web import visitors
from metra.web.admin.frame import render_admin_page
from metra.web.middleware import get_client_address
from metra.web.replies import Refusal, get_state, redirect_to
from metra.web.visitors import Administering, CheckedRoute

router = APIRouter(route_class=CheckedRoute)
_Field = Annotated[str, Form(max_length=1000)]


@router.get("/admin/account")
def show_account(request: Request, session: Administering) -> Response:
    """Show the admin's sessions, and the forms for password and second factor."""
    return _render_account(request, session)


@router.post("/admin/account/sessions")
def end_sessions(
    request: Request, session: Administering, key: _Field = ""
) -> Response:
    """End one of the admin's sessions, or all but this one."""
    state = get_state(request)
    now, name = state.clock(), session.name
    with state.store.transaction() as db:
        if key:
            sessions = access.list_sessions(db, name, now=now)
            chosen = [one for one in sessions if one.key == key]
            for one in chosen:
                access.end_session(db, one)
            count = len(chosen)
        else:
            count = access.end_sessions(db, name, kept=session)
        audit.add_entry(db, name, "end sessions", {"sessions": count}, now=now)
    reply = redirect_to("/admin/account")
    if key == session.key:
        reply = redirect_to("/admin/login")
        visitors.drop_session(request, reply, "admin")
    return reply


@router.post("/admin/account/password")
def change_password(
    request: Request, session: Administering, password: _Field = "", new: _Field = ""
) -> Response:
    """Change the password; all sessions end, and this browser begins a new one."""
    state, name = get_state(request), session.name
    refusal = check_password(request, name, password)
    if refusal is None:
        try:
            with state.store.transaction() as db:
                access.set_password(db, name, new, now=state.clock(), who=name)
        except OptionError as error:
            refusal = Refusal(422, str(error))
    if refusal is not None:
        return _render_account(request, session, refusal)
    return begin_admin_session(request, name, "password", to="/admin/account")


@router.post("/admin/account/second-factor")
def set_up_second_factor(
    request: Request,
    session: Administering,
    password: _Field = "",
    secret: _Field = "",
    code: _Field = "",
) -> Response:
    """Show a new secret; with its code and the password, set up the second factor."""
    state, name = get_state(request), session.name
    if not secret:
        return _render_setup(request, session, access.new_secret())
    if not _is_secret(secret):
        raise Refusal(
            422, "This secret was not issued by metra; start the set-up again."
        )
    refusal = check_password(request, name, password)
    if refusal is not None:
        return _render_setup(request, session, secret, refusal)
    with state.store.transaction() as db:
        codes = access.enable_second_factor(db, name, secret, code, now=state.clock())
    if not codes:
        error = "This code does not match the secret; check the clocks of both devices."
        return _render_setup(request, session, secret, Refusal(422, error))
    return render_admin_page(request, "recovery_codes.html", codes=codes)


@router.post("/admin/account/second-factor/remove")
def remove_second_factor(
    request: Request, session: Administering, password: _Field = ""
) -> Response:
    """Remove the second factor; the password alone opens again."""
    state, name = get_state(request), session.name
    refusal = check_password(request, name, password)
    if refusal is not None:
        return _render_account(request, session, refusal)
    with state.store.transaction() as db:
        now = state.clock()
        access.disable_second_factor(db, name, now=now, who=name)
    return redirect_to("/admin/account")


def _render_account(
    request: Request, session: Session, refusal: Refusal | None = None
) -> Response:
    state, name = get_state(request), session.name
    with state.store.reading() as db:
        return render_admin_page(
            request,
            "account.html",
            refusal=refusal,
            sessions=access.list_sessions(db, name, now=state.clock()),
            session=session,
            second_factor=access.has_second_factor(db, name),
            codes_left=access.count_recovery_codes(db, name),
        )


def _render_setup(
    request: Request, session: Session, secret: str, refusal: Refusal | None = None
) -> Response:
    host = urlsplit(get_state(request).base_url or "").hostname or "localhost"
    uri = access.write_uri(secret, f"{session.name}@{host}")
    groups = [secret[at : at + 4] for at in range(0, len(secret), 4)]
    drawn = segno.make_qr(uri, error="l").svg_inline(
        omitsize=True, svgclass="qr", lineclass="dark", light="#fff"
    )
    return render_admin_page(
        request,
        "second_factor.html",
        refusal=refusal,
        secret=secret,
        groups=groups,
        uri=uri,
        code=Markup(drawn),
    )


def _is_secret(text: str) -> bool:
    """Return whether a text is a secret as we draw them.

    >>> _is_secret("A" * 32), _is_secret("A" * 31), _is_secret("a1" * 16)
    (True, False, False)
    """
    try:
        return len(base64.b32decode(text)) == 20
    except ValueError:
        return False


#: Attempts that need not wait: for an account, and for all accounts at an address.
_FREE = 5
_FREE_ADDRESS = 30
#: Each check of a password takes 64 MB. Others queue without a thread, which judges need.
_CHECKS = CapacityLimiter(2)
#: How long a right password waits for its code.
_TICKET_SECONDS = 300.0
_Name = Annotated[str, Form(max_length=200)]


@router.get("/admin/login")
def show_login(request: Request) -> Response:
    """Show the form for name and password."""
    if visitors.get_session(request, "admin") is not None:
        return redirect_to("/admin")
    return render_admin_page(request, "login.html", name="")


@router.post("/admin/login")
async def login(request: Request, name: _Name = "", password: _Field = "") -> Response:
    """Check the password, then start a session or ask for a code."""
    arguments = request, strip_unstorable(name), password
    return await to_thread.run_sync(_login, *arguments, limiter=_CHECKS)


def _login(request: Request, name: str, password: str) -> Response:
    refusal = check_password(request, name, password)
    if refusal is not None:
        return render_admin_page(request, "login.html", refusal=refusal, name=name)
    state = get_state(request)
    with state.store.reading() as db:
        if access.has_second_factor(db, name):
            # A proof of a right password, for a short while.
            ticket = visitors.sign_mark(db, name, "ticket", f"{state.clock():.0f}")
            return render_admin_page(request, "code.html", name=name, ticket=ticket)
    return begin_admin_session(request, name, "password")


@router.post("/admin/login/code")
def check_code(
    request: Request, name: _Name = "", ticket: _Name = "", code: _Name = ""
) -> Response:
    """Start a session if the code is right, after a right password."""
    name = strip_unstorable(name)
    state = get_state(request)
    now = state.clock()
    kind = None
    with state.store.transaction() as db:
        if not _check_ticket(db, name, ticket, now):
            refusal = Refusal(401, "Enter the password again.")
            return render_admin_page(request, "login.html", refusal=refusal, name=name)
        # Whoever is here knows the password, and may have many addresses: all browsers that
        # have not signed in before count together.
        key = f"code\n{name}\n{visitors.find_device(request, db, name)}"
        wait = access.begin_attempt(db, {key: _FREE}, now=now)
        if wait <= 0:
            kind = access.use_code(db, name, code, now=now)
        if kind is not None:
            access.forget_attempts(db, [key])
    if kind is not None:
        return begin_admin_session(request, name, kind)
    refusal = Refusal(
        401, "This code is wrong or was already used; wait for the next one."
    )
    if wait > 0:
        refusal = Refusal.too_many_wrong(wait, "codes")
    return render_admin_page(
        request, "code.html", refusal=refusal, name=name, ticket=ticket
    )


def check_password(request: Request, name: str, password: str) -> Refusal | None:
    """Return the refusal of a wrong password, or None if it is right.

    After wrong ones there is a wait, ever longer: by account and address and, after more of
    them, by address. For browsers that have signed in before it is by account and browser. So
    nobody can shut an admin out.
    """
    state = get_state(request)
    with state.store.transaction() as db:
        kept = access.find_password_hash(db, name)
        device = visitors.find_device(request, db, name)
        address = get_client_address(request)
        free = {f"password\n{name}\n{device or address}": _FREE}
        if not device:
            free |= {f"passwords\n{address}": _FREE_ADDRESS}
        # Counted before the slow check, so that parallel guesses are counted too.
        wait = access.begin_attempt(db, free, now=state.clock())
    if wait > 0:
        return Refusal.too_many_wrong(wait, "passwords")
    if not access.check_password(password, kept):
        return Refusal(401, "Wrong name or password.")
    with state.store.transaction() as db:
        access.forget_attempts(db, free)
    return None


def begin_admin_session(
    request: Request, name: str, proof: str, to: str = "/admin"
) -> Response:
    """Begin a session in place of the browser's old one, and remember the browser."""
    state = get_state(request)
    now, old = state.clock(), visitors.get_session(request, "admin")
    address = get_client_address(request)
    client = request.headers.get("user-agent", "")[:100]
    with state.store.transaction() as db:
        if old is not None:
            access.end_session(db, old)
        token, _ = access.begin_session(
            db, "admin", now=now, name=name, address=address, client=client
        )
        data = {"by": proof, "address": address, "browser": client}
        audit.add_entry(db, name, "sign in", data, now=now)
        device = visitors.sign_mark(db, name, "device", new_token())
    reply = redirect_to(to)
    visitors.put_session(request, reply, "admin", token)
    visitors.put_device(request, reply, device)
    return reply


def _check_ticket(db: Connection, name: str, ticket: str, now: float) -> bool:
    made = visitors.check_mark(db, name, "ticket", ticket)
    return made.isdecimal() and -1 <= now - int(made) <= _TICKET_SECONDS


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
