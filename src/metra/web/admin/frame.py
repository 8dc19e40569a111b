"""Shared parts of admin pages: the frame, the campaign, blinding, formats of numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from sqlalchemy import Connection
from starlette.datastructures import FormData, UploadFile

from metra.campaign.judgement import KEPT, assign_blind_names, blind_judgements
from metra.errors import format_count
from metra.scores.judgement import Judgement
from metra.store import campaigns, judges
from metra.store.campaigns import StoredCampaign
from metra.store.database import Store
from metra.store.second_looks import read_completed
from metra.web.replies import (
    Refusal,
    get_state,
    load_templates,
    redirect_to,
    render_page,
)
from metra.web.strings import load_strings
from metra.web.visitors import Administering


def render_admin_page(
    request: Request,
    template: str,
    *,
    refusal: Refusal | None = None,
    **more: Any,
) -> Response:
    """Render an admin page, in English; one with a `problem` or `refusal` is an error."""
    _add_filters()
    status = 422 if more.get("problem") else 200
    if refusal is not None:
        status, more["problem"] = refusal.status, refusal.error
    more |= {"lang": "en", "dir": "ltr", "t": load_strings("en")}
    more["who"] = getattr(request.state, "who", "")
    more["trouble"] = get_state(request).store.trouble
    page = template if "/" in template else f"admin/{template}"
    reply = render_page(request, page, status=status, **more)
    if refusal is not None:
        reply.headers.update(refusal.more.get("headers", {}))
    return reply


def get_field(form: FormData, name: str) -> str:
    """Return the text of a form's field; empty if there is none."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


async def read_files(form: FormData, name: str) -> list[tuple[str, bytes]]:
    """Return names and contents of the files in a form's field."""
    files = (value for value in form.getlist(name) if isinstance(value, UploadFile))
    return [(file.filename, await file.read()) for file in files if file.filename]


@dataclass(frozen=True, slots=True)
class CampaignVisit:
    """An admin's request about a campaign."""

    request: Request
    store: Store
    who: str
    stored: StoredCampaign

    @property
    def by(self) -> dict[str, Any]:
        """The time and the admin, as the functions of the store record them."""
        return {"now": get_state(self.request).clock(), "who": self.who}

    @property
    def names(self) -> dict[str, str]:
        """The name of each system on the pages."""
        systems = [system.name for system in self.stored.campaign.systems]
        if self.stored.is_blind:
            return assign_blind_names(systems, self.stored.secret)
        return {name: name for name in systems}

    def read_judgements(self, fields: Sequence[str] = ("id", *KEPT)) -> list[Judgement]:
        """Return all answers, every revision, with the system names that may be shown."""
        with self.store.reading() as db:
            judgements = read_completed(db, self.stored, fields=fields)
        return blind_judgements(judgements, self.names)

    def find_judge(self, db: Connection, key: str) -> str:
        """Return the id of a judge of the campaign; refuse judges of other campaigns."""
        judge = judges.find_judge(db, key)
        if judge is None or judge.campaign != self.stored.id:
            raise Refusal.not_found()
        return judge.id

    def render(self, template: str, **more: Any) -> Response:
        """Render a page about the campaign."""
        more |= {"stored": self.stored, "blind": self.stored.is_blind}
        return render_admin_page(self.request, template, **more)

    def redirect(self, page: str = "") -> Response:
        """Redirect the browser to a page of the campaign."""
        return redirect_to(f"/admin/campaigns/{self.stored.id}{page}")


def _open_campaign(request: Request, key: str, session: Administering) -> CampaignVisit:
    store = get_state(request).store
    with store.reading() as db:
        stored = campaigns.find_campaign(db, key)
    if stored is None:
        raise Refusal.not_found()
    return CampaignVisit(request, store, session.name, stored)


#: What routes depend on that serve an admin about the campaign `key` of their path.
OfCampaign = Annotated[CampaignVisit, Depends(_open_campaign)]


@cache
def _add_filters() -> None:
    load_templates().filters.update(
        moment=format_time,
        number=format_number,
        minutes=format_minutes,
        count_of=format_count,
    )


def format_time(seconds: float | None) -> str:
    """Format a date and time, in UTC.

    >>> format_time(0)
    '1970-01-01 00:00'
    """
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def format_number(value: float | None, digits: int = 1) -> str:
    """Format a number; a dash for None and NaN.

    >>> format_number(3.14159, 2), format_number(-1.0), format_number(None)
    ('3.14', '−1.0', '–')
    """
    if value is None or value != value:
        return "–"
    return f"{value:.{digits}f}".replace("-", "−")


def format_minutes(value: float | None) -> str:
    """Format a duration in minutes.

    >>> format_minutes(0.4), format_minutes(12.2), format_minutes(75)
    ('under 1 min', '12 min', '1 h 15 min')
    """
    if value is None:
        return "–"
    if 0 < value < 1:
        return "under 1 min"
    hours, rest = divmod(round(value), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"
