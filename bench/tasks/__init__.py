"""Every file of this folder is a group of benchmarks: a list TASKS of races and limits."""

from importlib import import_module
from pkgutil import iter_modules

from record import Limit, Race


def all_tasks() -> list[Race | Limit]:
    """Load every file's tasks, in the order of the files' names."""
    names = sorted(entry.name for entry in iter_modules(__path__))
    return [task for name in names for task in import_module(f"tasks.{name}").TASKS]
