"""A local server that plays an OpenAI-compatible endpoint, with every kind of trouble."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server does with a request: a chat completion unless told otherwise."""

    content: Any = '{"score": 50}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    #: Sent as it is in the place of a completion.
    body: bytes | None = None
    usage: Any = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 5}
    )
    refusal: str | None = None
    #: Bytes after which the connection is cut.
    cut_after: int | None = None
    #: Set when the reply may be sent.
    gate: threading.Event | None = None


Answerer = Callable[["Endpoint", dict[str, Any]], Reply]


@dataclass
class Endpoint:
    """A server that is running: what it was asked, and how it answers."""

    answer: Answerer
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    #: How often each output was answered with a completion.
    answered: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    _at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, body: dict[str, Any], headers: dict[str, str]) -> None:
        with self.lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def end(self, body: dict[str, Any], *, is_answered: bool) -> None:
        with self.lock:
            self._at_once -= 1
            if is_answered:
                self.answered[get_output(body)] += 1


def get_texts(body: dict[str, Any]) -> dict[str, Any]:
    """Return the texts in a request with a built-in prompt."""
    return json.loads(re.search(r"\{.*\}\Z", body["messages"][-1]["content"])[0])


def get_output(body: dict[str, Any]) -> str:
    try:
        return get_texts(body)["translation"]
    except (TypeError, ValueError):
        return body["messages"][-1]["content"]


@contextmanager
def serve(answer: Answerer | Reply) -> Iterator[Endpoint]:
    """Run an endpoint at a free port of this machine."""
    fixed = answer
    endpoint = Endpoint((lambda *_: fixed) if isinstance(fixed, Reply) else fixed)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.note(body, dict(self.headers))
            reply = endpoint.answer(endpoint, body)
            if reply.gate:
                reply.gate.wait()
            is_answered = reply.status == 200 and reply.body is None
            endpoint.end(body, is_answered=is_answered and reply.cut_after is None)
            content = reply.body
            if content is None:
                content = json.dumps(build_completion(reply)).encode()
            try:
                self.send_response(reply.status)
                self.send_header("Content-Length", str(len(content)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content[: reply.cut_after])
            except OSError:  # the client has gone
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def build_completion(reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    return {
        "id": "completion-1",
        "object": "chat.completion",
        "model": "judge-2024-01-01",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": reply.usage,
    }
