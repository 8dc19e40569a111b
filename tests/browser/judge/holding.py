"""Requests that are held up on their way, for as long as a test likes."""

from typing import Any


class Held:
    """What a page sends to an address, and nobody gets."""

    def __init__(self, page: Any, address: Any) -> None:
        self.page, self.address = page, address
        self.routes: list[Any] = []
        page.route(address, lambda route: self.routes.append(route))

    def wait(self, count: int = 1) -> None:
        """Wait until that many are held."""
        while len(self.routes) < count:
            self.page.wait_for_timeout(10)

    def let_go(self) -> None:
        """Send the oldest on its way."""
        self.wait()
        self.routes.pop(0).continue_()

    def end(self) -> None:
        """Hold nothing any more."""
        self.page.unroute(self.address)
        while self.routes:
            self.routes.pop(0).continue_()
