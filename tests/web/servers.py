"""A real server in a process of its own, which can be killed and started again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

# Below those that systems hand out by themselves: nobody gets the port of a server while it
# is down.
PORTS = range(20_000, 32_000)
# Whatever proxy the environment names, it knows nothing of this machine.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    """`metra judge serve` on a port of its own."""

    def __init__(self, url: str, log: Path, workers: int = 1, *more: str) -> None:
        self.url, self.log, self.workers, self.more = url, log, workers, more
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        options = {"--store": self.url, "--port": self.port, "--workers": self.workers}
        arguments = [str(part) for pair in options.items() for part in pair]
        arguments += self.more
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "metra", "judge", "serve", *arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        give_up = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < give_up:
            try:
                with _direct.open(f"{self.base}/health", timeout=60):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(self.log.read_text())

    def kill(self) -> None:
        """End it at once, workers and all, as a failing machine would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    def list_workers(self) -> list[int]:
        """The ids of the processes that serve, of a server with several."""
        parent = self.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return [
            int(one)
            for one in children
            if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()
        ]

    def kill_parent(self) -> float:
        """End the parent alone; return the seconds until its workers have ended too."""
        workers = self.list_workers()
        begun = time.monotonic()
        self.process.kill()
        self.process.wait(PATIENCE)
        while any(map(_is_alive, workers)):
            if time.monotonic() - begun > PATIENCE:
                msg = f"Workers go on without their parent: {workers}"
                raise RuntimeError(msg)
            time.sleep(0.02)
        return time.monotonic() - begun

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()


def _is_alive(process: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False


def free_port() -> int:
    """A port that nobody uses; those of other tests at the same time begin elsewhere."""
    begin = 97 * os.getpid() % len(PORTS)
    for port in (*PORTS[begin:], *PORTS[:begin]):
        with socket.socket() as probe:
            # As servers do: what the last one left behind is no hindrance.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    msg = "There is no free port."
    raise RuntimeError(msg)


@contextmanager
def serving(url: str, log: Path, workers: int = 1, *more: str) -> Iterator[Server]:
    """Serve a store until the block ends; `more` are further options."""
    server = Server(url, log, workers, *more)
    try:
        yield server
    finally:
        server.stop()
