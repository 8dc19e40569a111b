"""All routes of the admin's pages."""

from fastapi import APIRouter

from metra.web.admin import campaigns, entering, files, people, results, wizard

router = APIRouter(include_in_schema=False)
for part in (entering, campaigns, wizard, files, people, results):
    router.include_router(part.router)
