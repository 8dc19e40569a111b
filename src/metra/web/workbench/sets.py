"""A test set: its leaderboard with significance, its report, downloads, runs and jobs."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Form, Response
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from metra.campaign import uploads
from metra.campaign.uploads import Upload, read_campaign_texts
from metra.errors import MetraError
from metra.metrics import REPORT_METRICS
from metra.report import RESULT_FORMATS
from metra.report.html.explorer import convert_study
from metra.report.html.overview import build_overview_section
from metra.report.html.page import read_policy, render
from metra.report.study import Standing, Study, build_study
from metra.report.table import Style
from metra.report.writers.headings import describe_corpus, list_signatures
from metra.report.writers.results import render as render_results
from metra.scoring.evaluate import make_metrics
from metra.store import jobs, score_arrays, test_sets
from metra.store.test_sets import StoredSet
from metra.web.admin import wizard
from metra.web.admin.frame import read_files
from metra.web.replies import Refusal, reply_json
from metra.web.visitors import CheckedRoute
from metra.web.workbench.frame import OfWorkspace, WorkspaceVisit
from metra.workbench.imports import queue_scoring
from metra.workbench.latest import LatestValues
from metra.workbench.leaderboard import (
    MOST_COMPARED,
    Leaderboard,
    build_leaderboard,
    name_runs,
)
from metra.workbench.people import list_progress, rank_by_people, read_judgements
from metra.workbench.run_scores import read_corpus

router = APIRouter(route_class=CheckedRoute)
_Field = Annotated[str, Form(max_length=1000)]
_STUDIES: LatestValues[Study] = LatestValues(4)


@router.get("/w/{workspace}/sets/{key}")
def show_set(visit: OfWorkspace, key: str) -> Response:
    """Show the leaderboard of the chosen runs, by default of all."""
    return _render_set(visit, visit.find_set(key))


def _render_set(visit: WorkspaceVisit, stored: StoredSet, **more: Any) -> Response:
    chosen = visit.request.query_params.getlist("run")
    with visit.store.reading() as db:
        board = build_leaderboard(db, stored, chosen)
        judged, people, about = read_judgements(db, stored), None, ""
        if judged is not None and board.results is not None:
            people, about = rank_by_people(db, stored, judged, board.results)
        judging = list_progress(db, stored)
        every = name_runs(test_sets.list_runs(db, stored))
        pending = [
            job
            for job in jobs.list_jobs(db, visit.workspace.id, stored.id)
            if job.state in ("waiting", "running", "failed")
        ]
    shown: dict[str, Any] = {}
    if board.results is not None:
        standing = Standing(board.results, board.baseline, people)
        shown = {
            "overview": Markup(build_overview_section(standing)),
            "about": [describe_corpus(board.results), *filter(None, [about])],
            "signatures": list_signatures(board.results),
        }
    query = "&".join(f"run={run.id}" for run in board.runs.values() if chosen)
    return visit.render(
        "set.html",
        test_set=stored,
        board=board,
        every=every,
        chosen=chosen,
        pending=pending,
        judging=judging,
        most_compared=MOST_COMPARED,
        query=f"?{query}" if query else "",
        formats=RESULT_FORMATS[1:],
        command=write_command(stored, board),
        **shown,
        **more,
    )


def write_command(stored: StoredSet, board: Leaderboard) -> str:
    """Return the command that gives the same figures from files."""
    titles = board.results or board.runs
    others = [title for title in titles if title != board.baseline]
    files = [f"{name_file(title)}.txt" for title in [board.baseline, *others] if title]
    references = [
        f" -r ref{at}.txt" for at in range(1, 1 + len(stored.parts.references))
    ]
    specs = ",".join(board.results.specs) if board.results else "bleu,chrf,ter"
    verb, interval = "score", " --ci"
    if board.results and board.results.terms:
        verb, interval = "compare", " --all-pairs" if board.results.clusters else ""
    documents = " --docs docs.txt" if stored.parts.documents else ""
    texts = f"{' '.join(files)}{''.join(references)}{documents}"
    return f"metra {verb} {texts} -m {specs}{interval}"


def name_file(title: str) -> str:
    """Return a title as the name of a file that a shell takes as it is.

    >>> name_file("my system (2)")
    'my-system-2'
    """
    return re.sub(r"[^\w.]+", "-", title).strip("-.") or "system"


@router.get("/w/{workspace}/sets/{key}/jobs")
def list_pending(visit: OfWorkspace, key: str) -> Response:
    """Return the unfinished jobs of a test set, for a page that waits."""
    stored = visit.find_set(key)
    with visit.store.reading() as db:
        listed = jobs.list_jobs(db, visit.workspace.id, stored.id)
    pending = [
        {"state": job.state, "share": job.share, "error": job.error}
        for job in listed
        if job.state in ("waiting", "running")
    ]
    return reply_json({"jobs": pending})


@router.get("/w/{workspace}/sets/{key}/leaderboard.{form}")
def download_leaderboard(visit: OfWorkspace, key: str, form: str) -> Response:
    """Return the leaderboard in a format of `metra score`."""
    stored = visit.find_set(key)
    if form not in RESULT_FORMATS[1:]:
        raise Refusal.not_found()
    with visit.store.reading() as db:
        chosen = visit.request.query_params.getlist("run")
        board = build_leaderboard(db, stored, chosen)
    if board.results is None:
        raise Refusal(409, "There are no scores yet; wait until the runs are scored.")
    if form == "xlsx":
        from metra.report.writers.paper import render_xlsx

        content: str | bytes = render_xlsx(board.results, Style())
    else:
        content = render_results(board.results, form, Style())
    ending = {"markdown": "md", "latex": "tex"}.get(form, form)
    disposition = f'attachment; filename="leaderboard.{ending}"'
    headers = {"Content-Disposition": disposition}
    return Response(content, headers=headers, media_type="application/octet-stream")


@router.get("/w/{workspace}/sets/{key}/segments")
def show_segments(visit: OfWorkspace, key: str) -> Response:
    """Show every segment of the chosen runs."""
    stored = visit.find_set(key)
    query = visit.request.url.query
    return visit.render(
        "segments.html", test_set=stored, query=f"?{query}" if query else ""
    )


@router.get("/w/{workspace}/sets/{key}/segments.json")
def download_segments(visit: OfWorkspace, key: str) -> Response:
    """Return the texts and scores of the chosen runs, for the page of segments."""
    study, _ = _study_runs(visit, visit.find_set(key))
    return reply_json(convert_study(study))


@router.get("/w/{workspace}/sets/{key}/report")
def show_report(visit: OfWorkspace, key: str) -> Response:
    """Show the report of the chosen runs: segments, n-grams, buckets, profiles."""
    stored = visit.find_set(key)
    study, board = _study_runs(visit, stored)
    page = render(study, stored.title, write_command(stored, board))
    reply = Response(page, media_type="text/html")
    reply.headers["Content-Security-Policy"] = read_policy(page)
    return reply


def _study_runs(visit: WorkspaceVisit, stored: StoredSet) -> tuple[Study, Leaderboard]:
    """Look at the chosen runs from all sides."""
    chosen = visit.request.query_params.getlist("run")
    with visit.store.reading() as db:
        board = build_leaderboard(db, stored, chosen)
        if board.results is None:
            raise Refusal(
                409, "There are no scores yet; wait until the runs are scored."
            )
        runs = {title: board.runs[title] for title in board.results}
        specs, baseline = board.results.specs, board.baseline
        judged = read_judgements(db, stored)
        answers = judged and (judged.campaign, len(judged.scores.value))
        named = ((title, run.id) for title, run in runs.items())
        key = (stored.id, *named, *specs, baseline, answers)
        study = _STUDIES.get(key)
        if study is not None:
            return study, board
        corpus = read_corpus(db, stored, runs)
    metrics, people = make_metrics(specs), judged.scores if judged else None
    try:
        study = build_study(corpus, metrics, judgements=people, baseline=baseline)
    except MetraError:  # no judgement is about the shown runs
        study = build_study(corpus, metrics, baseline=baseline)
    return _STUDIES.put(key, study), board


@router.post("/w/{workspace}/sets/{key}/baseline")
def choose_baseline(visit: OfWorkspace, key: str, system: _Field = "") -> Response:
    """Choose the system that the others are compared with."""
    visit.require("organiser")
    stored = visit.find_set(key)
    with visit.store.transaction() as db:
        if system in {run.system for run in test_sets.list_runs(db, stored)}:
            test_sets.set_baseline(db, stored, system, **visit.by)
    return visit.redirect(f"/sets/{key}")


@router.post("/w/{workspace}/sets/{key}/runs")
async def add_runs(visit: OfWorkspace, key: str) -> Response:
    """Add outputs of systems to a test set, and queue their scoring."""
    visit.require("organiser")
    stored = visit.find_set(key)
    async with visit.request.form(max_files=100) as form:
        files = await read_files(form, "outputs")
    return await run_in_threadpool(_add_runs, visit, stored, files)


def _add_runs(
    visit: WorkspaceVisit, stored: StoredSet, files: list[tuple[str, bytes]]
) -> Response:
    try:
        sent = [Upload("output", name, content) for name, content in files]
        outputs = uploads.pair_uploads(sent).texts.outputs
        with visit.store.transaction() as db:
            runs = [
                test_sets.add_run(db, stored, system, texts, **visit.by)
                for system, texts in outputs.items()
            ]
            specs = score_arrays.list_specs(db, stored.id) or REPORT_METRICS
            queue_scoring(db, stored, runs, specs, **visit.by)
    except MetraError as error:
        return _render_set(visit, stored, problem=str(error))
    return visit.redirect(f"/sets/{stored.id}")


@router.post("/w/{workspace}/sets/{key}/campaign")
async def begin_campaign(visit: OfWorkspace, key: str) -> Response:
    """Show the form for a campaign that judges the chosen runs."""
    visit.require("organiser")
    stored = visit.find_set(key)
    chosen = (await visit.request.form()).getlist("run")
    return await run_in_threadpool(_begin_campaign, visit, stored, chosen)


def _begin_campaign(
    visit: WorkspaceVisit, stored: StoredSet, chosen: list[Any]
) -> Response:
    with visit.store.reading() as db:
        runs = test_sets.list_runs(db, stored)
        titles = name_runs(runs)
        shown = {titles[run.id]: run for run in runs if not chosen or run.id in chosen}
        if not shown:
            raise Refusal(422, "There is no run to judge; add outputs first.")
        texts = read_campaign_texts(read_corpus(db, stored, shown))
    typed = wizard.DEFAULTS | {"test_set": stored.id, "name": stored.title}
    return wizard.render_settings(visit.request, texts, typed)


@router.post("/w/{workspace}/sets/{key}/metrics")
def add_metrics(visit: OfWorkspace, key: str, metrics: _Field = "") -> Response:
    """Score all runs by further metrics."""
    visit.require("organiser")
    stored, specs = visit.find_set(key), metrics.split()
    try:
        with visit.store.transaction() as db:
            runs = test_sets.list_runs(db, stored)
            queue_scoring(db, stored, runs, specs, **visit.by)
    except MetraError as error:
        return _render_set(visit, stored, problem=str(error))
    return visit.redirect(f"/sets/{key}")


@router.post("/w/{workspace}/sets/{key}/runs/{run}/delete")
def delete_run(visit: OfWorkspace, key: str, run: str) -> Response:
    """Delete a run with its scores."""
    visit.require("organiser")
    stored = visit.find_set(key)
    with visit.store.transaction() as db:
        for each in test_sets.list_runs(db, stored):
            if each.id == run:
                test_sets.delete_run(db, each, **visit.by)
    return visit.redirect(f"/sets/{key}")


@router.post("/w/{workspace}/sets/{key}/delete")
def delete_set(visit: OfWorkspace, key: str) -> Response:
    """Delete a test set with its runs and their scores."""
    visit.require("owner")
    stored = visit.find_set(key)
    with visit.store.transaction() as db:
        test_sets.delete_test_set(db, stored, **visit.by)
    return visit.redirect()
