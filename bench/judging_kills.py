"""Fifty judges through kills, restarts and a full disk: is an answer lost or doubled?

python bench/judging_kills.py                      SQLite and PostgreSQL
python bench/judging_kills.py --only sqlite --items 20
python bench/judging_kills.py --write              also into bench/RELIABILITY.md

Needs root, for a small file system in memory that can be filled up.
"""

import argparse
import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import judging_load  # noqa: E402
from results import replace_section  # noqa: E402
from tests import databases  # noqa: E402
from tests.campaigns import House, made, opened  # noqa: E402
from tests.web.servers import Server, serving  # noqa: E402

from metra import store as stores  # noqa: E402
from metra.store.backup import digest_content  # noqa: E402

JUDGES, ITEMS, WORKERS = 50, 200, 2
#: Megabytes of the file system, and seconds for which it is full.
MEGABYTES = {"sqlite": 150, "postgresql": 600}
FULL_SECONDS = 10.0


class SmallDisk:
    """A small file system of its own, which can be filled up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ballast = folder / "ballast"

    def fill(self) -> None:
        """Write until nothing more fits."""
        with self.ballast.open("ab", buffering=0) as file:
            for size in (2**20, 2**12, 1):
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """Make room again."""
        self.ballast.unlink()


@contextmanager
def mount_small_disk(megabytes: int) -> Iterator[SmallDisk]:
    """Mount a file system of so many megabytes."""
    with tempfile.TemporaryDirectory(prefix="metra-", dir="/tmp") as folder:
        size = f"size={megabytes}m,mode=755"
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder], check=True
        )
        try:
            yield SmallDisk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


class Trial:
    """A server with judges at work, and what is done to it."""

    def __init__(
        self,
        server: Server,
        disk: SmallDisk,
        database: databases.PostgreSQL | None,
        backup: Path,
    ) -> None:
        self.server, self.disk, self.database, self.backup = (
            server,
            disk,
            database,
            backup,
        )
        self.load = judging_load.Load(0, 0)
        self.counts = {"worker": 0, "parent": 0, "restart": 0, "full": 0}
        self.until_gone: list[float] = []
        self.saved_while_full = 0
        self.copied: set[str] = set()
        self.told_before: set[str] = set()

    def kill_worker(self) -> None:
        """End one worker as a failing machine would."""
        # One that cannot reach its store does not live long.
        while not (workers := self.server.list_workers()):
            time.sleep(0.1)
        os.kill(workers[self.counts["worker"] % len(workers)], signal.SIGKILL)
        self.counts["worker"] += 1

    def kill_parent(self) -> None:
        """End the parent alone, see its workers end, and start the server again."""
        self.until_gone.append(self.server.kill_parent())
        self.server.start()
        self.counts["parent"] += 1

    def restart_database(self) -> None:
        """Restart PostgreSQL: the first time as after a crash, then in good order."""
        if self.database is None:
            return
        crash = self.counts["restart"] == 0
        self.database.stop(signal.SIGQUIT if crash else signal.SIGINT)
        time.sleep(2)
        self.database.start()
        self.counts["restart"] += 1

    def fill_disk(self) -> None:
        """Let the disk be full for a while; a database that gave up is started again."""
        before = len(self.load.saved)
        if self.database is None:
            # SQLite's log keeps the room that it once took, in which answers could be
            # saved for a while: it is emptied and cut first.
            self._empty_log()
        self.disk.fill()
        time.sleep(FULL_SECONDS)
        self.saved_while_full = len(self.load.saved) - before
        self.disk.free()
        if self.database is not None and self.database.server.poll() is not None:
            self.database.start()
        self.counts["full"] += 1

    def _empty_log(self) -> None:
        with closing(sqlite3.connect(self.server.url, timeout=60)) as db:
            [busy, *_] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            msg = (
                "The log of the store could not be emptied; the disk would not be full."
            )
            raise RuntimeError(msg)

    def back_up(self) -> None:
        """Write a backup while judges work; all that was acknowledged before is in it."""
        self.told_before = set(self.load.saved)
        run_metra("backup", self.backup, "--store", self.server.url)
        self.copied = set(list_answers(str(self.backup)))


def run_metra(*words: object) -> None:
    """Run a command of `metra judge`."""
    command = [sys.executable, "-m", "metra", "judge", *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def list_answers(url: str) -> list[str]:
    """Return the ids of all answers in a store."""
    with closing(stores.open(url, create=False)) as store, store.reading() as db:
        return list(db.exec_driver_sql("SELECT id FROM judgement").scalars())


#: What is done, and after which share of the answers.
PLAN: list[tuple[float, Callable[[Trial], None]]] = [
    (0.05, Trial.kill_worker),
    (0.12, Trial.kill_parent),
    (0.20, Trial.kill_worker),
    (0.26, Trial.back_up),
    (0.32, Trial.kill_parent),
    (0.38, Trial.restart_database),
    (0.44, Trial.kill_worker),
    (0.50, Trial.fill_disk),
    (0.56, Trial.kill_worker),
    (0.62, Trial.kill_parent),
    (0.68, Trial.kill_worker),
    (0.74, Trial.restart_database),
    (0.80, Trial.kill_parent),
    (0.86, Trial.kill_worker),
]


def run_trial(kind: str, items: int) -> dict[str, Any]:
    """Let the judges work through the plan; return what came of it."""
    with ExitStack() as stack:
        disk = stack.enter_context(mount_small_disk(MEGABYTES[kind]))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        database = None
        url = str(disk.folder / "judge.db")
        if kind == "postgresql":
            sizes = {"min_wal_size": "32MB", "max_wal_size": "96MB"}
            place = str(disk.folder)
            running = databases.running(durable=True, folder=place, **sizes)
            database = stack.enter_context(running)
            url = database.new_database()
        store = stores.open(url)
        stack.callback(store.close)
        checks = {"calibration": 0, "repeats": 0.0, "degraded": 0.0}
        content = made("da", judges=JUDGES, texts=JUDGES * items // 4, **checks)
        house = opened(store, content)
        server = stack.enter_context(serving(url, folder / "log", WORKERS))
        trial = Trial(server, disk, database, folder / "middle.db")
        pool = stack.enter_context(ThreadPoolExecutor(1))
        judging = pool.submit(
            judging_load.run,
            server.base,
            list(house.tokens.values()),
            items,
            pause=0.0,
            load=trial.load,
        )
        follow_plan(trial, judging, JUDGES * items)
        server.stop()
        return count_outcome(kind, house, trial, folder, items)


def follow_plan(trial: Trial, judging: "Future[judging_load.Load]", total: int) -> None:
    """Do what is planned, each when so many answers were acknowledged."""
    for share, act in PLAN:
        while len(trial.load.saved) < share * total and not judging.done():
            time.sleep(0.01)
        if judging.done():
            break
        print(f"{len(trial.load.saved):6} {act.__name__}", flush=True)
        act(trial)
    judging.result()


def count_outcome(
    kind: str, house: House, trial: Trial, folder: Path, items: int
) -> dict[str, Any]:
    """Compare what judges were told with the store, and the store with its backup."""
    kept, told = house.judgements(), trial.load.saved
    final = folder / "final.db"
    run_metra("backup", final, "--store", trial.server.url)
    restored = {"SQLite": str(folder / "restored.db")}
    with ExitStack() as stack:
        if databases.missing() is None:
            database = stack.enter_context(databases.running())
            restored["PostgreSQL"] = database.new_database()
        equal = {}
        for name, url in restored.items():
            run_metra("restore", final, "--store", url)
            with (
                closing(stores.open(url)) as copy,
                copy.reading() as mine,
                house.store.reading() as theirs,
            ):
                equal[name] = digest_content(mine) == digest_content(theirs)
    replies = trial.load.replies
    return {
        "kind": kind,
        "asked": JUDGES * items,
        "told": len(told),
        "kept": len(kept),
        "lost": len(set(told) - {one.id for one in kept}),
        "doubled": len(kept) - len({(one.judge, one.task) for one in kept}),
        "untold": len({one.id for one in kept} - set(told)),
        **trial.counts,
        "gone": max(trial.until_gone, default=0.0),
        "saved while full": trial.saved_while_full,
        "503": replies["503"],
        "507": replies["507"],
        "no reply": replies["no reply"],
        "others": sum(
            n for status, n in replies.items() if status.startswith(("4", "5"))
        )
        - replies["503"]
        - replies["507"],
        "middle": len(trial.copied),
        "missing in the middle": len(trial.told_before - trial.copied),
        "equal": equal,
        "seconds": round(trial.load.seconds),
    }


ROWS: dict[str, Callable[[dict[str, Any]], str]] = {
    "answers that judges gave": lambda of: f"{of['asked']:,}",
    "acknowledged to the judge": lambda of: f"{of['told']:,}",
    "in the store at the end": lambda of: f"{of['kept']:,}",
    "**lost**": lambda of: f"**{of['lost']:,}**",
    "**doubled**": lambda of: f"**{of['doubled']:,}**",
    "SIGKILL of a worker": lambda of: str(of["worker"]),
    "SIGKILL of the parent": lambda of: str(of["parent"]),
    "longest time until its workers had ended": lambda of: f"{of['gone']:.1f} s",
    "restarts of PostgreSQL, one of them a crash": lambda of: (
        str(of["restart"]) if of["kind"] == "postgresql" else "–"
    ),
    f"full disk, for {FULL_SECONDS:.0f} s": lambda of: str(of["full"]),
    "answers saved while it was full": lambda of: str(of["saved while full"]),
    "replies 507 (disk full)": lambda of: f"{of['507']:,}",
    "replies 503 (store not reached)": lambda of: f"{of['503']:,}",
    "attempts without a reply": lambda of: f"{of['no reply']:,}",
    "other errors": lambda of: f"{of['others']:,}",
    "answers in a backup written meanwhile": lambda of: f"{of['middle']:,}",
    "acknowledged before it began, but not in it": lambda of: str(
        of["missing in the middle"]
    ),
    "backup restored, equal to the store": lambda of: ", ".join(
        f"{name}: {'yes' if same else '**no**'}" for name, same in of["equal"].items()
    ),
    "seconds": lambda of: f"{of['seconds']:,}",
}
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
HEADING = "Kills, restarts and full disks"
PAGE = """\
{judges} simulated judges answer {items} screens each on a server with {workers} workers, each
answer after a draft, as fast as possible. Meanwhile, processes are killed, PostgreSQL is
restarted, and the disk of the store is filled. Requests that fail are sent again, as the
judging page does. Written by `python bench/judging_kills.py --write`.

