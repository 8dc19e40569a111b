"""An admin in a browser without a screen."""

import re

import pytest
from tests.campaigns import made, opened

from metra.store import access

PASSWORD = "correct horse battery"


class Admin:
    """A browser that has signed in by the form."""

    def __init__(self, house):
        self.house = house
        self.browser = house.browser()
        with house.store.transaction() as db:
            access.set_password(db, "ann", PASSWORD, now=house.clock(), who="test")

    def sign_in(self):
        reply = self.browser.form("/admin/login", name="ann", password=PASSWORD)
        assert reply.status_code == 303, reply.text
        self.browser.get("/admin")
        return self

    @property
    def place(self):
        return f"/admin/campaigns/{self.house.campaign}"

    def get(self, path=""):
        reply = self.browser.get(self.place + path)
        assert reply.status_code == 200, reply.text
        return reply.text

    def form(self, path, **fields):
        return self.browser.form(self.place + path, **fields)


def rows(page, caption):
    """The cells of the table in the region of that name."""
    part = page.split(f'aria-label="{caption}"')[1].split("</table>")[0]
    return [
        [
            re.sub(r"<[^>]+>", "", cell).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", part, re.DOTALL)
    ]


@pytest.fixture
def admin(store):
    """An admin of a campaign without answers, on each kind of store in turn."""
    return Admin(opened(store, made())).sign_in()


@pytest.fixture
def light_admin(sqlite_store):
    """The same on SQLite alone."""
    return Admin(opened(sqlite_store, made())).sign_in()


@pytest.fixture
def table():
    """Find a table on a page."""
    return rows
