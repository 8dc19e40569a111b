"""Mutated uploads, forms, addresses and JSON, sent to every route of the judging app."""

import base64
import io
import json
import logging
import random
import zlib
from pathlib import Path
from typing import Any

from tests.campaigns import made, opened
from tests.fuzz.mutation import ODD, mutate
from tests.fuzz.samples import Sample
from tests.web.browsing import answer
from tests.web.routes import routes_of

from metra import store as stores
from metra.campaign.settings import FORM_FIELDS
from metra.store import access

TEXT = b"".join(b"line %d of a text\n" % at for at in range(12))
FORM = {
    **{"name": "spring", "protocol": "da", "judges": "ann\nbob\ncleo\ndan"},
    **{"source_language": "fr", "target_language": "en", "unit": "segment"},
    **{"each": "2", "seed": "5", "repeats": "10"},
}
FIELDS = (
    *FORM,
    *FORM_FIELDS["switch"],
    *("calibration", "degraded", "basis", "options", "wording", "questions", "go"),
    *("sample", "sample_by", "guide_language", "entities", "terms", "templates"),
    *("agree", "judge", "language", "level", "note", "only", "scorer", "since"),
    *("state", "system", "target_level", "text", "trials", "until", "apart", "kind"),
)
#: Routes after which nothing more can be tried.
LAST = ("/admin/logout", "/judge/leave", "/admin/login")


