"""Requests to an endpoint that fails, waits, breaks off, refuses and chatters."""

import json
import sys
import threading

import pytest
from tests.metrics.llm.endpoints import Reply, build_completion, serve
from tests.patience import PATIENCE

from metra.errors import EndpointError, MissingResourceError, OptionError
from metra.metrics.llm import endpoint as client
from metra.metrics.llm.cache import ModelAnswer
from metra.metrics.llm.endpoint import (
    Endpoint,
    Prices,
    Spending,
    read_address,
    read_completion,
)

BODY = {"model": "judge", "messages": [{"role": "user", "content": "é"}]}
KEY = "sk-secret-0123456789"


class Ask:
    """A client of one server, with what it spent and how long it would have waited."""

    def __init__(self, url: str, monkeypatch, **options) -> None:
        settings = {"retries": 3, "timeout": PATIENCE, "draw": lambda: 0.5} | options
        self.client = Endpoint(read_address(url), "METRA_LLM_KEY", **settings)
        self.spending = Spending(Prices(1, 10))
        self.stop = threading.Event()
        self.waits: list[float] = []
        monkeypatch.setattr(client, "FIRST_WAIT", 0.5)
        monkeypatch.setattr(self.stop, "wait", self.note_wait)

    def note_wait(self, seconds: float) -> bool:
        self.waits.append(round(seconds, 2))
        return self.stop.is_set()

    def __call__(self) -> ModelAnswer | None:
        return self.client.ask(BODY, (7, 100), self.spending, self.stop)


def in_turn(*replies: Reply):
    """ModelAnswer the first requests so, and all others as the last."""
    left = list(replies)
    return lambda *_: left.pop(0) if len(left) > 1 else left[0]


def test_a_request_is_answered(monkeypatch):
    with serve(Reply(content="42")) as server:
        ask = Ask(server.url, monkeypatch)
        assert ask() == ModelAnswer("42", "stop", 100, 5, "judge-2024-01-01")
    assert server.bodies == [BODY]
    assert "Authorization" not in server.headers[0]
    assert ask.spending.describe() == "1 request, 105 tokens, cost 0.0001"
    assert ask.waits == []


PASSING = [
    pytest.param(Reply(status=500), id="500"),
    pytest.param(Reply(status=503, body=b"<html>busy</html>"), id="503 in HTML"),
    pytest.param(Reply(status=429), id="429"),
    pytest.param(Reply(status=408), id="408"),
    pytest.param(Reply(body=b"not JSON"), id="no JSON"),
    pytest.param(Reply(body=b'{"choices": []}'), id="no choice"),
    pytest.param(Reply(body=b'{"choices": [{"message": "x"}]}'), id="no message"),
    pytest.param(Reply(body=b"[1]"), id="a list"),
    pytest.param(Reply(content=["a", "b"]), id="content is a list"),
    pytest.param(Reply(cut_after=20), id="cut off"),
    pytest.param(Reply(cut_after=0), id="cut off before the first byte"),
]


@pytest.mark.parametrize("trouble", PASSING)
def test_what_may_pass_is_tried_again(trouble, monkeypatch):
    with serve(in_turn(trouble, trouble, Reply(content="42"))) as server:
        ask = Ask(server.url, monkeypatch)
        answer = ask()
    assert answer is not None
    assert answer.text == "42"
    # Twice as long each time, half of it by chance: 0.5 and 1 second at most.
    assert ask.waits == [0.38, 0.75]
    assert len(server.bodies) == ask.spending.requests == 3
    assert (ask.spending.failures, ask.spending.answers) == (2, 1)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(status=500, body=b'{"error": {"message": "out of order"}}'),
         "HTTP 500, out of order"),
        (Reply(status=502, body=b'{"error": "down"}'), "HTTP 502, down"),
        (Reply(status=502, body=b'{"detail": "down"}'), "HTTP 502, down"),
        (Reply(status=502, body=b"x" * 300), f"HTTP 502, {'x' * 200}…"),
        (Reply(status=500, body=b""), "HTTP 500"),
        (Reply(body=b"no"), r"the reply is not a chat completion \(Expecting value"),
        (Reply(body=b"{}"), r"the reply is not a chat completion \(it has no message\)"),
        (Reply(cut_after=20), r"peer closed connection .*received 20 bytes"),
    ],
)  # fmt: skip
def test_what_does_not_pass_ends(reply, reason, monkeypatch):
    with serve(reply) as server:
        ask = Ask(server.url, monkeypatch)
        message = f"127.0.0.1:[0-9]+ failed 4 times, the last time with: {reason}"
        with pytest.raises(EndpointError, match=message):
            ask()
    assert len(server.bodies) == 4
    assert ask.waits == [0.38, 0.75, 1.5]


