"""The test sets of a workspace, and new ones from files: preview, correct, import."""

import base64
import hmac
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from metra.campaign import uploads
from metra.campaign.uploads import Upload, Use
from metra.errors import FormatError, MetraError
from metra.formats.stream import DAMAGE, load_json
from metra.formats.texts.columns import ColumnNames
from metra.limits import get_limits
from metra.metrics import REPORT_METRICS
from metra.store import jobs, test_sets, workspaces
from metra.web.admin.account import begin_admin_session
from metra.web.admin.frame import get_field, read_files
from metra.web.replies import Refusal, get_state, redirect_to
from metra.web.visitors import Administering, CheckedRoute
from metra.web.workbench.frame import OfWorkspace, WorkspaceVisit
from metra.workbench.imports import guess_use, import_texts

router = APIRouter(route_class=CheckedRoute)
_MOST_FILES = 100
_ROWS = 5
#: What a file may be taken for, and a column besides.
_USES = get_args(Use)
ROLES = (*_USES, "label")


@router.get("/open/{secret}")
def open_workbench(request: Request, secret: str) -> Response:
    """Sign in the user of this machine, by an address that works once."""
    opening = get_state(request).opening
    wanted = "" if opening is None or opening.is_used else opening.secret
    if opening is None or not hmac.compare_digest(secret.encode(), wanted.encode()):
        raise Refusal(
            403, "This address works once; start metra open again for a new one."
        )
    opening.is_used = True
    return begin_admin_session(request, opening.account, "address", to=opening.page)


@router.get("/w")
def show_workspaces(request: Request, session: Administering) -> Response:
    """Redirect to the first workspace of a member."""
    with get_state(request).store.reading() as db:
        listed = workspaces.list_workspaces(db, session.name)
    if not listed:
        raise Refusal(
            403, "You are not a member of any workspace; ask an owner to add you."
        )
    return redirect_to(f"/w/{listed[0].id}")


@router.get("/w/{workspace}")
def show_home(visit: OfWorkspace) -> Response:
    """Show the test sets and the last jobs."""
    return _render_home(visit)


def _render_home(visit: WorkspaceVisit, **more: Any) -> Response:
    with visit.store.reading() as db:
        listed = test_sets.list_test_sets(db, visit.workspace.id)
        latest = jobs.list_jobs(db, visit.workspace.id)[:5]
    titles = {stored.id: stored.title for stored, _ in listed}
    return visit.render("home.html", sets=listed, jobs=latest, titles=titles, **more)


@router.post("/w/{workspace}/import/preview")
async def preview_import(visit: OfWorkspace) -> Response:
    """Show what files were taken for; nothing is stored."""
    visit.require("organiser")
    async with visit.request.form(max_files=_MOST_FILES) as form:
        files = await read_files(form, "files")
    if not files and not get_field(form, "packed"):
        return _render_home(visit, problem="Choose at least one file.")
    # Slow work runs in a thread, so that judges need not wait for it.
    return await run_in_threadpool(_preview, visit, form, files)


def _preview(
    visit: WorkspaceVisit, form: FormData, files: Sequence[tuple[str, bytes]]
) -> Response:
    try:
        sent = _choose_uses(form, files)
    except FormatError as error:
        return _render_home(visit, problem=str(error))
    shown: dict[str, Any] = {}
    try:
        pairing = uploads.pair_uploads(sent, _choose_columns(form))
    except MetraError as error:
        shown["problem"] = str(error)
    else:
        shown |= {"pairing": pairing, "rows": _list_first_rows(pairing.texts)}
    name = get_field(form, "name") or Path(sent[0].name).stem
    return visit.render(
        "import.html",
        files=sent,
        packed=_pack(sent),
        headings=uploads.list_headings(sent),
        chosen={key: get_field(form, key) for key in form if key.startswith("column ")},
        name=name,
        metrics=" ".join(REPORT_METRICS),
        **shown,
    )


@router.post("/w/{workspace}/import")
async def import_files(visit: OfWorkspace) -> Response:
    """Store the files of the preview as a test set, and queue its scoring."""
    visit.require("organiser")
    form = await visit.request.form()
    return await run_in_threadpool(_import, visit, form)


def _import(visit: WorkspaceVisit, form: FormData) -> Response:
    if get_field(form, "go") != "import":
        return _preview(visit, form, [])
    try:
        sent = _choose_uses(form, [])
        texts = uploads.pair_uploads(sent, _choose_columns(form)).texts
        specs = get_field(form, "metrics").split() or REPORT_METRICS
        with visit.store.transaction() as db:
            stored = import_texts(
                db,
                visit.workspace.id,
                get_field(form, "name"),
                texts,
                specs=specs,
                **visit.by,
            )
    except MetraError as error:
        return _render_home(visit, problem=str(error))
    return visit.redirect(f"/sets/{stored.id}")


def _choose_uses(form: FormData, files: Sequence[tuple[str, bytes]]) -> list[Upload]:
    """Return the files, new ones or those of the preview, with their uses."""
    sent = [Upload(guess_use(name), name, content) for name, content in files]
    sent = sent or _unpack(get_field(form, "packed"))
    named = [get_field(form, f"use {at}") or one.use for at, one in enumerate(sent)]
    return [
        one._replace(use=cast("Use", use))
        for one, use in zip(sent, named, strict=True)
        if use in _USES
    ]


def _choose_columns(form: FormData) -> ColumnNames | None:
    """Return the columns of tables as the form names them; None if it names none."""
    chosen = {
        key.removeprefix("column "): get_field(form, key)
        for key in form
        if key.startswith("column ") and get_field(form, key) in ROLES
    }
    return name_columns(chosen) if chosen else None


def name_columns(roles: Mapping[str, str]) -> ColumnNames:
    """Return the names of columns by their roles."""

    def list_columns(role: str) -> list[str]:
        return [column for column, given in roles.items() if given == role]

    return ColumnNames(
        outputs=tuple((name, name) for name in list_columns("output")),
        references=tuple(list_columns("reference")),
        source=next(iter(list_columns("source")), None),
        document=next(iter(list_columns("document")), None),
        labels=tuple(list_columns("label")),
    )


def _list_first_rows(texts: uploads.CampaignTexts) -> dict[str, list[str]]:
    """Return the first texts of each column, by a heading."""
    named = {"source": texts.source, "document": texts.documents}
    references: Mapping[str, Any] = {
        "reference" if len(texts.references) == 1 else f"reference {at}": column
        for at, column in enumerate(texts.references, 1)
    }
    columns = {**named, **references, **texts.outputs}
    return {
        heading: [text or "" for text in column[:_ROWS]]
        for heading, column in columns.items()
        if column
    }


def _pack(sent: Sequence[Upload]) -> str:
    """Return files as a line of letters, for a page to carry along."""
    listed = [
        [one.use, one.name, base64.b64encode(one.content).decode()] for one in sent
    ]
    return base64.b85encode(zlib.compress(json.dumps(listed).encode(), 1)).decode()


def _unpack(line: str) -> list[Upload]:
    """Return the files that `_pack` packed; changed ones are refused."""
    try:
        raw = zlib.decompressobj()
        packed = raw.decompress(base64.b85decode(line.strip()), get_limits().unpacked)
        listed = load_json(packed.decode(), "The files")
        return [Upload(use, name, base64.b64decode(text)) for use, name, text in listed]
    except (*DAMAGE, zlib.error):
        msg = "The form lost part of the files; choose them again."
        raise FormatError(msg) from None
