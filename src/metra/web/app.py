"""The judging app: routes, static files and middleware in one application."""

import time
from collections.abc import Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from metra.store.assignment import AWAY_SECONDS
from metra.store.database import Store
from metra.web import middleware
from metra.web.admin import account, campaigns, people, results, wizard
from metra.web.judge import api as judge_api
from metra.web.judge import pages as judge_pages
from metra.web.replies import AppState, Opening, add_error_handlers
from metra.web.workbench import api as workbench_api
from metra.web.workbench import home, sets, settings


def create_app(
    store: Store,
    *,
    base_url: str | None = None,
    hosts: frozenset[str] = frozenset(),
    clock: Callable[[], float] = time.time,
    away_after: float = AWAY_SECONDS,
    opening: Opening | None = None,
) -> FastAPI:
    """Create the app over a store.

    `base_url` is how browsers reach it; without it, by a loopback address. `hosts` are
    further host names that it accepts.
    """
    secure = base_url is not None and base_url.startswith("https://")
    # Without a schema there are no pages of documentation either.
    app = FastAPI(title="metra judge", openapi_url=None, redirect_slashes=False)
    app.state.metra = AppState(store, clock, base_url, secure, away_after, opening)
    add_error_handlers(app)
    app.include_router(judge_pages.router)
    app.include_router(judge_api.router)
    app.include_router(workbench_api.router, include_in_schema=False)
    for part in (account, campaigns, wizard, people, results, home, sets, settings):
        app.include_router(part.router, include_in_schema=False)
    static = Path(__file__).parent / "static"
    # The kit lies outside the package, because reports are made of it too.
    app.mount("/static/kit", StaticFiles(directory=static.parents[1] / "kit"))
    app.mount("/static", StaticFiles(directory=static), name="static")
    names = middleware.LOOPBACK | hosts
    if base_url is not None:
        names |= {
            middleware.parse_host(middleware.parse_origin(base_url).partition("://")[2])
        }
    app.add_middleware(middleware.Guard, base_url=base_url, hosts=names, secure=secure)
    return app
