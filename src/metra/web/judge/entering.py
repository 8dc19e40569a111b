"""Coming in: the secret of a judge's link for a session."""

from fastapi import Request

from metra.store import attempts, audit, judges, sessions
from metra.store.sessions import Session
from metra.web.refusals import Refusal
from metra.web.security.addresses import address_of
from metra.web.security.visitors import session_of
from metra.web.state import state_of

_MOST_FAILURES = 30


def enter(request: Request, secret: str) -> tuple[str, Session]:
    """Begin a judge's session in place of the browser's old one.

    A right secret always opens: nobody can shut judges out by guessing. Wrong ones are
    counted, and refused without a look once there are too many.
    """
    state = state_of(request)
    now = state.clock()
    old = session_of(request, "judge")
    key = f"link {address_of(request)}"
    with state.store.transaction() as db:
        judge = judges.by_token(db, secret)
        if judge is not None:
            if old is not None:
                sessions.end(db, old)
            begun = sessions.begin(db, "judge", now=now, judge=judge.id)
            audit.note(db, judge.label, "sign in", now=now, campaign=judge.campaign)
            return begun
        failures = attempts.count(db, key, now=now)
        if failures < _MOST_FAILURES:
            attempts.add(db, key, now=now)
    if failures >= _MOST_FAILURES:
        wait = {"Retry-After": str(int(attempts.WINDOW_SECONDS))}
        raise Refusal(429, "Too many wrong links; wait five minutes.", headers=wait)
    raise Refusal(404, "This link does not work; ask for a new one.", reason="link")
