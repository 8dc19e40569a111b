"""Read mutated files by every command that reads them, and count what happens.

python tests/fuzz/run.py --mutations 2000 --seed 7
python tests/fuzz/run.py --seconds 7200 --seed 100
"""

import argparse
import contextlib
import io
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import click  # noqa: E402
from tests.fuzz.mutation import mutate  # noqa: E402
from tests.fuzz.samples import FILE, Sample, list_samples, write_folder  # noqa: E402
from tests.fuzz.web import Visitor  # noqa: E402

from metra.cli import cli, name_flags  # noqa: E402
from metra.errors import MetraError, format_message  # noqa: E402
from metra.formats.stream import PIPES  # noqa: E402

#: Whoever takes more seconds of the processor hangs.
SECONDS = 60
#: So many mutations are tried by one process.
PIECE = 1000
#: A refusal is at most this long, without the names of files and what they hold.
LONGEST = 1500


#: A format and command or a kind of request, what happened, and details of a fault.
Outcome = tuple[str, str, str]
#: How a mutation is named, its content, and what tries it.
Trial = tuple[str, bytes, Callable[[], Outcome]]


#: A seed, and the process that tried its mutations.
Piece = tuple[int, "subprocess.CompletedProcess[str]"]


class HangError(BaseException):
    """A reading that took too long."""


FINE = ("read", "refused")
OUTCOMES = {
    "read": "read, or answered",
    "refused": "refused in one sentence",
    "no sentence": "refused otherwise",
    "traceback": "traceback, or status 500",
    "hang": "hang",
    "exit": "unknown exit code",
    "crash": "process that died",
}


@dataclass
class Counts:
    """What happened, by format; what should not have happened, with how to repeat it."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    #: Megabytes of the largest process.
    memory: int = 0

    def add(self, title: str, outcome: str, detail: str = "") -> None:
        """Count an outcome: read, refused, or the name of a fault."""
        self.outcomes[title, outcome] += 1
        if outcome not in FINE:
            self.faults.append(f"{outcome}: {title}\n{detail}")
            print(self.faults[-1], flush=True)

    def add_piece(
        self, seed: int, done: "subprocess.CompletedProcess[str]"
    ) -> list[str]:
        """Add what a process has counted, or that it died; return what went wrong."""
        if done.returncode:
            self.outcomes["process", "crash"] += 1
            faults = [f"crash: --seed {seed}: {done.returncode}\n{done.stdout[-2000:]}"]
        else:
            piece = json.loads(done.stdout.strip().split("\n")[-1])
            for title, outcome, number in piece["outcomes"]:
                self.outcomes[title, outcome] += number
            faults = piece["faults"]
            self.memory = max(self.memory, piece["memory"])
        self.faults += faults
        return faults

    def total(self, outcome: str) -> int:
        """Return how often something happened."""
        return sum(n for (_, what), n in self.outcomes.items() if what == outcome)

    def describe(self) -> str:
        """Say how far it is."""
        figures = {name: self.total(name) for name in OUTCOMES}
        return f"{self.outcomes.total()} {figures} {self.memory} MB"


def call(arguments: list[str]) -> None:
    """Run the command line in this process, quietly; exceptions are the caller's."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            cli(arguments, prog_name="metra", standalone_mode=False)
    finally:
        sys.stdin = stdin
        PIPES.clear()


def try_file(sample: Sample, content: bytes, folder: Path) -> tuple[str, str]:
    """Read a file by its command; return what happened, and details of a fault."""
    path = folder / sample.name
    path.write_bytes(content)
    try:
        return classify(lambda: read_sample(sample, path, folder))
    finally:
        # Other samples may read the file as well.
        path.write_bytes(sample.content)


def read_sample(sample: Sample, path: Path, folder: Path) -> None:
    """Read a file as its sample says."""
    if sample.read:
        sample.read(str(path))
        return
    store = folder / "judge.db"
    store.unlink(missing_ok=True)
    arguments = [
        word.replace(FILE, str(path)).replace("{folder}", str(folder))
        for word in sample.arguments
    ]
    call(arguments)


def classify(act: Callable[[], object]) -> tuple[str, str]:
    """Do something; return what happened, and details of a fault."""

    def stop(*_: object) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGPROF, stop)
    # Other programs may keep the processor busy; what waits for nothing never ends.
    signal.setitimer(signal.ITIMER_REAL, 10 * SECONDS)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        act()
    except (MetraError, click.ClickException) as error:
        message = format_message(name_flags(str(error)))
        return (
            ("refused", message) if is_sentence(message) else ("no sentence", message)
        )
    except HangError:
        return "hang", traceback.format_exc()
    except SystemExit as end:
        return ("read", "") if end.code in (None, 0, 1, 2) else ("exit", str(end.code))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "traceback", traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return "read", ""


