"""Requests that nobody would send, made up from the app's own description: never a 500."""

import json
import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

schemathesis = pytest.importorskip("schemathesis", reason="needs the group test")

OPERATIONS = (
    "GET /api/work",
    "GET /api/screens/{task}/{number}",
    "POST /api/screens/{task}/{number}/reveal",
    "PUT /api/screens/{task}/{number}/draft",
    "POST /api/screens/{task}/{number}/answer",
    "POST /api/session",
)
BOUNDED = settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["fluency", "adequacy", "x", "", "\0"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


def operations(app) -> dict[str, Any]:
    schema = schemathesis.openapi.from_dict(app.openapi())
    found = [result.ok() for result in schema.get_all_operations()]
    return {f"{one.method.upper()} {one.path}": one for one in found}


def test_all_that_is_described_is_tried(light_house):
    assert set(operations(light_house.app)) == set(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_whatever_is_sent_gets_an_answer(house, name):
    browser = house.browser("judge 0")
    operation = operations(house.app)[name]
    screen = browser.work()["screen"]
    modes = schemathesis.GenerationMode
    cases = st.one_of(
        operation.as_strategy(generation_mode=modes.POSITIVE),
        operation.as_strategy(generation_mode=modes.NEGATIVE)
        if name != "GET /api/work"
        else st.nothing(),
    )

    @settings(BOUNDED, max_examples=25 if "{" in name or "POST" in name else 3)
    @given(cases, st.booleans(), anything, st.booleans())
    def tried(case, own, value, wild):
        path = case.formatted_path
        if own and "{task}" in name:
            path = case.path.format(task=screen["task"], number=0)
        body = case.body
        if wild and isinstance(body, dict):
            body = body | {"value": value, "id": str(uuid.UUID(int=7, version=4))}
        headers = {"Origin": house.base, "X-CSRF-Token": browser.csrf}
        more: dict[str, Any] = {}
        if not isinstance(body, type(schemathesis.core.NOT_SET)):
            more = {"content": raw(body)}
            headers["Content-Type"] = "application/json"
        reply = browser.client.request(case.method, path, headers=headers, **more)
        assert reply.status_code < 500, (path, body, reply.text)
        assert reply.headers["Content-Security-Policy"]
        if path.startswith("/api/") and reply.status_code >= 400:
            assert isinstance(json.loads(reply.content)["error"], str)

    tried()


def raw(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    return json.dumps(body, default=str).encode("utf-8", "replace")
