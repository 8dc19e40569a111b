"""Old campaigns from files: judgements that were made elsewhere, put into the store."""

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from metra.errors import MetraError
from metra.judging.importing import judgements_of, language_pair, uploaded
from metra.store import imported
from metra.store.sessions import Session
from metra.web.admin.showing import admin_page
from metra.web.pages import redirect
from metra.web.security.visitors import Administering
from metra.web.state import state_of

router = APIRouter()
_MOST_FILES = 20
_PROTOCOLS = ("da", "da-sqm", "esa", "mqm")


@router.get("/admin/campaigns/import")
def show(request: Request, session: Administering) -> Response:
    """Ask for the files."""
    return _page(request, session.name, {})


@router.post("/admin/campaigns/import")
async def add(request: Request, session: Administering) -> Response:
    """Read the files and keep their campaigns: all of them or, with a reason, none."""
    async with request.form(max_files=_MOST_FILES) as form:
        sent = [
            (value.filename, await value.read())
            for value in form.getlist("files")
            if isinstance(value, UploadFile) and value.filename
        ]
    # Work of seconds is done in a thread, so that judges need not wait for it.
    return await run_in_threadpool(_add, request, session, form, sent)


def _add(
    request: Request, session: Session, form: FormData, sent: list[tuple[str, bytes]]
) -> Response:
    typed = {
        name: value.strip() if isinstance(value := form.get(name), str) else ""
        for name in ("name", "lang", "protocol")
    }
    if not sent:
        return _page(request, session.name, typed, problem="Choose at least one file.")
    house = state_of(request)
    try:
        judgements = judgements_of(
            [uploaded(name, content) for name, content in sent],
            languages=language_pair(typed["lang"] or None),
            protocol=typed["protocol"] or None,
        )
        with house.store.transaction() as db:
            kept = imported.add_all(
                db,
                judgements,
                files=[name for name, _ in sent],
                now=house.clock(),
                who=session.name,
                name=typed["name"] or None,
            )
    except MetraError as error:
        return _page(request, session.name, typed, problem=str(error))
    [first, *more] = kept.values()
    return redirect("/admin" if more else f"/admin/campaigns/{first.id}/results")


def _page(
    request: Request, who: str, typed: dict[str, Any], problem: str = ""
) -> Response:
    return admin_page(
        request,
        "import.html",
        status=422 if problem else 200,
        who=who,
        typed=typed,
        problem=problem,
        protocols=_PROTOCOLS,
    )
