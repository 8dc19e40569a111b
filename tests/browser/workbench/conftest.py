"""Real servers and browsers, as the pages of admins have them."""

from tests.browser.judge.conftest import visit  # noqa: F401
