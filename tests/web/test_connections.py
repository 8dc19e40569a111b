"""Clients that let the server wait are disconnected, and no others."""

import asyncio
import socket
import threading
import time
from contextlib import contextmanager

import pytest
from tests.patience import PATIENCE

uvicorn = pytest.importorskip("uvicorn", reason="needs metra[judge]")
connections = pytest.importorskip("metra.web.server", reason="needs metra[judge]")

LARGE = 8_000_000
#: Seconds; the first is shorter than what the app takes for a reply.
SHORT, LONG = 0.15, 60.0


async def app(scope, receive, send):
    """Read the body, think longer than clients may, and reply with much or little."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/refused":
        headers = [(b"connection", b"close"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    while (await receive()).get("more_body"):
        pass
    if scope["path"] == "/slow":
        await asyncio.sleep(4 * SHORT)
    body = bytes(LARGE) if scope["path"] == "/large" else b"done"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def serving(monkeypatch, **seconds):
    """Serve in a thread, with one of the time-outs short."""
    for name in ("IDLE", "HEADER", "STALL", "REQUEST"):
        wait = seconds.get(name.lower(), LONG)
        monkeypatch.setattr(connections, f"{name}_SECONDS", wait)
    config = uvicorn.Config(
        app,
        port=0,
        http=connections.TimedProtocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        timeout_keep_alive=int(LONG),
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


def connect(address, sent=b""):
    client = socket.create_connection(address, PATIENCE)
    client.sendall(sent)
    return client


def read_end(client) -> bytes:
    """Return all that comes until the server ends the connection."""
    found = b""
    try:
        while piece := client.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    client.close()
    return found


GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
STALLED = [
    pytest.param({"idle": SHORT}, b"", b"", id="nothing is sent"),
    pytest.param({"header": SHORT}, b"G", b"", id="one letter"),
    pytest.param({"header": SHORT}, GET[:-2], b"", id="headers without an end"),
    pytest.param({"stall": SHORT}, POST + b"12345", b"", id="half a body"),
    pytest.param({"idle": SHORT}, GET, b"done", id="no second request"),
    pytest.param({"header": SHORT}, GET + b"G", b"done", id="half a second request"),
]


@pytest.mark.parametrize(("seconds", "sent", "reply"), STALLED)
def test_who_lets_the_server_wait_is_disconnected(monkeypatch, seconds, sent, reply):
    with serving(monkeypatch, **seconds) as address:
        clients = [connect(address, sent) for _ in range(30)]
        assert {read_end(one)[-4:] for one in clients} == {reply}


@pytest.mark.parametrize(
    ("seconds", "begin"),
    [
        pytest.param({"header": 2 * SHORT}, GET[:5], id="headers"),
        pytest.param(
            {"request": 2 * SHORT}, POST.replace(b"10", b"1000000"), id="body"
        ),
    ],
)
def test_a_drop_now_and_then_is_not_enough(monkeypatch, seconds, begin):
    with (
        serving(monkeypatch, **seconds) as address,
        connect(address, begin) as client,
        pytest.raises(OSError, match=r"Broken pipe|reset"),
    ):
        send_drops(client)


def send_drops(client) -> None:
    for _ in range(int(PATIENCE / SHORT)):
        client.sendall(b"1")
        time.sleep(SHORT / 3)


def test_the_app_may_take_its_time(monkeypatch):
    with serving(monkeypatch, header=SHORT, stall=SHORT, request=SHORT) as address:
        asked = GET.replace(b"/", b"/slow", 1).replace(b"x", b"x\r\nConnection: close")
        assert read_end(connect(address, asked))[-4:] == b"done"


def test_a_reply_that_nobody_reads_is_dropped(monkeypatch):
    with serving(monkeypatch, stall=SHORT) as address:
        client = connect(address, GET.replace(b"/", b"/large", 1))
        # More than the systems between them keep for a reader.
        time.sleep(4 * SHORT)
        assert len(read_end(client)) < LARGE


def test_a_reader_who_is_slow_gets_everything(monkeypatch):
    with serving(monkeypatch, stall=6 * SHORT, idle=6 * SHORT) as address:
        read = 0
        with connect(address, GET.replace(b"/", b"/large", 1)) as client:
            while read < LARGE:
                piece = client.recv(LARGE // 16)
                assert piece
                read += len(piece)
                time.sleep(SHORT)


def test_many_requests_on_one_connection(monkeypatch):
    with serving(monkeypatch) as address, connect(address) as client:
        for body in (b"12", b"34", b"56"):
            client.sendall(POST.replace(b"10", b"2") + body)
            read = b""
            while not read.endswith(b"done"):
                read += client.recv(65536) or pytest.fail("disconnected")


def test_a_client_that_is_refused_may_finish_sending(monkeypatch):
    """Were the connection broken, it would lose the reply, and a proxy would say 502."""
    with serving(monkeypatch, stall=4 * SHORT) as address:
        head = b"PUT /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"
        with connect(address, head + bytes(1000)) as client:
            assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
            assert client.recv(65536) == b""
            for _ in range(8):
                client.sendall(bytes(100_000))
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
        # One that never ends is cut off.
        with connect(address, head) as client:
            assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
            with pytest.raises((BrokenPipeError, ConnectionResetError)):
                send_forever(client)


def send_forever(client) -> None:
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        client.sendall(b"x")
        time.sleep(SHORT)
