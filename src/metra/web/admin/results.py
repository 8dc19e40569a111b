"""Results of a campaign with their filters, disagreements, and follow-up campaigns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, get_args

from fastapi import APIRouter, Form, Query, Request, Response
from markupsafe import Markup
from starlette.datastructures import QueryParams

from metra.campaign.judges import FlagRules
from metra.campaign.metric_scores import JudgeCorrelation, correlate_metrics
from metra.campaign.monitoring import APART, find_disagreements
from metra.campaign.prefilled_marks import count_mark_changes
from metra.campaign.ranking import RankingOptions
from metra.campaign.second_look import build_follow_up, count_open_answers
from metra.campaign.summary import (
    JudgementFilter,
    SummaryOptions,
    compute_measurements,
    filter_judgements,
    summarise_judgements,
)
from metra.campaign.times import WORDS_PER_MINUTE
from metra.errors import MetraError
from metra.formats.scores.judgement import Judgement, JudgementKind
from metra.metrics import registry
from metra.report.pictures.campaign import draw_judge_times, draw_ranking, draw_times
from metra.store import answers, campaigns
from metra.store.campaigns import StoredCampaign
from metra.store.second_looks import (
    create_adjudication_draft,
    find_second_looks,
    read_adjudications,
    read_completed,
)
from metra.web.admin.frame import (
    find_stored_campaign,
    get_visible_names,
    is_blind,
    read_visible_judgements,
    render_admin_page,
)
from metra.web.pages import redirect_to
from metra.web.security.visitors import Administering
from metra.web.state import get_state

_SPEEDS = (300, 400, 600, 800, 1000)


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The values that the filters of a campaign offer."""

    judges: Sequence[str]
    systems: Sequence[str]
    documents: Sequence[str]
    kinds: Sequence[str] = ()
    #: The first and the last day of an answer, in UTC; empty where nothing is timed.
    days: tuple[str, str] = ("", "")
    speeds: Sequence[int] = _SPEEDS


def list_choices(
    judgements: Iterable[Judgement], systems: Iterable[str]
) -> FilterChoices:
    """Return the judges, systems and documents that have answers."""
    every = list(judgements)
    there = {one.kind for one in every}
    times = [one.submitted_at for one in every if one.submitted_at is not None]
    days = (_format_day(min(times)), _format_day(max(times))) if times else ("", "")
    return FilterChoices(
        sorted({one.judge for one in every}),
        sorted(systems, key=_get_natural_key),
        sorted({one.document for one in every if one.document}, key=_get_natural_key),
        [kind for kind in get_args(JudgementKind) if kind in there],
        days,
    )


