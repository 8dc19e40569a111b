"""What a campaign found, under the filters that the address holds."""

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from metra import metrics
from metra.errors import MetraError
from metra.human.judgement import Judgement
from metra.judging.choosing import chosen
from metra.judging.metric_scores import Correlation, correlations
from metra.judging.summary import summary
from metra.report.campaign_pictures import (
    judges_times_picture,
    ranking_picture,
    time_picture,
)
from metra.store.campaigns import Stored
from metra.web.admin.filters import choices, wishes
from metra.web.admin.showing import (
    admin_page,
    found,
    is_blind,
    shown_judgements,
    shown_names,
)
from metra.web.security.visitors import Administering

router = APIRouter()
_METRICS = ("bleu", "chrf", "ter")


@router.get("/admin/campaigns/{key}/results")
def show(request: Request, key: str, session: Administering) -> Response:
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
    chosen = {name: metrics.metric(name) for name in _METRICS}
    try:
        return correlations(stored.campaign, judgements, chosen, names=names), ""
    except MetraError as error:
        return [], str(error)
