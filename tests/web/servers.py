"""A real server in a process of its own, which can be killed and started again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Server:
    """`metra judge serve` on a port of its own."""

    def __init__(self, url: str, log: Path, workers: int = 1) -> None:
        self.url, self.log, self.workers = url, log, workers
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        options = {"--store": self.url, "--port": self.port, "--workers": self.workers}
        arguments = [str(part) for pair in options.items() for part in pair]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "metra", "judge", "serve", *arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{self.base}/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError(self.log.read_text())

    def kill(self) -> None:
        """End it at once, workers and all, as a failing machine would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()


@contextmanager
def serving(url: str, log: Path, workers: int = 1) -> Iterator[Server]:
    """Serve a store until the block ends."""
    server = Server(url, log, workers)
    try:
        yield server
    finally:
        server.stop()
