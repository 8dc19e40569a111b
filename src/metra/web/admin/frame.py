"""What all admin pages share: the frame, the campaign, blinding, formats of numbers."""

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response

from metra.campaign.summary import assign_blind_names, blind_judgements
from metra.formats.scores.judgement import Judgement
from metra.store import campaigns, judges
from metra.store.campaigns import StoredCampaign
from metra.store.judges import Judge
from metra.store.second_looks import read_completed
from metra.web.pages import load_templates, render_page
from metra.web.state import Refusal, get_state
from metra.web.strings import load_strings

if TYPE_CHECKING:
    from jinja2 import Environment
    from sqlalchemy import Connection


def render_admin_page(
    request: Request, template: str, *, status: int = 200, **more: Any
) -> Response:
    """Render an admin page; these are in English."""
    _add_filters()
    return render_page(
        request,
        f"admin/{template}",
        status=status,
        **{"lang": "en", "dir": "ltr", "t": load_strings("en")} | more,
    )


def find_stored_campaign(request: Request, key: str) -> StoredCampaign:
    """Return a campaign, or refuse the request if there is none."""
    with get_state(request).store.reading() as db:
        stored = campaigns.find_campaign(db, key)
    if stored is None:
        raise Refusal.not_found()
    return stored


def find_campaign_judge(db: "Connection", stored: StoredCampaign, key: str) -> Judge:
    """Return a judge of the campaign; refuse judges of other campaigns."""
    judge = judges.find_judge(db, key)
    if judge is None or judge.campaign != stored.id:
        raise Refusal.not_found()
    return judge


def is_blind(stored: StoredCampaign) -> bool:
    """Return whether system names are still hidden from admins."""
    return stored.unblinded_at is None and stored.state != "closed"


def get_visible_names(stored: StoredCampaign) -> dict[str, str]:
    """Return the name of each system on the pages."""
    systems = [system.name for system in stored.campaign.systems]
    if is_blind(stored):
        return assign_blind_names(systems, stored.secret)
    return {name: name for name in systems}


def read_visible_judgements(
    request: Request, stored: StoredCampaign
) -> list[Judgement]:
    """Return all answers, every revision, with the system names that may be shown."""
    with get_state(request).store.reading() as db:
        judgements = read_completed(db, stored)
    return blind_judgements(judgements, get_visible_names(stored))


@cache
def _add_filters() -> "Environment":
    environment = load_templates()
    environment.filters["moment"] = format_time
    environment.filters["number"] = format_number
    environment.filters["figure"] = format_figure
    environment.filters["chance"] = format_p_value
    environment.filters["signed"] = format_difference
    environment.filters["minutes"] = format_minutes
    return environment


def format_time(seconds: float | None) -> str:
    """Format a date and time, in UTC.

    >>> format_time(0)
    '1970-01-01 00:00'
    """
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def format_number(value: float | None, digits: int = 1) -> str:
    """Format a number; a dash for None.

    >>> format_number(3.14159, 2), format_number(-1.0), format_number(None)
    ('3.14', '−1.0', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def format_figure(value: float, digits: int = 1) -> str:
    """Format a number; a dash for NaN.

    >>> format_figure(0.5), format_figure(float("nan"))
    ('0.5', '–')
    """
    return format_number(value if value == value else None, digits)


def format_p_value(value: float | None, digits: int = 4) -> str:
    """Format a p-value; one that would round to 0 is given as an upper bound.

    >>> format_p_value(0.25, 2), format_p_value(0.00001)
    ('0.25', '< 0.0001')
    """
    least = 10**-digits
    if value is not None and value < least:
        return f"< {least:.{digits}f}"
    return format_number(value, digits)


def format_difference(value: float | None, digits: int = 1) -> str:
    """Format a difference with its sign.

    >>> format_difference(2.0), format_difference(-2.0)
    ('+2.0', '−2.0')
    """
    return "–" if value is None else f"{value:+.{digits}f}".replace("-", "−")


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