{table}
"""


def format_page(outcomes: list[dict[str, Any]], items: int) -> str:
    """Return the section of the page in Markdown."""
    lines = [
        f"| | {' | '.join(NAMES[one['kind']] for one in outcomes)} |",
        f"| :-- |{' --: |' * len(outcomes)}",
        *(
            f"| {name} | {' | '.join(show(one) for one in outcomes)} |"
            for name, show in ROWS.items()
        ),
    ]
    return PAGE.format(
        judges=JUDGES, items=items, workers=WORKERS, table="\n".join(lines)
    )


def is_right(of: dict[str, Any]) -> bool:
    """Return whether nothing was lost or doubled, backups are complete, and disks were full."""
    wrong = ("lost", "doubled", "untold", "others", "missing in the middle")
    return (
        of["kept"] == of["asked"]
        and not any(of[name] for name in wrong)
        and all(of["equal"].values())
        and (of["507"] > 0 or not of["full"])
    )


def main() -> None:
    """Run from the command line; exit with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(NAMES), help="one kind of store")
    parser.add_argument("--items", type=int, default=ITEMS, help="answers of a judge")
    parser.add_argument("--write", action="store_true", help="into RELIABILITY.md")
    options = parser.parse_args()
    kinds = [options.only] if options.only else list(NAMES)
    outcomes = []
    for kind in kinds:
        outcomes.append(run_trial(kind, options.items))
        print(json.dumps(outcomes[-1]), flush=True)
    page = format_page(outcomes, options.items)
    print(page)
    if options.write:
        replace_section(ROOT / "bench" / "RELIABILITY.md", HEADING, page)
    sys.exit(0 if all(map(is_right, outcomes)) else 1)


if __name__ == "__main__":
    main()
