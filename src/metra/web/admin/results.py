"""The filter bar: what the address asks for, as wishes; what it cannot mean is left out.

Where judges are far apart: their answers side by side, and asking somebody else.
Scores of texts, what has no score and why, and campaigns that settle what is open.
What a campaign found, under the filters that the address holds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, get_args

from fastapi import APIRouter, Form, Query, Request, Response
from markupsafe import Markup
from starlette.datastructures import QueryParams

from metra.campaign.judgement import Judgement
from metra.campaign.judges import Rules
from metra.campaign.material import changes
from metra.campaign.metric_scores import Correlation, correlations
from metra.campaign.monitoring import APART, ask_others, disagreements, looked_again
from metra.campaign.ranking import RankingWishes
from metra.campaign.second_look import completed, follow_up, second_looks, waiting
from metra.campaign.summary import Chosen, Wishes, chosen, measured, summary
from metra.campaign.task import Kind
from metra.campaign.times import WORDS_PER_MINUTE
from metra.errors import MetraError
from metra.metrics import registry
from metra.report.pictures import judges_times_picture, ranking_picture, time_picture
from metra.store import answers, campaigns
from metra.store.campaigns import Stored
from metra.web.admin.showing import (
    admin_page,
    found,
    is_blind,
    shown_judgements,
    shown_names,
)
from metra.web.pages import redirect
from metra.web.security.visitors import Administering
from metra.web.state import state_of

_SPEEDS = (300, 400, 600, 800, 1000)


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen in this campaign."""

    judges: Sequence[str]
    systems: Sequence[str]
    documents: Sequence[str]
    kinds: Sequence[str] = ()
    #: The first and the last day of an answer, in UTC; empty where nothing is timed.
    days: tuple[str, str] = ("", "")
    speeds: Sequence[int] = _SPEEDS


def choices(judgements: Iterable[Judgement], systems: Iterable[str]) -> Choices:
    """List the judges, systems and documents that there are answers about."""
    every = list(judgements)
    there = {one.kind for one in every}
    times = [one.submitted_at for one in every if one.submitted_at is not None]
    days = (_day(min(times)), _day(max(times))) if times else ("", "")
    return Choices(
        sorted({one.judge for one in every}),
        sorted(systems, key=_naturally),
        sorted({one.document for one in every if one.document}, key=_naturally),
        [kind for kind in get_args(Kind) if kind in there],
        days,
    )


