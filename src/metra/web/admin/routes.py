"""All routes of the admin's pages."""

from fastapi import APIRouter

from metra.web.admin import campaigns, files, login, people, results, wizard

router = APIRouter(include_in_schema=False)
for part in (login, campaigns, wizard, files, people, results):
    router.include_router(part.router)
