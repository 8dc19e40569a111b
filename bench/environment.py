"""One thread everywhere, and what a reader must know of the machine.

Import this first: libraries read these variables when they are loaded.
"""

import os

PINNED = {
    "METRA_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",  # bleuscore counts on all cores otherwise
}

os.environ |= PINNED

import platform  # noqa: E402, after the variables are set
from importlib.metadata import PackageNotFoundError, version  # noqa: E402
from pathlib import Path  # noqa: E402

PACKAGES = ("metra", "sacrebleu", "bleuscore", "numpy")


def describe() -> dict[str, object]:
    """Name the machine, the versions, the pinned variables and the load."""
    return {
        "system": _system(),
        "python": platform.python_version(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "pinned": PINNED,
        "versions": {name: _version(name) for name in PACKAGES},
    }


def is_busy() -> bool:
    """Whether other work disturbs the times: more is running than this process."""
    return os.getloadavg()[0] > 1.3


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.platform()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().split("\n"):
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