def wishes(query: QueryParams, known: Choices) -> Wishes:
    """Read the address; names that are not known mean nothing."""

    def kept(name: str, allowed: Sequence[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(allowed)

    speed = query.get("speed", "")
    fastest = float(speed) if speed in map(str, _SPEEDS) else WORDS_PER_MINUTE
    return Wishes(
        Chosen(
            kept("judge", known.judges),
            kept("system", known.systems),
            kept("document", known.documents),
            kept("kind", known.kinds),
            since=_midnight(query.get("from", "")),
            until=_midnight(query.get("to", ""), days=1),
            without_flagged=query.get("flagged") == "without",
        ),
        RankingWishes(
            by="document" if query.get("by") == "document" else "segment",
            test="bootstrap" if query.get("test") == "bootstrap" else "wilcoxon",
            rule="all" if query.get("rule") == "all" else "neighbours",
            holm=query.get("holm") == "yes",
        ),
        Rules(words_per_minute=fastest),
    )


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _midnight(day: str, *, days: int = 0) -> float | None:
    """The beginning of a day in UTC, or of one that comes later; None for what is no day."""
    try:
        found = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
        return (found + timedelta(days=days)).timestamp()
    except (ValueError, OverflowError):
        return None


def _naturally(name: str) -> tuple[str, int, str]:
    """Put System 2 before System 10."""
    words, _, number = name.rpartition(" ")
    return (words, int(number), "") if number.isdecimal() else (name, 0, name)


router = APIRouter()
_MOST_SHOWN = 50
_LIMITS = (10, 25, 50, 75)


@router.get("/admin/campaigns/{key}/disagreements")
def show_disagreements(
    request: Request,
    key: str,
    session: Administering,
    apart: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """List the outputs, the farthest apart first."""
    return _disagreements_page(
        request, found(request, key), session.name, _limit(apart)
    )


@router.post("/admin/campaigns/{key}/disagreements")
def create_adjudication(
    request: Request,
    key: str,
    session: Administering,
    judges: Annotated[str, Form(max_length=2000)] = "",
    apart: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Let others judge them anew, in a campaign of its own."""
    stored = found(request, key)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    house = state_of(request)
    limit = _limit(apart)
    try:
        with house.store.transaction() as db:
            new = ask_others(
                db,
                stored,
                disagreements(completed(db, stored), apart=limit),
                judges=tuple(dict.fromkeys(names)),
                now=house.clock(),
                who=session.name,
            )
    except MetraError as error:
        return _disagreements_page(request, stored, session.name, limit, str(error))
    return redirect(f"/admin/campaigns/{new}")


def _limit(apart: str) -> float:
    return float(apart) if apart in map(str, _LIMITS) else APART


def _disagreements_page(
    request: Request, stored: Stored, who: str, limit: float, problem: str = ""
) -> Response:
    rows = disagreements(shown_judgements(request, stored), apart=limit)
    names = shown_names(stored)
    with state_of(request).store.reading() as db:
        again = {
            (names.get(system, system), segment): mine
            for (system, segment), mine in looked_again(db, stored).items()
        }
    settings = stored.campaign.settings
    return admin_page(
        request,
        "disagreements.html",
        status=422 if problem else 200,
        stored=stored,
        who=who,
        blind=is_blind(stored),
        problem=problem,
        rows=rows[:_MOST_SHOWN],
        more=len(rows[_MOST_SHOWN:]),
        count=len(rows),
        again=again,
        limit=limit,
        limits=_LIMITS,
        languages=(settings.source_language, settings.target_language),
        can_ask=not stored.campaign.protocol.contrastive,
    )


_MEASURES_MOST_SHOWN = 100


@router.get("/admin/campaigns/{key}/measures")
def show_measures(request: Request, key: str, session: Administering) -> Response:
    """What there is beside the ranking."""
    return _measures_page(request, found(request, key), session.name)


@router.post("/admin/campaigns/{key}/second-look")
def create_second_look(
    request: Request,
    key: str,
    session: Administering,
    judges: Annotated[str, Form(max_length=2000)] = "",
    each: Annotated[int, Form(ge=1, le=20)] = 1,
) -> Response:
    """Make a campaign that settles what this one left open."""
    stored = found(request, key)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    house = state_of(request)
    try:
        with house.store.transaction() as db:
            number = len(second_looks(db, stored)) + 1
            made = follow_up(
                stored,
                completed(db, stored),
                judges=tuple(dict.fromkeys(names)),
                each=each,
                name=f"{stored.name}: second look {number}",
            )
            new = campaigns.create(db, made, now=house.clock(), who=session.name)
    except MetraError as error:
        return _measures_page(request, stored, session.name, str(error))
    return redirect(f"/admin/campaigns/{new}")


def _measures_page(
    request: Request, stored: Stored, who: str, problem: str = ""
) -> Response:
    judgements = shown_judgements(request, stored)
    with state_of(request).store.reading() as db:
        looks = second_looks(db, stored)
        own = answers.judgements(db, stored) if stored.campaign.material else []
    found = measured(stored.campaign, judgements)
    return admin_page(
        request,
        "measures.html",
        status=422 if problem else 200,
        stored=stored,
        who=who,
        blind=is_blind(stored),
        problem=problem,
        measured=found,
        undefined=found.undefined[:_MEASURES_MOST_SHOWN],
        more_undefined=len(found.undefined[_MEASURES_MOST_SHOWN:]),
        waiting=waiting(stored.campaign, judgements),
        looks=looks,
        prefilled=changes(stored.campaign, own),
        names=shown_names(stored),
    )


_METRICS = ("bleu", "chrf", "ter")


@router.get("/admin/campaigns/{key}/results")
def show_results(request: Request, key: str, session: Administering) -> Response:
    """Compute everything anew from what the filters leave."""
    stored = found(request, key)
    names = shown_names(stored)
    judgements = shown_judgements(request, stored)
    known = choices(judgements, names.values())
    wished = wishes(request.query_params, known)
    results = summary(judgements, wished)
    asked = request.query_params.get("metrics") == "yes"
    compared, problem = (
        ([], "")
        if not asked
        else _compared(stored, chosen(judgements, wished.choice, wished.rules), names)
    )
    times = results.times
    return admin_page(
        request,
        "results.html",
        stored=stored,
        who=session.name,
        blind=is_blind(stored),
        results=results,
        known=known,
        wished=wished,
        filtered=bool(request.query_params),
        days=[request.query_params.get(name, "") for name in ("from", "to")],
        with_metrics=asked,
        correlations=compared,
        metrics_problem=problem,
        pictures=[Markup(ranking_picture(one)) for one in results.rankings],
        time_picture=Markup(time_picture(times)) if times else "",
        judges_picture=Markup(judges_times_picture(times)) if times else "",
    )


def _compared(
    stored: Stored, judgements: list[Judgement], names: dict[str, str]
) -> tuple[list[Correlation], str]:
    chosen = {name: registry.metric(name) for name in _METRICS}
    try:
        return correlations(stored.campaign, judgements, chosen, names=names), ""
    except MetraError as error:
        return [], str(error)
