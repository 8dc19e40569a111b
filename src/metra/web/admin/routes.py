"""All routes of the admin's pages."""

from fastapi import APIRouter

from metra.web.admin import (
    campaigns,
    entering,
    exercise,
    exports,
    history,
    measures,
    monitor,
    people,
    preview,
    results,
    wizard,
)

router = APIRouter(include_in_schema=False)
for part in (
    entering,
    campaigns,
    wizard,
    monitor,
    people,
    preview,
    results,
    measures,
    exercise,
    exports,
    history,
):
    router.include_router(part.router)
