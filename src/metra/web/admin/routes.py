"""All routes of the admin's pages."""

from fastapi import APIRouter

from metra.web.admin import (
    campaigns,
    disagreements,
    entering,
    exercise,
    exports,
    history,
    import_files,
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
    import_files,
    monitor,
    people,
    preview,
    results,
    measures,
    disagreements,
    exercise,
    exports,
    history,
):
    router.include_router(part.router)
