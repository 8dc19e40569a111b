"""All routes of the admin's pages."""

from fastapi import APIRouter

from metra.web.admin import (
    campaigns,
    entering,
    exports,
    history,
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
    exports,
    history,
):
    router.include_router(part.router)
