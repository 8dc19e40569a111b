"""Work in a process of its own: for start-up, for memory, for commands.

As a program it runs a command and prints its wall time and its peak memory. It does so
from a small process because Linux counts the memory of the process that starts another
one as that one's too.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

HERE = Path(__file__).resolve().parent
SCRIPTS = Path(sys.executable).parent


def script(name: str) -> str:
    """Find a command that is installed beside this Python."""
    return str(SCRIPTS / name)


def run(*command: str, **variables: str) -> str:
    """Run a command with its threads and its compiled modules, as a user would."""
    unusual = ("METRA_THREADS", "PYTHONDONTWRITEBYTECODE")
    environment = {
        key: value for key, value in os.environ.items() if key not in unusual
    }
    done = subprocess.run(
        command, env=environment | variables, capture_output=True, check=False
    )
    if done.returncode:
        msg = f"{' '.join(command)} failed: {done.stderr.decode()}"
        raise RuntimeError(msg)
    return done.stdout.decode()


def usage(*command: str) -> dict[str, float]:
    """Run a command and give its wall and CPU time in seconds, its peak memory in MB."""
    return json.loads(run(sys.executable, __file__, *command))


def call(module: str, function: str, *arguments: object) -> float:
    """Call a function of a module of this folder in a new interpreter."""
    code = (
        f"import environment, json; from {module} import {function}; "
        f"print(json.dumps({function}(*{arguments!r})))"
    )
    places = [str(HERE), os.environ.get("PYTHONPATH", "")]
    found = os.pathsep.join(filter(None, places))
    return json.loads(run(sys.executable, "-c", code, PYTHONPATH=found))


def main() -> None:
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(sys.argv[1:], stdout=nowhere)
        watch = _Processes(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        watch.stop()
    seconds = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in KB except on macOS
    found = {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * unit / 1e6,
    }
    if len(watch.times) > 1:
        found |= {"cpu": sum(watch.times.values()), "peak": watch.peak}
        found |= {"java": watch.java, "others": watch.others}
    print(json.dumps(found))
    sys.exit(os.waitstatus_to_exitcode(status))


def family(parent: int) -> list[str]:
    """List a process, the processes that it started, and so on, by their numbers."""
    children: dict[str, list[str]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            starter = (path / "stat").read_text().rpartition(")")[2].split()[1]
            children.setdefault(starter, []).append(path.name)
    numbers = [str(parent)]
    for number in numbers:
        numbers += children.get(number, [])
    return numbers


class _Processes(Thread):
    """A command with the processes that it starts and does not wait for, such as Spark's.

    Linux tells their times and their memory (proportional shares of what they have in
    common) only while they live, so they are looked at again and again.
    """

    def __init__(self, parent: int) -> None:
        super().__init__(daemon=True)
        #: MB at most: of all processes together, of those of Java, and of the others.
        self.peak = self.java = self.others = 0.0
        self.times: dict[str, float] = {}
        self._parent = parent
        self._done = Event()
        if Path("/proc/self/smaps_rollup").exists():
            self.start()

    def stop(self) -> None:
        self._done.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        while not self._done.wait(0.2):
            memory = {number: self._look(number) for number in family(self._parent)}
            java = sum(memory[number] for number in memory if _is_java(number))
            total = sum(memory.values())
            self.peak = max(self.peak, total)
            self.java = max(self.java, java)
            self.others = max(self.others, total - java)

    def _look(self, number: str) -> float:
        """Note what a process has taken so far, and give its memory in MB."""
        try:
            stat = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            rollup = Path(f"/proc/{number}/smaps_rollup").read_text()
        except OSError:
            return 0.0
        ticks = int(stat[11]) + int(stat[12])
        self.times[number] = ticks / os.sysconf("SC_CLK_TCK")
        pss = next(line for line in rollup.split("\n") if line.startswith("Pss:"))
        return int(pss.split()[1]) * 1024 / 1e6


def _is_java(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/comm").read_text() == "java\n"
    except OSError:
        return False


if __name__ == "__main__":
    main()