def is_sentence(message: str) -> bool:
    """Whether a refusal is one short line."""
    return bool(message.strip()) and "\n" not in message and len(message) <= LONGEST


def list_all(folder: Path) -> list[Sample]:
    """Return the samples of every format, and check that all of them are read."""
    write_folder(folder)
    samples = list_samples(folder, lambda *words: call([*words]))
    tried = [(sample, *try_file(sample, sample.content, folder)) for sample in samples]
    wrong = [
        f"{one.title}: {what}: {why}" for one, what, why in tried if what != "read"
    ]
    assert not wrong, "\n".join(wrong)
    return samples


def iterate_files(samples: list[Sample], folder: Path, seed: int) -> Iterator[Trial]:
    """Yield mutations of all samples in turn, for ever; a seed gives the same ones."""
    number = 0
    while True:
        for sample in samples:
            rng = random.Random(f"{seed} {number} {sample.title}")
            content = mutate(sample.content, rng)

            def act(sample: Sample = sample, content: bytes = content) -> Outcome:
                return sample.title, *try_file(sample, content, folder)

            yield f"round {number}", content, act
        number += 1


def iterate_requests(samples: list[Sample], folder: Path, seed: int) -> Iterator[Trial]:
    """Yield requests to the judging app, for ever."""
    visitor = Visitor(folder, samples)
    try:
        for number in count():
            rng = random.Random(f"{seed} {number} web")

            def act(rng: random.Random = rng) -> Outcome:
                sent: list[Outcome] = []
                outcome, detail = classify(
                    lambda: sent.append(visitor.try_request(rng))
                )
                return sent[0] if sent else ("web", outcome, detail)

            yield f"request {number}", b"", act
    finally:
        visitor.close()


def fuzz(seed: int, mutations: int, seconds: float, share: float = 0.25) -> Counts:
    """Try so many mutations, or as many as there is time for; a share of them on the web."""
    counts = Counts()
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        samples = list_all(folder)
        rng = random.Random(seed)
        with (
            closing(iterate_files(samples, folder, seed)) as files,
            closing(iterate_requests(samples, folder, seed)) as requests,
        ):
            for _ in range(mutations):
                if time.monotonic() > end:
                    break
                name, content, act = next(requests if rng.random() < share else files)
                title, outcome, detail = act()
                counts.add(title, outcome, f"--seed {seed}, {name}\n{detail}")
                keep = os.environ.get("METRA_FUZZ_KEEP")
                if keep and outcome not in ("read", "refused"):
                    Path(keep, f"{seed}-{name}").write_bytes(content)
    return counts


def run_pieces(seed: int, mutations: int, seconds: float, jobs: int) -> Counts:
    """Run in processes of their own, so that one that dies is counted and no more."""
    report = Counts()
    end = time.monotonic() + seconds

    def run(number: int) -> Piece | None:
        size = min(PIECE, mutations - PIECE * number)
        left = end - time.monotonic()
        if left <= 0:
            return None
        words = [f"--seed={seed + number}", f"--mutations={size}", f"--seconds={left}"]
        command = [sys.executable, __file__, "--piece", *words]
        return seed + number, subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=False
        )

    with ThreadPoolExecutor(jobs) as pool:
        for piece in pool.map(run, range(math.ceil(min(mutations, 10**7) / PIECE))):
            if piece is None:
                break
            print(*report.add_piece(*piece), report.describe(), sep="\n", flush=True)
    return report


def run_piece(seed: int, mutations: int, seconds: float) -> None:
    """Run in this process, and print the counts as the last line."""
    counts = fuzz(seed, mutations, seconds)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    outcomes = [[*key, number] for key, number in counts.outcomes.items()]
    piece = {
        "outcomes": outcomes,
        "faults": counts.faults,
        "memory": usage.ru_maxrss // 1024,
    }
    print(json.dumps(piece))


def main() -> None:
    """Run from the command line; exit with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--piece", action="store_true", help="in this process")
    options = parser.parse_args()
    if options.piece:
        run_piece(options.seed, options.mutations, options.seconds)
        return
    report = run_pieces(options.seed, options.mutations, options.seconds, options.jobs)
    sys.exit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
