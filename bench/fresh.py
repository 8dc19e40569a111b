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
from pathlib import Path

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
        _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in KB except on macOS
    found = {
        "seconds": seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * unit / 1e6,
    }
    print(json.dumps(found))
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
