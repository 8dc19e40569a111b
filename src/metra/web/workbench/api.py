"""Programs with a token: they push runs, and read test sets and leaderboards.

A token in the header `Authorization: Bearer …` opens its workspace with its role.
"""

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from metra.campaign.uploads import CampaignTexts
from metra.errors import FormatError
from metra.formats.stream import load_json
from metra.metrics import REPORT_METRICS
from metra.store import jobs, score_arrays, test_sets, workspaces
from metra.store.test_sets import StoredSet
from metra.web.replies import Refusal, get_state, reply_json
from metra.web.workbench.frame import WorkspaceVisit
from metra.workbench.imports import import_texts, queue_scoring
from metra.workbench.leaderboard import build_leaderboard

router = APIRouter()


def _open_with_token(request: Request) -> WorkspaceVisit:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    state = get_state(request)
    owner = None
    if scheme.lower() == "bearer" and secret:
        with state.store.transaction() as db:
            owner = workspaces.use_token(db, secret.strip(), now=state.clock())
    if owner is None:
        error = "The token is missing or not valid; send one as Authorization: Bearer."
        raise Refusal(401, error, headers={"WWW-Authenticate": "Bearer"})
    workspace, name = owner
    return WorkspaceVisit(request, state.store, f"token {name}", workspace)


WithToken = Annotated[WorkspaceVisit, Depends(_open_with_token)]


@router.get("/api/w/sets")
def list_sets(visit: WithToken) -> Response:
    """Return the test sets of the token's workspace."""
    with visit.store.reading() as db:
        listed = test_sets.list_test_sets(db, visit.workspace.id)
    return reply_json([_describe_set(stored) | {"runs": n} for stored, n in listed])


@router.get("/api/w/sets/{name}")
def show_set(visit: WithToken, name: str) -> Response:
    """Return a test set, its unscored runs, and its results as `metra score` does."""
    with visit.store.reading() as db:
        stored = _find_set(db, visit, name)
        listed = jobs.list_jobs(db, visit.workspace.id, stored.id)
        board = build_leaderboard(db, stored)
    pending = [job.error for job in listed if job.state in ("waiting", "running")]
    return reply_json(
        _describe_set(stored)
        | {
            "pending": len(pending),
            "unscored": board.unscored,
            "results": board.results and board.results.to_dict(),
        }
    )


@router.post("/api/w/runs")
async def push_runs(visit: WithToken) -> Response:
    """Store outputs of systems as runs of a test set, and queue their scoring.

    The body is JSON: `test_set`, `outputs` (a list of texts by system), `note`, `tags` and
    `metrics`; with `references`, a list of lists, `source` or `documents`, it makes a new
    test set or a new version.
    """
    visit.require("organiser")
    body = await visit.request.body()
    return await run_in_threadpool(_push, visit, body)


def _push(visit: WorkspaceVisit, body: bytes) -> Response:
    sent = _check_body(body)
    name, outputs = sent["test_set"], sent["outputs"]
    specs = sent.get("metrics") or ()
    with visit.store.transaction() as db:
        if sent.keys() & _TEXTS.keys():
            given = {key: sent.get(key) for key in ("source", "documents")}
            references = sent.get("references") or []
            texts = CampaignTexts(outputs, references, **given)
            specs = specs or REPORT_METRICS
            key, by = visit.workspace.id, visit.by
            stored = import_texts(db, key, name, texts, specs=specs, **by)
        else:
            stored = _find_set(db, visit, name)
            more = {k: v for k, v in sent.items() if k in ("note", "tags")}
            more |= visit.by
            runs = [
                test_sets.add_run(db, stored, system, column, **more)
                for system, column in outputs.items()
            ]
            specs = specs or score_arrays.list_specs(db, stored.id) or REPORT_METRICS
            queue_scoring(db, stored, runs, specs, **visit.by)
    page = f"/w/{visit.workspace.id}/sets/{stored.id}"
    return reply_json(_describe_set(stored) | {"page": page}, 201)


def _find_set(db: Connection, visit: WorkspaceVisit, name: str) -> StoredSet:
    stored = test_sets.find_set_by_name(db, visit.workspace.id, name)
    if stored is None:
        raise Refusal(404, f"There is no test set named {name!r} in this workspace.")
    return stored


def _describe_set(stored: StoredSet) -> dict[str, Any]:
    return {
        "name": stored.name,
        "version": stored.version,
        "segments": stored.segments,
        "references": len(stored.parts.references),
    }


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


_Check = Callable[[Any], bool]
_TEXTS: dict[str, _Check] = {
    "references": lambda value: (
        isinstance(value, list)
        and all(
            isinstance(column, list)
            and all(text is None or isinstance(text, str) for text in column)
            for column in value
        )
    ),
    "source": _is_text_list,
    "documents": _is_text_list,
}
_FIELDS: dict[str, _Check] = {
    "test_set": lambda value: isinstance(value, str),
    "outputs": lambda value: (
        isinstance(value, dict)
        and bool(value)
        and all(map(_is_text_list, value.values()))
        and len({*map(len, value.values())}) == 1
    ),
    "note": lambda value: isinstance(value, str),
    "tags": _is_text_list,
    "metrics": _is_text_list,
    **_TEXTS,
}


def _check_body(body: bytes) -> dict[str, Any]:
    try:
        sent = load_json(body.decode(), "The body")
    except (UnicodeDecodeError, json.JSONDecodeError, FormatError) as error:
        raise Refusal(422, f"The body is not JSON in UTF-8 ({error}).") from None
    if not isinstance(sent, dict):
        raise Refusal(422, "The body is not an object; expected test_set and outputs.")
    needed = ("test_set", "outputs")
    wrong = [key for key in needed if key not in sent]
    wrong += [key for key in sent if key not in _FIELDS or not _FIELDS[key](sent[key])]
    if wrong:
        expected = (
            "expected test_set, a name; outputs, lists of texts of one length by system; "
            "and as wanted references, source, documents, note, tags, metrics"
        )
        raise Refusal(422, f"{wrong[0]} is missing, unknown or malformed; {expected}.")
    size = len(next(iter(sent["outputs"].values())))
    columns = [
        *(sent.get("references") or []),
        sent.get("source"),
        sent.get("documents"),
    ]
    if not size or any(
        column is not None and len(column) != size for column in columns
    ):
        lengths = "All columns must have the same number of segments, at least one."
        raise Refusal(422, lengths)
    return sent
