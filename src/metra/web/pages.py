"""Pages from templates, and JSON that any character may be in."""

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
    """Render a template; it finds the strings as `t`, and `lang`, `dir`, `csrf`, `here`;
    `direction` tells that of other languages.

    `message="paused"` gives the heading and text of that message.
    """
    language = get_language(request)
    t = load_strings(language)
    if name := more.pop("message", None):
        more.setdefault("heading", t(f"message.{name}_title"))
        if "text" not in more:
            more["text"] = t(f"message.{name}_text")
    content = (
        load_templates()
        .get_template(template)
        .render(
            {
                "t": t,
                "lang": language,
                "dir": t.dir,
                "csrf": getattr(request.state, "csrf", ""),
                "direction": get_direction,
                "here": request.url.path if request.method == "GET" else "/judge",
            }
            | more
        )
    )
    return HTMLResponse(content, status)


def get_language(request: Request) -> str:
    """The language of the pages for whoever asks."""
    wish = request.cookies.get(LANGUAGE_COOKIE)
    return choose_language(wish, request.headers.get("accept-language"))


def reply_json(content: Any, status: int = 200) -> Response:
    """Answer in JSON of ASCII characters, which even half a character cannot break."""
    body = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def redirect_to(to: str) -> Response:
    """Send the browser to another page, after a form too."""
    return Response(status_code=303, headers={"Location": to})


@cache
def load_templates() -> "Environment":
    """The templates; what they fill in is escaped."""
    from jinja2 import Environment, PackageLoader

    return Environment(
        loader=PackageLoader("metra.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
