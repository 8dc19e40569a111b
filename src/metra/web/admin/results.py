"""Results of a campaign with their filters, disagreements, and follow-up campaigns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, cast, get_args

from fastapi import APIRouter, Form, Query, Response
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, QueryParams

from metra.campaign.judgement import (
    MEASURED,
    keep_latest,
    pause_collection,
    score_kept,
)
from metra.campaign.judges import FlagRules
from metra.campaign.metric_scores import JudgeCorrelation, correlate_metrics
from metra.campaign.monitoring import APART, find_disagreements
from metra.campaign.outside_scores import (
    OutsideScores,
    SystemRow,
    correlate_outside,
    read_outside_scores,
    tabulate_means,
)
from metra.campaign.prefilled_marks import count_mark_changes
from metra.campaign.protocols.task_protocols import SETTLED_BY
from metra.campaign.ranking import HumanRanking, RankingOptions
from metra.campaign.second_look import build_follow_up, count_open_answers
from metra.campaign.summary import (
    Flagged,
    JudgementFilter,
    SummaryOptions,
    compute_measurements,
    summarise_judgements,
)
from metra.campaign.times import WORDS_PER_MINUTE
from metra.errors import MetraError
from metra.meta.spans import agree_on_marks, compare_tags
from metra.metrics import registry
from metra.report.pictures.campaign import draw_judge_times, draw_ranking, draw_times
from metra.scores.judgement import Judgement, JudgementKind
from metra.scores.spans import collect_spans
from metra.store import answers, campaigns, outside_scores, second_looks
from metra.web.admin.frame import (
    CampaignVisit,
    OfCampaign,
    format_time,
    get_field,
    read_files,
)
from metra.web.pages import redirect_to
from metra.web.security.visitors import CheckedRoute

router = APIRouter(prefix="/admin/campaigns/{key}", route_class=CheckedRoute)
_Names = Annotated[str, Form(max_length=2000)]
_MOST_OUTPUTS = 50
_MOST_FILES = 100
_MOST_UNDEFINED = 100
_LIMITS = (10, 25, 50, 75)
_DIRECTIONS: dict[str, Literal["higher", "lower"]] = {
    "higher": "higher",
    "lower": "lower",
}
_FLAGGED: dict[str, Flagged] = {"count": "count", "without": "out"}
_METRICS = ("bleu", "chrf", "ter")
_SPEEDS = (300, 400, 600, 800, 1000)


@router.get("/disagreements")
def show_disagreements(
    visit: OfCampaign, apart: Annotated[str, Query(max_length=10)] = ""
) -> Response:
    """Show outputs on which judges disagree, the largest difference first."""
    return _render_disagreements(visit, _parse_limit(apart))


@router.post("/disagreements")
def create_adjudication(
    visit: OfCampaign,
    judges: _Names = "",
    apart: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Create a campaign in which others judge these outputs again."""
    stored, limit = visit.stored, _parse_limit(apart)
    try:
        with visit.store.transaction() as db:
            judgements = second_looks.read_completed(db, stored)
            rows = find_disagreements(judgements, apart=limit)
            new = second_looks.create_adjudication_draft(
                db, stored, rows, judges=_parse_names(judges), **visit.by
            )
    except MetraError as error:
        return _render_disagreements(visit, limit, str(error))
    return redirect_to(f"/admin/campaigns/{new}")


def _parse_limit(apart: str) -> float:
    return float(apart) if apart in map(str, _LIMITS) else APART


