"""A judge's browser without a screen: cookies, forms with their tokens, and the JSON."""

import re
import uuid
from typing import Any

import httpx2

BASE = "http://127.0.0.1:8000"
#: What a judge may say in each protocol, by the names of steps and kinds.
VALUES: dict[str, Any] = {"scale": 3, "marks": []}


class Browser:
    """One browser; `client` is the app in this process, or a server somewhere."""

    def __init__(self, client: httpx2.Client) -> None:
        self.client = client
        self.csrf = ""
        self.origin = str(client.base_url).rstrip("/")

    def get(self, path: str, **more: Any) -> httpx2.Response:
        reply = self.client.get(path, **more)
        found = re.search(r'name="csrf-token" content="([^"]+)"', reply.text)
        if found:
            self.csrf = found[1]
        return reply

    def form(self, path: str, **fields: str) -> httpx2.Response:
        return self.client.post(
            path, data={"csrf": self.csrf} | fields, headers={"Origin": self.origin}
        )

    def send(self, method: str, path: str, content: Any) -> httpx2.Response:
        headers = {"Origin": self.origin, "X-CSRF-Token": self.csrf}
        return self.client.request(method, path, json=content, headers=headers)

    def come_in(self, token: str) -> None:
        """Through the link, consent and guide to the work."""
        assert self.form(f"/j/{token}").status_code == 303
        self.get("/judge/consent")
        consent = {"agree": "yes", "target_level": "native"}
        assert self.form("/judge/consent", **consent).status_code == 303
        self.get("/judge/guide")
        assert self.form("/judge/guide").status_code == 303
        assert self.get("/judge/work").status_code == 200

    def work(self) -> dict[str, Any]:
        reply = self.get("/api/work")
        assert reply.status_code == 200, reply.text
        return reply.json()

    def answer(self, work: dict[str, Any], screen: dict[str, Any]) -> dict[str, Any]:
        """Go through the steps of a screen as the protocol wants, and answer."""
        place = f"/api/screens/{screen['task']}/{screen['number']}"
        value: dict[str, Any] = {}
        for at, step in enumerate(work["protocol"]["steps"]):
            if at > screen["step"] and step["shows"]:
                body = {"step": at, "rev": 10 * at, "value": value}
                reply = self.send("POST", f"{place}/reveal", body)
                assert reply.status_code == 200, reply.text
            value[step["name"]] = value_for(step["kind"], screen)
        reply = self.send("POST", f"{place}/answer", answer(value))
        assert reply.status_code == 200, reply.text
        return reply.json()


def value_for(kind: str, screen: dict[str, Any]) -> Any:
    if kind == "order":
        return list(range(1, 1 + len(screen["outputs"])))
    return VALUES[kind]


def answer(value: Any, **more: Any) -> dict[str, Any]:
    times = {
        "active_ms": 1000,
        "idle_ms": 0,
        "hidden_ms": 0,
        "paused_ms": 0,
        "first_action_ms": 10,
    }
    return {
        "id": str(uuid.uuid4()),
        "value": value,
        "comment": "",
        "cannot": None,
        "times": times,
        "events": [],
    } | more
