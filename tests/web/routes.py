"""All routes of the app, however deep they lie."""

from collections.abc import Iterator
from typing import Any


def routes_of(app: Any) -> list[tuple[str, str]]:
    """Method and path of each; HEAD goes with GET."""
    return sorted(set(_walk(app.routes, "")))


def _walk(routes: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for route in routes:
        if hasattr(route, "original_router"):
            context = getattr(route, "include_context", None)
            more = getattr(context, "prefix", "")
            yield from _walk(route.original_router.routes, prefix + more)
        elif getattr(route, "methods", None):
            for method in route.methods - {"HEAD"}:
                yield method, prefix + route.path
        else:
            yield "MOUNT", prefix + route.path