def parse_summary_options(query: QueryParams, known: FilterChoices) -> SummaryOptions:
    """Parse the filters in a URL; unknown names are ignored."""

    def read_names(name: str, allowed: Sequence[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(allowed)

    speed = query.get("speed", "")
    fastest = float(speed) if speed in map(str, _SPEEDS) else WORDS_PER_MINUTE
    return SummaryOptions(
        JudgementFilter(
            read_names("judge", known.judges),
            read_names("system", known.systems),
            read_names("document", known.documents),
            read_names("kind", known.kinds),
            since=_parse_day(query.get("from", "")),
            until=_parse_day(query.get("to", ""), days=1),
            without_flagged=query.get("flagged") == "without",
        ),
        RankingOptions(
            by="document" if query.get("by") == "document" else "segment",
            test="bootstrap" if query.get("test") == "bootstrap" else "wilcoxon",
            rule="all" if query.get("rule") == "all" else "neighbours",
            holm=query.get("holm") == "yes",
        ),
        FlagRules(words_per_minute=fastest),
    )


def _format_day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _parse_day(day: str, *, days: int = 0) -> float | None:
    """Return the start of a day in UTC, `days` later; None if it is not a date."""
    try:
        start = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
        return (start + timedelta(days=days)).timestamp()
    except (ValueError, OverflowError):
        return None


def _get_natural_key(name: str) -> tuple[str, int, str]:
    """Return a sort key that puts System 2 before System 10."""
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
    """Show outputs on which judges disagree, the largest difference first."""
    return _render_disagreements(
        request, find_stored_campaign(request, key), session.name, _parse_limit(apart)
    )


@router.post("/admin/campaigns/{key}/disagreements")
def create_adjudication(
    request: Request,
    key: str,
    session: Administering,
    judges: Annotated[str, Form(max_length=2000)] = "",
    apart: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Create a campaign in which others judge these outputs again."""
    stored = find_stored_campaign(request, key)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    state = get_state(request)
    limit = _parse_limit(apart)
    try:
        with state.store.transaction() as db:
            new = create_adjudication_draft(
                db,
                stored,
                find_disagreements(read_completed(db, stored), apart=limit),
                judges=tuple(dict.fromkeys(names)),
                now=state.clock(),
                who=session.name,
            )
    except MetraError as error:
        return _render_disagreements(request, stored, session.name, limit, str(error))
    return redirect_to(f"/admin/campaigns/{new}")


def _parse_limit(apart: str) -> float:
    return float(apart) if apart in map(str, _LIMITS) else APART


def _render_disagreements(
    request: Request, stored: StoredCampaign, who: str, limit: float, problem: str = ""
) -> Response:
    rows = find_disagreements(read_visible_judgements(request, stored), apart=limit)
    names = get_visible_names(stored)
    with get_state(request).store.reading() as db:
        again = {
            (names.get(system, system), segment): mine
            for (system, segment), mine in read_adjudications(db, stored).items()
        }
    settings = stored.campaign.settings
    return render_admin_page(
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
def show_metrics(request: Request, key: str, session: Administering) -> Response:
    """Show scores of texts, undefined scores and follow-up campaigns."""
    return _render_metrics(request, find_stored_campaign(request, key), session.name)


@router.post("/admin/campaigns/{key}/second-look")
def create_second_look(
    request: Request,
    key: str,
    session: Administering,
    judges: Annotated[str, Form(max_length=2000)] = "",
    each: Annotated[int, Form(ge=1, le=20)] = 1,
) -> Response:
    """Create a campaign that settles the open answers of this one."""
    stored = find_stored_campaign(request, key)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    state = get_state(request)
    try:
        with state.store.transaction() as db:
            number = len(find_second_looks(db, stored)) + 1
            made = build_follow_up(
                stored.campaign,
                stored.id,
                read_completed(db, stored),
                judges=tuple(dict.fromkeys(names)),
                each=each,
                name=f"{stored.name}: second look {number}",
            )
            new = campaigns.create_campaign(
                db, made, now=state.clock(), who=session.name
            )
    except MetraError as error:
        return _render_metrics(request, stored, session.name, str(error))
    return redirect_to(f"/admin/campaigns/{new}")


def _render_metrics(
    request: Request, stored: StoredCampaign, who: str, problem: str = ""
) -> Response:
    judgements = read_visible_judgements(request, stored)
    with get_state(request).store.reading() as db:
        looks = find_second_looks(db, stored)
        own = answers.read_judgements(db, stored) if stored.campaign.material else []
    found = compute_measurements(stored.campaign, judgements)
    return render_admin_page(
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
        waiting=count_open_answers(stored.campaign, judgements),
        looks=looks,
        prefilled=count_mark_changes(stored.campaign, own),
        names=get_visible_names(stored),
    )


_METRICS = ("bleu", "chrf", "ter")


@router.get("/admin/campaigns/{key}/results")
def show_results(request: Request, key: str, session: Administering) -> Response:
    """Show results, computed from the judgements that pass the filters."""
    stored = find_stored_campaign(request, key)
    names = get_visible_names(stored)
    judgements = read_visible_judgements(request, stored)
    known = list_choices(judgements, names.values())
    options = parse_summary_options(request.query_params, known)
    results = summarise_judgements(judgements, options)
    asked = request.query_params.get("metrics") == "yes"
    compared, problem = (
        ([], "")
        if not asked
        else _correlate_metrics(
            stored, filter_judgements(judgements, options.choice, options.rules), names
        )
    )
    times = results.times
    return render_admin_page(
        request,
        "results.html",
        stored=stored,
        who=session.name,
        blind=is_blind(stored),
        results=results,
        known=known,
        wished=options,
        filtered=bool(request.query_params),
        days=[request.query_params.get(name, "") for name in ("from", "to")],
        with_metrics=asked,
        correlations=compared,
        metrics_problem=problem,
        pictures=[Markup(draw_ranking(one)) for one in results.rankings],
        time_picture=Markup(draw_times(times)) if times else "",
        judges_picture=Markup(draw_judge_times(times)) if times else "",
    )


def _correlate_metrics(
    stored: StoredCampaign, judgements: list[Judgement], names: dict[str, str]
) -> tuple[list[JudgeCorrelation], str]:
    chosen = {name: registry.metric(name) for name in _METRICS}
    try:
        return correlate_metrics(stored.campaign, judgements, chosen, names=names), ""
    except MetraError as error:
        return [], str(error)
