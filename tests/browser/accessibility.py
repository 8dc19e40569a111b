"""What axe finds on a page: what keeps somebody from reading or using it."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

#: The rules that look at colours, in which alone the themes differ.
COLOURS = ["color-contrast", "link-in-text-block"]


def check_themes(page: Any, part: str | None = None) -> None:
    """Have axe find nothing in either theme, on the page or in a part of it."""
    for theme, rules in (("light", None), ("dark", COLOURS)):
        page.emulate_media(color_scheme=theme)
        check_rules(page, rules, part)


def check_rules(
    page: Any, rules: list[str] | None = None, part: str | None = None
) -> None:
    """Have axe find nothing by some rules, or by all that it has."""
    # A list of what is in order would take a second, and nobody reads it.
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules is not None:
        options["runOnly"] = rules
    found = Axe().run(page, part, options)
    assert found.response["violations"] == [], found.generate_report()
