"""Pages rendered from templates, JSON replies and redirects."""

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from metra.web.strings import choose_language, get_direction, load_strings

if TYPE_CHECKING:
    from jinja2 import Environment

#: The cookie that remembers the language of the pages.
LANGUAGE_COOKIE = "metra-language"


def render_page(
    request: Request, template: str, *, status: int = 200, **more: Any
) -> Response:
    """Render a template with the strings as `t`, and `lang`, `dir`, `csrf`, `here`.

    `direction` is a function of other languages. `message="paused"` fills in the heading and
    text of that message.
    """
    language = get_language(request)
    t = load_strings(language)
    if name := more.pop("message", None):
        more["heading"] = t(f"message.{name}_title")
        if "text" not in more:
            more["text"] = t(f"message.{name}_text")
    values = {
        "t": t,
        "lang": language,
        "dir": t.dir,
        "csrf": getattr(request.state, "csrf", ""),
        "direction": get_direction,
        "here": request.url.path if request.method == "GET" else "/judge",
    }
    content = load_templates().get_template(template).render(values | more)
    return HTMLResponse(content, status)


def get_language(request: Request) -> str:
    """Return the language of the pages for a request."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return choose_language(chosen, request.headers.get("accept-language"))


def reply_json(content: Any, status: int = 200) -> Response:
    """Reply with JSON in ASCII, so that lone surrogates cannot break it."""
    body = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def redirect_to(to: str) -> Response:
    """Redirect the browser to another page, also after a form."""
    return Response(status_code=303, headers={"Location": to})


@cache
def load_templates() -> "Environment":
    """Load the templates; all values are escaped."""
    from jinja2 import Environment, PackageLoader

    return Environment(
        loader=PackageLoader("metra.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
