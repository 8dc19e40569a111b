"""Results of a campaign with their filters, disagreements, and follow-up campaigns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, cast, get_args
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Response
from markupsafe import Markup
from starlette.datastructures import QueryParams

from metra.campaign.codebook import describe_readers, describe_word_counting
from metra.campaign.judgement import (
    MEASURED,
    build_campaign_scores,
    keep_latest,
    pause_collection,
    score_outputs,
)
from metra.campaign.measurements import (
    compute_running_scores,
    list_interrupted,
    score_campaign,
    shows_judged,
)
from metra.campaign.protocols.registry import SETTLED_BY
from metra.campaign.second_look import (
    APART,
    build_follow_up,
    count_open_answers,
    find_disagreements,
)
from metra.campaign.uploads import make_safe_name
from metra.errors import MetraError
from metra.meta.correlate import PeopleCorrelation, correlate_people
from metra.meta.exercise import run_exercise
from metra.meta.findings import merge_reports
from metra.meta.judges import add_flags
from metra.meta.measures import tabulate_texts
from metra.meta.options import WORDS_PER_MINUTE, AgreeOptions, FlagRules, RankOptions
from metra.meta.question import AnsweredQuestion, answer_all
from metra.meta.spans import agree_on_marks, compare_tags
from metra.metrics import REPORT_METRICS, registry
from metra.report.html.tables import convert_table
from metra.report.pictures.campaign import draw_judge_times, draw_ranking, draw_times
from metra.report.table import Style
from metra.report.writers.meta import render
from metra.scores.judgement import Judgement, JudgementKind
from metra.scores.long_table import list_undefined
from metra.scores.selection import DEFAULT, Flagged, Selection, select_judgements
from metra.scores.spans import collect_spans
from metra.scores.table import COUNTED, Scores
from metra.scoring.table import Table
from metra.store import campaigns, second_looks
from metra.web.admin.frame import CampaignVisit, OfCampaign, format_time
from metra.web.replies import Refusal, redirect_to
from metra.web.visitors import CheckedRoute

router = APIRouter(prefix="/admin/campaigns/{key}", route_class=CheckedRoute)
_Names = Annotated[str, Form(max_length=2000)]
_MOST_OUTPUTS = 50
_MOST_UNDEFINED = 100
_LIMITS = (10, 25, 50, 75)
_FLAGGED: dict[str, Flagged] = {"count": "count", "without": "out"}
_SPEEDS = (300, 400, 600, 800, 1000)
#: Formats of figures: their names among the writers, and their media types.
_FORMS = {
    "json": ("json", "application/json"),
    "tsv": ("tsv", "text/tab-separated-values; charset=utf-8"),
    "csv": ("csv", "text/csv; charset=utf-8"),
    "md": ("markdown", "text/markdown; charset=utf-8"),
    "tex": ("latex", "application/x-tex; charset=utf-8"),
}


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
            (names.get(system, system), segment): [
                (one, score_outputs(one)) for one in judged
            ]
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
    visit: OfCampaign, judges: _Names = "", each: Annotated[int, Form(ge=1, le=20)] = 1
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
    kept = keep_latest(judgements)
    undefined = list_undefined(build_campaign_scores(kept))
    scores = add_flags(build_campaign_scores(judgements))
    texts = tabulate_texts(scores)
    return visit.render(
        "measures.html",
        problem=problem,
        running=compute_running_scores(campaign, kept)
        if shows_judged(campaign.protocol)
        else {},
        interrupted=list_interrupted(kept),
        remarks=[
            note
            for note in (describe_readers(campaign), describe_word_counting(kept))
            if note
        ],
        texts=texts,
        selection=DEFAULT.describe(scores),
        exercise=run_exercise({"": scores}) if texts else None,
        undefined=undefined[:_MOST_UNDEFINED],
        more_undefined=len(undefined[_MOST_UNDEFINED:]),
        waiting=count_open_answers(campaign, judgements),
        looks=looks,
        tag_agreement=compare_tags(collect_spans(kept))
        if campaign.protocol.name in SETTLED_BY
        else {},
        names=visit.names,
    )


@router.get("/results")
@pause_collection()
def show_results(visit: OfCampaign) -> Response:
    """Show results, computed from the judgements that pass the filters."""
    query = visit.request.query_params
    page = _answer_questions(visit)
    with_metrics = query.get("metrics") == "yes"
    metrics = _correlate_metrics(page, visit) if with_metrics else ([], "")
    return visit.render(
        "results.html",
        readers=describe_readers(visit.stored.campaign),
        answered=len(page.judgements),
        answers=page.answers,
        folded=_FOLDED,
        draw_pictures=_draw_pictures,
        lay_out=_convert_named,
        is_ranked=any(one.question.name == "rank" for one in page.answers),
        asks_for_tags=visit.stored.campaign.protocol.name in SETTLED_BY,
        selection=page.selection.describe(page.scores) if page.judgements else "",
        chosen=page.selection,
        known=page.choices,
        ranking=page.options["rank"],
        rules=page.options["judges"],
        filtered=bool(query),
        query=str(query),
        days=[query.get(name, "") for name in ("from", "to")],
        with_metrics=with_metrics,
        correlations=metrics[0],
        metrics_problem=metrics[1],
        **_compare_spans(page),
    )


@router.get("/results/figures.{form}")
@pause_collection()
def download_figures(visit: OfCampaign, form: str) -> Response:
    """Download the figures of the results page, with the same filters."""
    if form not in _FORMS:
        raise Refusal.not_found()
    kind, media_type = _FORMS[form]
    page = _answer_questions(visit)
    reports = {
        f"{one.scorer} {one.question.name}".strip(): one.report
        for one in page.answers
        if one.report is not None
    }
    text = render(merge_reports(reports), kind, Style())
    name = f"{make_safe_name(visit.stored.name)}-figures.{form}"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(text + "\n", media_type=media_type, headers=headers)


@dataclass(frozen=True, slots=True)
class AnsweredPage:
    """The answers of the questions on a results page, and the rows that they count."""

    judgements: Sequence[Judgement]
    scores: Scores
    selection: Selection
    choices: "FilterChoices"
    options: Mapping[str, Any]
    answers: Sequence[AnsweredQuestion]


def _answer_questions(visit: CampaignVisit) -> AnsweredPage:
    judgements = visit.read_judgements(MEASURED)
    choices = list_choices(judgements, visit.names.values())
    selection, options = parse_filters(visit.request.query_params, choices)
    scores = add_flags(build_campaign_scores(judgements), options["judges"])
    answers = answer_all(scores, selection, options) if judgements else []
    return AnsweredPage(judgements, scores, selection, choices, options, answers)


def _compare_spans(page: AnsweredPage) -> dict[str, Any]:
    """Compare the errors or tags that judges marked, in the answers that count."""
    chosen = select_judgements(page.judgements, page.scores, page.selection)
    spans = collect_spans(chosen)
    return {
        "span_agreement": agree_on_marks(spans),
        "tag_agreement": compare_tags(spans),
    }


#: Tables that few look at.
_FOLDED = ("pairs", "intra", "worst", "judge by system", "distribution")


def _draw_pictures(answered: AnsweredQuestion) -> dict[str, Markup]:
    """Draw the charts of an answer, by their labels."""
    name, answer = answered.question.name, answered.answer
    if name == "rank" and answer is not None:
        return {f"Chart of {answered.scorer}": Markup(draw_ranking(answer.ranking))}
    if name == "pace" and answer is not None:
        return {
            "Chart of answer times": Markup(draw_times(answer)),
            "Chart of answer times by judge": Markup(draw_judge_times(answer)),
        }
    return {}


def _convert_named(table: Table, scorer: str) -> Markup:
    """Lay out a table whose label names the scorer, as several have one such table."""
    label = table.caption if scorer in table.caption else f"{table.caption}: {scorer}"
    return Markup(convert_table(table, label=label))


def _correlate_metrics(
    page: AnsweredPage, visit: CampaignVisit
) -> tuple[Sequence[PeopleCorrelation], str]:
    """Correlate metrics with each question that people answered, or say why not."""
    metrics = {name: registry.metric(name) for name in REPORT_METRICS}
    try:
        automatic = score_campaign(visit.stored.campaign, metrics, visit.names)
    except MetraError as error:
        return [], str(error)
    try:
        return correlate_people(page.scores, page.selection, *automatic), ""
    except MetraError:
        return [], ""


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


def parse_filters(
    query: QueryParams, known: FilterChoices
) -> tuple[Selection, dict[str, Any]]:
    """Parse the filters in a URL; unknown names are ignored."""

    def read_names(name: str, allowed: Sequence[str]) -> frozenset[str]:
        return frozenset(query.getlist(name)) & frozenset(allowed)

    speed = query.get("speed", "")
    fastest = float(speed) if speed in map(str, _SPEEDS) else WORDS_PER_MINUTE
    wanted = query.get("by", "")
    units = ("segment", "document", "crossed")
    unit = cast(Any, wanted if wanted in units else "auto")
    selection = Selection(
        kinds=read_names("kind", known.kinds) or COUNTED,
        flagged=_FLAGGED.get(query.get("flagged", ""), "apart"),
        judges=read_names("judge", known.judges),
        systems=read_names("system", known.systems),
        documents=read_names("document", known.documents),
        since=_parse_day(query.get("from", "")),
        until=_parse_day(query.get("to", ""), days=1),
    )
    ranking = RankOptions(
        unit=unit,
        test="bootstrap" if query.get("test") == "bootstrap" else "auto",
        rule="neighbours" if query.get("rule") == "neighbours" else "wmt",
        correction="none" if query.get("holm") == "no" else "holm",
    )
    options = {
        "rank": ranking,
        "judges": FlagRules(words_per_minute=fastest),
        "agree": AgreeOptions(brief=True, most_pairs=0, most_judges=0),
    }
    return selection, options


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