class Visitor:
    """An admin and a judge in one browser, before an app with an open campaign."""

    def __init__(self, folder: Path, samples: list[Sample]) -> None:
        access._COST["n"] = 2**4  # that guessing is slow is tested elsewhere
        self.store = stores.open(str(folder / "fuzz.db"))
        self.house = opened(self.store, made("da"))
        self.texts = [
            one for one in samples if one.arguments[0] in ("score", "convert")
        ]
        self.judged = [
            one for one in samples if one.arguments[:2] == ("judge", "import")
        ]
        self.routes = [
            (method, path)
            for method, path in routes_of(self.house.app)
            if method != "MOUNT" and path not in LAST
        ]
        self.log = io.StringIO()
        logger = logging.getLogger("metra.web")
        logger.addHandler(logging.StreamHandler(self.log))
        logger.propagate = False
        self.enter()

    def enter(self) -> None:
        """Come in as a judge, and as an admin."""
        house = self.house
        self.browser = house.browser("judge 0")
        self.judge_csrf = self.browser.csrf
        with house.store.transaction() as db:
            token, session = access.begin_session(
                db, "admin", now=house.clock(), name="ann"
            )
        self.browser.client.cookies.set("metra-admin", token)
        self.csrf = session.csrf
        self.screen = self.browser.work()["screen"]

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def try_request(self, rng: random.Random) -> tuple[str, str, str]:
        """Send something; return what it was, what happened, and details of a fault."""
        ways = (self.send_files, self.send_form, self.send_json)
        title, reply = rng.choice((*ways, self.visit))(rng)
        logged = self.log.getvalue()
        self.log.seek(0)
        self.log.truncate()
        if reply.status_code >= 500 or "Traceback" in reply.text:
            return title, "traceback", logged or reply.text[:500]
        if reply.status_code in (401, 403):
            self.enter()
        return title, "read" if reply.status_code < 400 else "refused", ""

    def send_files(self, rng: random.Random) -> tuple[str, Any]:
        """Upload texts for a new campaign."""
        files = [
            (field, (self._name(one, rng), mutate(one.content, rng), "text/plain"))
            for field in rng.choices(
                ("outputs", "references", "source", "documents"), k=2
            )
            for one in [rng.choice(self.texts)]
        ]
        files.append(("outputs", ("a.txt", TEXT, "text/plain")))
        return "upload", self._post("/admin/campaigns/new/files", {}, files)

    def send_form(self, rng: random.Random) -> tuple[str, Any]:
        """Send the wizard's form, with some fields changed and the texts tampered with."""
        texts = {"outputs": {"a": ["x y z"] * 9, "b": ["z y x"] * 9}, "references": [],
                 "source": ["q"] * 9, "documents": None}  # fmt: skip
        line = json.dumps(texts).encode()
        if rng.random() < 0.4:
            line = mutate(line, rng)
        fields = {**FORM, "texts": base64.b85encode(zlib.compress(line)).decode()}
        for name in rng.choices(FIELDS, k=rng.randrange(4)):
            fields[name] = rng.choice(ODD)
        if rng.random() < 0.1:
            fields["texts"] = rng.choice(ODD)
        if rng.random() < 0.1:
            nested = rng.choice(
                ("a = " + "[" * 5000, "a = {a = " * 900, "a." * 5000 + "b=1")
            )
            fields[rng.choice(("options", "wording"))] = nested
        fields["go"] = rng.choice(("check", "create"))
        return "wizard", self._post("/admin/campaigns/new/settings", fields)

    def send_json(self, rng: random.Random) -> tuple[str, Any]:
        """Send a draft, an answer, or a request for a step."""
        place = f"/api/screens/{self.screen['task']}/{self.screen['number']}"
        method, path, body = rng.choice(
            (
                ("POST", f"{place}/answer", answer({"da": 40})),
                ("PUT", f"{place}/draft", {"rev": 1, "value": {"da": 4}, "events": [
                    {"seq": 1, "t_ms": 3.5, "kind": "key", "data": {"key": "a"}}]}),
                ("POST", f"{place}/reveal", {"step": 0, "rev": 1, "value": {}}),
                ("POST", "/api/session", {"token": "x"}),
            )
        )  # fmt: skip
        content = mutate(json.dumps(body).encode(), rng)
        headers = {"Origin": self.house.base, "X-CSRF-Token": self.judge_csrf,
                   "Content-Type": "application/json"}  # fmt: skip
        reply = self.browser.client.request(
            method, path, content=content, headers=headers
        )
        return f"JSON {method}", reply

    def visit(self, rng: random.Random) -> tuple[str, Any]:
        """Go to any address with odd fields."""
        method, path = rng.choice(self.routes)
        odd = [*ODD[:8], "%00", "a%2Fb", "../..", "x"]
        filled = path.format(
            key=rng.choice([self.house.campaign] * 9 + ["x", "%00"]),
            form=rng.choice(("jsonl", "tsv", "csv", "zip", "%00", "none")),
            token=rng.choice(("x", "%00", "a%2Fb")),
            task=rng.choice((self.screen["task"], "x", "%00")),
            number=rng.choice((0, 10**20, -1, "x")),
            workspace=rng.choice(("main", "main", "x", "%00")),
            run=rng.choice(("x", "%00")),
            name=rng.choice(("x", "%00", "a%2Fb")),
            secret=rng.choice(("x", "%00", "%ff")),
        )
        fields = {rng.choice(FIELDS): rng.choice(odd) for _ in range(rng.randrange(6))}
        if method == "GET":
            return "page", self.browser.client.get(filled, params=fields)
        if filled.endswith("/state"):
            fields["state"] = rng.choice(("open", "x"))
        if path.startswith(("/admin", "/w")):
            return "page", self._post(filled, fields)
        headers = {"Origin": self.house.base}
        data = fields | {"csrf": self.judge_csrf}
        return "page", self.browser.client.request(
            method, filled, data=data, headers=headers
        )

    def _post(self, path: str, fields: dict[str, str], files: Any = None) -> Any:
        return self.browser.client.post(
            path,
            data=fields | {"csrf": self.csrf},
            files=files,
            headers={"Origin": self.house.base},
        )

    @staticmethod
    def _name(one: Sample, rng: random.Random) -> str:
        if rng.random() < 0.9:
            return one.name
        return rng.choice((f"../../{one.name}", "..", "a\\b", "x" * 300))