def _parse_names(judges: str) -> tuple[str, ...]:
    names = (name.strip() for name in judges.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


@pause_collection()
def _render_disagreements(
    visit: CampaignVisit, limit: float, problem: str = ""
) -> Response:
    stored, names = visit.stored, visit.names
    judgements = visit.read_judgements((*MEASURED, "comment"))
    rows = find_disagreements(judgements, apart=limit)
    with visit.store.reading() as db:
        adjudications = second_looks.read_adjudications(db, stored)
    settings = stored.campaign.settings
    return visit.render(
        "disagreements.html",
        problem=problem,
        rows=rows[:_MOST_OUTPUTS],
        more=len(rows[_MOST_OUTPUTS:]),
        count=len(rows),
        again={
            (names.get(system, system), segment): score_kept(judged)
            for (system, segment), judged in adjudications.items()
        },
        limit=limit,
        limits=_LIMITS,
        languages=(settings.source_language, settings.target_language),
        can_ask=not stored.campaign.protocol.contrastive,
    )


@router.get("/measures")
def show_metrics(visit: OfCampaign) -> Response:
    """Show scores of texts, undefined scores and follow-up campaigns."""
    return _render_metrics(visit)


@router.post("/second-look")
def create_second_look(
    visit: OfCampaign,
    judges: _Names = "",
    each: Annotated[int, Form(ge=1, le=20)] = 1,
) -> Response:
    """Create a campaign that settles the open answers of this one."""
    stored = visit.stored
    try:
        with visit.store.transaction() as db:
            made = build_follow_up(
                stored.campaign,
                stored.id,
                second_looks.read_completed(db, stored),
                judges=_parse_names(judges),
                each=each,
                name=second_looks.name_second_look(db, stored),
            )
            new = campaigns.create_campaign(db, made, **visit.by)
    except MetraError as error:
        return _render_metrics(visit, str(error))
    return redirect_to(f"/admin/campaigns/{new}")


@pause_collection()
def _render_metrics(visit: CampaignVisit, problem: str = "") -> Response:
    stored, campaign = visit.stored, visit.stored.campaign
    judgements = visit.read_judgements()
    with visit.store.reading() as db:
        looks = second_looks.find_second_looks(db, stored)
        own = answers.read_judgements(db, stored) if campaign.material else []
    measured = compute_measurements(campaign, judgements)
    return visit.render(
        "measures.html",
        problem=problem,
        measured=measured,
        undefined=measured.undefined[:_MOST_UNDEFINED],
        more_undefined=len(measured.undefined[_MOST_UNDEFINED:]),
        waiting=count_open_answers(campaign, judgements),
        looks=looks,
        prefilled=count_mark_changes(campaign, own),
        tag_agreement=compare_tags(collect_spans(keep_latest(judgements)))
        if campaign.protocol.name in SETTLED_BY
        else {},
        names=visit.names,
    )


@router.get("/results")
def show_results(visit: OfCampaign) -> Response:
    """Show results, computed from the judgements that pass the filters."""
    return _render_results(visit)


@router.post("/scores")
async def add_outside_scores(visit: OfCampaign) -> Response:
    """Add scores that other programs made of the campaign's outputs."""
    async with visit.request.form(max_files=_MOST_FILES) as form:
        sent = await read_files(form, "files")
    # Slow work runs in a thread, so that judges need not wait for it.
    return await run_in_threadpool(_add_outside_scores, visit, form, sent)


def _add_outside_scores(
    visit: CampaignVisit, form: FormData, sent: list[tuple[str, bytes]]
) -> Response:
    if not sent:
        return _render_results(visit, "Choose at least one file of scores.")
    try:
        scores = read_outside_scores(
            sent,
            visit.stored.campaign,
            name=get_field(form, "metric").strip()[:100],
            better=_DIRECTIONS.get(get_field(form, "better"), "auto"),
        )
        with visit.store.transaction() as db:
            outside_scores.add_scores(db, visit.stored.id, scores, **visit.by)
    except MetraError as error:
        return _render_results(visit, str(error))
    return visit.redirect("/results#outside")


@router.post("/scores/remove")
def remove_outside_scores(
    visit: OfCampaign, metric: Annotated[str, Form(max_length=200)]
) -> Response:
    """Remove the scores of a metric."""
    try:
        with visit.store.transaction() as db:
            outside_scores.remove_scores(db, visit.stored.id, metric, **visit.by)
    except MetraError as error:
        return _render_results(visit, str(error))
    return visit.redirect("/results#outside")


@pause_collection()
def _render_results(visit: CampaignVisit, problem: str = "") -> Response:
    query, names = visit.request.query_params, visit.names
    judgements = visit.read_judgements(MEASURED)
    known = list_choices(judgements, names.values())
    options = parse_summary_options(query, known)
    results = summarise_judgements(judgements, options)
    with_metrics = query.get("metrics") == "yes"
    correlations, metrics_problem = [], ""
    kept = results.chosen
    if with_metrics:
        metrics = {name: registry.metric(name) for name in _METRICS}
        try:
            correlations = correlate_metrics(
                visit.stored.campaign, kept, metrics, names=names
            )
        except MetraError as error:
            metrics_problem = str(error)
    times, spans = results.times, collect_spans(kept)
    drawing = {"trials": results.agreement_trials, "seed": options.ranking.seed}
    return visit.render(
        "results.html",
        results=results,
        span_agreement=agree_on_marks(spans, **drawing),
        tag_agreement=compare_tags(spans),
        tags=visit.stored.campaign.protocol.name in SETTLED_BY,
        known=known,
        options=options,
        filtered=bool(query),
        days=[query.get(name, "") for name in ("from", "to")],
        with_metrics=with_metrics,
        correlations=correlations,
        metrics_problem=metrics_problem,
        problem=problem,
        outside=_compare_outside(visit, kept, results.rankings),
        pictures=[Markup(draw_ranking(one)) for one in results.rankings],
        time_picture=Markup(draw_times(times)) if times else "",
        judges_picture=Markup(draw_judge_times(times)) if times else "",
    )


@dataclass(frozen=True, slots=True)
class OutsideComparison:
    """Scores made elsewhere beside people's; why they cannot be compared, if they cannot."""

    scores: Sequence[OutsideScores]
    correlations: Sequence[JudgeCorrelation] = ()
    #: Empty while systems are blinded: who knows the scores would know the systems.
    rows: Sequence[SystemRow] = ()
    problem: str = ""


def _compare_outside(
    visit: CampaignVisit,
    judgements: Sequence[Judgement],
    rankings: Sequence[HumanRanking],
) -> OutsideComparison:
    stored = visit.stored
    with visit.store.reading() as db:
        scores = outside_scores.list_scores(db, stored.id)
    if not scores:
        return OutsideComparison(())
    rows = [] if stored.is_blind else tabulate_means(scores, rankings)
    try:
        correlations = correlate_outside(
            stored.campaign, judgements, scores, names=visit.names
        )
    except MetraError as error:
        return OutsideComparison(scores, rows=rows, problem=str(error))
    return OutsideComparison(scores, correlations, rows)


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The values that the filters of a campaign offer."""

    judges: Sequence[str]
    systems: Sequence[str]
    documents: Sequence[str]
    kinds: Sequence[str]
    #: The first and the last day of an answer, in UTC; empty where nothing is timed.
    days: Sequence[str]
    speeds: Sequence[int] = _SPEEDS


def list_choices(judgements: list[Judgement], systems: Iterable[str]) -> FilterChoices:
    """Return the judges, systems and documents that have answers."""
    kinds = {one.kind for one in judgements}
    documents = {one.document for one in judgements if one.document}
    times = [one.submitted_at for one in judgements if one.submitted_at is not None]
    return FilterChoices(
        sorted({one.judge for one in judgements}),
        sorted(systems, key=_get_natural_key),
        sorted(documents, key=_get_natural_key),
        [kind for kind in get_args(JudgementKind) if kind in kinds],
        [format_time(at)[:10] for at in (min(times), max(times))]
        if times
        else ["", ""],
    )


def parse_summary_options(query: QueryParams, known: FilterChoices) -> SummaryOptions:
    """Parse the filters in a URL; unknown names are ignored."""

    def read_names(name: str, allowed: Sequence[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(allowed)

    speed = query.get("speed", "")
    fastest = float(speed) if speed in map(str, _SPEEDS) else WORDS_PER_MINUTE
    wanted = query.get("by", "")
    by: Literal["segment", "document", "crossed"] = "segment"
    if wanted in ("document", "crossed"):
        by = cast(Literal["document", "crossed"], wanted)
    # Segments and judges together can only be drawn.
    is_bootstrap = query.get("test") == "bootstrap" or by == "crossed"
    return SummaryOptions(
        JudgementFilter(
            read_names("judge", known.judges),
            read_names("system", known.systems),
            read_names("document", known.documents),
            read_names("kind", known.kinds),
            since=_parse_day(query.get("from", "")),
            until=_parse_day(query.get("to", ""), days=1),
            flagged=_FLAGGED.get(query.get("flagged", ""), "apart"),
        ),
        RankingOptions(
            by=by,
            test="bootstrap" if is_bootstrap else "wilcoxon",
            rule="all" if query.get("rule") == "all" else "neighbours",
            holm=query.get("holm") == "yes",
        ),
        FlagRules(words_per_minute=fastest),
    )


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