@pytest.mark.parametrize(
    ("header", "wait"),  # a little longer than told, so that not all come at once
    [("7", 7.35), ("7.0", 7.35), (" 7 ", 7.35), ("soon", 0.38)],
)
def test_the_endpoint_says_how_long_to_wait(header, wait, monkeypatch):
    busy = Reply(status=429, headers={"Retry-After": header})
    with serve(in_turn(busy, Reply())) as server:
        ask = Ask(server.url, monkeypatch)
        assert ask() is not None
    assert ask.waits == [wait]


def test_nobody_waits_for_hours(monkeypatch):
    with serve(Reply(status=429, headers={"Retry-After": "601"})) as server:
        ask = Ask(server.url, monkeypatch)
        message = "asks to wait 601 seconds before the next request: HTTP 429"
        with pytest.raises(EndpointError, match=message):
            ask()
    assert len(server.bodies) == 1
    assert ask.waits == []
    ten_minutes = Reply(status=429, headers={"Retry-After": "600"})
    with serve(in_turn(ten_minutes, Reply())) as server:
        ask = Ask(server.url, monkeypatch)
        assert ask() is not None
    assert ask.waits == [630.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 301, 307])
def test_what_will_not_pass_is_not_tried_again(status, monkeypatch):
    elsewhere = {"Location": "http://127.0.0.1:9/elsewhere"}
    refusal = Reply(
        status=status,
        headers=elsewhere,
        body=b'{"error": {"message": "no such model"}}',
    )
    with serve(refusal) as server:
        ask = Ask(server.url, monkeypatch)
        message = f"refused the request: HTTP {status}, no such model"
        with pytest.raises(EndpointError, match=message) as caught:
            ask()
    assert len(server.bodies) == 1
    advice = {
        401: "the key comes from the environment variable METRA_LLM_KEY, which is not set",
        307: "redirects are not followed, give the right url",
    }
    assert advice.get(status, "") in str(caught.value)


def test_an_answer_in_time_or_none(monkeypatch):
    gate = threading.Event()
    with serve(Reply(content="42", gate=gate)) as server:
        ask = Ask(server.url, monkeypatch, timeout=0.05)

        def be_patient(_: float) -> None:
            ask.client.timeout = PATIENCE
            gate.set()

        monkeypatch.setattr(ask.stop, "wait", be_patient)
        assert ask().text == "42"
    assert (ask.spending.failures, ask.spending.answers) == (1, 1)


def test_a_reply_that_trickles_in_ends_as_well(monkeypatch):
    class Trickle:
        def iter_bytes(self):
            while True:
                now[0] += 1
                yield b"x"

    now = [0.0]
    monkeypatch.setattr(client.time, "monotonic", lambda: now[0])
    with pytest.raises(TimeoutError):
        Endpoint("http://x/y", "KEY", 0, 5.0, lambda: 0.0)._read_body(Trickle())
    assert now[0] == 6
    monkeypatch.setattr(client, "_LARGEST_BODY", 10)
    with pytest.raises(OSError, match="the reply is too long"):
        Endpoint("http://x/y", "KEY", 0, 500.0, lambda: 0.0)._read_body(Trickle())


def test_without_httpx_nothing_is_asked(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingResourceError, match=r"'httpx'.*pip install '\.\[llm\]'"):
        Endpoint("http://x/y", "KEY", 0, 5.0, lambda: 0.0)


