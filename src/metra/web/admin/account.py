"""An admin's own account: sessions, password and second factor."""

import base64
import binascii
from typing import Annotated
from urllib.parse import urlsplit

import segno
from fastapi import APIRouter, Form, Request, Response
from markupsafe import Markup

from metra.errors import OptionError
from metra.store import access, audit, second_factor
from metra.store.access import Session
from metra.web.admin.frame import render_admin_page
from metra.web.admin.login import begin_admin_session, check_password
from metra.web.pages import redirect_to
from metra.web.security import visitors
from metra.web.security.visitors import Administering, CheckedRoute
from metra.web.state import Refusal, get_state

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
        return _render_setup(request, session, second_factor.new_secret())
    if not _is_secret(secret):
        raise Refusal(
            422, "This secret was not issued by metra; start the set-up again."
        )
    refusal = check_password(request, name, password)
    if refusal is not None:
        return _render_setup(request, session, secret, refusal)
    with state.store.transaction() as db:
        codes = second_factor.enable_second_factor(
            db, name, secret, code, now=state.clock()
        )
    if not codes:
        error = "This code does not match the secret; check the clocks of both devices."
        return _render_setup(request, session, secret, Refusal(422, error))
    return render_admin_page(request, "recovery_codes.html", codes=codes)


@router.post("/admin/account/recovery-codes")
def replace_recovery_codes(
    request: Request, session: Administering, password: _Field = ""
) -> Response:
    """Show new recovery codes, this once; the old ones stop working."""
    state, name = get_state(request), session.name
    refusal = check_password(request, name, password)
    with state.store.transaction() as db:
        if refusal is None and not second_factor.has_second_factor(db, name):
            refusal = Refusal(422, "Set up the second factor first.")
        if refusal is None:
            now = state.clock()
            codes = second_factor.replace_recovery_codes(db, name, now=now)
    if refusal is not None:
        return _render_account(request, session, refusal)
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
        second_factor.disable_second_factor(db, name, now=now, who=name)
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
            second_factor=second_factor.has_second_factor(db, name),
            codes_left=second_factor.count_recovery_codes(db, name),
        )


def _render_setup(
    request: Request, session: Session, secret: str, refusal: Refusal | None = None
) -> Response:
    host = urlsplit(get_state(request).base_url or "").hostname or "localhost"
    uri = second_factor.write_uri(secret, f"{session.name}@{host}")
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
    except (binascii.Error, ValueError):
        return False
