"""A run over a thousand segments that fails here and there, is killed, and goes on."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.metrics.llm.endpoints import Endpoint, Reply, get_output, serve
from tests.patience import PATIENCE

SEGMENTS = 1000
#: Every tenth output meets one of these first.
TROUBLES = [
    Reply(status=429, headers={"Retry-After": "0"}),
    Reply(status=500, headers={"Retry-After": "0"}, body=b"<html>out of order</html>"),
    Reply(status=503, headers={"Retry-After": "0"}),
    Reply(body=b'{"choices": [{"mess'),
    Reply(cut_after=30),
]


class Troubled:
    """Answers after a failure where there is to be one; holds back what comes too late."""

    def __init__(self, hold_after: int | None = None) -> None:
        self.seen: Counter[str] = Counter()
        self.hold_after = hold_after
        self.answers = 0
        self.gate = threading.Event()
        self.lock = threading.Lock()

    def __call__(self, _: Endpoint, body: dict) -> Reply:
        output = get_output(body)
        number = int(output.split()[-1])
        with self.lock:
            self.seen[output] += 1
            if number % 10 == 3 and self.seen[output] == 1:
                return TROUBLES[number // 10 % len(TROUBLES)]
            if self.hold_after is not None and self.answers >= self.hold_after:
                return Reply(status=503, gate=self.gate)
            self.answers += 1
        return Reply(content=json.dumps({"score": number % 100}))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name in ("source", "output"):
        lines = (f"{name} {number}\n" for number in range(SEGMENTS))
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def command(texts: Path, judge: Callable[..., str]) -> Callable[[Endpoint], list[str]]:
    def build(endpoint: Endpoint, *more: str) -> list[str]:
        spec = judge(endpoint, input_price=10, output_price=100)
        files = [str(texts / "output.txt"), "-s", str(texts / "source.txt")]
        call = [sys.executable, "-m", "metra", "score", *files]
        return [*call, "-m", spec, "--format", "json", *more]

    return build


@contextmanager
def start(arguments: list[str]) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(is_so: Callable[[], bool], process: subprocess.Popen) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def count_lines(cache: Path) -> int:
    return cache.read_bytes().count(b"\n") if cache.exists() else 0


def finish(arguments: list[str]) -> tuple[dict, str]:
    done = subprocess.run(
        arguments, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    (score,) = json.loads(done.stdout)["systems"][0]["scores"].values()
    return score, done.stderr


def check_whole(score: dict, cache: Path) -> None:
    """Nothing is lost: all answers are there, once, and their cost is counted."""
    assert score["score"] == sum(n % 100 for n in range(SEGMENTS)) / SEGMENTS
    entries = [json.loads(line) for line in cache.read_text().split("\n")[:-1]]
    assert len({entry["key"] for entry in entries}) == len(entries) == SEGMENTS
    assert score["parts"]["input_tokens"] == 100 * SEGMENTS
    assert score["parts"]["output_tokens"] == 5 * SEGMENTS
    assert score["parts"]["cost"] == pytest.approx(1.5)


def test_killed_in_the_middle_nothing_is_asked_twice_or_lost(command, cache):
    answer = Troubled(hold_after=500)
    with serve(answer) as server:
        with start(command(server)) as process:
            wait_for(lambda: count_lines(cache) == 500, process)
            process.send_signal(signal.SIGKILL)
            process.wait()
        answer.gate.set()
        answer.hold_after = None
        asked = len(server.bodies)
        score, said = finish(command(server))
        check_whole(score, cache)
        # Each question was answered exactly once, over both runs.
        assert set(server.answered.values()) == {1}
        assert len(server.answered) == SEGMENTS
        requests = len(server.bodies) - asked
        failed = requests - 500
        assert said.strip() == (
            f"metra: llm judge: 500 new answers, 500 reused; {requests:,} requests "
            f"({failed} failed), 52,500 tokens, cost 0.7500."
        )
        again, said = finish(command(server))
        assert again == score
        assert "0 new answers, 1,000 reused; 0 requests" in said
        assert len(server.bodies) == asked + requests


def test_ctrl_c_waits_for_what_is_under_way_and_keeps_it(command, cache):
    answer = Troubled()
    gate, held, lock = threading.Event(), [], threading.Lock()
    # The first thread, which is the first to be waited for, is the last to end.
    last_gate = threading.Event()

    def hold(endpoint: Endpoint, body: dict) -> Reply:
        reply = answer(endpoint, body)
        if get_output(body) == "output 0":
            return replace(reply, gate=last_gate)
        with lock:
            if len(endpoint.bodies) <= 200:
                return reply
            held.append(body)
        return replace(reply, gate=gate)

    with serve(hold) as server:
        with start(command(server)) as process:
            wait_for(lambda: len(held) == 7, process)
            process.send_signal(signal.SIGINT)
            gate.set()
            with suppress(subprocess.TimeoutExpired):  # it ends too early, if it does
                process.wait(0.5)
            last_gate.set()
            out, said = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (130, "")
        kept = count_lines(cache)
        assert kept > 150
        *_, last = said.strip().split("\n")
        assert last == (
            f"metra: interrupted; {kept} answers of this run and all earlier ones are "
            f"stored in {cache}; run the same command to resume."
        )
        assert re.search(rf"llm judge: {kept} new answers; \d+ requests", said)
        assert server.answered.total() == kept
        check_whole(finish(command(server))[0], cache)
        assert set(server.answered.values()) == {1}


def test_a_second_ctrl_c_does_not_wait(command, cache):
    gate = threading.Event()
    with serve(Reply(gate=gate)) as server:
        with start(command(server)) as process:
            wait_for(lambda: len(server.bodies) == 8, process)
            while process.poll() is None:  # one that comes while it starts to wait
                process.send_signal(signal.SIGINT)
                time.sleep(0.1)
            # One that comes as late as Python's own end is not caught any more.
            assert process.returncode in (130, -signal.SIGINT)
        gate.set()
    assert not os.path.exists(cache)