def test_nobody_listens(monkeypatch):
    ask = Ask("http://127.0.0.1:9/v1", monkeypatch, retries=1)
    with pytest.raises(
        EndpointError, match=r"127\.0\.0\.1:9 failed 2 times, .* refused"
    ):
        ask()


def test_a_stop_ends_waiting(monkeypatch):
    with serve(Reply(status=500)) as server:
        ask = Ask(server.url, monkeypatch)
        monkeypatch.setattr(ask.stop, "wait", lambda _: True)
        assert ask() is None
        ask.stop.set()
        assert ask() is None
    assert len(server.bodies) == 1


def test_the_key_goes_to_the_endpoint_and_nowhere_else(monkeypatch):
    monkeypatch.setenv("METRA_LLM_KEY", f"{KEY}\n")
    echo = json.dumps({"error": {"message": f"Bearer {KEY} is no key"}}).encode()
    replies = in_turn(Reply(status=500, body=echo), Reply(content=f"it is {KEY}"))
    with serve(replies) as server:
        ask = Ask(server.url, monkeypatch)
        assert ask().text == "it is ***"
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    with serve(Reply(status=401, body=echo)) as server:
        ask = Ask(server.url, monkeypatch)
        with pytest.raises(EndpointError) as caught:
            ask()
    assert KEY not in str(caught.value)
    assert "Bearer *** is no key; the key comes from" in str(caught.value)
    assert "which is not set" not in str(caught.value)


@pytest.mark.parametrize("key", ["two words", "line\nX-Header: 1", "schlüssel"])
def test_a_key_that_cannot_be_one_is_not_shown(key, monkeypatch):
    monkeypatch.setenv("METRA_LLM_KEY", key)
    with serve(Reply()) as server:
        ask = Ask(server.url, monkeypatch)
        with pytest.raises(EndpointError) as caught:
            ask()
    assert str(caught.value) == (
        "The environment variable METRA_LLM_KEY contains characters that are not "
        "allowed in a key."
    )
    assert server.bodies == []


ADDRESSES = [
    ("http://localhost:8000/v1", "http://localhost:8000/v1/chat/completions"),
    ("https://api.example.org/v1/", "https://api.example.org/v1/chat/completions"),
    ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
]


@pytest.mark.parametrize(("url", "expected"), ADDRESSES)
def test_addresses(url, expected):
    assert read_address(url) == expected


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://h/v1", "http:///v1", "x"])
def test_no_addresses(url):
    with pytest.raises(
        OptionError, match="is not an address; expected one such as http"
    ):
        read_address(url)


@pytest.mark.parametrize(
    "url", [f"http://me:{KEY}@h/v1", f"http://{KEY}@h/v1", f"http://h/v1?key={KEY}"]
)
def test_an_address_with_a_key_is_refused_and_not_shown(url):
    with pytest.raises(OptionError, match="pass the key in the environment") as caught:
        read_address(url)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "usage",
    [None, {}, "many", {"prompt_tokens": -1, "completion_tokens": True}, [1, 2]],
)
def test_tokens_that_are_not_counted_are_estimated(usage):
    reply = build_completion(Reply(content="vier", usage=usage))
    assert read_completion(reply, 33) == ModelAnswer(
        "vier", "stop", 33, 1, "judge-2024-01-01", estimated=True
    )


def test_no_tokens_is_a_count():
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    answer = read_completion(build_completion(Reply(content="vier", usage=usage)), 33)
    assert (answer[2:4], answer[5]) == ((0, 0), False)


def test_a_refusal_and_an_empty_answer_are_answers():
    refused = build_completion(Reply(content=None, refusal="I will not."))
    assert read_completion(refused, 1)[:2] == ("I will not.", "refusal")
    filtered = build_completion(Reply(content=None, finish="content_filter"))
    assert read_completion(filtered, 1)[:2] == ("", "content_filter")
    odd = build_completion(Reply(content="x"))
    odd["choices"][0]["finish_reason"] = None
    odd["model"] = 5
    assert read_completion(odd, 1) == ModelAnswer("x", "", 100, 5)
