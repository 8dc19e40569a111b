"""What a page does that fails its test: errors, dialogs, and fetching from elsewhere."""

from collections.abc import Callable
from typing import Any


def collect_complaints(
    page: Any, complaints: list[str], is_own: Callable[[str], bool]
) -> None:
    """Add to `complaints` whatever goes wrong on a page; `is_own` knows its addresses."""

    def check_address(request: Any) -> None:
        if not request.url.startswith(("data:", "blob:")) and not is_own(request.url):
            complaints.append(f"fetched {request.url}")

    def check_message(message: Any) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"console: {message.text}")

    page.on("request", check_address)
    page.on("console", check_message)
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: complaints.append(f"asks {dialog.message}"))
